"""Servo buses for tests: emulated servos on a wire in memory whose time costs nothing, or behind a pseudo-terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hardware.bus import ServoBus
from hardware.dynamixel_bus import DynamixelBus
from hardware.emulated_bus import Answer, EmulatedBus, emulated_servo
from hardware.emulated_servo import EmulatedServo
from hardware.feetech_bus import FeetechBus
from hardware.packet_bus import PacketBus
from hardware.pseudo_terminal import PseudoTerminal
from hardware.registers import Table
from hardware.tables import STS3215, XM430
from hardware.transport import Port
from hardware.wire_faults import WireFaults
from robot.clock import ManualClock, WallClock
from robot.ports import Clock

SERVOS = range(1, 8)
NAMES = {3: "elbow"}
MOST_CALLS = 10_000


class MemoryWire:
    """Implements `Wire` without a port: bytes arrive by a clock that only waiting moves."""

    name = "memory"
    byte_s = 1e-5

    def __init__(self, answers: Callable[[bytes], Iterable[Answer]], clock: ManualClock) -> None:
        self.answers, self._clock = answers, clock
        self._coming: list[tuple[float, int]] = []
        self.sent: list[bytes] = []
        self.calls = 0

    def now_s(self) -> float:
        return self._clock.now_s()

    def write(self, data: bytes) -> None:
        self.sent.append(data)
        t_s = self.now_s() + len(data) * self.byte_s
        for answer in self.answers(data):
            t_s += answer.delay_s + len(answer.data) * self.byte_s
            self._coming += [
                (t_s, byte) for byte in answer.data
            ]  # as an adapter hands it on, never mixed with another
        self._coming.sort(key=lambda one: one[0])

    def read(self, size: int, until_s: float) -> bytes:
        self.calls += 1
        assert self.calls < MOST_CALLS, "it reads for ever"
        here = [t_s for t_s, _ in self._coming if t_s <= until_s]
        self._clock.sleep_until(here[size - 1] if len(here) >= size else until_s)
        return self._take(min(size, len(here)))

    def flush_input(self) -> None:
        self._take(sum(t_s <= self.now_s() for t_s, _ in self._coming))

    def _take(self, n: int) -> bytes:
        taken, self._coming = self._coming[:n], self._coming[n:]
        return bytes(byte for _, byte in taken)


@dataclass
class Wired:
    """A bus, what it is a bus of, and how to spoil it."""

    bus: ServoBus
    servos: EmulatedBus
    faults: WireFaults
    table: Table
    clock: Clock
    terminal: PseudoTerminal | None = None

    def servo(self, number: int) -> EmulatedServo:
        return next(servo for servo in self.servos.servos if servo.number == number)

    def where(self, name: str) -> tuple[int, int]:
        """Address and length of a register."""
        return self.table[name].address, self.table[name].size

    def set_positions(self) -> dict[int, bytes]:
        """A position of its own for each servo, and the bytes that tell it."""
        register, told = self.table["goal_position"], {}
        for servo in self.servos.servos:
            servo.put("goal_position", 1000 + 100 * servo.number)
            told[servo.number] = register.encode(1000 + 100 * servo.number)
        return told


def emulated(model: int, clock: Clock, servos: Iterable[int] = SERVOS) -> EmulatedBus:
    return EmulatedBus([emulated_servo(model, n, settings={"return_delay": 0}) for n in servos], clock)


def _bus(model: int, wire: MemoryWire | Port, patience_s: float, *, fast: bool = False) -> PacketBus:
    if model == STS3215:
        return FeetechBus(wire, NAMES, patience_s)
    return DynamixelBus(wire, NAMES, patience_s, fast=fast)


@contextmanager
def in_memory(model: int = XM430, *, fast: bool = False) -> Iterator[Wired]:
    clock, faults = ManualClock(100.0), WireFaults()
    servos = emulated(model, clock)
    wire = MemoryWire(lambda data: faults.spoil(servos.answers(data)), clock)
    yield Wired(_bus(model, wire, 0.02, fast=fast), servos, faults, servos.servos[0].table, clock)


@contextmanager
def on_terminal(model: int = XM430) -> Iterator[Wired]:
    clock, faults = WallClock(), WireFaults()
    servos = emulated(model, clock)
    terminal = PseudoTerminal(lambda data: faults.spoil(servos.answers(data)))
    with terminal, Port(terminal.path) as port:
        table = servos.servos[0].table
        yield Wired(_bus(model, port, 0.05), servos, faults, table, clock, terminal)
