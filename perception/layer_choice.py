"""What one layer holds: in each slot nothing, a block in its place, or a block pushed along its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from perception.boxes import Boxes, joined
from perception.contours import Portrait
from perception.scene import Scenes, total
from perception.stack import Stack, nominal_block, stack_of
from planning.blockset import BlockSet
from planning.tower import Slot
from robot.frames import Array, inverse, pose, rot_z

POSITIONS = (1, 2, 3)
# Tried along the length, besides a block's place and where it is thought to be.
PUSHES_M = 1e-3 * np.array(
    [-27, -24, -21, -18, -15, -12, -9, -6, -3, -1.3, 1.3, 3, 6, 9, 12, 15, 18, 21, 24, 27]
)
IN_PLACE_M, EXACT_M = 2.2e-3, 0.5e-3  # blocks lie so unevenly by themselves
SHIFTED, SELDOM, FAR = 0.3, 5.0, 60.0  # evidence against a block so moved, pushed, and pushed by a metre
USUAL = 1.0  # evidence for a block in a slot nothing tells of
ROUNDS = 3
# Shift along x and y [m], z [m] and turn [rad] by which a layer is moved to find where it fits best, one after another.
STEPS = ((8e-4, 3e-4, np.radians(0.8)), (4e-4, 1.5e-4, np.radians(0.4)))
TRIES, GAIN = 3, 0.3


@dataclass(frozen=True)
class LayerQuestion:
    """A layer to be decided.

    Attributes:
        k: Its number.
        T_world_layer: Frame (4, 4) on which its blocks lie in their places.
        around: The other blocks.
        veil: Blocks that may be there, but of which nothing is known.
        known: Blocks of the layer where they are thought to be; none at first.
    """

    k: int
    T_world_layer: Array
    around: Stack
    veil: Stack
    known: Stack


@dataclass(frozen=True)
class SlotChoice:
    """The best block for a slot, there or not.

    Attributes:
        T_world_block: Its pose (4, 4).
        out_m: How far it is pushed along its length.
        with_block: Evidence (views, KINDS) with it.
        without: Evidence (views, KINDS) for an empty slot.
        ahead: Total evidence over that for a block in its place.
    """

    T_world_block: Array
    out_m: float
    with_block: Array
    without: Array
    ahead: float


@dataclass(frozen=True)
class LayerAnswer:
    """The blocks of a layer, and the best block for each position."""

    stack: Stack
    slots: dict[int, SlotChoice]


_Chosen = dict[int, int | None]


class _Cast:
    """All blocks that a layer may hold, numbered through its slots, with the others around."""

    def __init__(self, looks: Sequence[Portrait], blockset: BlockSet, question: LayerQuestion) -> None:
        choices = [_choices(question, p, blockset) for p in POSITIONS]
        self.boxes = joined(choices)
        self.scenes = Scenes(looks, question.k, question.around, choices, question.veil)
        starts = np.cumsum([0, *(len(c) for c in choices)])
        self.numbers = {p: np.arange(starts[i], starts[i + 1]) for i, p in enumerate(POSITIONS)}
        self.in_place = {p: int(n[-len(PUSHES_M) - 1]) for p, n in self.numbers.items()}
        self.known = {p: int(self.numbers[p][0]) for p in question.known.position.tolist()}
        self.out_m = {p: self._out(p) for p in POSITIONS}
        self.cost = {p: _cost(out) for p, out in self.out_m.items()}
        self.known_best = dict[tuple[int | None, ...], tuple[int | None, SlotChoice]]()

    def _out(self, p: int) -> Array:
        T = self.boxes.T[self.in_place[p]]
        return np.asarray((self.boxes.T[self.numbers[p], :3, 3] - T[:3, 3]) @ T[:3, 0])

    def prior(self, chosen: _Chosen) -> float:
        """Evidence for blocks as chosen before anything is seen."""
        first = {p: int(self.numbers[p][0]) for p in POSITIONS}
        return sum(USUAL - float(self.cost[p][i - first[p]]) for p, i in chosen.items() if i is not None)


def _way(chosen: _Chosen) -> list[int]:
    return [-1 if chosen[p] is None else int(chosen[p] or 0) for p in POSITIONS]


def _choices(question: LayerQuestion, p: int, blockset: BlockSet) -> Boxes:
    """The block where it is thought to be, if it is, then in its place, then pushed."""
    T, size = nominal_block(question.T_world_layer, Slot(question.k, p), blockset)
    known = question.known.take(question.known.position == p)
    poses = np.concatenate([known.boxes.T, T[None], pushed(T, PUSHES_M)])
    return Boxes(poses, np.tile(size, (len(poses), 1)))


def pushed(T: Array, out_m: Array) -> Array:
    """Poses (n, 4, 4) of a block moved along its length by so much (n,)."""
    poses = np.repeat(T[None], len(out_m), axis=0)
    poses[:, :3, 3] += out_m[:, None] * T[:3, 0]
    return poses


def _cost(out_m: Array) -> Array:
    moved = np.abs(out_m)
    return np.where(moved < IN_PLACE_M, SHIFTED * (moved > EXACT_M), SELDOM + FAR * moved)


def filled(looks: Sequence[Portrait], blockset: BlockSet, question: LayerQuestion) -> Stack:
    """The most likely blocks of a layer if each that is there lies in its place."""
    cast = _Cast(looks, blockset, question)
    return _stack(cast, question.k, _together(cast))


def chosen_for(looks: Sequence[Portrait], blockset: BlockSet, question: LayerQuestion) -> LayerAnswer:
    """The most likely blocks of a layer: the better of two starts, full slots in place, and what was thought before."""
    cast = _Cast(looks, blockset, question)
    starts = [_together(cast), {p: cast.known.get(p) for p in POSITIONS}]
    if _same_slots(*starts):
        starts = starts[1:]
    ends = [_improved(cast, start) for start in starts]
    chosen, slots = ends[0] if len(ends) == 1 or ends[0][0] == ends[1][0] else ends[_better(cast, ends)]
    return LayerAnswer(_stack(cast, question.k, chosen), slots)


def _same_slots(a: _Chosen, b: _Chosen) -> bool:
    return all((a[p] is None) == (b[p] is None) for p in POSITIONS)


def _stack(cast: _Cast, k: int, chosen: _Chosen) -> Stack:
    there = [(p, i) for p, i in chosen.items() if i is not None]
    index = [i for _, i in there]
    return stack_of([Slot(k, p) for p, _ in there], cast.boxes.T[index], cast.boxes.size_m[index])


def _together(cast: _Cast) -> _Chosen:
    """The best of the eight ways to fill a layer with blocks in their places."""
    ways = [dict(zip(POSITIONS, held, strict=True)) for held in product((True, False), repeat=3)]
    chosen: list[_Chosen] = [
        {p: cast.in_place[p] if held else None for p, held in way.items()} for way in ways
    ]
    told = cast.scenes.told(np.array([_way(c) for c in chosen]), np.array(list(cast.in_place.values())))
    return chosen[int((total(told) + [cast.prior(c) for c in chosen]).argmax())]


def _improved(cast: _Cast, start: _Chosen) -> tuple[_Chosen, dict[int, SlotChoice]]:
    """Each slot in turn filled with what explains most beside the others, until nothing changes."""
    chosen, slots = dict(start), dict[int, SlotChoice]()
    for _ in range(ROUNDS):
        before = dict(chosen)
        for p in POSITIONS:
            chosen[p], slots[p] = _one(cast, p, chosen)
        if chosen == before:
            break
    return chosen, slots


def _one(cast: _Cast, p: int, chosen: _Chosen) -> tuple[int | None, SlotChoice]:
    """The best block of a slot, or none, beside those that are chosen for the others; looked for once."""
    key = (p, *(i for q, i in chosen.items() if q != p))
    if key not in cast.known_best:
        cast.known_best[key] = _best_of(cast, p, chosen)
    return cast.known_best[key]


def _best_of(cast: _Cast, p: int, chosen: _Chosen) -> tuple[int | None, SlotChoice]:
    numbers = cast.numbers[p]
    ways = np.tile(_way(chosen), (len(numbers) + 1, 1))
    ways[:, POSITIONS.index(p)] = [-1, *numbers]
    told = cast.scenes.told(ways, numbers)
    evidence = total(told)
    evidence[1:] += USUAL - cast.cost[p]
    best = int(evidence[1:].argmax())
    in_place = evidence[1:][np.abs(cast.out_m[p]) < IN_PLACE_M].max()
    choice = SlotChoice(
        cast.boxes.T[numbers[best]].copy(),
        float(cast.out_m[p][best]),
        told[best + 1],
        told[0],
        float(evidence[best + 1] - in_place),
    )
    return (int(numbers[best]) if evidence[best + 1] > evidence[0] else None), choice


def _better(cast: _Cast, ends: Sequence[tuple[_Chosen, dict[int, SlotChoice]]]) -> int:
    chosen = [end[0] for end in ends]
    cell = sorted({i for c in chosen for i in c.values() if i is not None})
    if not cell:
        return 0
    told = cast.scenes.told(np.array([_way(c) for c in chosen]), np.array(cell))
    return int((total(told) + [cast.prior(c) for c in chosen]).argmax())


def settled(
    looks: Sequence[Portrait], k: int, T_world_layer: Array, around: Stack, known: Stack
) -> tuple[Array, Stack]:
    """A layer's frame (4, 4) and its blocks, moved as one to where they fit best."""
    if len(known) == 0:
        return T_world_layer, known
    relative = inverse(T_world_layer) @ known.boxes.T
    at = T_world_layer
    for along, up, turn in STEPS:
        for _ in range(TRIES):
            moved = _nearby(at, along, up, turn)
            best = _fits_best(looks, k, [T @ relative for T in moved], around, known.boxes.size_m)
            if best == 0:
                break
            at = moved[best]
    return at, Stack(known.layer, known.position, Boxes(at @ relative, known.boxes.size_m))


def _nearby(T: Array, along_m: float, up_m: float, turn_rad: float) -> list[Array]:
    """A frame, and the same moved a little to both sides along and about its axes."""
    steps = np.diag([along_m, along_m, up_m, turn_rad])
    return [T] + [T @ pose(rot_z(s[3]), s[:3]) for step in steps for s in (step, -step)]


def _fits_best(
    looks: Sequence[Portrait], k: int, trials: Sequence[Array], around: Stack, size_m: Array
) -> int:
    """Which of several poses (n, 4, 4) of a layer's blocks; the first unless another is clearly better."""
    n, tries = len(size_m), len(trials)
    seats = [Boxes(np.array([T[i] for T in trials]), np.tile(size_m[i], (tries, 1))) for i in range(n)]
    ways = np.arange(tries)[:, None] + tries * np.arange(n)
    told = Scenes(looks, k, around, seats).told(ways, np.arange(n * tries)).sum(axis=(1, 2))
    best = int(told.argmax())
    return best if told[best] > told[0] + GAIN else 0
