"""How well the robot sees and feels: errors of sizes, heights and forces, as the belief reckons with them.

The defaults were measured against the truth of simulated towers (docs/belief.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planning.blockset import Spread
from planning.observation import BlockSeen
from planning.tower import Slot
from robot.frames import Array


@dataclass(frozen=True)
class Senses:
    """Standard deviations, unless said otherwise.

    Attributes:
        side_m: Of a length or width that was seen.
        thickness_m: Of a thickness seen, by position 1, 2, 3: of a middle block only the narrow ends show.
        top_m: Of a layer's upper side.
        base_m: Of the base that those heights are told from.
        held_m: Of the thickness of a block in the hand.
        force_n: Of a filtered force reading.
        peaks: How far the largest of a push's readings lies above its force, in `force_n`.
        model: Of the force that starts a block, as a share of what mechanics says.
        noticed: Chance that the cameras notice what is dragged along by a probe.
        imagined: Chance that they take a block for dragged along that was not.
        surprise: Chance that a probe says nothing about the block (a splinter, a knock).
    """

    side_m: float = 0.00030
    thickness_m: tuple[float, float, float] = (0.00022, 0.00090, 0.00022)
    top_m: float = 0.00017
    base_m: float = 0.00020
    held_m: float = 0.00015
    force_n: float = 0.020
    peaks: float = 2.5
    model: float = 0.10
    noticed: float = 0.80
    imagined: float = 0.05
    surprise: float = 0.01

    def feeling(self, smallest_force_n: float) -> Senses:
        """The same with the force sensor that is there: its smallest force stands four deviations out of its noise."""
        return replace(self, force_n=smallest_force_n / 4)

    def told(
        self, spread: Spread, slots: Sequence[Slot], seen: Mapping[Slot, BlockSeen], axis: int
    ) -> tuple[Array, Array]:
        """Mean and standard deviation (n,) of one size of every block.

        `BlockSeen.size_m` is already weighed against the block set's spread, so what was seen is the mean.

        Args:
            spread: Of the block set.
            slots: The blocks.
            seen: Those of them that were seen.
            axis: 0 length, 1 width, 2 thickness.
        """
        mean, sd = np.full(len(slots), spread.mean), np.full(len(slots), spread.sd)
        for k, slot in enumerate(slots):
            if slot in seen:
                mean[k] = seen[slot].size_m[axis]
                sd[k] *= np.sqrt(1.0 - self.gain(spread, slot, axis))
        return mean, sd

    def gain(self, spread: Spread, slot: Slot, axis: int) -> float:
        """Share of a size's deviation from the mean that shows in what is seen of it."""
        error_m = self.thickness_m[min(slot.position, 3) - 1] if axis == 2 else self.side_m
        return spread.sd**2 / (spread.sd**2 + error_m**2) if spread.sd > 0 else 0.0
