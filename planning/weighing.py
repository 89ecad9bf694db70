"""How much each tower of an ensemble counts, layer by layer.

Whether a block is loose depends on the blocks of its own layer; given the tower's friction, layers tell next to
nothing of each other (measured in docs/belief.md). So every layer weighs the towers by its own evidence, and layers
share what they say of the friction. Without this, ten probes would leave no tower of any ensemble.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import norm

from planning.blockset import BlockSet
from robot.frames import Array

_STEPS = 9


@dataclass(frozen=True)
class Frictions:
    """The frictions that a tower may have, as shares of the block set's mean (f,), and their log probabilities."""

    shares: Array
    odds: Array

    @classmethod
    def of(cls, blockset: BlockSet) -> Frictions:
        """Evenly spread over three standard deviations, within the block set's bounds."""
        spread = blockset.friction
        low = max(blockset.friction_low, spread.mean - 3 * spread.sd)
        high = min(blockset.friction_high, spread.mean + 3 * spread.sd)
        edges = np.linspace(low, high, _STEPS + 1)
        share = np.diff(norm.cdf(edges, spread.mean, max(spread.sd, 1e-9)))
        # A draw beyond a bound is put on it.
        share[0] += norm.cdf(low, spread.mean, max(spread.sd, 1e-9))
        share[-1] += norm.sf(high, spread.mean, max(spread.sd, 1e-9))
        middle = (edges[1:] + edges[:-1]) / 2
        return cls(middle / spread.mean, np.log(np.maximum(share, 1e-12)))


@dataclass(frozen=True)
class Weighing:
    """Evidence (count, f) by layer: log likelihoods of each tower at each friction.

    Attributes:
        evidence: By layer; layers without it count every tower alike.
        messages: What each layer's evidence says of the friction (f,).
    """

    frictions: Frictions
    count: int
    evidence: Mapping[int, Array] = field(default_factory=dict)
    messages: Mapping[int, Array] = field(default_factory=dict)

    def told(self, layer: int, odds: Array) -> Weighing:
        """With evidence on a layer added (count, f)."""
        before = self.evidence.get(layer, np.zeros((self.count, len(self.frictions.shares))))
        return self._with(layer, before + odds)

    def weights(self, layer: int) -> Array:
        """How much each tower at each friction counts for a layer (count, f); adds up to 1."""
        odds = self.frictions.odds + sum(told for k, told in self.messages.items() if k != layer)
        joint = odds + self.evidence.get(layer, np.zeros((self.count, 1)))
        return np.asarray(np.exp(joint - np.logaddexp.reduce(joint, axis=None)))

    def friction(self) -> Array:
        """Probability of each friction (f,)."""
        odds = self.frictions.odds + sum(self.messages.values())
        return np.asarray(np.exp(odds - np.logaddexp.reduce(odds)))

    def worth(self, layer: int) -> float:
        """How many equal towers the weights of a layer are worth (Kong's effective sample size)."""
        return float(1.0 / (self.weights(layer).sum(axis=1) ** 2).sum())

    def settled(self, layer: int) -> Weighing:
        """After a layer's blocks were drawn anew by their weights: only what it says of the friction is left."""
        return self._with(layer, np.tile(self.messages[layer], (self.count, 1)))

    def _with(self, layer: int, odds: Array) -> Weighing:
        message = np.logaddexp.reduce(odds, axis=0) - np.log(self.count)
        return Weighing(
            self.frictions,
            self.count,
            {**self.evidence, layer: odds},
            {**self.messages, layer: np.asarray(message)},
        )
