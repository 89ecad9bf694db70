"""Standing still: one packet to all servos, and then each is asked whether it took that."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.arm_parts import ArmParts
from hardware.arm_power import Backstops
from hardware.arm_senses import who
from hardware.servos import Servos
from hardware.tables import TICKS
from robot.errors import DeviceError

_TRIES = 2
_WITHIN_TICKS = 12  # a servo that took torque stands still where it was, to 1 degree


def halt(servos: Servos, parts: ArmParts, stops: Backstops, here: Mapping[int, int]) -> list[str]:
    """Say it, see it taken, say it once more where it was not; what is wrong then, servo by servo.

    Args:
        servos: Of the arm.
        parts: What they turn.
        stops: Frees those whose watchdog has bitten.
        here: Where each joint's lead and the gripper are to stay, in ticks.

    Raises:
        BusError: The port is gone.
    """
    deaf: list[str] = []
    for _ in range(_TRIES):
        servos.put_all(here, "goal_position")
        deaf = not_stopped(servos, parts, here)
        if not deaf:
            break
        if stops.bitten:  # such a servo has stopped by itself, and takes no goal
            stops.renew()
    return deaf


def not_stopped(servos: Servos, parts: ArmParts, here: Mapping[int, int]) -> list[str]:
    """Servos, shadows too, that have another goal than their joint's place, or that nothing holds."""
    deaf = []
    for servo, read in servos.get_all(list(parts.servos), ("goal_position", "torque_enable")).items():
        joint, _ = parts.servos[servo]
        if read.counts is None:
            deaf.append(str(read.problem))
        elif not read.counts["torque_enable"]:
            deaf.append(f"{who(joint, servo)} is limp: its torque is off")
        elif (goal := read.counts["goal_position"]) != here[joint.lead.servo]:
            deaf.append(f"the goal of {who(joint, servo)} is {goal}, not {here[joint.lead.servo]}")
    return deaf


def check_stayed(parts: ArmParts, before: Mapping[int, int], now: Mapping[int, int]) -> None:
    """See that no servo has moved, by its ticks, as it took torque.

    Raises:
        DeviceError: One has.
    """
    moved = {servo: abs(now[servo] - ticks) for servo, ticks in before.items()}
    servo = max(moved, key=lambda s: moved[s])
    if moved[servo] > _WITHIN_TICKS:
        raise DeviceError(
            f"{who(parts.servos[servo][0], servo)}: moved by {moved[servo] * 360 / TICKS:.1f} degrees as it took "
            f"torque, allowed {_WITHIN_TICKS * 360 / TICKS:.0f}: support the arm, switch it off and see what pulls at "
            "it"
        )
