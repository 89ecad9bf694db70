"""Which free top slot is best for the block in the hand: the thickest of a layer belongs in its middle.

There it carries what comes above, and both side blocks stay loose: two more moves, where another order leaves one. A
middle block is never laid between two that lie there already: as exactly as the arm lays, there may be no room. So the
first block goes into the middle where it is likelier the thickest of three than the second is, else the second does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import norm

from planning.tower import Slot

MIDDLE = 2
_THICKEST = 3**-0.5  # share of thinner blocks p at which p^2 = (1 - p^2) / 2


@dataclass(frozen=True)
class Heap:
    """Thicknesses of blocks that were laid in this game, and of such that may come: mean and deviation [m]."""

    mean_m: float
    sd_m: float
    count: float

    def with_one(self, thickness_m: float) -> Heap:
        """After another block; the deviation is taken to stay."""
        count = self.count + 1.0
        return Heap(self.mean_m + (thickness_m - self.mean_m) / count, self.sd_m, count)

    def thinner(self, thickness_m: float) -> float:
        """Probability that another block is thinner."""
        return float(norm.cdf(thickness_m, self.mean_m, max(self.sd_m, 1e-9)))


def belongs_in_middle(thickness_m: float, heap: Heap, free: Sequence[Slot]) -> bool:
    """Whether a block is best laid in the middle of the top layer, as far as that is free.

    Args:
        thickness_m: Of the block in the hand.
        heap: Blocks that may come after it.
        free: Slots of the layer that are free.
    """
    if all(slot.position != MIDDLE for slot in free):
        return False
    return len(free) < 3 or heap.thinner(thickness_m) > _THICKEST
