"""The tower layer by layer from its base, first without and then with what is known of the layers above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perception.align import aligned
from perception.decide import POSITIONS, Answer, Question, decided
from perception.hypotheses import Look
from perception.stack import Stack, empty_stack, layer_frame, merged, nominal_stack
from planning.blockset import BlockSet
from planning.tower import Slot
from robot.frames import Array, pose

MOST_LAYERS = 34
BELOW, ABOVE = 3, 3  # layers that can be seen through a hole in one, or hide a part of it
PUSHED_M = 4e-3
UNCLEAR = 10.0

Odds = Mapping[Slot, float]  # log odds of block against gap


@dataclass(frozen=True)
class Known:
    """A stack and each slot's log odds of holding a block."""

    stack: Stack
    odds: Odds


def built(looks: Sequence[Look], blockset: BlockSet, T_world_tower: Array, start: Known) -> Known:
    """The tower with every layer above those of `start` that holds a block.

    Args:
        looks: The views and what wood looks like in them.
        blockset: What the blocks are like.
        T_world_tower: Good to about 2 mm and 1 degree.
        start: The lowest layers, where they are known already.
    """
    stack, odds = start.stack, dict(start.odds)
    first = int(stack.layer.max(initial=0)) + 1
    for k in range(first, MOST_LAYERS + 1):
        T_layer = layer_frame(stack, k, T_world_tower, blockset)
        around = stack.take(stack.layer >= k - BELOW)
        answer = decided(
            looks, blockset, Question(k, T_layer, around, _veil(T_layer, k, blockset), empty_stack(), {})
        )
        if len(answer.stack) == 0:
            break
        odds.update(_by_slot(k, answer))
        stack = merged(stack, aligned([look.view for look in looks], stack, answer.stack))
    return Known(stack, odds)


def verified(
    looks: Sequence[Look],
    blockset: BlockSet,
    T_world_tower: Array,
    known: Known,
    layers: Sequence[int],
    favour: Odds,
) -> Known:
    """Some layers decided again, each with all others in place.

    Args:
        looks: The views and what wood looks like in them.
        blockset: What the blocks are like.
        T_world_tower: Good to about 2 mm and 1 degree.
        known: The blocks as they are thought to be.
        layers: Those to decide, in ascending order.
        favour: Log odds from what was seen before.
    """
    stack, odds = known.stack, dict(known.odds)
    for k in layers:
        near = (stack.layer >= k - BELOW) & (stack.layer <= k + ABOVE) & (stack.layer != k)
        own = stack.take(stack.layer == k)
        T_layer = layer_frame(stack, k, T_world_tower, blockset)
        wish = {p: favour.get(Slot(k, p), 0.0) for p in POSITIONS}
        answer = decided(looks, blockset, Question(k, T_layer, stack.take(near), empty_stack(), own, wish))
        odds.update(_by_slot(k, answer))
        stack = merged(stack.take(stack.layer != k), answer.stack)
    return Known(_without_empty_top(stack), odds)


def doubtful_layers(known: Known, T_world_tower: Array) -> list[int]:
    """Layers in which a slot is not clear, and those around a pushed block, not known of when they were decided."""
    doubtful = {slot.layer for slot, value in known.odds.items() if abs(value) < UNCLEAR}
    boxes = known.stack.boxes
    out = (
        np.abs(np.einsum("ni,ni->n", boxes.centres_m[:, :2] - T_world_tower[:2, 3], boxes.T[:, :2, 0]))
        > PUSHED_M
    )
    around = {int(k) + d for k in known.stack.layer[out] for d in range(-ABOVE, BELOW + 1)}
    return [k for k in sorted(doubtful | around) if 1 <= k <= known.stack.layer.max(initial=0)]


def _by_slot(k: int, answer: Answer) -> dict[Slot, float]:
    return {Slot(k, p): value for p, value in answer.odds.items()}


def _veil(T_layer: Array, k: int, blockset: BlockSet) -> Stack:
    """Full layers above layer k: not looked at yet, they may hide what lies behind them."""
    T_base = T_layer @ pose(None, [0, 0, -(k - 1) * blockset.height_m.mean])
    return nominal_stack(T_base, range(k + 1, k + 1 + ABOVE), blockset)


def _without_empty_top(stack: Stack) -> Stack:
    """Blocks above an empty layer would hang in the air: they are not there."""
    layers = np.unique(stack.layer)
    whole = np.arange(1, len(layers) + 1)
    top = int(np.argmin(np.append(layers, 0) == np.append(whole, 1)))
    return stack.take(stack.layer <= top)
