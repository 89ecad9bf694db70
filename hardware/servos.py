"""The servos of one arm, read and written by the names of their registers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hardware.bus import Reply, ServoBus
from hardware.registers import Register, Table
from hardware.tables import table_of


@dataclass(frozen=True)
class Read:
    """What one servo of several answered: counts by register, or why there are none."""

    counts: dict[str, int] | None
    alert: bool = False
    problem: str | None = None


class Servos:
    """Registers by name, of servos whose models are known.

    Args:
        bus: The wire.
        models: Model number by servo.
    """

    def __init__(self, bus: ServoBus, models: Mapping[int, int]) -> None:
        self.bus = bus
        self._tables = {servo: table_of(model) for servo, model in models.items()}

    def table(self, servo: int) -> Table:
        """What is known of a servo's model."""
        return self._tables[servo]

    def get(self, servo: int, name: str) -> int:
        """One register's counts.

        Raises:
            DeviceError: No answer, or the port is gone.
        """
        register = self._tables[servo][name]
        return register.decode(self.bus.read(servo, register.address, register.size))

    def put(self, servo: int, name: str, counts: int) -> None:
        """Write one register and see that it was taken.

        Raises:
            DeviceError: The servo refuses or does not answer, or the port is gone.
        """
        register = self._tables[servo][name]
        self.bus.write(servo, register.address, register.encode(counts))

    def get_all(self, servos: Sequence[int], names: Iterable[str]) -> dict[int, Read]:
        """The same registers of several servos in one exchange; a register that a model has not is left out.

        Raises:
            BusError: The port is gone.
        """
        names = tuple(names)
        known = {servo: [name for name in names if name in self._tables[servo]] for servo in servos}
        registers = [self._tables[servo][name] for servo in servos for name in known[servo]]
        address = min(register.address for register in registers)
        length = max(register.end for register in registers) - address
        replies = self.bus.sync_read(servos, address, length)
        return {servo: self._read(servo, replies[servo], address, known[servo]) for servo in servos}

    def put_all(self, counts: Mapping[int, int], name: str) -> None:
        """The same register of several servos by one packet; nobody answers.

        Raises:
            BusError: The port is gone.
        """
        registers: dict[int, Register] = {servo: self._tables[servo][name] for servo in counts}
        addresses = {register.address for register in registers.values()}
        for address in addresses:  # one, but on an arm of several families
            data = {s: r.encode(counts[s]) for s, r in registers.items() if r.address == address}
            self.bus.sync_write(address, data)

    def _read(self, servo: int, reply: Reply, address: int, names: Sequence[str]) -> Read:
        if reply.data is None:
            return Read(None, reply.alert, reply.problem)
        counts = {}
        for name in names:
            register = self._tables[servo][name]
            counts[name] = register.decode(reply.data[register.address - address : register.end - address])
        return Read(counts, reply.alert)
