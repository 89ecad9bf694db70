"""Putting a displaced block back: push it home from the side it stands out at, look, and try again.

A block that was dragged sideways by its neighbour is pushed home too, by the outermost block of its layer on that side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.eyes import View
from planning.habits import Habits
from planning.observation import TowerObservation
from planning.poses import APPROACH_M, aim_at, end_point
from planning.probe import VISIBLE_M
from planning.shove import shove, way_home
from planning.sway import hardest_n
from planning.tower import Slot
from planning.watch import Watcher
from robot.errors import MotionError, SteadyhandError
from robot.frames import Array
from robot.guarded import Ended, PushResult
from robot.hand import Aim, Hand

_PAST_M = 0.004  # the line goes on behind the old place, for the tip gives
_PUSH_FACTOR = 2.5  # pushing back takes up to 2.3 times the force that moved the block
# At first no more than makes the top of the tower give way by a millimetre: a block that catches on one above takes it
# along
_LEAST_LIMIT_N, _FIRST_GIVES_M = 0.5, 0.001
_HARDER = 1.5
_FINE, _FINE_M = (3, 0.0007)  # pushes for the last tenths of a millimetre; a look may be wrong by three
_SURE_M = 0.0003
# At most that a push which went all its way falls short of home: the tip is seen a little off
_SHORT_M = 0.0015
# A block that a probe has moved seldom springs back by itself; one that only seems to have is pushed, to be sure.
_SHIFTED_M, _DOUBTFUL_M = (0.0008, 0.0003)
_GIVES_M = 0.003  # so far a push back may make the top of the tower give way


class NotRestoredError(SteadyhandError):
    """A block could not be put back, or could not be seen to be back."""


@dataclass(frozen=True)
class Restored:
    """A block that is back.

    Attributes:
        left_m: Seen distance (3,) of the block from its old place.
        pushes: How often it was pushed.
        limit_n: Highest force limit of the pushes; that of the probe where none was needed.
        peak_n: Largest filtered force of the pushes.
    """

    slot: Slot
    left_m: Array
    pushes: int
    limit_n: float
    peak_n: float


class Restorer:
    """Puts blocks back where a view from before the probe shows them.

    Args:
        hand: The effector.
        watcher: To see where the block is.
        habits: Distances and limits.
    """

    def __init__(self, hand: Hand, watcher: Watcher, habits: Habits) -> None:
        self._hand, self._watcher, self._habits = hand, watcher, habits

    def restore(
        self,
        slot: Slot,
        before: tuple[View, View],
        seen: TowerObservation,
        peak_n: float,
        limit_n: float,
        known_m: Array,
    ) -> Restored:
        """Push a block home until the pictures show it there.

        Args:
            slot: Where it stood.
            before: What was seen just before it was moved, the arm close by, and earlier with nothing in front.
            seen: The tower then.
            peak_n: Force that moved it.
            limit_n: Limit of the probe, reported where no push is needed.
            known_m: How far it was moved (3,); its edges are looked for there where its grain is not found.

        Raises:
            NotRestoredError: It is not back after the last try, or cannot be seen.
            MotionError: The side it stands out at cannot be reached.
            TowerFellError: Blocks fell.
        """
        habit = self._habits.probe
        left = self._left(slot, before, seen, known_m)
        limits_n: list[float] = []
        moved_n, short_m, stuck = 0.0, np.zeros(2), 0
        within_m = _DOUBTFUL_M if np.linalg.norm(known_m) > _SHIFTED_M else habit.restored_m
        while (
            not (home := self._is_home(left, within_m, slot, seen, len(limits_n)))
            and len(limits_n) < habit.tries
        ):
            within_m = habit.restored_m
            limits_n.append(self._push_limit_n(peak_n, stuck, slot.layer))
            push, ahead = self._push_home(slot, left, seen, limits_n[-1], short_m)
            moved_n, was = max(moved_n, push.peak_n), left
            left = self._left(slot, before, seen, ahead * left)
            if push.ended is Ended.FORCE:
                stuck += 1
            else:
                short_m = _more_short(short_m, _in_block(was, slot, seen), _in_block(left, slot, seen))
        if home or float(np.linalg.norm(left)) < VISIBLE_M:
            return Restored(slot, left, len(limits_n), max(limits_n, default=limit_n), moved_n)
        raise NotRestoredError(
            f"block {slot} is {np.linalg.norm(left) * 1e3:.1f} mm from its place after {habit.tries} pushes of up to "
            f"{max(limits_n):.1f} N, allowed {VISIBLE_M * 1e3:.0f} mm"
        )

    def _is_home(self, left: Array, within_m: float, slot: Slot, seen: TowerObservation, pushes: int) -> bool:
        """After some pushes, where the rules call it so: harder ones are for blocks that stick farther out."""
        if pushes >= _FINE and float(np.linalg.norm(left)) < _FINE_M:
            return True
        return float(np.abs(_in_block(left, slot, seen)[:2]).max()) <= within_m

    def _push_limit_n(self, peak_n: float, earlier: int, layer: int) -> float:
        """Force limit of a push after so many earlier ones that it stopped: from the third on, each may push harder.

        Upper layers bear less: a block that sticks there would take the tower along.
        """
        first_n = max(_PUSH_FACTOR * peak_n, min(_LEAST_LIMIT_N, hardest_n(layer, _FIRST_GIVES_M)))
        most_n = min(self._habits.probe.restore_limit_n, hardest_n(layer, _GIVES_M))
        return min(first_n * _HARDER ** max(earlier - 1, 0), most_n)

    def _left(self, slot: Slot, before: tuple[View, View], seen: TowerObservation, expected: Array) -> Array:
        """Seen distance (3,) from the old place; where the arm hides the block, it parks first."""
        close_by, clear = before
        motion = self._watcher.motions(close_by, seen, {slot: expected}).get(slot)
        if motion is None or motion.sd_m > _SURE_M:
            self._hand.park()
            motion = self._watcher.motions(clear, seen, {slot: expected}).get(slot)
        motion = motion or self._watcher.reread(slot, seen)
        if motion is None:
            raise NotRestoredError(f"block {slot} cannot be seen, so nobody can say whether it is back")
        return motion.moved_m

    def _push_home(
        self, slot: Slot, left: Array, seen: TowerObservation, limit_n: float, short_m: Array
    ) -> tuple[PushResult, float]:
        """Push the block by what it is out; how that went, and what share of the way was left where it ended."""
        hand, habits = self._hand, self._habits
        self._stands(slot, left, seen)
        length = home_aim(slot, left, seen, short_m=short_m)[1]
        way = way_home(hand, lambda approach_m: home_aim(slot, left, seen, approach_m, short_m)[0], length)
        if way is None:
            raise MotionError(f"pushing {slot} back: out of reach, or something stands in the way")
        eyes, speed_m_s = self._watcher.eyes, habits.probe.speed_m_s
        result = shove(hand, eyes, way, habits.approach_m_s, speed_m_s, limit_n)
        given_m = abs(result.trace[-1].force_n) / hand.pusher.stiffness_n_m if result.trace else 0.0
        ahead_m = way.home_m - (result.end_m - given_m)
        return result, float(np.clip(ahead_m / length, 0.0, 1.0))

    def _stands(self, slot: Slot, left: Array, seen: TowerObservation) -> None:
        """Tell the collision checker where the block stands by now, or the way to it goes round where it was."""
        places = {s: block.T_world_block.copy() for s, block in seen.blocks.items()}
        places[slot][:3, 3] += left
        self._hand.collisions.set_tower([(T, seen.blocks[s].size_m) for s, T in places.items()])


def _in_block(vector: Array, slot: Slot, seen: TowerObservation) -> Array:
    return np.asarray(seen.blocks[slot].T_world_block[:3, :3].T @ vector)


def _more_short(short_m: Array, was: Array, now: Array) -> Array:
    """How far (2,) pushes along and across the block fall short, after one that went from `was` to `now` (3,).

    A block that slipped past its place has not fallen short: what was known of that is forgotten.
    """
    pushed = np.arange(2) == _axis(was)
    short = was[:2] * now[:2] > 0.0
    return np.where(pushed, short * np.clip(short_m + now[:2], -_SHORT_M, _SHORT_M), short_m)


def _axis(left: Array) -> int:
    """Along or across the block (0, 1): the way home that is the longer one."""
    return int(abs(left[1]) > abs(left[0]))


def home_aim(
    slot: Slot,
    left: Array,
    seen: TowerObservation,
    approach_m: float = APPROACH_M,
    short_m: Array | None = None,
) -> tuple[Aim, float]:
    """Where to push a block that is `left` (3,) from its place, and how far.

    Args:
        slot: Of the block.
        left: World frame.
        seen: The tower when the block was in its place.
        approach_m: From how far before the touch.
        short_m: How far (2,), along and across the block, earlier pushes fell short; this one goes so much farther.
    """
    out = _in_block(left, slot, seen)
    axis = _axis(out)
    sign = int(np.sign(out[axis]))
    if axis == 0:
        block = seen.blocks[slot]
        face = end_point(block.T_world_block, float(block.size_m[0]), sign)
    else:
        block = seen.blocks[_outermost(slot, sign, seen)]
        face = block.T_world_block[:3, 3] + sign * block.size_m[1] / 2 * block.T_world_block[:3, 1]
    farther_m = 0.0 if short_m is None else max(sign * float(short_m[axis]), 0.0)
    length = abs(float(out[axis])) + farther_m
    inward = -sign * block.T_world_block[:3, axis]
    return aim_at(face + left, inward, block.T_world_block[:3, 2], length + _PAST_M, approach_m), length


def _outermost(slot: Slot, sign: int, seen: TowerObservation) -> Slot:
    """The block of the same layer that lies farthest towards +y (or -y) of the blocks."""
    here = seen.blocks[slot].T_world_block
    layer = [other for other in seen.blocks if other.layer == slot.layer]
    return max(layer, key=lambda other: sign * float(seen.blocks[other].T_world_block[:3, 3] @ here[:3, 1]))
