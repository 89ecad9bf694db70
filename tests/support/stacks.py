"""Towers for tests of mechanics: equal blocks, stacked without a flaw, changed one by one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from planning.contacts import FRICTION, HEIGHT, LENGTH, MASS, TAPER, WIDTH, YAW, X, Y
from planning.mechanics import Towers
from planning.tower import Slot, Tower, axis_of

LENGTH_M, WIDTH_M, HEIGHT_M, MASS_KG, MU = 0.075, 0.025, 0.015, 0.02, 0.25
WEIGHT_N = MASS_KG * 9.81
COLUMN = {
    "x": X, "y": Y, "yaw": YAW, "length": LENGTH, "width": WIDTH, "height": HEIGHT, "taper": TAPER, "mass": MASS,
    "friction": FRICTION,
}  # fmt: skip


def stack(text: str, **changes: Mapping[str, float]) -> Towers:
    """One tower; `height={"2.2": -1e-4}` adds to the thickness of the block in 2.2."""
    slots = tuple(Tower.parse(text).blocks())
    bodies = np.array([_row(slot) for slot in slots])
    for name, by_slot in changes.items():
        for slot, more in by_slot.items():
            bodies[slots.index(Slot.parse(slot)), COLUMN[name]] += more
    return Towers(slots, bodies[None])


def _row(slot: Slot) -> list[float]:
    across = (slot.position - 2) * WIDTH_M
    x, y, yaw = (0.0, across, 0.0) if axis_of(slot.layer) == "x" else (across, 0.0, np.pi / 2)
    return [x, y, yaw, LENGTH_M, WIDTH_M, HEIGHT_M, 0.0, MASS_KG, MU]


def rough(text: str, seed: int, sd_m: float = 1.7e-4) -> Towers:
    """A tower whose blocks differ as real ones do."""
    even = stack(text)
    bodies, rng = even.bodies.copy(), np.random.default_rng(seed)
    n = len(even.slots)
    bodies[0, :, HEIGHT] += sd_m * np.clip(rng.standard_normal(n), -3, 3)
    bodies[0, :, TAPER] += 3e-5 * np.clip(rng.standard_normal(n), -3, 3)
    bodies[0, :, MASS] *= 1 + 0.07 * np.clip(rng.standard_normal(n), -3, 3)
    bodies[0, :, YAW] += 0.003 * np.clip(rng.standard_normal(n), -3, 3)
    bodies[0, :, X : Y + 1] += 3e-4 * np.clip(rng.standard_normal((n, 2)), -3, 3)
    return Towers(even.slots, bodies)


def row_of(towers: Towers, slot: str) -> int:
    """Which row a slot's block has."""
    return towers.slots.index(Slot.parse(slot))


def without(towers: Towers, slot: str) -> Towers:
    """The same towers without a block."""
    k = row_of(towers, slot)
    slots = towers.slots[:k] + towers.slots[k + 1 :]
    return Towers(slots, np.delete(towers.bodies, k, axis=1))
