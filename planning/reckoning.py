"""What mechanics says of every tower of an ensemble: the force that starts each block, and whether it comes out alone.

Loads are reckoned for every tower. What costs more (drag, tipping, standing without the block) is reckoned for a few,
and decides only how far a rule of thumb on the loads may be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.contacts import FRICTION, HEIGHT, Ints
from planning.ensemble import Ensemble
from planning.mechanics import SAFE_MARGIN_M, Flags, Mechanics, Towers, assess, comes_out, loads
from planning.pushing import GROUND_FRICTION
from planning.tower import Slot
from robot.frames import Array

FEW = 24
# Of what the others of its layer bear: a block that bears more takes all above along, or comes near it. Both shares
# agree with `assess` on 97 to 99 % of the blocks that start easily.
_DRAGS, _NEAR = 0.4, 0.25


@dataclass(frozen=True)
class Reckoned:
    """Of every block of every tower (count, n), at the block set's mean friction.

    Attributes:
        slots: The slot of every block (n,).
        rubs_n: Part of the force that starts the block along its length which grows with the tower's friction.
        ground_n: The other part: what the ground under the lowest layer holds.
        alone: Whether all above stays where it is when the block is pushed, by the rule of thumb.
        out: Probability that the block comes out without taking others along and the tower stands without it.
        top_m: Mean height of each layer's upper side (count, layers), NaN where the tower does not stand.
        stands: Whether the tower stands at all (count,).
    """

    slots: tuple[Slot, ...]
    rubs_n: Array
    ground_n: Array
    alone: Flags
    out: Array
    top_m: Array
    stands: Flags

    def starts_n(self, row: int, friction: Array) -> Array:
        """The force (count, f) that starts a block at each friction (f,), told as a share of the mean friction."""
        return np.asarray(self.ground_n[:, row, None] + self.rubs_n[:, row, None] * friction)


def reckon(ensemble: Ensemble, light_n: float) -> Reckoned:
    """Reckon an ensemble.

    Args:
        ensemble: The towers.
        light_n: Force up to which a block is worth taking; whether it comes alone matters only there.
    """
    bodies, slots = ensemble.bodies, ensemble.slots
    found = loads(Towers(slots, bodies))
    layer = np.array([slot.layer for slot in slots])
    top_n, bottom_n = _some(found.top_n, found.stands), _some(found.bottom_n, found.stands)
    ground_n = np.where(layer == 1, GROUND_FRICTION * bottom_n, 0.0)
    rubs_n = bodies[..., FRICTION] * (top_n + np.where(layer == 1, 0.0, bottom_n))
    others_n = _in_layer(top_n, layer) - top_n + 1e-9
    few = np.argsort(~found.stands, kind="stable")[:FEW]  # of those that stand, where some do
    near, light = top_n <= _NEAR * others_n, rubs_n + ground_n <= light_n
    out = _out(near, light[few], few, assess(Towers(slots, bodies[few]), thorough=False), layer)
    upper_m = np.where(found.stands[:, None], found.height_m + bodies[..., HEIGHT] / 2, np.nan)
    top_m = np.stack([upper_m[:, layer == k].mean(axis=1) for k in np.unique(layer)], axis=1)
    return Reckoned(slots, rubs_n, ground_n, top_n <= _DRAGS * others_n, out, top_m, found.stands)


def _some(force_n: Array, stands: Flags) -> Array:
    """Forces, with those of a tower that does not stand set to something too large to be pushed."""
    return np.where(stands[:, None], force_n, 1e3)


def _in_layer(value: Array, layer: Array) -> Array:
    """Sum over the blocks of the same layer (count, n)."""
    return np.asarray(value @ (layer[:, None] == layer[None, :]))


def _out(easy: Flags, light: Flags, few: Ints, known: Mechanics, layer: Array) -> Array:
    """Probability (count, n) that a block comes out, by the rule of thumb and what it was worth in the few."""
    stays = known.stands_without & (known.margin_m >= SAFE_MARGIN_M)
    calm = comes_out(known) | ~stays
    out = np.empty(easy.shape)
    for k in np.unique(layer):
        rows = layer == k
        told, true, weight = easy[few][:, rows], calm[:, rows], light[:, rows] + 0.02
        for says in (True, False):
            here = weight * (told == says)
            chance = ((here * true).sum() + 0.5 * says) / (here.sum() + 0.5)
            out[:, rows] = np.where(easy[:, rows] == says, chance, out[:, rows])
    chance_stays = (stays.sum(axis=0) + 0.25 * (stays.mean(axis=0) > 0.5)) / (len(few) + 0.25)
    return np.asarray(out * chance_stays)
