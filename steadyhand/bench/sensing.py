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
from robot.frames import Array, pose, rot_z

PLACE_SD_M = 0.0002
_READINGS = 100  # of a push, at the force that moves the block
_MEDIAN_SD = 0.67  # of three readings, as a share of one's


class Eyes:
    """Looks at one tower after another of a game.

    A camera is wrong about a block's size in the same way each time, so the error of a size is drawn once for each
    block and slot; that of a place at every look.

    Args:
        blockset: What the sizes seen are weighed against.
        senses: Errors.
        rng: Of the errors.
    """

    def __init__(self, blockset: BlockSet, senses: Senses, rng: np.random.Generator) -> None:
        self._blockset, self._senses, self._rng = blockset, senses, rng
        self._size_m: dict[Slot, Array] = {}

    def look(self, towers: Towers, height_m: Array | None = None) -> TowerObservation:
        """A look at the first of the towers.

        Args:
            towers: The towers.
            height_m: Height of each block's centre (n,), where it is known already.
        """
        body = towers.bodies[0]
        height_m = loads(towers).height_m[0] if height_m is None else height_m
        layer, rng, senses = np.array([slot.layer for slot in towers.slots]), self._rng, self._senses
        upper_m = height_m + body[:, HEIGHT] / 2
        tops = np.array([upper_m[layer == k].mean() for k in np.unique(layer)])
        tops = tops + senses.base_m * rng.standard_normal() + senses.top_m * rng.standard_normal(len(tops))
        blocks = {slot: self._seen(body[k], slot) for k, slot in enumerate(towers.slots)}
        return TowerObservation(0.0, pose(), dict.fromkeys(blocks, Seen.BLOCK), blocks, tuple(tops.tolist()))

    def forget(self, slot: Slot) -> None:
        """The block has left this slot."""
        self._size_m.pop(slot, None)

    def _seen(self, body: Array, slot: Slot) -> BlockSeen:
        if slot not in self._size_m:
            self._size_m[slot] = self._size_of(body, slot)
        xy = body[[X, Y]] + PLACE_SD_M * self._rng.standard_normal(2)
        return BlockSeen(pose(rot_z(float(body[YAW])), [*xy, 0.0]), self._size_m[slot], 0.0, PLACE_SD_M)

    def _size_of(self, body: Array, slot: Slot) -> Array:
        blockset, size = self._blockset, np.empty(3)
        for axis, spread in enumerate((blockset.length_m, blockset.width_m, blockset.height_m)):
            gain = self._senses.gain(spread, slot, axis)
            told = gain * (body[LENGTH + axis] - spread.mean)
            error = spread.sd * np.sqrt(gain * (1 - gain)) * self._rng.standard_normal()
            size[axis] = spread.mean + told + error
        return size


def see(towers: Towers, blockset: BlockSet, senses: Senses, rng: np.random.Generator) -> TowerObservation:
    """A single look at the first of the towers."""
    return Eyes(blockset, senses, rng).look(towers)


def feel(
    known: Mechanics,
    row: int,
    slot: Slot,
    limit_n: float,
    senses: Senses,
    rng: np.random.Generator,
    *,
    drags: bool | None = None,
) -> Felt:
    """A probe of a block of the first tower: noisy readings, and a model that is a little wrong.

    Args:
        known: What mechanics says of the true tower.
        row: The block's.
        slot: The block's.
        limit_n: Of the probe.
        senses: Errors.
        rng: Of the errors.
        drags: Whether others come along with a block that moves; where it is not said, those held less than once do.
    """
    starts_n = known.slide_n[0, row] * (1 + senses.model * rng.standard_normal())
    raw = senses.force_n / _MEDIAN_SD * rng.standard_normal(_READINGS + 2)
    filtered = np.median(np.stack([raw[:-2], raw[1:-1], raw[2:]]), axis=0)
    peak_n = float(starts_n + filtered.max())
    if peak_n >= limit_n:
        return Felt(slot, moved=False, peak_n=limit_n, limit_n=limit_n)
    drags = bool(known.hold[0, row] < 1) if drags is None else drags
    seen = bool(rng.random() < (senses.noticed if drags else senses.imagined))
    return Felt(slot, moved=True, peak_n=max(peak_n, 0.0), limit_n=limit_n, dragged=seen)
