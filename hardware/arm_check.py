"""The first look at an arm, before anything is written: are all its servos there, the right ones, and fit to move?"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hardware.arm_parts import ArmParts, JointParts, ServoPart
from hardware.arm_senses import Senses, who
from hardware.bus import Found, NoAnswerError, ServoBus
from hardware.feetech import MULTI_TURN
from hardware.registers import Table
from hardware.servos import Read, Servos
from hardware.tables import CURRENT_POSITION, POSITION, TICKS, table_of
from robot.errors import DeviceError
from robot.frames import Array

# Dynamixel X: a profile by time, which keeps a motion without stairs, came with this firmware (e-manual, drive mode)
_LEAST_X_FIRMWARE = 42
_SLOW_ANSWER_S = 1e-4
_PAIR_WARN_TICKS, _PAIR_MOST_TICKS = 12, 60  # 1 and 5 degrees between a servo and its shadow
_LIMIT_SLACK_TICKS = 8
_RANGE_SLACK_RAD = 0.09  # an arm at rest may lean a little past its range
REVERSE, BY_TIME = 1, 4  # bits of a Dynamixel's drive mode
_NO_SHADOW = 253  # shadow IDs from here on are none
_LOOK = (
    "operating_mode", "drive_mode", "phase", "return_delay", "shadow_id", "min_position", "max_position",
    "torque_enable", "present_position", "voltage", "temperature",
)  # fmt: skip


@dataclass(frozen=True)
class Inspection:
    """What was found.

    Attributes:
        reads: Registers by servo.
        turns: For each joint, then the gripper, by how many ticks its register has turned past the joint's own.
        warnings: What does not keep the arm from moving.
    """

    reads: dict[int, Read]
    turns: tuple[int, ...]
    warnings: tuple[str, ...]


def wanted_mode(table: Table) -> int:
    """The operating mode in which a servo is driven: by position under a ceiling of current where it can be."""
    return CURRENT_POSITION if "goal_current" in table else POSITION if "goal_pwm" in table else 0


def find(bus: ServoBus, parts: ArmParts) -> Servos:
    """Every servo of the arm, each of the model that it must be.

    Raises:
        DeviceError: One is missing or another one; the message names them all.
    """
    found = who_answers(bus, parts)
    faults = misfits(parts, found)
    if faults:
        others = sorted(set(found) - set(parts.servos))
        also = f"; servos that are not of this arm: {others}" if others else ""
        raise DeviceError(f"{parts.name} on {bus.name}: {'; '.join(faults)}{also}. Nothing was written")
    return Servos(bus, {servo: part.model for servo, (_, part) in parts.servos.items()})


def who_answers(bus: ServoBus, parts: ArmParts) -> dict[int, Found]:
    """Every servo on the bus; those of the arm whose answer among all of them was lost are asked by themselves.

    Raises:
        BusError: The port is gone.
    """
    found = bus.scan()
    for servo in parts.servos:
        if servo not in found:
            with contextlib.suppress(NoAnswerError):
                found[servo] = bus.ping(servo)
    return found


def misfits(parts: ArmParts, found: Mapping[int, Found]) -> list[str]:
    """What is wrong with who answered a scan: servos of the arm that are missing or not of their model."""
    return [text for servo in parts.servos if (text := misfit_of(parts, servo, found))]


def misfit_of(parts: ArmParts, servo: int, found: Mapping[int, Found]) -> str | None:
    """What is wrong with how one servo of the arm answered a scan, or None."""
    joint, part = parts.servos[servo]
    if servo not in found:
        return (
            f"{who(joint, servo)} does not answer: check its cable and the power, and its number and baud rate with "
            "the maker's tool"
        )
    answer = found[servo]
    if answer.model != part.model:
        return (
            f"{who(joint, servo)} is a model {answer.model}, the arm's file says {table_of(part.model).name} "
            f"({part.model})"
        )
    if parts.protocol == "dynamixel" and answer.firmware[0] < _LEAST_X_FIRMWARE:
        return (
            f"{who(joint, servo)} has firmware {answer.firmware[0]}, needed is {_LEAST_X_FIRMWARE}: update it with the "
            "maker's tool"
        )
    return None


def inspect(
    servos: Servos, parts: ArmParts, senses: Senses, q_min_rad: Array, q_max_rad: Array
) -> Inspection:
    """Read what decides whether the arm may move; nothing is written.

    Args:
        servos: Of the arm.
        parts: What they turn.
        senses: Names alarms and what is unwell.
        q_min_rad: Lowest angles (n,) that the arm will be asked for.
        q_max_rad: Highest ones.

    Raises:
        DeviceError: It may not; the message names every fault.
    """
    found, faults = look_over(servos, parts, senses, q_min_rad, q_max_rad)
    if faults:
        raise DeviceError(f"{parts.name} on {servos.bus.name}: {'; '.join(faults)}. Nothing was written")
    return found


def look_over(
    servos: Servos, parts: ArmParts, senses: Senses, q_min_rad: Array, q_max_rad: Array
) -> tuple[Inspection, list[str]]:
    """As `inspect`, but the faults are handed back; the turns are empty where there are any.

    Raises:
        DeviceError: The port is gone, or an alarm cannot be read.
    """
    reads = servos.get_all(list(parts.servos), _LOOK)
    faults: list[str] = []
    warnings: list[str] = []
    for servo, (joint, part) in parts.servos.items():
        found = list(_faults_of(servos, parts, senses, joint, part, reads[servo]))
        faults += found
        if not found:
            warnings += _warnings_of(servos, joint, part, reads)
    turns: list[int] = []
    if not faults:
        for k, joint in enumerate(parts.joints):
            turn, fault = _turn(joint, _position(reads, joint), float(q_min_rad[k]), float(q_max_rad[k]))
            turns.append(turn)
            faults += [fault] if fault else []
            faults += _pair_faults(joint, reads)
            warnings += _limit_warnings(servos, joint, reads, float(q_min_rad[k]), float(q_max_rad[k]))
    if faults:
        return Inspection(reads, (), tuple(warnings)), faults
    gripper_turn = round((_position(reads, parts.gripper) - parts.gripper.zero_ticks) / TICKS) * TICKS
    return Inspection(reads, (*turns, gripper_turn), tuple(warnings)), []


def _position(reads: dict[int, Read], joint: JointParts) -> int:
    counts = reads[joint.lead.servo].counts
    assert counts is not None  # a fault otherwise, told before
    return counts["present_position"]


def _faults_of(
    servos: Servos, parts: ArmParts, senses: Senses, joint: JointParts, part: ServoPart, read: Read
) -> Iterator[str]:
    name = who(joint, part.servo)
    if read.counts is None:
        yield str(read.problem)
        return
    if read.alert:
        yield senses.alarm(part.servo)
    unwell = senses.unwell(part.servo, read.counts)
    if unwell:
        yield unwell
    mode, wanted = read.counts["operating_mode"], wanted_mode(servos.table(part.servo))
    held, settable = read.counts["torque_enable"] == 1, parts.protocol == "dynamixel"
    if mode != wanted and (held or not settable):
        yield f"{name}: operating mode {mode}, needed is {wanted}: {_SET[settable]}"
    if "drive_mode" in read.counts:
        yield from _drive_faults(name, read.counts["drive_mode"], held=held, reverse=part.reverse)
    if "shadow_id" in read.counts:
        yield from _shadow_faults(name, read.counts["shadow_id"], part.servo, joint.lead.servo)
    if read.counts.get("phase", 0) & MULTI_TURN:
        yield (
            f"{name}: its phase {read.counts['phase']:#04x} has the position count on over a turn, bit {MULTI_TURN:#x} "
            f"of it must be 0: {_SET[False]}"
        )


_SET = {
    True: "support the arm, switch its torque off (`steadyhand arm relax`), and connect again",
    False: "set it with the maker's tool",
}


def _shadow_faults(name: str, shadow: int, servo: int, lead: int) -> Iterator[str]:
    """Only a shadow obeys another servo; a lead that did would go where that one is sent."""
    if lead not in (servo, shadow):
        yield f"{name}: its shadow ID is {shadow}, it must be {lead}: {_SET[False]}"
    elif servo == lead and shadow < _NO_SHADOW:
        yield f"{name}: its shadow ID is {shadow}, so it obeys servo {shadow} too, it must be 255: {_SET[False]}"


def _drive_faults(name: str, drive: int, *, held: bool, reverse: bool) -> Iterator[str]:
    if bool(drive & REVERSE) != reverse:
        wanted = "reverse" if reverse else "normal"
        yield (
            f"{name}: its drive mode {drive} counts the other way, the arm's file says {wanted}: set drive mode bit 0 "
            "with the maker's tool, or correct the file"
        )
    elif held and not drive & BY_TIME:
        yield f"{name}: drive mode {drive} has no profile by time: {_SET[True]}"


def _pair_faults(joint: JointParts, reads: dict[int, Read]) -> Iterator[str]:
    for part in joint.shadows:
        counts = reads[part.servo].counts
        apart = abs(counts["present_position"] - _position(reads, joint)) if counts else 0
        if apart > _PAIR_MOST_TICKS:
            yield (
                f"{who(joint, part.servo)} stands {apart * 360 / TICKS:.1f} degrees apart from servo "
                f"{joint.lead.servo}, allowed {_PAIR_MOST_TICKS * 360 / TICKS:.0f}: they would fight; set its homing "
                "offset so that both agree"
            )


def _warnings_of(servos: Servos, joint: JointParts, part: ServoPart, reads: dict[int, Read]) -> Iterator[str]:
    counts = reads[part.servo].counts or {}
    delay_s = counts["return_delay"] * servos.table(part.servo)["return_delay"].unit
    if delay_s > _SLOW_ANSWER_S:
        yield f"{who(joint, part.servo)}: waits {delay_s * 1e3:.2f} ms before it answers: set its return delay to 0"
    lead = reads[joint.lead.servo].counts
    apart = abs(counts["present_position"] - lead["present_position"]) if lead else 0
    if _PAIR_WARN_TICKS < apart <= _PAIR_MOST_TICKS:
        yield (
            f"{who(joint, part.servo)} stands {apart * 360 / TICKS:.1f} degrees apart from servo {joint.lead.servo}: "
            "set its homing offset so that both agree, or they warm each other"
        )


def _limit_warnings(
    servos: Servos, joint: JointParts, reads: dict[int, Read], low_rad: float, high_rad: float
) -> Iterator[str]:
    """Servos that are driven by plain position refuse goals outside their own limits."""
    servo, counts = joint.lead.servo, reads[joint.lead.servo].counts or {}
    if wanted_mode(servos.table(servo)) == CURRENT_POSITION:
        return
    low, high = sorted((joint.ticks(low_rad), joint.ticks(high_rad)))
    inside = (
        counts["min_position"] - _LIMIT_SLACK_TICKS <= low
        and high <= counts["max_position"] + _LIMIT_SLACK_TICKS
    )
    if not inside:
        yield (
            f"{who(joint, servo)}: its own limits {counts['min_position']} to {counts['max_position']} are narrower "
            f"than {low:.0f} to {high:.0f}, which the joint is asked for: goals beyond them would be refused"
        )


def _turn(joint: JointParts, position: int, low_rad: float, high_rad: float) -> tuple[int, str | None]:
    """By how many whole turns a register that counts turns is past the joint's range, or why that is not known."""
    angle = joint.angle_rad(position)
    fits = [
        turn
        for turn in range(-256, 257)
        if low_rad - _RANGE_SLACK_RAD <= angle - joint.sign * turn * math.tau <= high_rad + _RANGE_SLACK_RAD
    ]
    if len(fits) == 1:
        return fits[0] * TICKS, None
    degrees = math.degrees(angle)
    allowed = f"{math.degrees(low_rad):.0f} to {math.degrees(high_rad):.0f} degrees"
    if not fits:
        return 0, (
            f"joint {joint.name}: at {degrees:.0f} degrees, its range is {allowed}: move it there by hand, "
            "switched off"
        )
    return 0, (
        f"joint {joint.name}: at {degrees:.0f} degrees it may be at either end of its range ({allowed}), and its "
        "encoder has lost count of turns: move it away from the end by hand, switched off"
    )
