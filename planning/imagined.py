"""Towers as a belief imagines them, looked at for one thing only: what moves each layer still offers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planning.belief import Belief
from planning.contacts import Ints
from planning.outlook import EITHER, KINDS, MOVES, ONE, TWO
from planning.tower import Slot, Tower
from robot.frames import Array

MANY = 64


@dataclass(frozen=True)
class Imagined:
    """Layers that may be taken from, in as many towers as were imagined.

    Attributes:
        tower: Which slots hold a block.
        loose: By layer, which blocks of it are loose in each tower (count,), bits 0 to 2 for positions 1 to 3.
    """

    tower: Tower
    loose: dict[int, Ints]

    @classmethod
    def of(cls, belief: Belief, tower: Tower, rng: np.random.Generator, count: int = MANY) -> Imagined:
        """Imagine each layer by what is believed of it; layers tell nothing of each other."""
        layers = range(1, tower.highest_complete_layer)
        return cls(tower, {layer: _loose(belief, layer, rng, count) for layer in layers})

    @cached_property
    def kinds(self) -> dict[int, Ints]:
        """What each layer offers in each tower (count,)."""
        return {layer: KINDS[self.tower.layers[layer - 1]][loose] for layer, loose in self.loose.items()}

    @cached_property
    def counts(self) -> Ints:
        """How many layers offer nothing, one move, two, either, in each tower (4, count)."""
        kinds = np.array(list(self.kinds.values()), dtype=np.int64).reshape(len(self.kinds), -1)
        return np.array([(kinds == kind).sum(axis=0) for kind in range(4)])

    def share_of_kinds(self) -> tuple[float, float, float, float]:
        """How often a full layer is of each kind, to a hundredth: all that is known of one that is not built yet."""
        full = [kinds for layer, kinds in self.kinds.items() if self.tower.is_complete(layer)]
        found = np.concatenate(full) if full else np.zeros(1, np.int64)
        dead, one, two, either = np.round(np.bincount(found, minlength=4) / len(found), 2)
        return float(dead), float(one), float(two), float(either)

    def without(self, slot: Slot) -> Ints:
        """The counts (4, count) once a block is gone, as in the towers in which it was loose."""
        before, bit = self.loose[slot.layer], 1 << (slot.position - 1)
        those = before[before & bit > 0]
        after = np.resize(those, before.shape) if len(those) else np.zeros_like(before)
        counts, each = self.counts.copy(), np.arange(len(before))
        counts[self.kinds[slot.layer], each] -= 1
        counts[KINDS[self.tower.layers[slot.layer - 1] & ~bit][after], each] += 1
        return counts

    def worth(self, counts: Ints, table: Array) -> float:
        """Mean value by a table of `outlook.after_laying`, for a block in the hand."""
        most = len(table) - 1
        e = np.minimum(counts[EITHER], most)
        w = np.minimum(counts[TWO], most - e)
        o = np.minimum(counts[ONE], most - e - w)
        lying = 3 - len(self.tower.free_top_slots)
        return float(table[e, w, o, lying].mean())


def moves(counts: Ints) -> float:
    """How many moves layers of each kind (4, count) offer, on average."""
    return float((MOVES @ counts).mean())


def _loose(belief: Belief, layer: int, rng: np.random.Generator, count: int) -> Ints:
    weights, known = belief.weights(layer), belief.sample.reckoned
    drawn = rng.choice(weights.size, count, p=weights.ravel())
    tower, _ = np.unravel_index(drawn, weights.shape)
    bits = np.zeros(count, np.int64)
    for row in belief.sample.ensemble.rows(layer):
        slot = belief.slots[row]
        starts_n = belief.forces(slot).ravel()[drawn]
        out = known.out[tower, row]
        loose = (starts_n <= belief.grounds.light_n) & (rng.random(count) < out)
        bits |= loose.astype(np.int64) << (slot.position - 1)
    return bits
