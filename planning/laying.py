"""Which free top slot is best for the block in the hand: the thickest of a layer belongs in its middle.

There it carries what comes above, and both side blocks stay loose: two more moves, where another order leaves one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from robot.frames import Array

_POSITIONS = (1, 2, 3)
# Evenly spread, for beside blocks that are known well the chance to be thickest is a step
_NODES = np.linspace(-5.0, 5.0, 201)
_WEIGHTS = np.exp(-(_NODES**2) / 2) / np.exp(-(_NODES**2) / 2).sum()
_FINEST_M = 1e-6


@dataclass(frozen=True)
class Thickness:
    """What is believed of a block's thickness [m]: a normal distribution."""

    mean_m: float
    sd_m: float

    @classmethod
    def of(cls, drawn_m: Array, weights: Array | None = None) -> Thickness:
        """Of draws (n,), weighed (n,) where they do not count alike."""
        mean_m = float(np.average(drawn_m, weights=weights))
        return cls(mean_m, float(np.sqrt(np.average((drawn_m - mean_m) ** 2, weights=weights))))


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

    @property
    def next(self) -> Thickness:
        """Of the block that comes next."""
        return Thickness(self.mean_m, self.sd_m)


def promise(lying: Mapping[int, Thickness], heap: Heap) -> float:
    """Probability that the middle of a layer will be its thickest block.

    Args:
        lying: The blocks that lie there, by position; where none lies, one of the heap will.
        heap: Blocks that may come.
    """
    side, middle, other = (lying.get(position, heap.next) for position in _POSITIONS)
    thickness_m = middle.mean_m + middle.sd_m * _NODES
    thinner = _thinner(side, thickness_m) * _thinner(other, thickness_m)
    return float(_WEIGHTS @ thinner)


def promises(block: Thickness, lying: Mapping[int, Thickness], heap: Heap) -> dict[int, float]:
    """The promise of a layer with the block in each position that is free.

    Args:
        block: In the hand.
        lying: The blocks that lie on the top layer, by position; none where a new one begins.
        heap: Blocks that may come.
    """
    free = [position for position in _POSITIONS if position not in lying]
    return {position: promise({**lying, position: block}, heap) for position in free}


def _thinner(block: Thickness, than_m: Array) -> Array:
    return np.asarray(ndtr((than_m - block.mean_m) / max(block.sd_m, _FINEST_M)))
