"""What a robot would see and feel of a tower whose blocks are known, with the errors that the settings say."""

from __future__ import annotations

import numpy as np

from planning.blockset import BlockSet
from planning.contacts import HEIGHT, LENGTH, YAW, X, Y
from planning.evidence import Felt
from planning.mechanics import Mechanics, Towers, loads
from planning.observation import BlockSeen, Seen, TowerObservation
from planning.senses import Senses
from planning.tower import Slot
from robot.frames import pose, rot_z

PLACE_SD_M = 0.0002
_READINGS = 100  # of a push, at the force that moves the block
_MEDIAN_SD = 0.67  # of three readings, as a share of one's


def see(towers: Towers, blockset: BlockSet, senses: Senses, rng: np.random.Generator) -> TowerObservation:
    """A look at the first of the towers."""
    body, height_m = towers.bodies[0], loads(towers).height_m[0]
    layer = np.array([slot.layer for slot in towers.slots])
    upper_m = height_m + body[:, HEIGHT] / 2
    tops = np.array([upper_m[layer == k].mean() for k in np.unique(layer)])
    tops = tops + senses.base_m * rng.standard_normal() + senses.top_m * rng.standard_normal(len(tops))
    blocks = {slot: _seen(body[k], slot, blockset, senses, rng) for k, slot in enumerate(towers.slots)}
    return TowerObservation(0.0, pose(), dict.fromkeys(blocks, Seen.BLOCK), blocks, tuple(tops))


def _seen(body, slot: Slot, blockset: BlockSet, senses: Senses, rng: np.random.Generator) -> BlockSeen:
    size = np.empty(3)
    for axis, spread in enumerate((blockset.length_m, blockset.width_m, blockset.height_m)):
        gain = senses.gain(spread, slot, axis)
        told = gain * (body[LENGTH + axis] - spread.mean)
        size[axis] = spread.mean + told + spread.sd * np.sqrt(gain * (1 - gain)) * rng.standard_normal()
    xy = body[[X, Y]] + PLACE_SD_M * rng.standard_normal(2)
    return BlockSeen(pose(rot_z(body[YAW]), [*xy, 0.0]), size, 0.0, PLACE_SD_M)


def feel(
    known: Mechanics, row: int, slot: Slot, limit_n: float, senses: Senses, rng: np.random.Generator
) -> Felt:
    """A probe of a block of the first tower: noisy readings, and a model that is a little wrong."""
    starts_n = known.slide_n[0, row] * (1 + senses.model * rng.standard_normal())
    raw = senses.force_n / _MEDIAN_SD * rng.standard_normal(_READINGS + 2)
    filtered = np.median(np.lib.stride_tricks.sliding_window_view(raw, 3), axis=1)
    peak_n = starts_n + filtered.max()
    if peak_n >= limit_n:
        return Felt(slot, moved=False, peak_n=limit_n, limit_n=limit_n)
    along = rng.random() < (senses.imagined if known.hold[0, row] >= 1 else senses.noticed)
    return Felt(slot, moved=True, peak_n=max(peak_n, 0.0), limit_n=limit_n, dragged=bool(along))
