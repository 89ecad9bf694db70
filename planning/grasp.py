"""The fingers on a block that stands out: pinch its end, let it go again, tell how it lies between them."""

from __future__ import annotations

import numpy as np

from planning.eyes import Doubt
from planning.habits import Habits
from planning.in_hand import find_in_hand
from planning.observation import BlockSeen, TowerObservation
from planning.poses import end_point, push_aim, pushed_out
from planning.probe import ProbeReport
from planning.steering import LostFingerError, Steering
from planning.tower import Slot
from planning.watch import PUSHED, Watcher
from robot.errors import MotionError
from robot.frames import Array, inverse, unit
from robot.hand import Hand
from robot.ports import Held
from robot.trajectory import Line

_IN_HAND = Doubt((0.002, 0.002, 0.002), (0.04, 0.04, 0.04))
_SURE_M = 0.0004  # a pinch must meet the block to a few tenths of a millimetre
_GRIP_TOLERANCE_M = 0.003


class MissedError(MotionError):
    """The fingers did not get hold of the block, or let it go again; it still stands half out of the tower.

    Attributes:
        pulled_m: How much farther out they have drawn it before.
        others: How far [m] every other block that could be watched had moved.
    """

    def __init__(self, message: str, pulled_m: float = 0.0, others: dict[Slot, float] | None = None) -> None:
        super().__init__(message)
        self.pulled_m, self.others = pulled_m, others or {}


class Grasp:
    """Fingers that hold one block of the tower.

    Args:
        hand: Theirs.
        watcher: It looks for the block.
        habits: How far out it stands, and how the fingers take it.
    """

    def __init__(self, hand: Hand, watcher: Watcher, habits: Habits) -> None:
        self._hand, self._watcher, self._habits = hand, watcher, habits
        self._steering = Steering(hand, watcher.eyes)
        self.thickness_m: float | None = None  # of the block in the hand, by the fingers

    def locate(self, probe: ProbeReport) -> BlockSeen:
        """The block that a finger has pushed out.

        Raises:
            PerceptionError: It is not where it should be.
        """
        seen = probe.seen.blocks[probe.slot]
        T = pushed_out(seen.T_world_block, probe.end, self._habits.extract.push_out_m)
        found = self._watcher.eyes.locate(self._watcher.look(), T, seen.size_m, probe.seen, PUSHED)
        if found.sd_m <= _SURE_M:
            return found
        self._hand.park()  # the arm hides too much of it
        return self._watcher.eyes.locate(self._watcher.look(), T, seen.size_m, probe.seen, PUSHED)

    def line(self, block: BlockSeen, end: int) -> Line:
        """The line over and under the end that stands out.

        Raises:
            MissedError: It cannot be reached.
        """
        habit = self._habits.extract
        aim = push_aim(block.T_world_block, float(block.size_m[0]), end, habit.grip_m)
        line = self._hand.line(aim, habit.opening_m)
        if line is None:
            raise MissedError("the end that stands out cannot be reached with open fingers")
        return line

    def approach(self, line: Line) -> Array:
        """To the end of a line, open; the way (3,) back along it.

        Raises:
            MissedError: Nobody sees where the fingers are.
        """
        hand = self._hand
        hand.grip(self._habits.extract.opening_m)
        hand.go(line.q(0.0))
        hand.pusher.tare()
        touch_m = line.length_m - self._habits.extract.grip_m
        try:
            self._steering.approach(line, touch_m, line.length_m, self._habits.approach_m_s / 3)
        except LostFingerError as error:
            raise MissedError(str(error)) from error
        return unit(hand.T_at(line, 0.0)[:3, 3] - hand.T_at(line, line.length_m)[:3, 3])

    def pinch(self, outward: Array, reach_m: float, size_m: Array, slot: Slot) -> None:
        """Close on the block, and see by the fingers that it is between them.

        Raises:
            MissedError: It is not; they are open again, and `reach_m` away.
        """
        reached = self._hand.pinch()
        if abs(reached - float(size_m[2])) > _GRIP_TOLERANCE_M:
            self.let_go(outward, reach_m)
            raise MissedError(
                f"pinch of {slot}: the fingers closed to {reached * 1e3:.1f} mm, the block is "
                f"{size_m[2] * 1e3:.1f} mm thick: they missed it"
            )
        self.thickness_m = reached + self._habits.extract.squeeze_m

    def let_go(self, outward: Array, away_m: float) -> Line:
        """Open, move away and close; the way that was moved."""
        self._hand.grip(self._habits.extract.opening_m)
        away = self._hand.line_from_here(outward, away_m)
        self._hand.along(away, 0.0, away_m, self._habits.approach_m_s / 3)
        self._hand.grip(0.0)
        return away

    def again(self, away: Line, outward: Array, probe: ProbeReport) -> None:
        """Take hold where the block was let go.

        Raises:
            MissedError: It is no longer there.
        """
        hand = self._hand
        hand.grip(self._habits.extract.opening_m)
        hand.go(away.q(away.length_m))
        hand.pusher.tare()
        hand.along(away, away.length_m, 0.0, self._habits.approach_m_s / 3)
        self.pinch(outward, away.length_m, probe.seen.blocks[probe.slot].size_m, probe.slot)

    def measure(self, block: BlockSeen, end: int, around: TowerObservation) -> Held:
        """How the block lies between the fingers: it creeps, so it is looked at again.

        Raises:
            PerceptionError: It is not there.
        """
        eyes, view = self._watcher.eyes, self._watcher.look()
        self._steering.glance(view)
        T_world_tool = self._hand.T_world_tool()
        expected = self._expected_in_hand(T_world_tool, block, end)
        seen = find_in_hand(eyes, view, expected, block.size_m, around, _IN_HAND)
        return Held(inverse(T_world_tool) @ seen.T_world_block, block.size_m)

    def _expected_in_hand(self, T_world_tool: Array, block: BlockSeen, end: int) -> Array:
        T = block.T_world_block.copy()
        pinched = end_point(block.T_world_block, float(block.size_m[0]), end)
        want = T_world_tool[:3, 3] + self._habits.extract.grip_m * end * T[:3, 0]
        T[:3, 3] += want - pinched
        return np.asarray(T)
