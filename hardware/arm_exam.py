"""What `doctor` asks an arm's servos. Everything here reads; nothing is ever written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hardware.arm_check import look_over, misfits, who_answers
from hardware.arm_parts import ArmParts, JointParts
from hardware.arm_senses import Senses
from hardware.bus import Found, ServoBus
from hardware.registers import Table
from hardware.servos import Servos
from hardware.tables import TABLES
from robot.frames import Array
from robot.ports import Clock

_ROUND_TRIPS = 100
_MOTION = ("present_position", "present_velocity")
_HEALTH = ("voltage", "temperature", "torque_enable", "operating_mode", "present_position")


@dataclass(frozen=True)
class ServoHealth:
    """What one servo of the arm told; None where it told nothing.

    Attributes:
        servo: Its number.
        joint: What it turns.
        model: As its maker calls it, or the number of a model that is not known.
        firmware: Its version.
        volts: Of its supply.
        celsius: Its temperature.
        holds: Whether its torque is on.
        mode: Operating mode.
        angle_rad: Of the joint, by its register.
    """

    servo: int
    joint: str
    model: str
    firmware: str
    volts: float | None
    celsius: float | None
    holds: bool | None
    mode: int | None
    angle_rad: float | None


@dataclass(frozen=True)
class RoundTrips:
    """How long it took to read all joints, again and again.

    Attributes:
        count: How often they were asked.
        median_s: Half took less.
        late_s: 95 % took less.
        incomplete: How often a servo gave no answer, asked three times.
    """

    count: int
    median_s: float
    late_s: float
    incomplete: int


@dataclass(frozen=True)
class ArmExam:
    """What was found on the bus.

    Attributes:
        servos: Those of the arm that answered, in the order of its joints.
        strangers: Numbers of others that answered.
        faults: What keeps the arm from moving.
        warnings: What does not.
        round_trips: None where no servo of the arm can be read.
    """

    servos: tuple[ServoHealth, ...]
    strangers: tuple[int, ...]
    faults: tuple[str, ...]
    warnings: tuple[str, ...]
    round_trips: RoundTrips | None


def examine(bus: ServoBus, parts: ArmParts, clock: Clock, q_min_rad: Array, q_max_rad: Array) -> ArmExam:
    """Ask all servos of an arm what there is to know.

    Args:
        bus: The wire.
        parts: What should be on it.
        clock: Times the round trips.
        q_min_rad: Lowest angles (n,) that the arm will be asked for.
        q_max_rad: Highest ones.

    Raises:
        DeviceError: The port is gone.
    """
    found = who_answers(bus, parts)
    faults = misfits(parts, found)
    warnings: tuple[str, ...] = ()
    here = {servo: found[servo].model for servo in parts.servos if servo in found}
    known = {servo: model for servo, model in here.items() if model in TABLES}
    servos = Servos(bus, known)
    senses = Senses(servos, parts, clock, lambda: None)
    if faults:
        faults += [senses.alarm(servo) for servo in known if found[servo].alert]
    else:
        seen, faults = look_over(servos, parts, senses, q_min_rad, q_max_rad)
        warnings = seen.warnings
    return ArmExam(
        _health(servos, parts, found, list(known)),
        tuple(sorted(set(found) - set(parts.servos))),
        tuple(faults),
        warnings,
        _round_trips(servos, list(known), clock) if known else None,
    )


def _health(
    servos: Servos, parts: ArmParts, found: dict[int, Found], known: Sequence[int]
) -> tuple[ServoHealth, ...]:
    reads = servos.get_all(known, _HEALTH) if known else {}
    here = {servo: joint for servo, (joint, _) in parts.servos.items() if servo in found}
    return tuple(
        _of_one(servo, joint, found[servo], reads[servo].counts if servo in reads else None)
        for servo, joint in here.items()
    )


def _of_one(servo: int, joint: JointParts, told: Found, counts: dict[str, int] | None) -> ServoHealth:
    table = TABLES.get(told.model)
    return ServoHealth(
        servo,
        joint.name,
        table.name if table else f"model {told.model}",
        ".".join(map(str, told.firmware)),
        _value(table, counts, "voltage"),
        _value(table, counts, "temperature"),
        None if counts is None else counts["torque_enable"] == 1,
        None if counts is None else counts["operating_mode"],
        None if counts is None else joint.angle_rad(counts["present_position"]),
    )


def _value(table: Table | None, counts: dict[str, int] | None, name: str) -> float | None:
    return None if table is None or counts is None else counts[name] * table[name].unit


def _round_trips(servos: Servos, known: Sequence[int], clock: Clock) -> RoundTrips:
    took_s, incomplete = [], 0
    for _ in range(_ROUND_TRIPS):
        began_s = clock.now_s()
        reads = servos.get_all(known, _MOTION)
        took_s.append(clock.now_s() - began_s)
        incomplete += any(read.counts is None for read in reads.values())
    return RoundTrips(len(took_s), float(np.median(took_s)), float(np.quantile(took_s, 0.95)), incomplete)
