"""A laid block that came to lie too far aside is pushed back by its long side: pushed flush, a block may drift."""

from __future__ import annotations

import numpy as np

from planning.eyes import Eyes
from planning.habits import Habits
from planning.observation import BlockSeen
from planning.poses import aim_at
from planning.shove import shove, way_home
from robot.frames import Array
from robot.hand import Aim, Hand

_PAST_M = 0.004  # the line goes on behind the place, for the tip gives


def aside_m(lying: BlockSeen, T_world_flush: Array) -> float:
    """How far a block lies aside of where it should (4, 4), along that pose's y."""
    return float((lying.T_world_block[:3, 3] - T_world_flush[:3, 3]) @ T_world_flush[:3, 1])


def nudge(hand: Hand, eyes: Eyes, habits: Habits, lying: BlockSeen, T_world_flush: Array) -> bool:
    """Push the block over to where it should lie (4, 4); False where a neighbour or reach forbids it.

    Raises:
        MotionError: The arm did not arrive, or there is no way to where the push begins.
    """
    off_m = aside_m(lying, T_world_flush)
    outward = np.sign(off_m) * T_world_flush[:3, 1]
    face = lying.T_world_block[:3, 3] + lying.size_m[1] / 2 * outward
    length_m = abs(off_m)

    def aim(approach_m: float) -> Aim:
        return aim_at(face, -outward, T_world_flush[:3, 2], length_m + _PAST_M, approach_m)

    way = way_home(hand, aim, length_m)
    if way is None:
        return False
    hand.grip(0.0, seconds=0.3)
    shove(hand, eyes, way, habits.approach_m_s, habits.place.flush_speed_m_s, habits.place.flush_limit_n)
    return True
