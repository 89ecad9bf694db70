"""A laid block that came to lie too far aside is pushed back by its long side: pushed flush, a block may drift."""

from __future__ import annotations

import numpy as np

from planning.habits import Habits
from planning.observation import BlockSeen
from planning.poses import APPROACH_M, aim_at
from planning.probe import STANDOFF_M
from robot.frames import Array
from robot.hand import Hand
from robot.trajectory import Line

_PAST_M = 0.004  # the line goes on behind the place, for the tip gives
_APPROACHES_M = (APPROACH_M, 0.040, 0.025)


def aside_m(lying: BlockSeen, T_world_flush: Array) -> float:
    """How far a block lies aside of where it should (4, 4), along that pose's y."""
    return float((lying.T_world_block[:3, 3] - T_world_flush[:3, 3]) @ T_world_flush[:3, 1])


def nudge(hand: Hand, habits: Habits, lying: BlockSeen, T_world_flush: Array) -> bool:
    """Push the block over to where it should lie (4, 4); False where a neighbour or reach forbids it.

    Raises:
        MotionError: The arm did not arrive, or there is no way to where the push begins.
    """
    off_m = aside_m(lying, T_world_flush)
    outward = np.sign(off_m) * T_world_flush[:3, 1]
    face = lying.T_world_block[:3, 3] + lying.size_m[1] / 2 * outward
    for approach_m in _APPROACHES_M:
        aim = aim_at(face, -outward, T_world_flush[:3, 2], abs(off_m) + _PAST_M, approach_m)
        line = hand.line(aim, 0.0)
        if line is not None:
            _push(hand, habits, line, approach_m, approach_m + abs(off_m))
            return True
    return False


def _push(hand: Hand, habits: Habits, line: Line, approach_m: float, home_m: float) -> None:
    habit, at = habits.place, approach_m - STANDOFF_M
    hand.grip(0.0, seconds=0.3)
    hand.go(line.q(0.0))
    hand.along(line, 0.0, at, habits.approach_m_s)
    hand.pusher.tare()
    result = hand.pusher.advance(
        line, at, line.length_m, habit.flush_speed_m_s, habit.flush_limit_n, home_m=home_m
    )
    hand.along(line, result.end_m, 0.0, habits.approach_m_s)
