"""Feetech STS servos on a wire."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.bus import Found
from hardware.feetech import RECENTRE, RECENTRE_AT, FeetechCodec
from hardware.packet_bus import PATIENCE_S, PacketBus
from hardware.wire import Wire
from robot.errors import LimitError

_IDENTITY, _IDENTITY_LENGTH = 0, 5  # firmware (2), one byte that nobody names, model (2)


class FeetechBus(PacketBus):
    """Implements `ServoBus` for STS servos, and knows their traps.

    They never refuse: a stored register (below 40) is read back after each write, since a locked servo drops it without
    a word. There is no watchdog in them, and no order to start anew.

    Args:
        wire: An open port.
        names: What people call the servos, for messages.
        patience_s: How long an answer may take beyond the time that its bytes need.
    """

    def __init__(
        self, wire: Wire, names: Mapping[int, str] | None = None, patience_s: float = PATIENCE_S
    ) -> None:
        super().__init__(wire, FeetechCodec(), names, patience_s)

    def ping(self, servo: int) -> Found:
        """Model and firmware, read from the registers, since their ping tells neither; see `ServoBus`."""
        status = self._answer(servo, self._codec.read(servo, _IDENTITY, _IDENTITY_LENGTH), _IDENTITY_LENGTH)
        model = int.from_bytes(status.data[3:5], "little")
        return Found(model, (status.data[0], status.data[1]), self._codec.alert(status))

    def scan(self) -> dict[int, Found]:
        """All that answer a broadcast ping, which takes about 0.8 s; see `ServoBus`."""
        return {servo: self.ping(servo) for servo in sorted(self._all_answers(0))}

    def write(self, servo: int, address: int, data: bytes) -> None:
        """Write once and see that it was taken; see `ServoBus`.

        Raises:
            LimitError: It would make the present position the middle of the servo's range.
        """
        self._keep_centre(address, data)
        super().write(servo, address, data)

    def sync_write(self, address: int, data: Mapping[int, bytes]) -> None:
        """Write the same registers of several servos by one packet; see `ServoBus`.

        Raises:
            LimitError: It would make a present position the middle of a servo's range.
        """
        for values in data.values():
            self._keep_centre(address, values)
        super().sync_write(address, data)

    def _keep_centre(self, address: int, data: bytes) -> None:
        if address <= RECENTRE_AT < address + len(data) and data[RECENTRE_AT - address] == RECENTRE:
            raise LimitError(
                f"{RECENTRE} into torque enable (register {RECENTRE_AT}) on {self.name!r} would make the present "
                "position the middle of the range: nothing was sent; allowed are 0 and 1"
            )
