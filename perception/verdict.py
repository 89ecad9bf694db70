"""A tower that was read as an observation: what is sure of it, and what is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perception.climb import Ladder
from perception.contours import Portrait
from perception.layer_choice import IN_PLACE_M, POSITIONS, SlotChoice
from perception.odds import log_odds
from perception.stack import Stack
from planning.observation import BlockSeen, Seen, TowerObservation
from planning.tower import Slot
from robot.frames import Array, pose, rot_z

SURE = 1.8  # log odds below which a slot is not known
# The same where the camera is guessed, and log odds by spreads that what shows is darker there than the wall: lit
# insides of holes, laid over by lines that are a little off, look much like blocks.
SURE_WARY, DARKER = 2.0, 2.5
MOST_A_LAYER = 3.0  # log odds with which one layer counts for the height of the tower
SEEN_PX = 0.9  # how exactly the end of a block is seen
LEAST_SD_M, UNKNOWN_SD_M = 0.8e-3, 10e-3
# Evidence for a pushed block over one in its place, below which it is not told how far it stands out.
AHEAD = 1.0


@dataclass(frozen=True)
class Reading:
    """A tower while it is read: its layers' places, its blocks, and the best block of every slot."""

    ladder: Ladder
    stack: Stack
    slots: Mapping[Slot, SlotChoice]


def observed(
    looks: Sequence[Portrait], reading: Reading, size_m: Array, reach: int, *, wary: bool
) -> TowerObservation:
    """What a reading says.

    Args:
        looks: The views.
        reading: The tower.
        size_m: Of a block (3,).
        reach: So many layers above and below may hide a block or show through where it is not.
        wary: Whether cameras and blocks are but guessed: then more is asked of a slot to be known.
    """
    odds = {slot: _odds(looks, reading, slot, size_m, reach, wary=wary) for slot in reading.slots}
    return _observation(looks, reading, odds, size_m, SURE_WARY if wary else SURE)


def _odds(
    looks: Sequence[Portrait], reading: Reading, slot: Slot, size_m: Array, reach: int, *, wary: bool
) -> float:
    stack = reading.stack
    own = (stack.layer == slot.layer) & (stack.position == slot.position)
    others = stack.take((np.abs(stack.layer - slot.layer) <= reach) & ~own)
    return log_odds(looks, slot.layer, reading.slots[slot], others, size_m, DARKER if wary else 0.0)


def _height(odds: Mapping[Slot, float], layers: int) -> int:
    """Number of layers: up to where what makes sure of a block in each exceeds most what speaks against it."""
    best = np.array([max(odds[Slot(k, p)] for p in POSITIONS) for k in range(1, layers + 1)])
    return int(np.argmax(np.cumsum(np.clip(best - SURE, -MOST_A_LAYER, MOST_A_LAYER)))) + 1


def _observation(
    looks: Sequence[Portrait], reading: Reading, odds: Mapping[Slot, float], size: Array, sure: float
) -> TowerObservation:
    ladder = reading.ladder
    layers = _height(odds, len(ladder.frames))
    x, y, yaw, _ = ladder.frames[0]
    T_world_tower = pose(rot_z(yaw), [x, y, 0.0])
    slots = {slot: _seen(value, sure) for slot, value in odds.items() if slot.layer <= layers}
    blocks = {
        slot: _block(looks, T_world_tower, reading.slots[slot], size)
        for slot, seen in slots.items()
        if seen is Seen.BLOCK
    }
    tops = tuple(float(z) for z in ladder.frames[:layers, 3] + size[2])
    unseen = tuple(
        f"{slot}: not clear in any view whether it holds a block"
        for slot, seen in slots.items()
        if seen is Seen.UNKNOWN
    )
    return TowerObservation(0.0, T_world_tower, slots, blocks, tops, unseen)


def _seen(odds: float, sure: float) -> Seen:
    if abs(odds) < sure:
        return Seen.UNKNOWN
    return Seen.BLOCK if odds > 0 else Seen.GAP


def _block(looks: Sequence[Portrait], T_world_tower: Array, choice: SlotChoice, size_m: Array) -> BlockSeen:
    T = choice.T_world_block
    out = float((T[:2, 3] - T_world_tower[:2, 3]) @ T[:2, 0])
    exact = choice.ahead >= AHEAD or abs(choice.out_m) < IN_PLACE_M
    return BlockSeen(T, size_m, out, _sd(looks, T, size_m) if exact else UNKNOWN_SD_M)


def _sd(looks: Sequence[Portrait], T: Array, size_m: Array) -> float:
    """How exactly a block's place along its length is known: by how far an end moves in a picture when it moves."""
    best = 1e-9
    for look in looks:
        camera = look.view.camera
        for sign in (1.0, -1.0):
            end = T @ pose(None, [sign * size_m[0] / 2, 0, 0])
            if sign * T[:3, 0] @ (camera.position_m() - end[:3, 3]) > 0:
                px = camera.project(np.array([end[:3, 3], end[:3, 3] + 1e-3 * T[:3, 0]]))
                best = max(best, float(np.linalg.norm(px[1] - px[0])) / 1e-3)
    return min(max(LEAST_SD_M, SEEN_PX / best), UNKNOWN_SD_M)
