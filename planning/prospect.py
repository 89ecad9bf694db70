"""What trying a block promises: does its probe pass, does the block then come out, what is left for the next turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from planning.belief import Belief
from planning.evidence import Felt, probe_odds
from planning.force_limit import ForceLimit
from planning.imagined import Imagined, moves
from planning.lesson import lesson
from planning.mechanics import Flags
from planning.senses import Senses
from planning.tower import Slot
from robot.frames import Array

_TEACHES = 0.2  # share of a probe's effort that a nat of knowledge is worth


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


def hardness(belief: Belief, slot: Slot) -> float:
    """The force that starts a block where it comes out, as a share of the light force, at most 1."""
    share = np.minimum(belief.forces(slot) / belief.grounds.light_n, 1.0)
    comes = belief.weights(slot.layer) * belief.sample.reckoned.out[:, belief.sample.ensemble.row(slot), None]
    total = float(comes.sum())
    return float((comes * share).sum()) / total if total > 0.0 else 1.0


def _seen_along(alone: Flags, senses: Senses) -> Array:
    return np.where(alone, senses.imagined, senses.noticed)


@dataclass(frozen=True)
class Prospect:
    """A block, its probe, and what taking it would be worth.

    Attributes:
        limit_n: Force limit of its probe.
        probed: What the probe would show.
        worth: Of taking the block once it has passed, in the units of `planning.outlook`.
        leaves: Moves that are left after it, on average.
        lesson: What the probe would teach of the layer (`planning.lesson`), in nats.
        at_last: Whether it is pushed as hard as is allowed only where little else is left.
    """

    slot: Slot
    limit_n: float
    probed: Probed
    worth: float
    leaves: float
    lesson: float = 0.0
    at_last: bool = False

    def index(self, effort: float) -> float:
        """Up to which worth of a sure thing this block is worth a probe first (Weitzman, Econometrica 47, 1979).

        Args:
            effort: What a probe costs, in the same units; part of it is made up for by what it teaches.
        """
        spent = effort * max(1.0 - _TEACHES * self.lesson, 0.0)
        return self.worth - spent / max(self.probed.passes, 1e-6)


@dataclass(frozen=True)
class Scale:
    """Weighs blocks of a tower against each other.

    Attributes:
        belief: Of the tower.
        ahead: The same tower as imagined.
        tables: What a position is worth to who moves next (`planning.outlook.after_laying`), if the layer on top will
            offer one move, and two.
        bears: Probability that a slot's block leaves without disturbing others, and the tower bears it on top.
        promised: Least and greatest chance of the second, by where a slot's block is laid.
        players: How many take turns.
        reserve: Share of its worth by which the hardest block counts less against others. They take what comes easily,
            and what then comes along with it; a hard one that is safe waits longest for us.
    """

    belief: Belief
    ahead: Imagined
    tables: tuple[Array, Array]
    bears: Callable[[Slot], float]
    promised: Callable[[Slot], tuple[float, float]]
    players: int
    reserve: float = 0.0

    def prospect(self, limit: ForceLimit, limit_n: float) -> Prospect:
        """Of a block that would be probed up to a limit, as if the tower were sure to bear it on top."""
        probed = expect(self.belief, limit.slot, limit_n)
        left = moves(self.ahead.without(limit.slot))
        taught = lesson(self.belief, limit.slot, limit_n)
        return Prospect(limit.slot, limit_n, probed, self.worth(limit.slot, probed.comes), left, taught)

    def worth(self, slot: Slot, comes: float) -> float:
        """Of taking a block that comes out so likely: blocks added by a lone player, or the chance to win."""
        one, two = self._after(slot)
        after = [one + promise * (two - one) for promise in self.promised(slot)]
        if self.players == 1:
            return comes * (1.0 + max(after))
        return comes * (1.0 - min(after)) * (1.0 - self.reserve * hardness(self.belief, slot))

    def wants_two(self, slot: Slot) -> bool:
        """Whether the layer on top, with a slot's block on it, should come to offer two moves rather than one."""
        one, two = self._after(slot)
        return two >= one if self.players == 1 else two <= one

    def _after(self, slot: Slot) -> tuple[float, float]:
        """What is left once a block is taken, by the two tables."""
        counts = self.ahead.without(slot)
        one, two = (self.ahead.worth(counts, table) for table in self.tables)
        return one, two

    def borne(self, prospect: Prospect) -> Prospect:
        """The same with the chance that the tower bears it: that costs most, so it is asked last, of the best only."""
        return replace(prospect, worth=prospect.worth * self.bears(prospect.slot))

    def best(self, prospects: Iterable[Prospect], effort: float) -> Prospect | None:
        """The one with the highest index; None where none is worth anything."""
        best: Prospect | None = None
        for prospect in sorted(prospects, key=lambda p: (-p.index(effort), p.slot)):
            if best is not None and best.index(effort) >= prospect.index(effort):
                break
            borne = self.borne(prospect)
            if borne.worth > 0.0 and (best is None or borne.index(effort) > best.index(effort)):
                best = borne
        return best
