"""How a game goes on, in one table: blocks still to be added by a lone player, or the chance that who moves next wins.

A position is how many layers are left of each kind, by the moves they still offer, and how many blocks lie on the top
layer. Every completed layer on top gives the one below it to the players. With moves that never fail and layers that
offer all they could, this is the ideal game of Zwick ("Jenga", SODA 2002); uncertain blocks make it a game of chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from planning.contacts import Ints
from robot.compiled import compiled
from robot.frames import Array

NOTHING, ONE, TWO, EITHER = 0, 1, 2, 3
MOVES = np.array([0, 1, 2, 2])  # that a layer of each kind offers at most

_SIDES, _MIDDLE, _LEFT, _RIGHT, _FULL = 0b101, 0b010, 0b001, 0b100, 0b111


def kind_of(present: int, loose: int) -> int:
    """What a layer offers: bits 0, 1, 2 of `present` and `loose` stand for positions 1, 2, 3.

    A layer must keep its middle block or both side blocks. From a full one the middle may go, or the sides one after
    the other; where all three are loose the player may choose (`EITHER`).
    """
    free = present & loose
    if present == _FULL:
        if free == _FULL:
            return EITHER
        return TWO if free & _SIDES == _SIDES else int(free != 0)
    if present in (_MIDDLE | _LEFT, _MIDDLE | _RIGHT):
        return int(free & _SIDES != 0)
    return NOTHING


KINDS: Ints = np.array([[kind_of(present, loose) for loose in range(8)] for present in range(8)])


@dataclass(frozen=True)
class Odds:
    """How moves go.

    Attributes:
        safe: Chance that a move on a block believed loose succeeds.
        risky: The same where no such block is left.
        kinds: Chance of each kind of layer (4,) for one that is completed on top.
    """

    safe: float
    risky: float
    kinds: tuple[float, float, float, float]


class _Rules(NamedTuple):
    """As `Odds`, with the chances of kinds (4,), and whether a player is alone."""

    safe: float
    risky: float
    kinds: Array
    alone: bool


@lru_cache(maxsize=8)
def after_laying(layers: int, odds: Odds, *, alone: bool) -> Array:
    """Value of every position to who moves next, just before the block in the hand is laid on top.

    Args:
        layers: Most layers that are counted.
        odds: How moves go.
        alone: Blocks still to be added by a lone player, rather than the chance of winning against another.

    Returns:
        By layers that offer either, two moves and one, and by blocks on the top layer before (e, w, o, 3).
    """
    table = values(layers, odds, alone=alone)
    laid = np.empty_like(table)
    _lay_all(table, np.array(odds.kinds), laid)
    return laid


def values(layers: int, odds: Odds, *, alone: bool) -> Array:
    """Value of every position to who moves now, as `after_laying` has them."""
    rules = _Rules(odds.safe, odds.risky, np.array(odds.kinds), alone)
    return np.asarray(_values(layers + 1, rules))


@compiled
def _values(size: int, rules: _Rules) -> Array:
    """In an order in which every move leads to a position that is known: 6 e + 6 w + 3 o + 2 t falls with each."""
    V = np.zeros((size, size, size, 3))
    for key in range(15 * (size - 1) + 5):
        for t in range(3):
            for e in range(size):
                for w in range(size - e):
                    left = key - 2 * t - 6 * e - 6 * w
                    if left < 0:
                        break
                    o = left // 3
                    if left % 3 == 0 and e + w + o < size:
                        V[e, w, o, t] = _best(V, rules, e, w, o, t)
    return V


@compiled
def _best(V: Array, rules: _Rules, e: int, w: int, o: int, t: int) -> float:
    """Of the moves that a position offers; where there is none, of a risky one after the other."""
    best = -1.0
    if e > 0:
        best = max(best, _worth(rules, _lay(V, rules.kinds, e - 1, w, o + 1, t)))
        best = max(best, _worth(rules, _lay(V, rules.kinds, e - 1, w, o, t)))
    if w > 0:
        best = max(best, _worth(rules, _lay(V, rules.kinds, e, w - 1, o + 1, t)))
    if o > 0:
        best = max(best, _worth(rules, _lay(V, rules.kinds, e, w, o - 1, t)))
    if best >= 0.0:
        return best
    return rules.risky / (1.0 - rules.risky if rules.alone else 1.0 + rules.risky)


@compiled
def _worth(rules: _Rules, after: float) -> float:
    """Of a move, by the value of the position that it leaves to who moves next."""
    return rules.safe * (1.0 + after if rules.alone else 1.0 - after)


@compiled
def _lay(V: Array, kinds: Array, e: int, w: int, o: int, t: int) -> float:
    """Value once a block more lies on top."""
    if t < 2:
        return V[e, w, o, t + 1]  # type: ignore[no-any-return]
    if e + w + o + 1 >= len(V):
        return V[e, w, o, 0]  # type: ignore[no-any-return]
    return (  # type: ignore[no-any-return]
        kinds[0] * V[e, w, o, 0]
        + kinds[1] * V[e, w, o + 1, 0]
        + kinds[2] * V[e, w + 1, o, 0]
        + kinds[3] * V[e + 1, w, o, 0]
    )


@compiled
def _lay_all(V: Array, kinds: Array, laid: Array) -> None:
    for e in range(len(V)):
        for w in range(len(V)):
            for o in range(len(V)):
                for t in range(3):
                    laid[e, w, o, t] = _lay(V, kinds, e, w, o, t)
