"""What an observation says of a tower: likelihoods of probes, of heights seen and of blocks held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from planning.mechanics import Flags
from planning.senses import Senses
from planning.tower import Slot
from robot.frames import Array

_CEILING_N = 3.0  # forces of a surprise lie anywhere below


@dataclass(frozen=True)
class Felt:
    """A probe as the belief takes it.

    Attributes:
        slot: The block's.
        moved: Whether it moved before the push reached its limit.
        peak_n: Largest filtered force.
        limit_n: Force at which the push would have stopped.
        dragged: Whether other blocks were seen to move along, None where that could not be seen.
    """

    slot: Slot
    moved: bool
    peak_n: float
    limit_n: float
    dragged: bool | None = None


def probe_odds(felt: Felt, starts_n: Array, alone: Flags, senses: Senses) -> Array:
    """Log likelihood of a probe.

    Args:
        felt: What was felt and seen.
        starts_n: Force that starts the block (count, f).
        alone: Whether all above would stay (count,).
        senses: Errors.
    """
    sd_n = np.hypot(senses.force_n, senses.model * starts_n)
    shows_n = starts_n + senses.peaks * senses.force_n
    if felt.moved:
        z = (felt.peak_n - shows_n) / sd_n
        told = np.exp(-z * z / 2) / (sd_n * np.sqrt(2 * np.pi))
        blind = 1.0 / _CEILING_N
    else:
        told, blind = ndtr((shows_n - felt.limit_n) / sd_n), 0.5
    odds = np.log((1 - senses.surprise) * told + senses.surprise * blind)
    return np.asarray(odds + _drag_odds(felt.dragged, alone, senses)[:, None])


def held_odds(thickness_m: float, height_m: Array, senses: Senses) -> Array:
    """Log likelihood (count,) of a thickness measured on the block in the hand."""
    return np.asarray(-(((thickness_m - height_m) / senses.held_m) ** 2) / 2)


def tops_odds(top_m: Array, seen_m: Array, senses: Senses) -> Array:
    """Log likelihood (count, layers) of the heights seen, told apart by layers.

    A layer's height is a difference of two heights seen, whose errors the layers share. So the heights of all layers
    are weighed together, as if normally distributed; what a layer's own height then says beyond what was known of it
    before is its share.

    Args:
        top_m: Upper side of each layer in each tower (count, layers).
        seen_m: The same as seen (layers,).
        senses: Errors.
    """
    own_m = np.diff(top_m, axis=1, prepend=0.0)
    mean, var = np.nanmean(own_m, axis=0), np.nanvar(own_m, axis=0) + 1e-14
    n = len(mean)
    adds = np.tril(np.ones((n, n)))
    error = senses.top_m**2 * np.eye(n) + senses.base_m**2
    told = adds.T @ np.linalg.solve(error, adds)
    after = np.linalg.inv(np.diag(1 / var) + told)
    after_mean = mean + after @ adds.T @ np.linalg.solve(error, seen_m - adds @ mean)
    gained = np.maximum(1 / np.diag(after) - 1 / var, 1e-3 / var)
    share_m = (after_mean / np.diag(after) - mean / var) / gained
    return np.asarray(np.nan_to_num(-gained * (own_m - share_m) ** 2 / 2))


def _drag_odds(dragged: bool | None, alone: Flags, senses: Senses) -> Array:
    if dragged is None:
        return np.zeros(len(alone))
    seen = np.where(alone, senses.imagined, senses.noticed)
    return np.log(seen if dragged else 1.0 - seen)
