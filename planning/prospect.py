"""What trying a block promises: does its probe pass, does the block then come out, what is left for the next turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.belief import Belief
from planning.evidence import Felt, probe_odds
from planning.force_limit import ForceLimit
from planning.mechanics import Flags
from planning.senses import Senses
from planning.tower import Slot
from robot.frames import Array


@dataclass(frozen=True)
class Probed:
    """A probe that is still to come.

    Attributes:
        passes: Probability that the block moves before the limit, and nothing is seen to come along.
        comes: Probability that a block that passes comes out, and the tower stands without it.
    """

    passes: float
    comes: float


def expect(belief: Belief, slot: Slot, limit_n: float) -> Probed:
    """What a probe up to a limit would show."""
    known, row = belief.sample.reckoned, belief.sample.ensemble.row(slot)
    starts_n, alone, senses = belief.forces(slot), known.alone[:, row], belief.grounds.senses
    stuck = Felt(slot, moved=False, peak_n=limit_n, limit_n=limit_n)
    passing = belief.weights(slot.layer) * (1.0 - np.exp(probe_odds(stuck, starts_n, alone, senses)))
    passing *= (1.0 - _seen_along(alone, senses))[:, None]
    passes = float(passing.sum())
    comes = float((passing * known.out[:, row, None]).sum()) / passes if passes > 0.0 else 0.0
    return Probed(passes, comes)


def _seen_along(alone: Flags, senses: Senses) -> Array:
    return np.where(alone, senses.imagined, senses.noticed)


@dataclass(frozen=True)
class Prospect:
    """A block, its probe, and what taking it would be worth.

    Attributes:
        limit: Of its probe.
        probed: What the probe would show.
        worth: Of taking the block once it has passed, in the units of `planning.outlook`.
        leaves: Moves that are left after it, on average.
    """

    slot: Slot
    limit: ForceLimit
    probed: Probed
    worth: float
    leaves: float

    def index(self, effort: float) -> float:
        """Up to which worth of a sure thing this block is worth a probe first (Weitzman, Econometrica 47, 1979).

        Args:
            effort: What a probe costs, in the same units.
        """
        return self.worth - effort / max(self.probed.passes, 1e-6)
