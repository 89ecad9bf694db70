"""Which blocks a person left displaced, or put back: what two looks without a hand in front show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from planning.eyes import View
from planning.observation import BlockMotion, TowerObservation
from planning.probe import VISIBLE_M
from planning.tower import Slot
from planning.watch import Watcher
from robot.frames import Array

_SURE_SDS = 3.0  # nobody is told to have moved what may only be seen badly


@dataclass(frozen=True)
class Displaced:
    """How far blocks stand from where they stood when the turn began, where that can be seen.

    Attributes:
        motions: By slot.
        along: Direction of each block's length (3,), in the layer's + sense.
    """

    motions: dict[Slot, BlockMotion]
    along: dict[Slot, Array]

    def away(self) -> list[Slot]:
        """The blocks that surely stand a visible way off."""
        return sorted(s for s, m in self.motions.items() if _length_m(m) - _SURE_SDS * m.sd_m >= VISIBLE_M)

    def home(self, slots: Iterable[Slot]) -> list[Slot]:
        """Those that are seen back in their place."""
        return [s for s in slots if s in self.motions and _length_m(self.motions[s]) < VISIBLE_M]

    def along_m(self, slot: Slot) -> float:
        """How far a block stands off along its length."""
        return float(self.motions[slot].moved_m @ self.along[slot])


def displaced(
    watcher: Watcher,
    before: tuple[View, TowerObservation],
    after: tuple[View, TowerObservation],
    named: Iterable[Slot],
) -> Displaced:
    """Compare two looks by the grain of the wood.

    Where that is not found again, a block that is `named` is looked for by its edges. Of the others nothing is said:
    two readings of edges may differ by a millimetre, and nobody is blamed for that.
    """
    (view, seen), (later, now) = before, after
    motions = watcher.eyes.motions(view, later, seen)
    for slot in set(named) & set(seen.blocks) & set(now.blocks) - set(motions):
        was, is_ = seen.blocks[slot], now.blocks[slot]
        moved_m = is_.T_world_block[:3, 3] - was.T_world_block[:3, 3]
        motions[slot] = BlockMotion(moved_m, float(np.hypot(was.sd_m, is_.sd_m)))
    along = {slot: block.T_world_block[:3, 0] for slot, block in seen.blocks.items()}
    return Displaced({s: m for s, m in motions.items() if s in now.blocks}, along)


def _length_m(motion: BlockMotion) -> float:
    return float(np.linalg.norm(motion.moved_m))
