"""Dynamixel X servos on a wire."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.bus import Found
from hardware.dynamixel import PING_LENGTH, DynamixelCodec, fast_length, split_fast_status
from hardware.packet_bus import PATIENCE_S, PacketBus
from hardware.packets import BROADCAST, Status
from hardware.wire import Wire


class DynamixelBus(PacketBus):
    """Implements `ServoBus` for Protocol 2.0.

    Args:
        wire: An open port.
        names: What people call the servos, for messages.
        patience_s: How long an answer may take beyond the time that its bytes need.
        fast: Whether sync reads ask for one packet of all servos together, which takes half the time on the wire. Needs
            firmware 45 or newer in all of them. Where that packet is damaged, they are asked the usual way.
    """

    def __init__(
        self,
        wire: Wire,
        names: Mapping[int, str] | None = None,
        patience_s: float = PATIENCE_S,
        *,
        fast: bool = False,
    ) -> None:
        self._packets = DynamixelCodec()
        self._fast = fast
        super().__init__(wire, self._packets, names, patience_s)

    def ping(self, servo: int) -> Found:
        """Model and firmware; see `ServoBus`."""
        return self._found(self._answer(servo, self._codec.ping(servo), PING_LENGTH))

    def scan(self) -> dict[int, Found]:
        """All that answer a broadcast ping, which takes about 0.8 s; see `ServoBus`."""
        return {
            servo: self._found(status) for servo, status in sorted(self._all_answers(PING_LENGTH).items())
        }

    def _sync_exchange(
        self, servos: list[int], address: int, length: int, *, first: bool
    ) -> dict[int, Status]:
        if not (self._fast and first and len(servos) > 1):
            return super()._sync_exchange(servos, address, length, first=first)
        packet = self._packets.fast_sync_read(servos, address, length)
        whole = self._exchange(packet, [BROADCAST], fast_length(len(servos), length)).get(BROADCAST)
        parts = [] if whole is None else split_fast_status(whole, length)
        return {part.servo: part for part in parts if part.servo in servos}

    def _found(self, status: Status) -> Found:
        model = int.from_bytes(status.data[:2], "little")
        return Found(model, (status.data[2],), self._codec.alert(status))
