"""Faults on demand: what happens to emulated devices, and when. For trying out what the program does about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from hardware.arm_parts import ArmParts
from hardware.emulated_force import EmulatedForce, ForceFault
from hardware.wire_faults import FOR_EVER, Order, WireFault
from planning.notes import Note, Phase
from robot.errors import BadInputError

if TYPE_CHECKING:  # MuJoCo chooses what draws as it loads, and faults are read before that
    from sim.world import World
    from steadyhand.emulated_arm import EmulatedArm

_AFTER_S = 0.5  # by default, so long after a phase begins: in the middle of the motion
_BROWN_OUT_V = 9.0
_OVERLOAD = 0x20
_WHICH = 2  # the joint whose servo fails


class Kind(StrEnum):
    """What may fail: the answers of one servo, that servo, the port, the supply, the force sensor."""

    LOST = "lost"  # a byte of every answer
    CORRUPTED = "corrupted"  # a bit of every answer
    DELAYED = "delayed"
    SPLIT = "split"  # all answers come byte by byte
    DOUBLED = "doubled"  # a byte of every answer comes twice
    REPEATED = "repeated"  # every answer comes twice
    SILENT = "silent"  # it neither hears nor answers
    OVERLOAD = "overload"  # it goes limp
    BROWN_OUT = "brown-out"
    HANG_UP = "hang-up"
    RENAMED = "renamed"  # the port hangs up and comes back under another name
    STUCK = "stuck"  # the sensor says the same for ever
    DRIFT = "drift"
    SPIKES = "spikes"
    NO_SENSOR = "no-sensor"  # it falls silent


_ON_THE_WIRE = {kind: WireFault(kind.value) for kind in Kind if kind.value in {f.value for f in WireFault}}
OF_THE_SENSOR = {
    Kind.STUCK: ForceFault.STUCK,
    Kind.DRIFT: ForceFault.DRIFT,
    Kind.SPIKES: ForceFault.SPIKES,
    Kind.NO_SENSOR: ForceFault.SILENT,
}


@dataclass(frozen=True)
class Fault:
    """A fault to come: `after_s` after a phase of a turn begins for the first time."""

    kind: Kind
    phase: Phase
    after_s: float = _AFTER_S


def read_fault(text: str) -> Fault:
    """A fault from KIND@PHASE, or KIND@PHASE+SECONDS.

    Raises:
        BadInputError: It cannot be read.
    """
    parts = re.fullmatch(r"(?P<kind>[a-z-]+)@(?P<phase>[a-z-]+)(?:\+(?P<after>\d+(?:\.\d+)?))?", text)
    kinds, phases = [str(kind) for kind in Kind], [str(phase) for phase in Phase]
    if parts is None or parts["kind"] not in kinds or parts["phase"] not in phases:
        raise BadInputError(
            f"--fault {text!r}: expected KIND@PHASE or KIND@PHASE+SECONDS, such as overload@probe-start; kinds are "
            f"{', '.join(kinds)}; phases are {', '.join(phases)}"
        )
    after_s = _AFTER_S if parts["after"] is None else float(parts["after"])
    return Fault(Kind(parts["kind"]), Phase(parts["phase"]), after_s)


def read_timed_fault(text: str) -> tuple[Kind, float]:
    """A fault and when it comes, from KIND@SECONDS.

    Raises:
        BadInputError: It cannot be read.
    """
    parts = re.fullmatch(r"(?P<kind>[a-z-]+)@(?P<after>\d+(?:\.\d+)?)", text)
    kinds = [str(kind) for kind in Kind]
    if parts is None or parts["kind"] not in kinds:
        raise BadInputError(
            f"--fault {text!r}: expected KIND@SECONDS, such as overload@30; kinds are {', '.join(kinds)}"
        )
    return Kind(parts["kind"]), float(parts["after"])


@dataclass(frozen=True)
class Emulated:
    """The far ends of a table's wires; no sensor where its wire is not there."""

    arm: EmulatedArm
    parts: ArmParts
    sensor: EmulatedForce | None
    sensor_port: str = ""

    def spoil(self, kind: Kind) -> None:
        """Have the devices fail, from now on."""
        lead = self.parts.joints[_WHICH].lead.servo
        servo = next(servo for servo in self.arm.bus.servos if servo.number == lead)
        if kind in _ON_THE_WIRE and kind is not Kind.SILENT:
            self.arm.faults.order(Order(_ON_THE_WIRE[kind], FOR_EVER, None if kind is Kind.SPLIT else lead))
        elif kind in OF_THE_SENSOR and self.sensor is not None:
            self.sensor.fault = OF_THE_SENSOR[kind]
        elif kind is Kind.SILENT:
            servo.silent = True
        elif kind is Kind.OVERLOAD:
            servo.fail(_OVERLOAD)
        elif kind is Kind.BROWN_OUT:
            for other in self.arm.bus.servos:
                other.voltage_v = _BROWN_OUT_V
        elif kind in {Kind.HANG_UP, Kind.RENAMED}:
            self.arm.terminal.close()
            if kind is Kind.RENAMED:
                self.arm.terminal.start()


class FaultsToCome:
    """Listens to a turn and has the devices fail when it is time; each fault once.

    Args:
        faults: What is to come.
        world: Whose time it is.
        spoil: Makes it happen.
    """

    def __init__(self, faults: Sequence[Fault], world: World, spoil: Callable[[Kind], None]) -> None:
        self._to_come, self._spoil, self._world = list(faults), spoil, world
        self._due: list[tuple[float, Kind]] = []
        world.watch(self._look)

    def __call__(self, note: Note) -> None:
        """Listen to a turn."""
        for fault in [fault for fault in self._to_come if fault.phase is note.phase]:
            self._to_come.remove(fault)
            self.after(fault.after_s, fault.kind)

    def after(self, seconds: float, kind: Kind) -> None:
        """Have it happen so long from now."""
        self._due.append((self._world.now_s() + seconds, kind))

    def _look(self, world: World) -> None:
        for due in [due for due in self._due if due[0] <= world.now_s()]:
            self._due.remove(due)
            self._spoil(due[1])
