"""A servo without hardware, as far as both makers agree: registers, the way of the goal, the motor that it drives."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.motor import IdleMotor, Motor
from hardware.packets import Instruction
from hardware.registers import Table
from hardware.tables import CENTRE, TICKS

_TICK_RAD = 2 * math.pi / TICKS


@dataclass(frozen=True)
class Glide:
    """A goal on its way: from one angle to another in a straight line over some time."""

    from_rad: float
    to_rad: float
    start_s: float
    duration_s: float

    def at(self, now_s: float) -> tuple[float, float]:
        """The angle and the rate at a moment."""
        left = self.start_s + self.duration_s - now_s
        if left <= 0 or self.duration_s <= 0:
            return self.to_rad, 0.0
        rate = (self.to_rad - self.from_rad) / self.duration_s
        return self.to_rad - rate * left, rate


class EmulatedServo(ABC):
    """The part that servos of both makers have in common.

    Args:
        table: Its model.
        servo: Its number on the bus.
        motor: What turns its horn.
        settings: Counts of stored registers that differ from the factory's.

    Attributes:
        voltage_v: Supply voltage that it measures; out of its limits it raises the alarm.
        temperature_c: What it measures; over its limit it raises the alarm.
        silent: Whether it neither hears nor answers, as with a broken wire.
    """

    size = 256  # bytes of memory
    boot_s = 0.0  # silence after it was told to start anew

    def __init__(
        self, table: Table, servo: int, motor: Motor | None = None, settings: dict[str, int] | None = None
    ) -> None:
        self.table, self.motor = table, motor or IdleMotor()
        self.memory = bytearray(self.size)
        self._counts: dict[
            str, int
        ] = {}  # what of the memory was decoded already: a simulated bus asks often
        self.voltage_v, self.temperature_c = table.volts, 35.0
        self.silent = False
        self.registered: Instruction | None = None
        self._now_s = self._deaf_until_s = self._heard_s = -math.inf
        self._alarms = 0
        self._measured = [(table[name], sense) for name, sense in self._sensors().items()]
        self._factory(stored=True)
        for name, count in {"id": servo, **(settings or {})}.items():
            self.put(name, count)
        self._glide = self._held()
        self.boot()

    @property
    def number(self) -> int:
        """Its number on the bus."""
        return self.get("id")

    @property
    def shadows(self) -> int | None:
        """Whose orders it obeys too, without answering."""
        return None

    @property
    def torque(self) -> bool:
        """Whether the motor is on."""
        return self.get("torque_enable") == 1

    @property
    def hears(self) -> bool:
        """Whether orders reach it: its wire is whole, and it is not just starting."""
        return not self.silent and self._now_s >= self._deaf_until_s

    def get(self, name: str) -> int:
        """A register's count."""
        count = self._counts.get(name)
        if count is None:
            register = self.table[name]
            count = self._counts[name] = register.decode(bytes(self.memory[register.address : register.end]))
        return count

    def put(self, name: str, count: int) -> None:
        """Set a register, whatever guards it."""
        register = self.table[name]
        self.memory[register.address : register.end] = register.encode(count)
        self._counts[name] = count

    def read(self, address: int, length: int) -> tuple[int, bytes]:
        """Error number and bytes."""
        self._measure(address, address + length)
        return 0, bytes(self.memory[address : address + length].ljust(length, b"\x00"))

    @abstractmethod
    def write(self, address: int, data: bytes) -> int:
        """Take bytes if they are allowed; the error number."""

    @abstractmethod
    def error_byte(self, number: int) -> int:
        """An answer's error byte: the error number, and whether there is an alarm."""

    @abstractmethod
    def answers(self, level: int) -> bool:
        """Whether it answers: level 0 a ping, 1 a read, 2 everything else."""

    def heard(self) -> None:
        """An instruction was for it."""
        self._heard_s = self._now_s

    def tick(self, now_s: float) -> None:
        """Go on to this moment: alarms, the goal's way, the motor."""
        self._now_s = now_s
        self._check()
        if self.torque:
            goal_rad, rate = self._glide.at(now_s)
            self.motor.drive(goal_rad, rate, self._limit_nm())
        else:
            self.motor.drive(None, 0.0, None)

    def boot(self) -> None:
        """Start anew: what is not stored is lost, and the motor is off."""
        self._factory(stored=False)
        self._alarms = 0
        self.registered = None
        self._glide = self._held()
        self._deaf_until_s = self._now_s + self.boot_s

    def fail(self, alarm: int) -> None:
        """Raise an alarm, by its bit; where the servo is set to shut down for it, the motor goes off."""
        self._alarms |= alarm
        self.put("hardware_error", self.get("hardware_error") | alarm)
        if self.get("shutdown") & alarm:
            self.put("torque_enable", 0)

    def reset(self, keep: Sequence[str]) -> None:
        """Be as from the factory, but for these registers."""
        kept = {name: self.get(name) for name in keep}
        self._factory(stored=True)
        for name, count in kept.items():
            self.put(name, count)
        self.boot()

    @abstractmethod
    def clear_turns(self) -> None:
        """Forget whole turns, where it counts them."""

    @abstractmethod
    def count_of(self, angle_rad: float) -> int:
        """The position in ticks that the servo tells for an angle of its horn."""

    @abstractmethod
    def angle_of(self, count: int) -> float:
        """The angle of the horn for a goal in ticks."""

    def _factory(self, *, stored: bool) -> None:
        for register in self.table.registers.values():
            if (register.address < self.table.stored) == stored:
                self.put(register.name, register.initial)

    def _held(self) -> Glide:
        """Stay where the horn is."""
        here_rad = self.motor.position_rad()
        return Glide(here_rad, here_rad, self._now_s, 0.0)

    def _glide_to(self, goal_rad: float, duration_s: float) -> None:
        start_rad = self._glide.at(self._now_s)[0] if self.torque else self.motor.position_rad()
        self._glide = Glide(start_rad, goal_rad, self._now_s, duration_s)

    @abstractmethod
    def _limit_nm(self) -> float | None: ...

    @abstractmethod
    def _check(self) -> None:
        """Raise what alarms there is reason for."""

    def _sensors(self) -> dict[str, Callable[[], int]]:
        """What it measures: the count of each such register now."""
        table, motor = self.table, self.motor
        sensors = {
            "present_position": lambda: self.count_of(motor.position_rad()),
            "present_velocity": lambda: self._clipped(
                "present_velocity", self._sense() * motor.velocity_rad_s()
            ),
            "present_current": lambda: self._clipped("present_current", self._current_a()),
            "present_load": lambda: self._clipped(
                "present_load", self._sense() * motor.torque_nm() / table.stall_nm
            ),
            "voltage": lambda: table["voltage"].to_counts(self.voltage_v),
            "temperature": lambda: round(self.temperature_c),
            "moving": lambda: int(self.torque and self._glide.at(self._now_s)[1] != 0.0),
        }
        return {name: sense for name, sense in sensors.items() if name in table}

    def _measure(self, address: int, end: int) -> None:
        """Put what it measures into those registers between two addresses."""
        for register, sense in self._measured:
            if register.end > address and register.address < end:
                self.put(register.name, sense())

    def _sense(self) -> int:
        """-1 where the servo counts against its horn."""
        return 1

    def _current_a(self) -> float:
        """The current that a torque needs, friction included."""
        torque_nm, per_a = self.motor.torque_nm(), self.table.torque_nm_per_a
        if per_a is None or torque_nm == 0.0:
            return 0.0
        return self._sense() * math.copysign(abs(torque_nm) / per_a + self.table.friction_a, torque_nm)

    def _clipped(self, name: str, value: float) -> int:
        """Counts of a value, as many as the register holds."""
        register = self.table[name]
        return max(-register.most, min(register.most, register.to_counts(value)))


def ticks_of(angle_rad: float) -> int:
    """Ticks of a horn's angle, 0 rad in the middle, counted on over turns."""
    return round(angle_rad / _TICK_RAD) + CENTRE


def rad_of(ticks: int) -> float:
    """The angle of a number of ticks."""
    return (ticks - CENTRE) * _TICK_RAD
