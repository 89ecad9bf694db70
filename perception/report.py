"""From a fitted stack to what the rest of the program is told of the tower."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from perception.refine import Fitted, base_height
from perception.stack import Stack, nominal_block
from planning.blockset import BlockSet
from planning.observation import BlockSeen, Seen, TowerObservation
from planning.tower import Slot
from robot.frames import Array, pose, rot_z

SURE = 5.0  # log odds below which a slot is not known
HIDDEN_SD_M = 1e-3  # a hidden block may have moved this much unseen
TOP_ERROR_M = 0.12e-3
DOUBT = 1.4  # by how much errors measured against truth exceed what least squares expects


def tower_frame(stack: Stack, blockset: BlockSet, base_z_m: float) -> Array:
    """`T_world_tower` (4, 4): under the middle of the layers, which may lean, and turned as they are on average."""
    T = stack.boxes.T
    yaw = np.arctan2(T[:, 1, 0], T[:, 0, 0]) - np.where(stack.layer % 2 == 0, np.pi / 2, 0.0)
    turn = float(np.arctan2(np.median(np.sin(yaw)), np.median(np.cos(yaw))))
    nominal = np.array([nominal_block(np.eye(4), slot, blockset)[0][:2, 3] for slot in stack.slots()])
    middle = T[:, :2, 3] - nominal @ rot_z(turn)[:2, :2].T
    height = np.asarray(stack.layer - 1, dtype=float)
    return pose(rot_z(turn), [*(_at_base(height, middle[:, i]) for i in range(2)), base_z_m])


def _at_base(height: Array, value: Array) -> float:
    """Where a straight line through (height, value) crosses height 0, pushed blocks weighed down."""
    weight = np.ones(len(value))
    line = np.array([np.median(value), 0.0])
    A = np.stack([np.ones(len(value)), height], axis=1)
    for _ in range(5):
        residual = value - A @ line
        weight = 1 / (1 + (residual / 1e-3) ** 2)
        line = np.linalg.solve(A.T @ (A * weight[:, None]) + np.diag([0, 1e-3]), A.T @ (weight * value))
    return float(line[0])


def observation(
    t_s: float,
    fitted: Fitted,
    odds: Mapping[Slot, float],
    blockset: BlockSet,
    before: TowerObservation | None,
) -> TowerObservation:
    """What was seen; a slot whose log odds are not clear either way is as it was before, or unknown."""
    stack, base_z_m = fitted.stack, base_height(fitted.stack)
    T_world_tower = tower_frame(stack, blockset, base_z_m)
    blocks = {slot: _block(fitted, i, T_world_tower) for i, slot in enumerate(stack.slots())}
    n_layers = int(stack.layer.max(initial=0))
    slots = {Slot(k, p): _seen(odds.get(Slot(k, p), 0.0)) for k in range(1, n_layers + 1) for p in (1, 2, 3)}
    hidden = [slot for slot, seen in slots.items() if seen is Seen.UNKNOWN]
    words = []
    for slot in hidden:
        slots[slot] = before.slots.get(slot, Seen.UNKNOWN) if before else Seen.UNKNOWN
        words.append(f"{slot}: not clear in any view whether it holds a block" + _taken_over(slots[slot]))
    known = {
        slot: _doubted(b) if slot in hidden else b for slot, b in blocks.items() if slots[slot] is Seen.BLOCK
    }
    return TowerObservation(t_s, T_world_tower, slots, known, _tops(stack, base_z_m, blockset), tuple(words))


def _taken_over(seen: Seen) -> str:
    return "" if seen is Seen.UNKNOWN else f"; taken to be as before: {seen.value}"


def _doubted(block: BlockSeen) -> BlockSeen:
    return replace(block, sd_m=float(np.hypot(block.sd_m, HIDDEN_SD_M)))


def _seen(odds: float) -> Seen:
    if abs(odds) < SURE:
        return Seen.UNKNOWN
    return Seen.BLOCK if odds > 0 else Seen.GAP


def _block(fitted: Fitted, i: int, T_world_tower: Array) -> BlockSeen:
    T, size = fitted.stack.boxes.T[i], fitted.stack.boxes.size_m[i]
    spread = np.linalg.eigvalsh(fitted.covariance[i, :2, :2])[-1]
    out = float((T[:2, 3] - T_world_tower[:2, 3]) @ T[:2, 0])
    return BlockSeen(T.copy(), size.copy(), out, float(DOUBT * np.sqrt(spread)))


def _tops(stack: Stack, base_z_m: float, blockset: BlockSet) -> tuple[float, ...]:
    """Heights on which a further layer would rest: the highest block's, errors of measurement not taken for height."""
    real = blockset.height_m.sd**2 / (blockset.height_m.sd**2 + TOP_ERROR_M**2)
    top = stack.boxes.T[:, 2, 3] + stack.boxes.size_m[:, 2] / 2 - base_z_m
    layers = [top[stack.layer == k] for k in np.unique(stack.layer)]
    return tuple(float(t.mean() + real * (t.max() - t.mean())) for t in layers)
