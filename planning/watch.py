"""Looking with a question in mind: what moved, does the tower still stand?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from planning.eyes import Doubt, Eyes, View
from planning.observation import BlockMotion, BlockSeen, TowerObservation
from planning.tower import Slot
from robot.errors import PerceptionError, SteadyhandError
from robot.frames import Array

# How well the push itself says where a block is: it lies as it lay, farther along its length, and may have turned. It
# lies as flat as before, which the whole tower tells better than its own edges; a pinch a third of a degree off jams.
PUSHED = Doubt((0.0012, 0.0008, 0.0003), (0.002, 0.002, 0.025))
_FAR_M = 0.0015  # a push whose block cannot look as if it had stayed
_MISREAD_M = 0.004  # farther off a reading from nothing was of none of 564 blocks that stood still
_WHOLE = 4  # so many blocks gone: that is no longer a block that fell, the tower did


class TowerFellError(SteadyhandError):
    """Blocks other than the one in hand have fallen.

    Attributes:
        slots: The blocks that are gone from their places.
    """

    def __init__(self, slots: tuple[Slot, ...]) -> None:
        names = ", ".join(str(slot) for slot in sorted(slots))
        super().__init__(f"blocks have fallen: {names}")
        self.slots = slots

    @property
    def whole(self) -> bool:
        """Whether the tower fell, not just a block of it."""
        return len(self.slots) >= _WHOLE


@dataclass(frozen=True)
class Since:
    """Two views without an arm, compared once, and asked about blocks. What is not sure is read afresh.

    Attributes:
        watcher: Reads it.
        after: The later view.
        seen: The tower in the earlier one.
        moved_m: How far [m] the grain of each block has moved, of those whose grain was found again.
    """

    watcher: Watcher
    after: View
    seen: TowerObservation
    moved_m: Mapping[Slot, float]

    def astray(self, slots: Iterable[Slot], least_m: float) -> list[Slot]:
        """Those of some blocks that are not shown in the same place, to `least_m`: neither by grain nor afresh."""
        return self._far(slots, least_m, np.inf)

    def moved(self, slots: Iterable[Slot], least_m: float) -> list[Slot]:
        """Those that are shown in another place, by grain and afresh: what cannot be found again has not moved."""
        return self._far(slots, least_m, 0.0)

    def _far(self, slots: Iterable[Slot], least_m: float, not_found_m: float) -> list[Slot]:
        far = [slot for slot in slots if self.moved_m.get(slot, not_found_m) >= least_m]
        off_m = self.watcher.afresh_m(far, self.after, self.seen, least_m) if far else {}
        return [slot for slot in far if off_m.get(slot, np.inf) >= least_m]


class Watcher:
    """Looks before and after an act, and raises where the tower no longer stands."""

    def __init__(self, eyes: Eyes) -> None:
        self.eyes = eyes

    def look(self) -> View:
        """New pictures."""
        return self.eyes.look()

    def motions(
        self,
        before: View,
        seen: TowerObservation,
        expected: Mapping[Slot, Array] | None = None,
        taken: Slot | None = None,
        *,
        clear: bool = False,
    ) -> dict[Slot, BlockMotion]:
        """How far each block that can be seen has moved since a view.

        Args:
            before: The view.
            seen: The tower then.
            expected: Blocks that were moved on purpose, and how far (3,): where the grain of the wood is not found
                again, because the block stands out or back, or seems to have stayed (side grain runs along a block, and
                looks much the same then), its edges are looked for there.
            taken: A block that is being drawn out; it may be anywhere.
            clear: Nothing stands in front, so that a single block that is not found again is looked into.

        Raises:
            TowerFellError: Blocks that were left alone are gone from their places.
        """
        pushed = expected or {}
        after = self.eyes.look()
        fallen = tuple(
            slot
            for slot in self.eyes.fallen(before, after, seen, clear=clear)
            if slot not in pushed and slot != taken
        )
        if fallen:
            raise TowerFellError(fallen)
        motions = self.eyes.motions(before, after, seen)
        for slot, moved_m in pushed.items():
            if slot not in motions or _seems_left_behind(motions[slot].moved_m, moved_m):
                motions |= self._by_its_edges(slot, after, seen, moved_m)
        return motions

    def since(self, before: View, after: View, seen: TowerObservation) -> Since:
        """What two views without an arm show to have moved.

        Args:
            before: The view.
            after: A later one.
            seen: The tower in the first.
        """
        return Since(self, after, seen, sizes_m(self.eyes.motions(before, after, seen)))

    def afresh_m(
        self, slots: Iterable[Slot], view: View, seen: TowerObservation, least_m: float
    ) -> dict[Slot, float]:
        """How far blocks are from where they were seen, by a view that is read from nothing; those that it shows.

        Near the top such a reading errs by 1 to 3 mm now and then: what it shows so far off, and `least_m` at least, is
        read once more from what was seen before, and the lesser distance counts.
        """
        off_m = self._off_m(slots, view, seen, None)
        doubtful = [slot for slot, far_m in off_m.items() if least_m <= far_m < _MISREAD_M]
        again_m = self._off_m(doubtful, view, seen, seen) if doubtful else {}
        return off_m | {slot: min(far_m, off_m[slot]) for slot, far_m in again_m.items()}

    def _off_m(
        self, slots: Iterable[Slot], view: View, seen: TowerObservation, prior: TowerObservation | None
    ) -> dict[Slot, float]:
        now = self._read(view, prior)
        return sizes_m({slot: _between(seen.blocks[slot], now[slot]) for slot in slots if slot in now})

    def _read(self, view: View, prior: TowerObservation | None) -> Mapping[Slot, BlockSeen]:
        """The blocks that a view shows; none where it cannot be read."""
        try:
            return self.eyes.observe(view, prior).blocks
        except PerceptionError:
            return {}

    def reread(self, slot: Slot, seen: TowerObservation) -> BlockMotion | None:
        """How far a block moved since a tower was seen, by reading the whole tower afresh; None where that fails."""
        now = self._read(self.eyes.look(), seen).get(slot)
        return None if now is None else _between(seen.blocks[slot], now)

    def _by_its_edges(
        self, slot: Slot, after: View, seen: TowerObservation, moved_m: Array
    ) -> dict[Slot, BlockMotion]:
        was = seen.blocks[slot]
        T = was.T_world_block.copy()
        T[:3, 3] += moved_m
        try:
            found = self.eyes.locate(after, T, was.size_m, seen, PUSHED)
        except PerceptionError:
            return {}
        return {slot: _between(was, found)}


def _seems_left_behind(seen_m: Array, pushed_m: Array) -> bool:
    far_m = float(np.linalg.norm(pushed_m))
    return far_m > _FAR_M and float(np.linalg.norm(seen_m)) < far_m / 2


def _between(was: BlockSeen, now: BlockSeen) -> BlockMotion:
    sd_m = float(np.hypot(now.sd_m, was.sd_m))
    return BlockMotion(now.T_world_block[:3, 3] - was.T_world_block[:3, 3], sd_m)


def sizes_m(motions: dict[Slot, BlockMotion]) -> dict[Slot, float]:
    """How far each block moved."""
    return {slot: float(np.linalg.norm(motion.moved_m)) for slot, motion in motions.items()}


def shifted(moved_m: dict[Slot, float], least_m: float) -> list[Slot]:
    """The blocks that moved at least so far, in order."""
    return sorted(slot for slot, distance in moved_m.items() if distance >= least_m)
