"""A tower as estimated: its blocks as boxes, each with its slot, in order of layer, then position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from perception.boxes import Bools, Boxes, Ints
from planning.blockset import BlockSet
from planning.tower import Slot
from robot.frames import Array, pose, rot_z

OUT_M = 3e-3  # further out than this a block was pushed


@dataclass(frozen=True)
class Stack:
    """N blocks.

    Attributes:
        layer: From 1 (N,), ascending.
        position: From 1 to 3 (N,).
        boxes: Their poses and sizes.
    """

    layer: Ints
    position: Ints
    boxes: Boxes

    def __len__(self) -> int:
        return len(self.layer)

    def slots(self) -> list[Slot]:
        """The slot of each block."""
        return [Slot(int(k), int(p)) for k, p in zip(self.layer, self.position, strict=True)]

    def take(self, keep: Bools | Ints) -> Stack:
        """Some of the blocks, by mask or by index."""
        return Stack(
            self.layer[keep], self.position[keep], Boxes(self.boxes.T[keep], self.boxes.size_m[keep])
        )


def empty_stack() -> Stack:
    """No block at all."""
    none = np.zeros(0, dtype=np.int64)
    return Stack(none, none.copy(), Boxes(np.zeros((0, 4, 4)), np.zeros((0, 3))))


def stack_of(slots: Sequence[Slot], T: Iterable[Array], size_m: Iterable[Array]) -> Stack:
    """Blocks in any order as a stack."""
    T, size_m = np.array(list(T)).reshape(-1, 4, 4), np.array(list(size_m)).reshape(-1, 3)
    order = sorted(range(len(slots)), key=lambda i: slots[i])
    layer = np.array([slots[i].layer for i in order], dtype=np.int64)
    position = np.array([slots[i].position for i in order], dtype=np.int64)
    return Stack(layer, position, Boxes(T[order], size_m[order]))


def merged(a: Stack, b: Stack) -> Stack:
    """The blocks of both."""
    T, size = np.concatenate([a.boxes.T, b.boxes.T]), np.concatenate([a.boxes.size_m, b.boxes.size_m])
    return stack_of(a.slots() + b.slots(), T, size)


def nominal_block(T_world_layer: Array, slot: Slot, blockset: BlockSet) -> tuple[Array, Array]:
    """Pose (4, 4) and size (3,) of a block that lies in its slot as planned.

    Args:
        slot: Where it lies.
        blockset: The blocks.
        T_world_layer: Origin at the middle of the layer's lower side, axes those of the tower.
    """
    size = mean_size(blockset)
    across = (slot.position - 2) * (blockset.width_m.mean + blockset.gap_m)
    if slot.layer % 2:
        T_layer_block = pose(None, [0.0, across, size[2] / 2])
    else:
        T_layer_block = pose(rot_z(np.pi / 2), [across, 0.0, size[2] / 2])
    return T_world_layer @ T_layer_block, size


def mean_size(blockset: BlockSet) -> Array:
    """Mean length, width and thickness (3,)."""
    return np.array([blockset.length_m.mean, blockset.width_m.mean, blockset.height_m.mean])


def nominal_stack(T_world_tower: Array, layers: range, blockset: BlockSet) -> Stack:
    """Full layers of mean blocks, as planned."""
    slots = [Slot(k, p) for k in layers for p in (1, 2, 3)]
    rise = blockset.height_m.mean
    blocks = [
        nominal_block(T_world_tower @ pose(None, [0, 0, (s.layer - 1) * rise]), s, blockset) for s in slots
    ]
    return stack_of(slots, [T for T, _ in blocks], [size for _, size in blocks])


def layer_frame(stack: Stack, k: int, T_world_tower: Array, blockset: BlockSet) -> Array:
    """Frame (4, 4) on which layer k's blocks lie: on the blocks of the layer below, turned and shifted as they are.

    Args:
        stack: The tower at least up to the layer below.
        k: Layer, from 1.
        T_world_tower: What layer 1 lies on.
        blockset: Where blocks lie in a layer as planned.
    """
    below = stack.take(stack.layer == k - 1)
    if len(below) == 0:
        return T_world_tower
    T, size = below.boxes.T, below.boxes.size_m
    yaw = np.arctan2(T[:, 1, 0], T[:, 0, 0]) - (np.pi / 2 if k % 2 else 0.0)
    turn = float(np.arctan2(np.sin(yaw).mean(), np.cos(yaw).mean()))
    lower = stack.take(stack.layer == k - 2)
    guess = _middles(lower, turn, blockset).mean(axis=0) if len(lower) else T_world_tower[:2, 3]
    top = float((T[:, 2, 3] + size[:, 2] / 2).max())
    return pose(rot_z(turn), [*_settled(_middles(below, turn, blockset), T[:, :2, 0], guess), top])


def _middles(layer: Stack, turn_rad: float, blockset: BlockSet) -> Array:
    """Where the middle (n, 2) of a layer would be if each of its blocks lay in its place."""
    nominal = np.array([nominal_block(np.eye(4), slot, blockset)[0][:2, 3] for slot in layer.slots()])
    return np.asarray(layer.boxes.T[:, :2, 3] - nominal @ rot_z(turn_rad)[:2, :2].T)


def _settled(middles: Array, axes: Array, guess: Array) -> Array:
    """Mean (2,) of the middles of a layer; a block pushed out along its axis (n, 2) says nothing but across it.

    `guess` is the middle of the layer beneath, whose blocks lie across and tell this layer's place along.
    """
    along = np.einsum("ni,ni->n", middles - guess, axes)
    out = np.where(np.abs(along) > OUT_M, along, 0.0)
    return np.asarray((middles - out[:, None] * axes).mean(axis=0))
