"""Letting a stopped arm lower itself: each joint's goal goes after what its load pulls at, slowly, under full torque.

A position servo that bears a load stands a little past its goal, by the load over its stiffness. Where the goal follows
that at a bounded rate, the joint goes down at that rate and no faster, whatever the load is, until something else
bears it; a program that dies meanwhile leaves an arm that holds. Lowering the ceilings of torque would do it, too, but
then the arm falls freely as soon as it begins to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from hardware.arm_parts import ArmParts, JointParts
from hardware.arm_power import Backstops
from hardware.arm_senses import Senses
from hardware.arm_stop import halt, not_stopped
from hardware.servos import Servos
from hardware.tables import TICKS
from robot.errors import DeviceError
from robot.limits import ArmLimits
from robot.ports import Clock

_PERIOD_S, _CHECK_S = 0.02, 0.1
_REST_S = 1.5  # so long no goal has moved by a step, and the arm lies
_DEADLINE_S = 60.0
_SLACK_TICKS = 2.0  # what friction holds, and what an encoder may be off by


@dataclass(frozen=True)
class Bounds:
    """Lowest and highest goal in ticks that a joint may have, and how many ticks a second it sinks by."""

    low: float
    high: float
    rate: float


class Sinking:
    """An arm on its way down.

    Args:
        servos: Of the arm.
        parts: What they turn.
        stops: Frees servos whose watchdog has bitten.
        senses: Where they are; a fault there ends it, with the arm standing still.
        clock: The arm's.
    """

    def __init__(
        self, servos: Servos, parts: ArmParts, stops: Backstops, senses: Senses, clock: Clock
    ) -> None:
        self._servos, self._parts, self._stops = servos, parts, stops
        self._senses, self._clock = senses, clock

    def run(self, goals: Mapping[int, int], bounds: Mapping[str, Bounds]) -> bool:
        """Sink until nothing sinks any more, or a minute has passed; the servos hold from then on.

        Args:
            goals: What every joint's lead and the gripper were told last; the gripper keeps its.
            bounds: Of each joint, by its name.

        Returns:
            Whether it lies: False where the minute has passed.

        Raises:
            DeviceError: A servo does not answer, has an alarm, or did not take its goal; the arm stands still.
        """
        exact = {servo: float(goal) for servo, goal in goals.items()}
        began_s = moved_s = checked_s = self._clock.now_s()
        told = dict(goals)
        while (now_s := self._clock.now_s()) < began_s + _DEADLINE_S:
            self._senses.look_now()
            for joint in self._parts.joints:
                self._follow(joint, exact, bounds[joint.name])
            goal = {servo: round(at) for servo, at in exact.items()}
            moved_s = now_s if goal != told else moved_s
            told = goal
            self._servos.put_all(told, "goal_position")
            if now_s - checked_s >= _CHECK_S:
                self._check(told)
                checked_s = now_s
            if now_s - moved_s >= _REST_S:
                return True
            self._clock.sleep_until(now_s + _PERIOD_S)
        return False

    def _follow(self, joint: JointParts, exact: dict[int, float], bounds: Bounds) -> None:
        """Its servos together: two that disagree pull at each other, and that is no load."""
        lead = joint.lead.servo
        past = fmean(self._senses.of(part.servo).ticks for part in joint.servos) - exact[lead]
        if abs(past) <= _SLACK_TICKS:
            return
        step = bounds.rate * _PERIOD_S
        exact[lead] = min(max(exact[lead] + min(max(past, -step), step), bounds.low), bounds.high)

    def _check(self, told: Mapping[int, int]) -> None:
        deaf = not_stopped(self._servos, self._parts, told)
        if deaf:
            deaf += halt(self._servos, self._parts, self._stops, told)
            raise DeviceError(
                f"{self._parts.name}: sinking, but {'; '.join(dict.fromkeys(deaf))}. The others stand still: "
                "support the arm, cut the power if it moves, and connect again"
            )


def bounds_of(
    joints: Sequence[JointParts], limits: ArmLimits, turns: Sequence[int], rate_rad_s: float
) -> dict[str, Bounds]:
    """What each joint may be sent to while it sinks, by its name.

    Args:
        joints: In the order of the limits.
        limits: Lowest and highest angle of each.
        turns: By how many ticks each one's register has turned past the joint's own; more of them are left alone.
        rate_rad_s: How fast it sinks.
    """
    rate, rows = (
        rate_rad_s * TICKS / math.tau,
        zip(joints, limits.q_min_rad, limits.q_max_rad, turns, strict=False),
    )
    bounds = {}
    for joint, low_rad, high_rad, turn in rows:
        low, high = sorted(joint.ticks(float(angle)) + turn for angle in (low_rad, high_rad))
        bounds[joint.name] = Bounds(low, high, rate)
    return bounds
