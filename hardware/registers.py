"""A servo's registers: where a value stands, how its bytes are read, and what one count of it means."""

from __future__ import annotations

from dataclasses import dataclass

from robot.errors import BadInputError, DeviceError

TWOS_COMPLEMENT = -1  # else `sign` is the number of the bit that holds it, or None for a value without one


@dataclass(frozen=True)
class Register:
    """One value in a servo.

    Attributes:
        name: The same for the same thing in every table.
        address: Of its lowest byte.
        size: In bytes, lowest first.
        sign: None, `TWOS_COMPLEMENT`, or the bit that makes the value negative (sign and magnitude).
        unit: What one count is in SI units, rad, rad/s, A, V or s, or 1 for a plain number.
        initial: Counts after the factory or, above the stored part, after power-on.
        low: Least count that the servo takes.
        high: Largest.
        writable: Whether it can be written at all.
    """

    name: str
    address: int
    size: int
    sign: int | None = None
    unit: float = 1.0
    initial: int = 0
    low: int = 0
    high: int = 0
    writable: bool = False

    @property
    def end(self) -> int:
        """The address behind its last byte."""
        return self.address + self.size

    @property
    def most(self) -> int:
        """The largest count of either sign that fits."""
        if self.sign is None:
            return (1 << 8 * self.size) - 1
        return (1 << (8 * self.size - 1 if self.sign == TWOS_COMPLEMENT else self.sign)) - 1

    def encode(self, count: int) -> bytes:
        """Bytes of a count.

        Raises:
            BadInputError: It does not fit.
        """
        try:
            if self.sign is None or self.sign == TWOS_COMPLEMENT:
                return count.to_bytes(self.size, "little", signed=self.sign is not None)
            if abs(count) > self.most:
                raise OverflowError
            return (abs(count) | (count < 0) << self.sign).to_bytes(self.size, "little")
        except OverflowError:
            raise BadInputError(f"register {self.name!r}: {count} does not fit into {self._room()}") from None

    def decode(self, data: bytes) -> int:
        """The count that bytes mean.

        Raises:
            BadInputError: They are not as many as the register has.
        """
        if len(data) != self.size:
            raise BadInputError(f"register {self.name!r}: {len(data)} bytes, it has {self.size}")
        if self.sign is None or self.sign == TWOS_COMPLEMENT:
            return int.from_bytes(data, "little", signed=self.sign is not None)
        raw = int.from_bytes(data, "little")
        magnitude = raw & ~(1 << self.sign)
        return -magnitude if raw >> self.sign & 1 else magnitude

    def to_counts(self, value: float) -> int:
        """The count nearest to a value in SI units."""
        return round(value / self.unit)

    def _room(self) -> str:
        return (
            f"{self.size} bytes" if self.sign in (None, TWOS_COMPLEMENT) else f"{self.sign} bits and a sign"
        )


@dataclass(frozen=True)
class Table:
    """All registers of a model that this program uses, and what else is known of it.

    Attributes:
        model: Its number, as the servo tells it.
        name: As the maker calls it.
        registers: By name.
        stored: Registers below this address keep their values without power.
        modes: Operating modes that it has.
        torque_nm_per_a: Torque at the horn for each ampere; None where no register tells a current that means torque.
        friction_a: Current that friction takes before any torque comes out.
        stall_nm: Torque at full power and usual voltage.
        volts: The usual supply, in volts.
    """

    model: int
    name: str
    registers: dict[str, Register]
    stored: int
    modes: tuple[int, ...]
    torque_nm_per_a: float | None
    friction_a: float
    stall_nm: float
    volts: float

    def __getitem__(self, name: str) -> Register:
        if name not in self.registers:
            raise DeviceError(
                f"a {self.name} (model {self.model}) has no register {name!r}; it has {', '.join(self.registers)}"
            )
        return self.registers[name]

    def __contains__(self, name: str) -> bool:
        return name in self.registers
