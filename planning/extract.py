"""Drawing a block out: push it on from one end, pinch it at the other and pull it along its own axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.eyes import Eyes, View
from planning.habits import Habits
from planning.observation import BlockSeen, TowerObservation
from planning.poses import APPROACH_M, end_point, push_aim
from planning.probe import ProbeReport
from planning.tower import Slot
from robot.errors import MotionError
from robot.frames import Array, inverse
from robot.guarded import Ended, Sample
from robot.hand import Hand, need
from robot.ports import Held
from robot.trajectory import Line

_DRAG_LOOKS_M = (0.012, 0.019)
_PULL_OUT_M = 0.062  # the block's rear end is then well clear of the tower
_GRIP_TOLERANCE_M = 0.003


@dataclass(frozen=True)
class Drag:
    """Why drawing out was given up on the way: how far the block is out by then, and what moved."""

    reason: str
    at_m: float


class Extractor:
    """Takes a block that a probe has found loose."""

    def __init__(self, hand: Hand, eyes: Eyes, habits: Habits) -> None:
        self._hand, self._eyes, self._habits = hand, eyes, habits
        self.trace: list[Sample] = []

    def push_out(self, probe: ProbeReport) -> Drag | None:
        """Push on until the far end stands out far enough to pinch; stop on force or when a neighbour comes along.

        Returns:
            None where the block stands out, else why it was given up.
        """
        hand, habit = self._hand, self._habits.extract
        self.trace = []
        at = probe.at_m
        for depth in (*_DRAG_LOOKS_M, habit.push_out_m):
            result = hand.pusher.advance(
                probe.line, at, APPROACH_M + depth, habit.push_speed_m_s, habit.limit_n
            )
            at = result.end_m
            self.trace += result.trace
            if result.ended is Ended.FORCE:
                return self._give_up(probe, at, f"force reached {habit.limit_n:.2f} N")
            worst = self._worst(probe)
            if worst is not None and worst[1] > habit.neighbour_m:
                return self._give_up(probe, at, f"{worst[0]} came along by {worst[1] * 1e3:.1f} mm")
        hand.along(probe.line, at, 0.0, self._habits.approach_m_s)
        return None

    def _give_up(self, probe: ProbeReport, at: float, reason: str) -> Drag:
        self._hand.along(probe.line, at, 0.0, self._habits.approach_m_s)
        return Drag(reason, at - APPROACH_M)

    def _worst(self, probe: ProbeReport) -> tuple[Slot, float] | None:
        motions = self._eyes.motions(probe.before, self._eyes.look(), probe.seen)
        moved = {s: float(np.linalg.norm(m.moved_m)) for s, m in motions.items() if s != probe.slot}
        return max(moved.items(), key=lambda item: item[1], default=None)

    def pull(self, probe: ProbeReport) -> Held:
        """Pinch the end that stands out and pull the block free of the tower.

        Raises:
            MotionError: The end cannot be reached, the fingers missed the block, or it sticks.
        """
        hand, habit = self._hand, self._habits.extract
        block = self._locate(probe)
        line = self.pinch_line(block, -probe.end)
        hand.grip(habit.opening_m)
        hand.go(line.q(0.0))
        hand.pusher.tare()
        hand.along(line, 0.0, line.length_m, self._habits.approach_m_s / 3)
        self._pinch(block, probe.slot)
        self._draw(line, probe.slot)
        return self._measure(block, -probe.end)

    def pinch_line(self, block: BlockSeen, end: int) -> Line:
        """The line over and under the end that stands out.

        Raises:
            MotionError: It cannot be reached.
        """
        habit = self._habits.extract
        aim = push_aim(block.T_world_block, float(block.size_m[0]), end, habit.grip_m)
        return need(self._hand.line(aim, habit.opening_m), "pinching the block")

    def _locate(self, probe: ProbeReport) -> BlockSeen:
        seen = probe.seen.blocks[probe.slot]
        T = seen.T_world_block.copy()
        T[:3, 3] += -probe.end * self._habits.extract.push_out_m * T[:3, 0]
        return self._eyes.locate(self._eyes.look(), T, seen.size_m)

    def _pinch(self, block: BlockSeen, slot: Slot) -> None:
        reached = self._hand.grip(0.0)
        if abs(reached - float(block.size_m[2])) > _GRIP_TOLERANCE_M:
            self._hand.grip(self._habits.extract.opening_m)
            raise MotionError(
                f"pinch of {slot}: the fingers closed to {reached * 1e3:.1f} mm, the block is "
                f"{block.size_m[2] * 1e3:.1f} mm thick: they missed it"
            )

    def _draw(self, line: Line, slot: Slot) -> None:
        """Back along the line that the fingers came on, which is the block's own axis."""
        hand, habit = self._hand, self._habits.extract
        end = line.length_m - _PULL_OUT_M
        result = hand.pusher.advance(line, line.length_m, end, habit.pull_speed_m_s, habit.limit_n)
        self.trace += result.trace
        if result.ended is Ended.FORCE:
            out = line.length_m - result.end_m
            raise MotionError(f"pull of {slot}: force reached {habit.limit_n:.2f} N after {out * 1e3:.0f} mm")

    def _measure(self, block: BlockSeen, end: int) -> Held:
        """How the block lies between the fingers: it creeps, so it is looked at again."""
        T_world_tool = self._hand.T_world_tool()
        expected = self._expected_in_hand(T_world_tool, block, end)
        seen = self._eyes.locate(self._eyes.look(), expected, block.size_m)
        return Held(inverse(T_world_tool) @ seen.T_world_block, block.size_m)

    def _expected_in_hand(self, T_world_tool: Array, block: BlockSeen, end: int) -> Array:
        T = block.T_world_block.copy()
        pinched = end_point(block.T_world_block, float(block.size_m[0]), end)
        tip = T_world_tool[:3, 3]
        outward = end * T[:3, 0]
        want = tip + self._habits.extract.grip_m * outward
        T[:3, 3] += want - pinched
        return T
