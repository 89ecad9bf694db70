"""Motion is passed on by touch: what a pushed block takes along touches it, goes its way, and goes no farther.

What the pictures claim otherwise, a shadow or a reflection has made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from planning.observation import BlockMotion
from planning.tower import Slot, row
from robot.frames import Array

_PASSED_ON = 0.5  # of its motion a block has at least from one that it touches
_NOTHING_M = 0.0004  # too little to tell which way it went
_FARTHER, _SWAY_M = (
    1.2,
    0.0004,
)  # than the pushed block: a little by turning, and the tower gives way under the push
_THAT_WAY = 0.5  # of its motion at least leads along the push


@dataclass(frozen=True)
class Push:
    """What was done to a block.

    Attributes:
        along: Direction of the push (3,), a unit vector.
        by_m: How far the block was moved at most.
    """

    slot: Slot
    along: Array
    by_m: float


def passed_on(motions: Mapping[Slot, BlockMotion], push: Push, stand: Collection[Slot]) -> dict[Slot, float]:
    """How far each block was taken along; motions that nothing can have passed on are left out.

    Args:
        motions: As the pictures have them; of a block that could not be watched there is none.
        push: What was done.
        stand: The slots that hold a block.
    """
    moved_m = {slot: float(np.linalg.norm(motion.moved_m)) for slot, motion in motions.items()}
    return {
        slot: moved_m[slot]
        for slot, motion in motions.items()
        if _goes_along(motion.moved_m, push) and _is_reached(slot, moved_m, push.slot, stand)
    }


def _goes_along(moved_m: Array, push: Push) -> bool:
    by_m = float(np.linalg.norm(moved_m))
    if by_m <= _NOTHING_M:
        return True
    return by_m <= _FARTHER * push.by_m + _SWAY_M and abs(float(moved_m @ push.along)) >= _THAT_WAY * by_m


def _is_reached(slot: Slot, moved_m: Mapping[Slot, float], pushed: Slot, stand: Collection[Slot]) -> bool:
    way = 1 if slot.layer > pushed.layer else -1
    between = range(pushed.layer + way, slot.layer, way)
    return all(_passes_on(moved_m[slot], layer, moved_m, stand) for layer in between)


def _passes_on(by_m: float, layer: int, moved_m: Mapping[Slot, float], stand: Collection[Slot]) -> bool:
    """Whether a block of the layer has moved nearly so far, or could not be watched."""
    return any(moved_m.get(slot, by_m) >= _PASSED_ON * by_m for slot in row(layer) if slot in stand)
