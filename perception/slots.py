"""From the base upwards, layer by layer: which slots hold a block, and roughly where the block lies in its slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from perception.align import aligned
from perception.boxes import Boxes, joined
from perception.hypotheses import Cast, Look
from perception.stack import Stack, empty_stack, merged, nominal_block, nominal_stack, stack_of
from planning.blockset import BlockSet
from planning.tower import Slot
from robot.frames import Array, pose, rot_z

MOST_LAYERS = 34
PUSHES_M = 1e-3 * np.array([-40, -35, -30, -25, -20, -16, -12, -8, -4, 4, 8, 12, 16, 20, 25, 30, 35, 40])
POSITIONS = (1, 2, 3)
EVEN = 0.345  # log likelihood a pixel over anything at all that a block in its place reaches in every view
SURE = 8.0
SELDOM = 25.0  # log odds against a block that stands far out


@dataclass(frozen=True)
class _Layer:
    """What a layer was found to hold: log odds of block against gap by position, and the blocks."""

    stack: Stack
    odds: dict[int, float]


def build(looks: Sequence[Look], blockset: BlockSet, T_world_tower: Array) -> tuple[Stack, dict[Slot, float]]:
    """The tower from its base up to the first layer without a block, and each slot's log odds of holding one.

    Args:
        T_world_tower: Good to about 2 mm and 1 degree.
    """
    stack, odds = empty_stack(), {}
    T_layer = T_world_tower
    for k in range(1, MOST_LAYERS + 1):
        layer = _layer(looks, blockset, stack, k, T_layer)
        if len(layer.stack) == 0:
            break
        odds.update({Slot(k, p): v for p, v in layer.odds.items()})
        found = aligned([look.view for look in looks], stack, layer.stack)
        stack = merged(stack, found)
        T_layer = _next_frame(found, T_layer, blockset)
    return stack, odds


def _layer(looks: Sequence[Look], blockset: BlockSet, below: Stack, k: int, T_layer: Array) -> _Layer:
    under = below.take(below.layer >= k - 3)
    choices = {p: _choices(T_layer, Slot(k, p), blockset) for p in POSITIONS}
    veil = _veil(T_layer, k, blockset)
    boxes = joined([under.boxes, *(choices[p] for p in POSITIONS), veil.boxes])
    sizes = [len(choices[p]) for p in POSITIONS]
    layer = np.concatenate([under.layer, np.full(sum(sizes), k), veil.layer]).astype(np.int64)
    cast = Cast(looks, layer, boxes, layer > k)
    starts = len(under) + np.cumsum([0, *sizes])
    numbers = {p: np.arange(starts[i], starts[i + 1]) for i, p in enumerate(POSITIONS)}
    chosen, odds = _best(cast, np.arange(len(under)), numbers)
    held = [p for p in POSITIONS if chosen[p] is not None]
    index = [chosen[p] for p in held]
    return _Layer(stack_of([Slot(k, p) for p in held], boxes.T[index], boxes.size_m[index]), odds)


def _veil(T_layer: Array, k: int, blockset: BlockSet) -> Stack:
    """Full layers above layer k: not looked at yet, they may hide what lies behind them."""
    rise = blockset.height_m.mean
    return nominal_stack(T_layer @ pose(None, [0, 0, -(k - 1) * rise]), range(k + 1, k + 4), blockset)


def _choices(T_layer: Array, slot: Slot, blockset: BlockSet) -> Boxes:
    """The block in its place first, then pushed out by more and more along its length."""
    T, size = nominal_block(T_layer, slot, blockset)
    pushes = [0.0, *PUSHES_M]
    return Boxes(np.array([T @ pose(None, [d, 0, 0]) for d in pushes]), np.tile(size, (len(pushes), 1)))


def _best(
    cast: Cast, fixed: Array, numbers: dict[int, Array]
) -> tuple[dict[int, int | None], dict[int, float]]:
    """For each position the block that is there, or None, and the log odds for a block."""
    chosen = _together(cast, fixed, {p: int(numbers[p][0]) for p in POSITIONS})
    odds: dict[int, float] = {}
    for _ in range(3):
        before = dict(chosen)
        for p in POSITIONS:
            others = [i for q, i in chosen.items() if q != p and i is not None]
            chosen[p], odds[p] = _one(cast, np.concatenate([fixed, others]).astype(np.int64), numbers[p])
        if chosen == before:
            break
    return chosen, odds


def _together(cast: Cast, fixed: Array, in_place: dict[int, int]) -> dict[int, int | None]:
    """The best of the eight ways to fill a layer with blocks in their places."""
    ways = [
        [p for p, held in zip(POSITIONS, way, strict=True) if held]
        for way in product((True, False), repeat=3)
    ]
    arrangements = [np.append(fixed, [in_place[p] for p in way]).astype(np.int64) for way in ways]
    best = ways[int(cast.judged(arrangements, np.array(list(in_place.values()))).sum(axis=1).argmax())]
    return {p: in_place[p] if p in best else None for p in POSITIONS}


def _one(cast: Cast, others: Array, candidates: Array) -> tuple[int | None, float]:
    """The best of nothing and the candidates, and the log odds for any block.

    Blocks seldom stand far out, so those are tried only where neither a block in its place nor nothing explains all.
    """
    near = _told(cast, others, candidates[:1])
    even = near.shape[1] > 0 and (near[1] / cast.area(candidates[:1])).min() > EVEN
    if even and near[1].sum() - near[0].sum() > SURE:
        return int(candidates[0]), float(near[1].sum() - near[0].sum())
    told = _told(cast, others, candidates).sum(axis=1)
    told[2:] -= SELDOM
    best = int(told[1:].argmax())
    gain = float(told[1 + best] - told[0])
    return (int(candidates[best]) if gain > 0 else None), gain


def _told(cast: Cast, others: Array, candidates: Array) -> Array:
    return cast.judged([others, *(np.append(others, c) for c in candidates)], candidates)


def _next_frame(layer: Stack, T_layer: Array, blockset: BlockSet) -> Array:
    """Frame of the layer above: on the blocks of this one, turned and shifted as they are."""
    T, size = layer.boxes.T, layer.boxes.size_m
    quarter = np.pi / 2 if layer.layer[0] % 2 == 0 else 0.0
    yaw = np.arctan2(T[:, 1, 0], T[:, 0, 0]) - quarter
    turn = float(np.arctan2(np.sin(yaw).mean(), np.cos(yaw).mean()))
    nominal = [nominal_block(np.eye(4), s, blockset)[0][:2, 3] for s in layer.slots()]
    shift = T[:, :2, 3] - np.array(nominal) @ rot_z(turn)[:2, :2].T
    top = float((T[:, 2, 3] + size[:, 2] / 2).max())
    # A block pushed out along its length says nothing of where the layer lies: the least shifted ones do.
    near = np.linalg.norm(shift - T_layer[:2, 3], axis=1)
    middle = shift[near < near.min() + 3e-3].mean(axis=0) if near.min() < 6e-3 else T_layer[:2, 3]
    return pose(rot_z(turn), [*middle, top])
