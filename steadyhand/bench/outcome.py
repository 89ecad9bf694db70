"""What drawing a block right out does to the others, by how firmly their neighbours hold them.

Logistic curves in the logarithm of `hold`, fitted to blocks drawn out of simulated towers (`python -m
benchmarks.outcomes`; docs/choice.md has the figures). The less the neighbours hold all above, the more comes along.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy.special import expit

DRAGGED_M, FAR_M = (0.001, 0.005)  # of the other block that moves most
PROBE_DRAG_M = 0.0005  # at the end of a probe
LEAST_HOLD, MOST_HOLD = (
    0.05,
    100.0,
)  # where curves end: hold is 0 where nothing holds, infinite where nothing pulls


class Outcome(Enum):
    """What came of the others."""

    ALONE = "alone"
    DRAGS = "drags"
    FAR = "far"
    FALLS = "falls"


@dataclass(frozen=True)
class Curve:
    """A chance that falls as hold grows, and with the layers above, whose weight steadies what lies under them.

    Attributes:
        middle: Hold at which it is a half under a bare layer.
        slope: How fast its log odds fall with the logarithm of hold.
        layer: How much they fall with each layer above.
    """

    middle: float
    slope: float
    layer: float = 0.0

    def chance(self, hold: float, above: int) -> float:
        """At a hold, under so many layers."""
        held = float(np.clip(hold, LEAST_HOLD, MOST_HOLD))
        return float(expit(-self.slope * np.log(held / self.middle) - self.layer * above))


@dataclass(frozen=True)
class Outcomes:
    """The curves.

    Attributes:
        probe: Others move more than a rejected block may move them (0.5 mm) by the end of a probe.
        drags: They move more than `DRAGGED_M` while the block is drawn right out.
        far: They move more than `FAR_M`.
        falls: The tower falls although it would stand without the block.
    """

    probe: Curve = Curve(17.3, 3.32, 0.434)
    drags: Curve = Curve(8.11, 2.70, 0.252)
    far: Curve = Curve(1.75, 5.04)
    falls: Curve = Curve(0.73, 2.46)

    def of(self, hold: float, above: int, luck: float) -> Outcome:
        """What comes of one block.

        Args:
            hold: How firmly its neighbours hold all above.
            above: How many layers that is.
            luck: Between 0 and 1, evenly drawn: where it lies below the chance of something, that happens.
        """
        drags, far = self.drags.chance(hold, above), self.far.chance(hold, above)
        falls = min(self.falls.chance(hold, above), far)  # where a tower fell, others had moved far
        for chance, outcome in ((falls, Outcome.FALLS), (far, Outcome.FAR), (drags, Outcome.DRAGS)):
            if luck < chance:
                return outcome
        return Outcome.ALONE
