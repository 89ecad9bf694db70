"""What one layer holds: in each slot nothing, a block in its place, or a block pushed out along its length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from perception.boxes import Boxes, Ints, joined
from perception.hypotheses import Cast, Judgement, Look
from perception.stack import Stack, nominal_block, stack_of
from planning.blockset import BlockSet
from planning.tower import Slot
from robot.frames import Array, pose

POSITIONS = (1, 2, 3)
PUSHES_M = 1e-3 * np.array([-40, -35, -30, -25, -20, -16, -12, -8, -4, 4, 8, 12, 16, 20, 25, 30, 35, 40])
SPREAD = np.array([2, 4, 6, 8, 9, 11, 13, 15])  # of the pushes: a block that stands out is near one of these
EVEN = 0.345  # log likelihood a pixel over anything at all that a block in its place reaches in every view
CLEAR = 8.0  # log odds at which a block in its place needs no comparison with pushed ones
# Log odds in one view that speak so clearly against a block that it must be looked for elsewhere
AGAINST = -6.0
SELDOM = 25.0  # log odds against a block that stands far out
ROUNDS = 3


@dataclass(frozen=True)
class Question:
    """A layer to be decided.

    Attributes:
        k: Its number.
        T_world_layer: Frame (4, 4) on which its blocks lie if they are in their places.
        around: The other blocks, those above included where they are known.
        veil: Blocks that may be there, but of which nothing is known.
        known: Blocks of the layer where they are thought to be; none in the first look.
        favour: Log odds for a block, by position, from what was seen before.
    """

    k: int
    T_world_layer: Array
    around: Stack
    veil: Stack
    known: Stack
    favour: Mapping[int, float]


@dataclass(frozen=True)
class Answer:
    """What a layer was found to hold: its blocks, and the log odds of block against gap by position."""

    stack: Stack
    odds: dict[int, float]


def decided(looks: Sequence[Look], blockset: BlockSet, question: Question) -> Answer:
    """The most likely blocks of a layer."""
    choices = {p: _choices(question, Slot(question.k, p), blockset) for p in POSITIONS}
    sizes = [len(choices[p]) for p in POSITIONS]
    boxes = joined([question.around.boxes, *(choices[p] for p in POSITIONS), question.veil.boxes])
    layer = np.concatenate([question.around.layer, np.full(sum(sizes), question.k), question.veil.layer])
    veiled = np.arange(len(layer)) >= len(layer) - len(question.veil)
    cast = Cast(looks, layer.astype(np.int64), boxes, veiled)
    starts = len(question.around) + np.cumsum([0, *sizes])
    numbers = {p: np.arange(starts[i], starts[i + 1]) for i, p in enumerate(POSITIONS)}
    fixed, in_place = np.arange(len(question.around)), {p: int(numbers[p][0]) for p in POSITIONS}
    held = set(question.known.position.tolist())
    first = (
        {p: i if p in held else None for p, i in in_place.items()}
        if held
        else _together(cast, fixed, in_place)
    )
    chosen, odds = _best(cast, fixed, first, numbers, question.favour)
    there = [(p, i) for p, i in chosen.items() if i is not None]
    index = [i for _, i in there]
    return Answer(
        stack_of([Slot(question.k, p) for p, _ in there], boxes.T[index], boxes.size_m[index]), odds
    )


def _choices(question: Question, slot: Slot, blockset: BlockSet) -> Boxes:
    """The block where it is thought to be or else in its place, then pushed out by more and more."""
    T, size = nominal_block(question.T_world_layer, slot, blockset)
    pushed = [T @ pose(None, [d, 0, 0]) for d in PUSHES_M]
    known = question.known.take(question.known.position == slot.position)
    if len(known) == 0:
        return Boxes(np.array([T, *pushed]), np.tile(size, (len(pushed) + 1, 1)))
    return Boxes(
        np.array([known.boxes.T[0], T, *pushed]),
        np.array([known.boxes.size_m[0], *[size] * (len(pushed) + 1)]),
    )


_Chosen = dict[int, int | None]


def _best(
    cast: Cast, fixed: Ints, first: _Chosen, numbers: Mapping[int, Ints], favour: Mapping[int, float]
) -> tuple[_Chosen, dict[int, float]]:
    """For each position the block that is there, or None, and the log odds for a block."""
    chosen, odds = dict(first), dict[int, float]()
    for _ in range(ROUNDS):
        before = dict(chosen)
        for p in POSITIONS:
            others = [i for q, i in chosen.items() if q != p and i is not None]
            there = np.concatenate([fixed, np.array(others, dtype=np.int64)])
            chosen[p], odds[p] = _one(cast, there, numbers[p], favour.get(p, 0.0), p == 2)
        if chosen == before:
            break
    return chosen, odds


def _together(cast: Cast, fixed: Ints, in_place: Mapping[int, int]) -> _Chosen:
    """The best of the eight ways to fill a layer with blocks in their places."""
    ways = [
        [p for p, held in zip(POSITIONS, way, strict=True) if held]
        for way in product((True, False), repeat=3)
    ]
    arrangements = [np.append(fixed, [in_place[p] for p in way]).astype(np.int64) for way in ways]
    told = cast.judged(arrangements, np.array(list(in_place.values()))).total()
    best = ways[int(told.argmax())]
    return {p: in_place[p] if p in best else None for p in POSITIONS}


def _one(cast: Cast, others: Ints, candidates: Ints, favour: float, middle: bool) -> tuple[int | None, float]:
    """The best of nothing and the candidates, and the log odds for any block.

    Blocks seldom stand far out, so those are tried only where neither a block in its place nor nothing explains all. Of
    a middle block only the ends show, and further out they look much the same: a few pushes are tried in any case.
    """
    near = _judged(cast, others, candidates[:1])
    gains = near.told[1] - near.told[0]
    gain = float(gains.sum()) + favour
    even = (near.told[1] / np.maximum(near.pixels, 1)).min() > EVEN
    clear = gain > CLEAR and even and gains.min() > AGAINST
    if clear and not (middle and _stands_out(cast, others, candidates)):
        return int(candidates[0]), gain
    if favour < 0 and gain < -CLEAR and gains.max() < -AGAINST:
        return None, gain  # it was empty before, and still looks so
    told = _judged(cast, others, candidates).total()
    told[1 + len(candidates) - len(PUSHES_M) :] -= SELDOM
    other = int(told[2:].argmax()) + 2
    if told[other] > told[1 if gain > 0 else 0]:
        return int(candidates[other - 1]), float(told[other] - told[0]) + favour
    return (int(candidates[0]) if gain > 0 else None), gain


def _stands_out(cast: Cast, others: Ints, candidates: Ints) -> bool:
    """Whether a block further out explains more than the one in its place."""
    pushed = candidates[len(candidates) - len(PUSHES_M) :][SPREAD]
    told = _judged(cast, others, np.append(candidates[:1], pushed)).total()[1:]
    return bool(told[1:].max() > told[0])


def _judged(cast: Cast, others: Ints, candidates: Ints) -> Judgement:
    """Nothing, then each of the candidates, beside the others."""
    return cast.judged([others, *(np.append(others, c) for c in candidates)], candidates)
