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


Kinds = tuple[float, float, float, float]  # chance of each kind of layer


@dataclass(frozen=True)
class Odds:
    """How moves go.

    Attributes:
        safe: Chance that a move on a block believed loose succeeds.
        risky: The same where no such block is left.
        kinds: Of a layer that is completed on top, as far as nothing more is known of it.
    """

    safe: float
    risky: float
    kinds: Kinds


class _Rules(NamedTuple):
    """As `Odds`, with the chances of kinds (4,), and whether a player is alone."""

    safe: float
    risky: float
    kinds: Array
    alone: bool


def promised_kinds(promise: float, kinds: Kinds) -> Kinds:
    """Of a layer with one block thicker than the others: in the middle it carries all, and both sides may go.

    Args:
        promise: Probability that the thickest is in the middle.
        kinds: Of any layer; as many offer nothing, or either.
    """
    nothing, one, two, either = kinds
    return nothing, (1.0 - promise) * (one + two), promise * (one + two), either


@lru_cache(maxsize=32)
def after_laying(layers: int, odds: Odds, *, alone: bool, coming: tuple[Kinds, ...] = ()) -> Array:
    """Value of every position to who moves next, just before the block in the hand is laid on top.

    Args:
        layers: Most layers that are counted.
        odds: How moves go.
        alone: Blocks still to be added by a lone player, rather than the chance of winning against another.
        coming: What is known of the layers that the next completed ones give to the players, in that order.

    Returns:
        By layers that offer either, two moves and one, and by blocks on the top layer before (e, w, o, 3).
    """
    now = values(layers, odds, alone=alone, coming=coming)
    given = coming[0] if coming else odds.kinds
    laid = np.empty_like(now)
    _lay_all(now, values(layers, odds, alone=alone, coming=coming[1:]), np.array(given), laid)
    return laid


@lru_cache(maxsize=32)
def values(layers: int, odds: Odds, *, alone: bool, coming: tuple[Kinds, ...] = ()) -> Array:
    """Value of every position to who moves now, as `after_laying` has them."""
    V = np.zeros((layers + 1, layers + 1, layers + 1, 3))
    then = values(layers, odds, alone=alone, coming=coming[1:]) if coming else V
    given = coming[0] if coming else odds.kinds
    _fill(V, then, _Rules(odds.safe, odds.risky, np.array(given), alone))
    return V


@compiled
def _fill(V: Array, then: Array, rules: _Rules) -> None:
    """In an order in which every move leads to a position that is known: 6 e + 6 w + 3 o + 2 t falls with each.

    `then`: the values once the next layer is complete.
    """
    size = len(V)
    for key in range(15 * (size - 1) + 5):
        for t in range(3):
            for e in range(size):
                for w in range(size - e):
                    left = key - 2 * t - 6 * e - 6 * w
                    if left < 0:
                        break
                    o = left // 3
                    if left % 3 == 0 and e + w + o < size:
                        V[e, w, o, t] = _best(V, then, rules, e, w, o, t)


@compiled
def _best(V: Array, then: Array, rules: _Rules, e: int, w: int, o: int, t: int) -> float:
    """Of the moves that a position offers; where there is none, of a risky one after the other."""
    best = -1.0
    if e > 0:
        best = max(best, _worth(rules, _lay(V, then, rules.kinds, e - 1, w, o + 1, t)))
        best = max(best, _worth(rules, _lay(V, then, rules.kinds, e - 1, w, o, t)))
    if w > 0:
        best = max(best, _worth(rules, _lay(V, then, rules.kinds, e, w - 1, o + 1, t)))
    if o > 0:
        best = max(best, _worth(rules, _lay(V, then, rules.kinds, e, w, o - 1, t)))
    if best >= 0.0:
        return best
    return rules.risky / (1.0 - rules.risky if rules.alone else 1.0 + rules.risky)


@compiled
def _worth(rules: _Rules, after: float) -> float:
    """Of a move, by the value of the position that it leaves to who moves next."""
    return rules.safe * (1.0 + after if rules.alone else 1.0 - after)


@compiled
def _lay(V: Array, then: Array, kinds: Array, e: int, w: int, o: int, t: int) -> float:
    """Value once a block more lies on top."""
    if t < 2:
        return V[e, w, o, t + 1]  # type: ignore[no-any-return]
    if e + w + o + 1 >= len(V):
        return then[e, w, o, 0]  # type: ignore[no-any-return]
    return (  # type: ignore[no-any-return]
        kinds[0] * then[e, w, o, 0]
        + kinds[1] * then[e, w, o + 1, 0]
        + kinds[2] * then[e, w + 1, o, 0]
        + kinds[3] * then[e + 1, w, o, 0]
    )


@compiled
def _lay_all(V: Array, then: Array, kinds: Array, laid: Array) -> None:
    for e in range(len(V)):
        for w in range(len(V)):
            for o in range(len(V)):
                for t in range(3):
                    laid[e, w, o, t] = _lay(V, then, kinds, e, w, o, t)
