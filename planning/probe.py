"""Probing: push a block a little under guard, watch what it and its neighbours do, and judge.

Force, displacement and the seen motion of the neighbours decide together: force alone misleads, because a block that
slides easily may still drag others along.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from planning.eyes import View
from planning.habits import Habits
from planning.observation import BlockMotion, TowerObservation
from planning.poses import APPROACH_M
from planning.steering import Steering
from planning.sway import sway_m
from planning.touch import Push, passed_on
from planning.tower import Slot
from planning.watch import Watcher
from robot.frames import Array
from robot.guarded import Ended, PushResult, Sample
from robot.hand import Hand
from robot.trajectory import Line

STANDOFF_M = 0.003
# A block held on one side turns, and farther out the fingers miss it: of 286 that came out 99 % had gone 0.7 mm aside
_ASIDE_M = 0.0009
VISIBLE_M = 0.001  # what the record calls a displacement: smaller ones are a mere touch


class Verdict(Enum):
    """What a probe says of a block."""

    LOOSE = "loose"
    TIGHT = "tight"
    DRAGS = "drags its neighbours"
    TURNS = "turns aside"
    UNSEEN = "could not be watched"


@dataclass(frozen=True)
class ProbeReport:
    """A probe and what it showed.

    Attributes:
        end: The end that was pushed, +1 or -1.
        before: What the cameras saw just before the touch.
        seen: The tower then.
        line: The line of the push; the arm stands on it at `at_m`.
        limit_n: Force limit.
        displaced_m: The block's own displacement (3,), by the push where it could not be seen.
        others: Motion [m] of every other block that could be watched, beyond what the tower leans under the push.
        trace: The force over the push.
    """

    slot: Slot
    end: int
    verdict: Verdict
    before: View
    seen: TowerObservation
    line: Line
    at_m: float
    limit_n: float
    displaced_m: Array
    others: dict[Slot, float]
    trace: tuple[Sample, ...]

    @property
    def peak_n(self) -> float:
        """Largest filtered force."""
        return max((abs(s.force_n) for s in self.trace), default=0.0)

    @property
    def moved_m(self) -> float:
        """The block's displacement along its length, towards its +x."""
        return float(self.displaced_m @ self.seen.blocks[self.slot].T_world_block[:3, 0])

    @property
    def worst(self) -> tuple[Slot, float] | None:
        """The other block that moved most, and how far [m]."""
        return max(self.others.items(), key=lambda item: item[1], default=None)

    def in_words(self) -> str:
        """What it showed, for people."""
        own = f"{abs(self.moved_m) * 1e3:.1f} mm at {self.peak_n:.2f} N"
        others = f", {self.worst[0]} moved {self.worst[1] * 1e3:.2f} mm" if self.worst else ""
        return f"{self.slot}: {self.verdict.value}, {own}{others}"


def judge(
    result: PushResult, own: BlockMotion | None, others: dict[Slot, float], along: float, neighbour_m: float
) -> Verdict:
    """What a push says of a block.

    Args:
        result: The guarded push.
        own: The block's seen motion, None where it could not be seen.
        others: Seen motion [m] of the other blocks.
        along: How far the block should have moved at least [m], for a push that ended by travel.
        neighbour_m: Motion of another block that rejects this one.
    """
    if any(moved > neighbour_m for moved in others.values()):
        return Verdict.DRAGS
    if result.ended is Ended.FORCE:
        return Verdict.TIGHT
    if own is None:
        return Verdict.UNSEEN
    return Verdict.LOOSE if np.linalg.norm(own.moved_m) >= along else Verdict.TIGHT


def _aside_m(own: BlockMotion, along: Array) -> float:
    """How far a block went to a side of the way (3,) along which it was pushed."""
    return float(np.linalg.norm((own.moved_m - (own.moved_m @ along) * along)[:2]))


class Prober:
    """Probes one block at a time."""

    def __init__(self, hand: Hand, watcher: Watcher, habits: Habits) -> None:
        self._hand, self._watcher, self._habits = hand, watcher, habits
        self._steering = Steering(hand, watcher.eyes)

    def probe(self, slot: Slot, end: int, line: Line, seen: TowerObservation, limit_n: float) -> ProbeReport:
        """Push a block in two steps and look after each; the arm then stands on the line, touching the block.

        Args:
            slot: The block's.
            end: Which end the line pushes.
            line: Begins `APPROACH_M` before that end.
            seen: The tower as it stands.
            limit_n: Force limit.
        """
        hand, habit = self._hand, self._habits.probe
        hand.grip(0.0, seconds=0.3)
        hand.go(line.q(0.0))
        at = APPROACH_M - STANDOFF_M
        self._steering.approach(line, APPROACH_M, at, self._habits.approach_m_s)
        hand.pusher.tare()
        before = self._watcher.look()
        trace: list[Sample] = []
        along = -end * seen.blocks[slot].T_world_block[:3, 0]
        for depth in (habit.first_look_m, habit.full_m):
            result = hand.pusher.advance(line, at, APPROACH_M + depth, habit.speed_m_s, limit_n)
            at = result.end_m
            trace += result.trace
            pushed = result.end_m - APPROACH_M - abs(result.trace[-1].force_n) / hand.pusher.stiffness_n_m
            expected = max(pushed, 0.0) * along
            motions = self._watcher.motions(before, seen, {slot: expected})
            own = motions.pop(slot, None)
            others = passed_on(motions, Push(slot, along, float(np.linalg.norm(expected))), seen.blocks)
            leans_m = sway_m(slot.layer, result.trace[-1].force_n)  # and springs back: nothing has come along
            others = {other: max(moved_m - leans_m, 0.0) for other, moved_m in others.items()}
            verdict = judge(result, own, others, depth / 2, habit.neighbour_m)
            if verdict is Verdict.LOOSE and own is not None and _aside_m(own, along) > _ASIDE_M:
                verdict = Verdict.TURNS
            if verdict is not Verdict.LOOSE and not self._yields(verdict, result):
                break
        moved = own.moved_m if own else expected
        return ProbeReport(slot, end, verdict, before, seen, line, at, limit_n, moved, others, tuple(trace))

    def _yields(self, verdict: Verdict, result: PushResult) -> bool:
        """Whether it is the tip that has given way so far, and the limit lies farther on."""
        felt = abs(result.trace[-1].force_n) > self._hand.pusher.smallest_force_n
        return verdict is Verdict.TIGHT and result.ended is Ended.TRAVEL and felt
