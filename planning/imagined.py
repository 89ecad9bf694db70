"""Towers as a belief imagines them, looked at for one thing only: what moves each layer still offers."""

from __future__ import annotations

from dataclasses import dataclass

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

    def kinds(self, layer: int) -> Ints:
        """What a layer offers in each tower (count,)."""
        return np.asarray(KINDS[self.tower.layers[layer - 1]][self.loose[layer]])

    def share_of_kinds(self) -> tuple[float, float, float, float]:
        """How often a full layer is of each kind, to a hundredth: all that is known of one that is not built yet."""
        full = [layer for layer in self.loose if self.tower.is_complete(layer)]
        kinds = np.concatenate([self.kinds(layer) for layer in full]) if full else np.zeros(1, np.int64)
        dead, one, two, either = np.round(np.bincount(kinds, minlength=4) / len(kinds), 2)
        return float(dead), float(one), float(two), float(either)

    def moves(self) -> float:
        """How many moves the tower still offers, on average."""
        return float(sum(MOVES[self.kinds(layer)].mean() for layer in self.loose))

    def without(self, slot: Slot) -> tuple[Imagined, float]:
        """The towers in which a block was loose and is gone; and the share of those that it was loose in."""
        before, bit = self.loose[slot.layer], 1 << (slot.position - 1)
        those = before[before & bit > 0]
        after = np.resize(those, before.shape) if len(those) else np.zeros_like(before)
        return Imagined(self.tower.remove(slot), {**self.loose, slot.layer: after}), len(those) / len(before)

    def worth(self, table: Array) -> float:
        """Mean value by a table of `outlook.after_laying`, for a block in the hand."""
        kinds = np.array([self.kinds(layer) for layer in self.loose])
        e, w, o = ((kinds == kind).sum(axis=0) for kind in (EITHER, TWO, ONE))
        most = len(table) - 1
        e = np.minimum(e, most)
        w = np.minimum(w, most - e)
        o = np.minimum(o, most - e - w)
        return float(table[e, w, o, 3 - len(self.tower.free_top_slots)].mean())


def _loose(belief: Belief, layer: int, rng: np.random.Generator, count: int) -> Ints:
    weights, known = belief.weights(layer), belief.sample.reckoned
    drawn = rng.choice(weights.size, count, p=weights.ravel())
    tower, _ = np.unravel_index(drawn, weights.shape)
    bits = np.zeros(count, np.int64)
    for slot in (slot for slot in belief.slots if slot.layer == layer):
        starts_n = belief.forces(slot).ravel()[drawn]
        out = known.out[tower, belief.sample.ensemble.row(slot)]
        loose = (starts_n <= belief.grounds.light_n) & (rng.random(count) < out)
        bits |= loose.astype(np.int64) << (slot.position - 1)
    return bits
