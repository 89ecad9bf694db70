"""Drawing a block out: push it on from one end, pinch it at the other and pull it along its own axis."""

from __future__ import annotations

from dataclasses import dataclass

from planning.along import AT_REST_M, UNDER_FORCE_M, in_words, taken_along, touching
from planning.eyes import View
from planning.grasp import Grasp, MissedError
from planning.habits import Habits
from planning.poses import APPROACH_M
from planning.probe import VISIBLE_M, ProbeReport
from planning.stability import stands_out_m
from planning.tower import Slot
from planning.watch import Watcher
from robot.errors import MotionError
from robot.frames import Array
from robot.guarded import Ended, PushResult, Sample
from robot.hand import Hand
from robot.ports import Held

_DRAG_LOOKS_M = (0.012, 0.019)
# After every part of a pull so far: what came along can then still be put back, and was seen before it slid too far
_LOOKED_AFTER_M = 0.040
_BACK_M = 0.0005  # a block is back where it was pinched
# Some 250 blocks that the arm drew out of simulated towers took 1.1 times what their probe took, 2.4 times at 95 %
_MORE_TIMES, _LEAST_N = 4.0, 0.4
# On its way back a block that stuck pushed all above it along, 1 cm, where pulling it had taken 0.2 N
_BACK_TIMES, _LEAST_BACK_N = 2.0, 0.3
_GIVE_WAY_M = 0.009  # of pulling, between two moments of giving way
_CLEAR_M = 0.004  # beyond the tower's face, by then the block is free
# Grain that was found again was right about all of 560 blocks; of readings taken twice, 1 in 564 erred so far
_MISREAD_M = 0.0025


@dataclass(frozen=True)
class Drag:
    """Why drawing out was given up on the way.

    Attributes:
        out_m: How far the block is out by then.
        others: How far [m] every other block that could be watched had moved.
    """

    reason: str
    out_m: float
    others: dict[Slot, float]


class Extractor:
    """Takes a block that a probe has found loose."""

    def __init__(self, hand: Hand, watcher: Watcher, habits: Habits) -> None:
        self._hand, self._watcher, self._habits = hand, watcher, habits
        self.trace: list[Sample] = []
        self.limit_n = habits.extract.limit_n  # of drawing this block out
        self._grasp = Grasp(hand, watcher, habits)
        self._found: set[Slot] = set()  # the blocks that the last look could watch
        self._safe_m = 0.0  # so far out of the tower the block of the pull stands by itself

    def push_out(self, probe: ProbeReport) -> Drag | None:
        """Push on until the far end stands out far enough to pinch; stop on force or when a neighbour comes along.

        Returns:
            None where the block stands out, else why it was given up.
        """
        hand, habit = self._hand, self._habits.extract
        self.trace = []
        self.limit_n = min(max(_MORE_TIMES * probe.peak_n, _LEAST_N), habit.limit_n)
        at = probe.at_m
        for depth in (*(look for look in _DRAG_LOOKS_M if look < habit.push_out_m), habit.push_out_m):
            result = hand.pusher.advance(
                probe.line, at, APPROACH_M + depth, habit.push_speed_m_s, self.limit_n
            )
            at = result.end_m
            self.trace += result.trace
            others = self._others(probe)
            if result.ended is Ended.FORCE:
                return self._give_up(probe, at, f"force reached {self.limit_n:.2f} N")
            if came := self._came_along(probe, others):
                return self._give_up(probe, at, came)
        hand.along(probe.line, at, 0.0, self._habits.approach_m_s)
        return None

    @property
    def pinched_m(self) -> float | None:
        """Thickness of the block in the hand, by the fingers."""
        return self._grasp.thickness_m

    @property
    def peak_n(self) -> float:
        """Largest filtered force of the motions since `push_out` began."""
        return max((abs(sample.force_n) for sample in self.trace), default=0.0)

    def _give_up(self, probe: ProbeReport, at: float, reason: str) -> Drag:
        """What has come along is told once the finger is away: what gave way has sprung back."""
        self._hand.along(probe.line, at, 0.0, self._habits.approach_m_s)
        return Drag(reason, at - APPROACH_M, self._others(probe))

    def _came_along(
        self,
        probe: ProbeReport,
        others: dict[Slot, float],
        least_m: float | None = None,
        leans_m: float = 0.0,
    ) -> str | None:
        """Which other block moved too far, in words; a force too small to be felt may act in any case."""
        least_m = self._habits.extract.neighbour_m if least_m is None else least_m
        force_n = abs(self.trace[-1].force_n) if self.trace else 0.0
        force_n = max(force_n, self._hand.pusher.smallest_force_n)
        return in_words(probe, others, least_m, force_n, leans_m)

    def drawn_along(self, probe: ProbeReport, held: Held, clear: View) -> dict[Slot, float]:
        """How far other blocks moved until this one was out.

        What seems to have moved, or is not found again beside the block, is looked at again without the arm, beside a
        view that had no arm in front either.

        Raises:
            TowerFellError: A block that was left alone is gone from its place.
        """
        others = self._others(probe)
        if self._came_along(probe, others) or not touching(probe) <= self._found:
            self._hand.stand_aside(held)
            others = self._others(probe, clear)
        return others

    def _others(self, probe: ProbeReport, clear: View | None = None) -> dict[Slot, float]:
        others = taken_along(self._watcher, probe, clear)
        self._found = set(others)
        return others

    def pull(self, probe: ProbeReport, clear: View) -> Held:
        """Pinch the end that stands out and pull the block free of the tower.

        Args:
            probe: Of the block.
            clear: A view of the turn without an arm in front.

        Raises:
            MissedError: The end cannot be reached, the fingers missed the block, or it sticks.
            PerceptionError: The block is not where it should be.
        """
        block = self._grasp.locate(probe)
        line = self._grasp.line(block, -probe.end)
        outward = self._grasp.approach(line)
        self._safe_m = max(
            stands_out_m(probe.seen, probe.slot, outward), self._habits.extract.push_out_m
        )  # there it stood till now
        self._grasp.pinch(outward, line.length_m, block.size_m, probe.slot)
        self._draw(outward, line.length_m, probe, clear)
        return self._grasp.measure(block, -probe.end, probe.seen)

    def _draw(self, outward: Array, reach_m: float, probe: ProbeReport, clear: View) -> None:
        """Outward along the block's own axis, giving way and watching on the way; fast once it is free.

        Args:
            outward: Unit vector (3,).
            reach_m: How far in all.
            probe: Of the block.
            clear: A view without an arm.
        """
        hand, habit = self._hand, self._habits.extract
        free_m = float(probe.seen.blocks[probe.slot].size_m[0]) - habit.push_out_m + _CLEAR_M
        out_m, gave_up, first = 0.0, "", True
        while out_m < free_m:
            result = self._advance(outward, min(_GIVE_WAY_M, free_m - out_m), self.limit_n)
            out_m += result.end_m
            forced = result.ended is Ended.FORCE
            if gave_up and forced:
                raise MotionError(
                    f"{gave_up}, and on its way back it stuck. Take the block from the fingers and resume"
                )
            why = None if gave_up else self._hinders(probe, out_m, forced=forced)
            if why:
                gave_up = f"pull of {probe.slot}: {why} after {out_m * 1e3:.0f} mm"
                out_m = self._give_back(outward, out_m, reach_m, probe, gave_up)
                self.limit_n = habit.limit_n  # there is no way but out
            elif first and self._hidden_above(probe) and not self._tips(out_m):
                self._look_behind(outward, out_m, reach_m, probe, clear)
            first = False
            if not self._tips(out_m):  # later on the fingers bear it, and would give way to its weight
                hand.give_way()
        rest = hand.line_from_here(outward, reach_m - out_m)
        hand.along(rest, 0.0, rest.length_m, self._habits.approach_m_s / 3)

    def _advance(self, way: Array, length_m: float, limit_n: float) -> PushResult:
        """With the block between the fingers, from here."""
        line = self._hand.line_from_here(way, length_m)
        speed_m_s = self._habits.extract.pull_speed_m_s
        result = self._hand.pusher.advance(line, 0.0, length_m, speed_m_s, limit_n)
        self.trace += result.trace
        return result

    def _hinders(self, probe: ProbeReport, out_m: float, *, forced: bool) -> str | None:
        """Why a pull that got so far must not go on, in words.

        What only leans with the pull springs back as the fingers give way, so it is looked at again then. Fingers that
        bear the block must not give way: then what stands beside and below it tells how far the tower leans.
        """
        if forced:
            return f"force reached {self.limit_n:.2f} N"
        if out_m >= _LOOKED_AFTER_M:
            return None
        tips = self._tips(out_m)
        leans_m = UNDER_FORCE_M if tips else 0.0
        came = self._came_along(probe, self._others(probe), self._most_m(out_m), leans_m)
        if came is None or tips:
            return came
        self._hand.give_way()
        return self._came_along(probe, self._others(probe), self._most_m(out_m))

    def _hidden_above(self, probe: ProbeReport) -> bool:
        """Whether a block right above was not seen in the last look, as behind the fingers.

        One below is held by what it stands on at least as firmly as it is drawn along.
        """
        return not self._above(probe) <= self._found

    def _above(self, probe: ProbeReport) -> set[Slot]:
        return {slot for slot in touching(probe) if slot.layer > probe.slot.layer}

    def _look_behind(
        self, outward: Array, out_m: float, reach_m: float, probe: ProbeReport, clear: View
    ) -> None:
        """Let go, look without the arm, and take hold again.

        Raises:
            MissedError: A block has come along; or this one is no longer where it was let go.
        """
        away = self._grasp.let_go(outward, reach_m - out_m)
        self._hand.park()
        others = self._others(probe, clear)
        others |= self._slid_above(probe, set(others))
        if came := in_words(probe, others, self._habits.probe.neighbour_m, 0.0, AT_REST_M):
            raise MissedError(f"pull of {probe.slot}: {came} after {out_m * 1e3:.0f} mm", out_m, others)
        try:
            self._grasp.again(away, outward, probe)
        except MissedError as missed:
            missed.pulled_m, missed.others = out_m, others
            raise

    def _slid_above(self, probe: ProbeReport, found: set[Slot]) -> dict[Slot, float]:
        """Blocks right above that a clear view, read afresh, shows a visible way off, or no longer shows.

        Grain that slid far is not found again, and once in a while it seems to have stayed.
        """
        above, blocks = self._above(probe), probe.seen.blocks
        least_m = {slot: _MISREAD_M if slot in found else VISIBLE_M for slot in above}
        off_m = self._watcher.afresh_m(above, self._watcher.look(), probe.seen, VISIBLE_M)
        gone = {s: VISIBLE_M for s in above - found - set(off_m) if blocks[s].sd_m < VISIBLE_M}
        return gone | {slot: far_m for slot, far_m in off_m.items() if far_m >= least_m[slot]}

    def _most_m(self, out_m: float) -> float:
        """How far others may have moved so far: least while the block can still be let go without tipping off."""
        return self._habits.extract.neighbour_m if self._tips(out_m) else self._habits.probe.neighbour_m

    def _give_back(self, outward: Array, out_m: float, reach_m: float, probe: ProbeReport, why: str) -> float:
        """Push the block back between the fingers, which guide it better than a finger at its end, and let it go.

        Returns:
            How far it is pulled out where it sticks so far out that letting go would drop it: it is still held, and
            came out more easily than it goes back.

        Raises:
            MissedError: It stands there; what is out of place then is told.
        """
        left_m = self._push_back(outward, out_m)
        if self._tips(left_m):
            return left_m
        self._grasp.let_go(outward, reach_m - left_m)
        raise MissedError(why, left_m, self._others(probe))

    def _tips(self, out_m: float) -> bool:
        """Whether a block that was pulled so far would tip off the tower if it were let go."""
        return self._habits.extract.push_out_m + out_m > self._safe_m + _BACK_M

    def _push_back(self, outward: Array, out_m: float) -> float:
        """As gently as it was pulled, to where it was pinched; how far it is still pulled out."""
        gentle_n = max(_BACK_TIMES * self.peak_n, _LEAST_BACK_N)
        while out_m > _BACK_M:
            result = self._advance(-outward, min(_GIVE_WAY_M, out_m), min(gentle_n, self.limit_n))
            out_m -= result.end_m
            self._hand.give_way()
            if result.ended is Ended.FORCE:
                break
        return out_m
