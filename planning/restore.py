"""Putting a displaced block back: push it home from the end it stands out at, look, and try again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.eyes import Eyes, View
from planning.habits import Habits
from planning.observation import TowerObservation
from planning.poses import APPROACH_M, push_aim
from planning.probe import STANDOFF_M
from planning.tower import Slot
from robot.frames import Array
from robot.hand import Hand

_PAST_M = 0.004  # the line goes on behind the block's old place, for the tip gives


@dataclass(frozen=True)
class Restored:
    """How a restore ended.

    Attributes:
        left_m: Seen distance (3,) of the block from its old place.
        ok: Whether that is within what counts as restored.
        tries: How often it was pushed.
        limit_n: Force limit of the pushes.
    """

    slot: Slot
    left_m: Array
    ok: bool
    tries: int
    limit_n: float


class Restorer:
    """Puts blocks back where a view from before the probe shows them."""

    def __init__(self, hand: Hand, eyes: Eyes, habits: Habits) -> None:
        self._hand, self._eyes, self._habits = hand, eyes, habits

    def restore(self, slot: Slot, before: View, seen: TowerObservation, peak_n: float) -> Restored:
        """Push a block home until the pictures show it there, or the tries are used up.

        Args:
            slot: Where it stood.
            before: What was seen before it was moved.
            seen: The tower then.
            peak_n: Force that moved it; pushing back takes up to 2.3 times as much.

        Raises:
            MotionError: The end it stands out at cannot be reached.
        """
        habit = self._habits.probe
        limit_n = float(np.clip(2.5 * peak_n, 0.5, habit.restore_limit_n))
        left = self._left(slot, before, seen)
        tries = 0
        while tries < habit.tries and abs(self._along(left, slot, seen)) > habit.restored_m:
            tries += 1
            self._push_home(slot, left, seen, limit_n)
            left = self._left(slot, before, seen)
            limit_n = min(limit_n * 1.5, habit.restore_limit_n)
        ok = abs(self._along(left, slot, seen)) <= 2 * habit.restored_m and float(np.linalg.norm(left)) < 0.001
        return Restored(slot, left, ok, tries, limit_n)

    @staticmethod
    def _along(left: Array, slot: Slot, seen: TowerObservation) -> float:
        return float(left @ seen.blocks[slot].T_world_block[:3, 0])

    def _left(self, slot: Slot, before: View, seen: TowerObservation) -> Array:
        """Seen distance (3,) from the old place; a block that cannot be seen counts as far away."""
        motion = self._eyes.motions(before, self._eyes.look(), seen).get(slot)
        return motion.moved_m if motion is not None else np.full(3, np.inf)

    def _push_home(self, slot: Slot, left: Array, seen: TowerObservation, limit_n: float) -> None:
        hand = self._hand
        line, length = self.line(slot, left, seen), abs(self._along(left, slot, seen))
        hand.go(line.q(0.0))
        at = APPROACH_M - STANDOFF_M
        hand.along(line, 0.0, at, self._habits.approach_m_s)
        hand.pusher.tare()
        result = hand.pusher.advance(
            line, at, line.length_m, self._habits.probe.speed_m_s, limit_n, home_m=APPROACH_M + length
        )
        hand.along(line, result.end_m, 0.0, self._habits.approach_m_s)

    def line(self, slot: Slot, left: Array, seen: TowerObservation):
        from robot.hand import need

        block = seen.blocks[slot]
        T = block.T_world_block.copy()
        T[:3, 3] += left
        length = abs(self._along(left, slot, seen))
        end = 1 if self._along(left, slot, seen) > 0 else -1
        aim = push_aim(T, float(block.size_m[0]), end, length + _PAST_M)
        return need(self._hand.line(aim, 0.0), f"restore of {slot} from its {'+' if end > 0 else '-'} end")
