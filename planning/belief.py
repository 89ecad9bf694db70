"""What the robot believes of each block: is it loose, what force starts it, does the whole turn succeed.

A belief is an ensemble of towers drawn from the block set, weighed by what was seen and felt. It never changes: what
is seen or felt makes a new one, so a choice may ask what it would believe after a probe. docs/belief.md says how well
it holds, docs/decisions/belief-by-layers.md why it is built like this.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from planning.blockset import BlockSet
from planning.contacts import HEIGHT, YAW
from planning.ensemble import Ensemble, draw, draw_block, draw_seen
from planning.evidence import Felt, held_odds, probe_odds, tops_odds
from planning.observation import TowerObservation
from planning.reckoning import Reckoned, reckon
from planning.senses import Senses
from planning.tower import Slot, Tower
from planning.weighing import Frictions, Weighing
from robot.errors import BadInputError
from robot.frames import Array
from robot.seeding import generator

COUNT = 600
_LOW, _MIDDLE, _HIGH = 0.1, 0.5, 0.9


@dataclass(frozen=True)
class Grounds:
    """What a belief rests on, the same for a whole game.

    Attributes:
        light_n: A block is loose where it starts below this force and comes out without taking others along.
        count: How many towers.
    """

    blockset: BlockSet
    senses: Senses
    light_n: float
    seed: int
    count: int = COUNT


@dataclass(frozen=True)
class Sample:
    """An ensemble, and what mechanics says of it as soon as someone asks."""

    ensemble: Ensemble
    light_n: float

    @cached_property
    def reckoned(self) -> Reckoned:
        """About a second for 54 blocks; done once for each tower, not for each probe."""
        return reckon(self.ensemble, self.light_n)


@dataclass(frozen=True)
class BlockBelief:
    """What is believed of a block.

    Attributes:
        loose: Probability that it starts below the light force and comes out without taking others along.
        force_n: The force that starts it: as likely below as the first, middle and last tenth of the probability
            (10, 50, 90 %).
    """

    slot: Slot
    loose: float
    force_n: tuple[float, float, float]


@dataclass(frozen=True)
class Belief:
    """A belief about a tower.

    Attributes:
        grounds: What it rests on.
        sample: The towers.
        weighing: What each counts.
        held: The block in the hand in every tower (count, 9), None where there is none.
        steps: How often randomness was drawn.
    """

    grounds: Grounds
    sample: Sample
    weighing: Weighing
    held: Array | None = None
    steps: int = 1

    @classmethod
    def prior(cls, grounds: Grounds, tower: Tower) -> Belief:
        """Of a tower of which nothing is known but which slots hold a block."""
        slots = tuple(tower.blocks())
        ensemble = draw(
            generator(grounds.seed, "belief", "0"), grounds.blockset, slots, grounds.count, grounds.senses
        )
        return cls._of(grounds, ensemble)

    @classmethod
    def seen(cls, grounds: Grounds, seen: TowerObservation) -> Belief:
        """Of a tower that was looked at."""
        rng = generator(grounds.seed, "belief", "0")
        ensemble = draw_seen(rng, grounds.blockset, seen, grounds.count, grounds.senses)
        return cls._of(grounds, ensemble)._weighed_by_tops(seen.layer_top_m)

    @classmethod
    def _of(cls, grounds: Grounds, ensemble: Ensemble) -> Belief:
        weighing = Weighing(Frictions.of(grounds.blockset), grounds.count)
        return cls(grounds, Sample(ensemble, grounds.light_n), weighing)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots that hold a block."""
        return self.sample.ensemble.slots

    def felt(self, felt: Felt) -> Belief:
        """After a probe."""
        row, known = self._row(felt.slot), self.sample.reckoned
        starts_n = known.starts_n(row, self.weighing.frictions.shares)
        odds = probe_odds(felt, starts_n, known.alone[:, row], self.grounds.senses)
        return replace(self, weighing=self.weighing.told(felt.slot.layer, odds))

    def taken(self, slot: Slot, thickness_m: float | None = None) -> Belief:
        """After a block was taken; its thickness as measured in the hand tells of those it lay beside."""
        row, ensemble, weighing = self._row(slot), self.sample.ensemble, self.weighing
        if thickness_m is not None:
            odds = held_odds(thickness_m, ensemble.bodies[:, row, HEIGHT], self.grounds.senses)
            weighing = weighing.told(slot.layer, odds[:, None])
        weight = weighing.weights(slot.layer).sum(axis=1)
        held = ensemble.bodies[self._rng().choice(self.grounds.count, self.grounds.count, p=weight), row]
        return self._with(ensemble.without(slot), weighing=weighing, held=held)

    def placed(self, slot: Slot) -> Belief:
        """After a block was laid into a slot: the one in the hand or, without one, one that nothing is known of."""
        grounds = self.grounds
        fresh = draw_block(self._rng(), grounds.blockset, slot, grounds.count, grounds.senses)
        if self.held is not None:
            fresh[:, YAW + 1 :] = self.held[:, YAW + 1 :]
        return self._with(self.sample.ensemble.with_block(slot, fresh), held=None)

    def stands(self, seen: TowerObservation) -> Belief:
        """The same blocks where they are seen to stand now; what was seen of their sizes stays as it was.

        Raises:
            BadInputError: The slots seen are not those of the belief.
        """
        if set(seen.blocks) != set(self.slots):
            odd = sorted(set(seen.blocks) ^ set(self.slots))
            raise BadInputError(
                f"belief: slots {', '.join(map(str, odd))} are not as seen; tell what was moved"
            )
        return self._with(self.sample.ensemble.placed(self._rng(), seen))

    def block(self, slot: Slot) -> BlockBelief:
        """What is believed of a block.

        Raises:
            BadInputError: No block stands there.
        """
        return self._told(slot, self.weights(slot.layer))

    def blocks(self) -> dict[Slot, BlockBelief]:
        """What is believed of every block."""
        weights = {layer: self.weights(layer) for layer in {slot.layer for slot in self.slots}}
        return {slot: self._told(slot, weights[slot.layer]) for slot in self.slots}

    def weights(self, layer: int) -> Array:
        """How much each tower at each friction counts for a layer (count, f); the tower stands, so only such count."""
        if layer not in self._weights:
            weights = self.weighing.weights(layer)
            standing = weights * self.sample.reckoned.stands[:, None]
            total = standing.sum()
            self._weights[layer] = standing / total if total > 0.0 else weights
        return self._weights[layer]

    @cached_property
    def _weights(self) -> dict[int, Array]:
        """What `weights` has said already."""
        return {}

    def forces(self, slot: Slot) -> Array:
        """The force that starts a block in each tower at each friction (count, f)."""
        return self.sample.reckoned.starts_n(self._row(slot), self.weighing.frictions.shares)

    def _told(self, slot: Slot, weights: Array) -> BlockBelief:
        starts_n = self.forces(slot)
        out = self.sample.reckoned.out[:, self._row(slot), None]
        loose = float(((starts_n <= self.grounds.light_n) * out * weights).sum())
        low, middle, high = quantiles(starts_n, weights, (_LOW, _MIDDLE, _HIGH))
        return BlockBelief(slot, min(loose, 1.0), (low, middle, high))

    def _row(self, slot: Slot) -> int:
        try:
            return self.sample.ensemble.row(slot)
        except ValueError as error:
            stand = ", ".join(map(str, self.slots))
            raise BadInputError(f"belief: no block in {slot}; blocks stand in {stand}") from error

    def _rng(self) -> np.random.Generator:
        return generator(self.grounds.seed, "belief", str(self.steps))

    def _with(
        self, ensemble: Ensemble, *, weighing: Weighing | None = None, held: Array | None = None
    ) -> Belief:
        sample = Sample(ensemble, self.grounds.light_n)
        return replace(
            self, sample=sample, weighing=weighing or self.weighing, held=held, steps=self.steps + 1
        )

    def _weighed_by_tops(self, seen_m: tuple[float, ...]) -> Belief:
        top_m, weighing = self.sample.reckoned.top_m, self.weighing
        if top_m.shape[1] != len(seen_m) or not self.sample.reckoned.stands.any():
            return self  # a layer of which no block was seen, or blocks that stand as none can: heights tell nothing
        odds = tops_odds(top_m, np.array(seen_m), self.grounds.senses)
        for layer, of_layer in enumerate(odds.T, start=1):
            weighing = weighing.told(layer, (of_layer - logsumexp(of_layer))[:, None])
        return replace(self, weighing=weighing)


def quantiles(values: Array, weights: Array, shares: tuple[float, ...]) -> list[float]:
    """Values below which given shares of the weight lie."""
    order = np.argsort(values, axis=None)
    summed = np.cumsum(weights.ravel()[order])
    found = np.searchsorted(summed, np.array(shares) * summed[-1])
    return [float(values.ravel()[order[min(k, len(order) - 1)]]) for k in found]
