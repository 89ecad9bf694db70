"""Pushing a block to where it belongs: a way to its face, and the guarded push along it until the block is home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planning.eyes import Eyes
from planning.poses import APPROACH_M
from planning.probe import STANDOFF_M
from planning.steering import Steering
from robot.guarded import PushResult
from robot.hand import Aim, Hand
from robot.trajectory import Line

_APPROACHES_M = (APPROACH_M, 0.040, 0.025)


@dataclass(frozen=True)
class WayHome:
    """A line that touches the block at `approach_m`; at `home_m` the block is where it belongs."""

    line: Line
    approach_m: float
    home_m: float


def way_home(hand: Hand, aim: Callable[[float], Aim], length_m: float) -> WayHome | None:
    """A way to push a block by a length, None where there is none.

    From farther out the arm may not reach the block: `aim` is asked for shorter approaches then.
    """
    for approach_m in _APPROACHES_M:
        line = hand.line(aim(approach_m), 0.0)
        if line is not None:
            return WayHome(line, approach_m, approach_m + length_m)
    return None


def shove(
    hand: Hand, eyes: Eyes, way: WayHome, approach_m_s: float, speed_m_s: float, limit_n: float
) -> PushResult:
    """Go to the block, push it home or until the force limit, and come back along the same line.

    Raises:
        MotionError: There is no way to where the line begins, the arm did not arrive, or its finger was not seen.
    """
    at_m = way.approach_m - STANDOFF_M
    hand.go(way.line.q(0.0))
    Steering(hand, eyes).approach(way.line, way.approach_m, at_m, approach_m_s)
    hand.pusher.tare()
    result = hand.pusher.advance(way.line, at_m, way.line.length_m, speed_m_s, limit_n, home_m=way.home_m)
    hand.along(way.line, result.end_m, 0.0, approach_m_s)
    return result
