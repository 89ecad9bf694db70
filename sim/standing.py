"""Which block stands in which slot, by the truth of the simulated world."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planning.tower import Slot
from robot.frames import Array, apply, inverse
from sim.world import World

_ABOUT_M = 0.06  # from the tower's axis: farther off a block lies on the table


def standing(world: World) -> dict[Slot, str]:
    """The block in each slot, from the table up; what lies beside the tower is left out.

    Heights alone tell the layers apart, so that a tower may lean and its blocks may differ in thickness.
    """
    T_tower_world = inverse(world.room.T_world_tower)
    at = {b.name: apply(T_tower_world, world.T_world_block(b.name)[:3, 3]) for b in world.blocks}
    at = {name: p for name, p in at.items() if p[2] > 0 and np.hypot(p[0], p[1]) < _ABOUT_M}
    pitch_m = float(np.mean([block.size_m[1] for block in world.blocks]))
    slots = {}
    for layer, names in enumerate(_layers(at, min(block.size_m[2] for block in world.blocks)), start=1):
        for name in names:
            across_m = at[name][1 if layer % 2 else 0]
            slots[Slot(layer, int(np.clip(round(across_m / pitch_m), -1, 1)) + 2)] = name
    return slots


def _layers(at: dict[str, Array], thickness_m: float) -> list[list[str]]:
    """Names in order of height, parted where the next one lies higher by half a thickness."""
    names = sorted(at, key=lambda name: float(at[name][2]))
    layers = [[names[0]]] if names else []
    for below, above in pairwise(names):
        if at[above][2] - at[below][2] > thickness_m / 2:
            layers.append([])
        layers[-1].append(above)
    return layers
