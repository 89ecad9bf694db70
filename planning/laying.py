"""Which free top slot is best for the block in the hand: the thickest of a layer belongs in its middle.

There it carries what comes above, and both side blocks stay loose: two more moves, where another order leaves one.
Which of three blocks will be the thickest is not known before the last; the rule is that of the secretary problem with
full information (Gilbert and Mosteller, J. Am. Stat. Assoc. 61, 1966), whose first decision number for three is 0.6899.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.stats import norm

from planning.tower import Slot

MIDDLE = 2
_FIRST_OF_THREE, _FIRST_OF_TWO = 0.6899, 0.5


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


def belongs_in_middle(
    thickness_m: float, heap: Heap, lying_m: Mapping[Slot, float], free: Sequence[Slot]
) -> bool:
    """Whether a block is best laid in the middle of the top layer, as far as that is free.

    Args:
        thickness_m: Of the block in the hand.
        heap: Blocks that may come after it.
        lying_m: Thickness of those that lie in the layer already.
        free: Slots of the layer that are free.
    """
    if all(slot.position != MIDDLE for slot in free):
        return False
    share = heap.thinner(thickness_m)
    if len(free) == 1:
        return True
    if len(free) == 3:
        return share > _FIRST_OF_THREE
    return share > _FIRST_OF_TWO and thickness_m > max(lying_m.values(), default=0.0)
