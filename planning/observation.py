"""What the pictures say of the tower: the only knowledge of it that planning has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from planning.tower import Slot, Tower, axis_of
from robot.frames import Array, pose, rot_z


class Seen(Enum):
    """What a slot holds, as far as the pictures tell."""

    BLOCK = "block"
    GAP = "gap"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class BlockSeen:
    """One block as the pictures show it.

    Attributes:
        T_world_block: Pose (4, 4): origin at its centre, x along its length (the layer's + sense), z up.
        size_m: Length, width, thickness (3,) as measured, or the block set's where that could not be measured.
        out_m: How far its centre stands out along its length from the middle of the tower, towards +x of the block.
        sd_m: Standard deviation of its position, across and along together.
    """

    T_world_block: Array
    size_m: Array
    out_m: float
    sd_m: float


@dataclass(frozen=True)
class TowerObservation:
    """The tower at one moment.

    Attributes:
        T_world_tower: Pose (4, 4) of the tower frame: origin at the centre of its base, z up, x along layer 1's blocks.
        slots: What every slot of every layer up to the top holds.
        blocks: Every block seen, by slot.
        layer_top_m: Height of the upper side of each layer above the base, layer 1 first.
        unseen: What could not be seen and why, in words.
    """

    t_s: float
    T_world_tower: Array
    slots: Mapping[Slot, Seen]
    blocks: Mapping[Slot, BlockSeen]
    layer_top_m: tuple[float, ...]
    unseen: tuple[str, ...] = ()

    def text(self) -> str:
        """Tower text with `?` where a slot could not be seen."""
        mark = {Seen.BLOCK: "1", Seen.GAP: "0", Seen.UNKNOWN: "?"}
        n_layers = max((slot.layer for slot in self.slots), default=0)
        rows = [[self.slots.get(Slot(k, p), Seen.GAP) for p in (1, 2, 3)] for k in range(1, n_layers + 1)]
        return "/".join("".join(mark[s] for s in row) for row in rows)


@dataclass(frozen=True)
class BlockMotion:
    """How far a block moved between two moments (3,), world frame, and the standard deviation of that."""

    moved_m: Array
    sd_m: float


def as_stacked(tower: Tower, size_m: Array) -> TowerObservation:
    """A tower of equal blocks as it would be seen, stacked without a flaw about the world's origin."""
    blocks = {slot: BlockSeen(_as_stacked(slot, size_m), size_m, 0.0, 0.0) for slot in tower.blocks()}
    slots = dict.fromkeys(blocks, Seen.BLOCK) | dict.fromkeys(tower.gaps(), Seen.GAP)
    tops = tuple(layer * float(size_m[2]) for layer in range(1, tower.n_layers + 1))
    return TowerObservation(0.0, pose(), slots, blocks, tops)


def _as_stacked(slot: Slot, size_m: Array) -> Array:
    across, height = (slot.position - 2) * size_m[1], (slot.layer - 0.5) * size_m[2]
    if axis_of(slot.layer) == "x":
        return pose(None, [0.0, across, height])
    return pose(rot_z(np.pi / 2), [across, 0.0, height])
