"""Beliefs for tests: small towers and few particles, so that they cost little."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from planning.belief import Belief, Grounds
from planning.blockset import load_blockset
from planning.observation import TowerObservation, as_stacked
from planning.senses import Senses
from planning.tower import Slot, Tower

LIGHT_N, COUNT = 0.35, 300
STANDARD = load_blockset("standard")
MEAN_M = np.array([STANDARD.length_m.mean, STANDARD.width_m.mean, STANDARD.height_m.mean])


def grounds(seed: int = 1, count: int = COUNT, light_n: float = LIGHT_N) -> Grounds:
    return Grounds(STANDARD, Senses(), light_n, seed, count)


@lru_cache(maxsize=8)
def prior(text: str = "111*8", seed: int = 1) -> Belief:
    """Of a tower that nobody looked at."""
    return Belief.prior(grounds(seed), Tower.parse(text))


def looked_at(text: str = "111*8", **thinner_m: float) -> TowerObservation:
    """A tower of mean blocks as seen; `s4_2=1e-4` makes the block in 4.2 thinner."""
    seen = as_stacked(Tower.parse(text), MEAN_M)
    blocks = dict(seen.blocks)
    for name, by_m in thinner_m.items():
        layer, position = name[1:].split("_")
        slot = Slot(int(layer), int(position))
        blocks[slot] = replace(blocks[slot], size_m=blocks[slot].size_m - np.array([0.0, 0.0, by_m]))
    return replace(seen, blocks=blocks)
