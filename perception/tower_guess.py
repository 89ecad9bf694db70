"""The whole of a tower in the picture of a camera nobody knows, from a stretch of it up to its top and down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from perception.boxes import Bools
from perception.camera_guess import (
    YAW,
    Guess,
    Picture,
    guess_of,
    improved,
    spread_of,
)
from perception.lines import lines_of
from perception.pattern import LAYERS, Hint, hints
from planning.blockset import BlockSet
from robot.frames import Array

LAYER_PX = 9.0  # thickness of a layer in the shrunken picture
# Rounds and tries a round: of a stretch from a hint, the clearest of them again, a taller tower, and the whole one.
FIRST, AGAIN, TALLER, WHOLE = (4, 64), (4, 96), (5, 96), (8, 128)
CLEAR, FOLLOWED = 32, 12  # stretches that are looked at again, and that are followed up and down
APART, TURNED_RAD = 0.4, 0.15  # layers, and turn, by which two stretches differ
# Share of the usual layer's clearness below which there is none: at the top, at the base (whose edge is seen better).
FAINT, FAINT_BASE = 0.35, 0.45
AHEAD, BEYOND = 4, 3  # layers looked at above and below those that were found, on the way and at last
MOST_LAYERS = 40
POINTS = 6  # on each groove
SEED = 0  # of the tries: the same picture is read alike every time


@dataclass(frozen=True)
class _Start:
    """A stretch that was fitted."""

    picture: Picture
    values: Array
    score: float
    hint: Hint


def guesses(grey: Array, blockset: BlockSet, focal_px: float) -> list[Guess]:
    """Towers that a picture (rows, columns) may show, the clearest first.

    Args:
        grey: Brightness, 0 to 255.
        blockset: What blocks are like, about.
        focal_px: How long the lens is, about.
    """
    rng = np.random.default_rng(SEED)
    starts = [
        _fitted(hint, turned, grey, blockset, focal_px, rng) for hint in hints(grey) for turned in (0, 1)
    ]
    again = [_again(start, rng) for start in sorted(starts, key=lambda s: -s.score)[:CLEAR]]
    towers = [_whole(start, rng) for start in _apart(sorted(again, key=lambda s: -s.score))]
    return sorted(towers, key=lambda guess: -guess.score)


def _fitted(
    hint: Hint, turned: int, grey: Array, blockset: BlockSet, focal_px: float, rng: np.random.Generator
) -> _Start:
    picture = Picture(grey, max(hint.layer_px / LAYER_PX, 1.0), blockset, focal_px)
    told = partial(picture.scores, first=1, last=LAYERS)
    values, score = improved(
        told, guess_of(hint, picture, bool(turned)), spread_of(hint.layer_px), *FIRST, rng
    )
    return _Start(picture, values, score, hint)


def _again(start: _Start, rng: np.random.Generator) -> _Start:
    told = partial(start.picture.scores, first=1, last=LAYERS)
    values, score = improved(told, start.values, spread_of(start.hint.layer_px) / 2, *AGAIN, rng)
    return _Start(start.picture, values, score, start.hint)


def _apart(starts: Sequence[_Start]) -> list[_Start]:
    """The first few that are not each other's neighbours."""
    out = list[_Start]()
    for start in starts:
        if not any(_alike(start, other) for other in out):
            out.append(start)
    return out[:FOLLOWED]


def _alike(a: _Start, b: _Start) -> bool:
    near = np.abs(a.values[:2] - b.values[:2]).max() < APART * a.hint.layer_px
    turn = (a.values[YAW] - b.values[YAW] + np.pi / 2) % np.pi - np.pi / 2
    return bool(near and abs(turn) < TURNED_RAD)


def _whole(start: _Start, rng: np.random.Generator) -> Guess:
    """The tower that a stretch is part of: layers are added while they show, then what is none is cut."""
    picture, values, (first, last) = start.picture, start.values, (1, LAYERS)
    spread = _spread(picture)
    while last - first < MOST_LAYERS:
        up, down = _more(picture, values, first, last)
        if up + down == 0:
            break
        first, last = first - down, last + up
        values, _ = improved(partial(picture.scores, first=first, last=last), values, spread, *TALLER, rng)
    first, last = _ends(picture, values, first, last)
    values, score = improved(partial(picture.scores, first=first, last=last), values, spread, *WHOLE, rng)
    first, last = _ends(picture, values, first, last)
    return Guess(values, first, last, score)


def _spread(picture: Picture) -> Array:
    """How far off the fit of a part of the tower may be for the rest (8,)."""
    px = LAYER_PX * picture.factor
    return np.array([0.2 * px, 0.15 * px, 0.015, *np.radians([2.5, 3.0, 1.0]), 0.015, 0.05])


def _more(picture: Picture, values: Array, first: int, last: int) -> tuple[int, int]:
    """How many layers show above and below; a hand may hide a few before the next ones."""
    above = _shown(picture, values, range(last + 1, last + 1 + AHEAD), base=False)
    below = _shown(picture, values, range(first - 1, first - 1 - AHEAD, -1), base=True)
    own = [_shown(picture, values, range(first, last + 1), base=base) for base in (False, True)]
    return _count(above / np.median(own[0]) - FAINT), _count(below / np.median(own[1]) - FAINT_BASE)


def _count(for_it: Array) -> int:
    """Up to which layer what speaks for layers exceeds what speaks against them most; 0 for none."""
    return int(np.argmax(np.cumsum([0.0, *for_it])))


def _ends(picture: Picture, values: Array, first: int, last: int) -> tuple[int, int]:
    """Lowest and highest layer: where what speaks for layers exceeds what speaks against them most."""
    middle = (first + last) // 2
    up, down = range(middle, last + BEYOND + 1), range(middle, first - BEYOND - 1, -1)
    above, below = _shown(picture, values, up, base=False), _shown(picture, values, down, base=True)
    top = _count(above / np.median(above[:-BEYOND]) - FAINT)
    base = _count(below / np.median(below[:-BEYOND]) - FAINT_BASE)
    return down[max(base, 1) - 1], up[max(top, 1) - 1]


def _shown(picture: Picture, values: Array, layers: range, *, base: bool) -> Array:
    """How clearly each layer's own lines show (N,), with its upper edge, or with its lower one."""
    each = [_lines(picture.blockset, k, base=base) for k in layers]
    return np.array([picture.told(values[None], lines)[0] for lines in each])


def _lines(blockset: BlockSet, k: int, *, base: bool) -> Array:
    """Lines (N, 9) of a layer; its upper groove gives way to its lower one where the base is looked for.

    For what a tower stands on has an upper edge, too: the tower's lower one.
    """
    own = lines_of(blockset, k, k, POINTS)
    if not base:
        return own
    under = lines_of(blockset, k - 1, k - 1, POINTS)
    return np.ascontiguousarray(np.concatenate([own[~_groove(own)], under[_groove(under)]]))


def _groove(lines: Array) -> Bools:
    return np.asarray((lines[:, 5] > 0) & (lines[:, 8] == 0))
