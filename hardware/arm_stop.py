"""Standing still: one packet to all servos, and then each is asked whether it took that."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.arm_file import ArmParts
from hardware.arm_power import Backstops
from hardware.arm_senses import who
from hardware.servos import Servos

_TRIES = 2


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
        deaf = _not_stopped(servos, parts, here)
        if not deaf:
            break
        if stops.bitten:  # such a servo has stopped by itself, and takes no goal
            stops.renew()
    return deaf


def _not_stopped(servos: Servos, parts: ArmParts, here: Mapping[int, int]) -> list[str]:
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
