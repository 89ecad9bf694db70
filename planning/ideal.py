"""The ideal game of Zwick ("Jenga", SODA 2002): every block is loose, a tower falls only where a layer cannot bear.

A full layer may lose its middle block, and then nothing more; or a side block, and then the other side block only.
Blocks are laid on top and taken from below the highest complete layer. Who cannot move loses. So a tower is a few
counts, and the game is solved by looking at each of them once. With chances in place of certainties the same recursion
says how good a tower is for the player to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from planning.tower import COMPLETE, Tower

Kind = Literal["middle", "side", "first", "last"]
Layer = Literal["full", "pair", "single", "none"]
_SIDE_GONE = (0b011, 0b110)
_BARE, _FILLED = (
    3,
    5,
)  # blocks above the layers that give: a complete layer alone; the next block completes another
_CLOSE, _ROUNDS = 1e-12, 500


class Ideal(NamedTuple):
    """A tower as the ideal game counts it.

    Attributes:
        full: Layers that give one more block (the middle one) or two (the side ones), as the player likes.
        pairs: Layers that give exactly two more; none of the ideal game, but a stuck middle block makes one.
        singles: Layers that give exactly one more: a side block is gone, or one block alone is loose.
        top: Blocks above the layers that give, 3 to 5: the highest complete layer, and those on it.
    """

    full: int
    pairs: int
    singles: int
    top: int


class Odds(NamedTuple):
    """What is not ideal.

    Attributes:
        safe: Chance that a move which the counts allow succeeds.
        risky: Chance of a move by a player whom they leave none.
        fresh: What a layer gives once another is complete above it.
    """

    safe: float = 1.0
    risky: float = 0.0
    fresh: Layer = "full"


IDEAL = Odds()


def start(n_layers: int) -> Ideal:
    """The tower of so many full layers.

    Raises:
        ValueError: There is no layer.
    """
    if n_layers < 1:
        raise ValueError(f"a tower of {n_layers} layers; at least 1")
    return Ideal(n_layers - 1, 0, 0, _BARE)


def count(tower: Tower) -> Ideal:
    """A real tower's counts, as if all its blocks were loose; what no rule of the ideal game leaves gives nothing."""
    given = max(tower.highest_complete_layer - 1, 0)
    below, above = tower.layers[:given], tower.layers[given:]
    singles = sum(mask in _SIDE_GONE for mask in below)
    top = min(max(sum(mask.bit_count() for mask in above), _BARE), _FILLED)
    return Ideal(below.count(COMPLETE), 0, singles, top)


def moves(state: Ideal, odds: Odds = IDEAL) -> Iterator[tuple[Kind, Ideal]]:
    """What may be taken, and the tower once it lies on top."""
    full, pairs, singles, top = state
    if full:
        yield "middle", _laid(Ideal(full - 1, pairs, singles, top), odds.fresh)
        yield "side", _laid(Ideal(full - 1, pairs, singles + 1, top), odds.fresh)
    if pairs:
        yield "first", _laid(Ideal(full, pairs - 1, singles + 1, top), odds.fresh)
    if singles:
        yield "last", _laid(Ideal(full, pairs, singles - 1, top), odds.fresh)


def best(state: Ideal) -> tuple[Kind, ...]:
    """The moves of the ideal game after which the other player loses."""
    return tuple(kind for kind, after in moves(state) if wins(after) < 0.5)


def wins(state: Ideal, safe: float = 1.0, risky: float = 0.0, fresh: Layer = "full") -> float:
    """Probability that the player to move wins against one as good; without odds the ideal game's 0 or 1.

    A player whose move fails brings the tower down and loses. While the counts allow moves one of them is made; else a
    risky one, until the blocks laid have completed a layer and so freed another.

    Args:
        state: The tower.
        safe: Chance that a move which the counts allow succeeds.
        risky: Chance that any other does.
        fresh: What a layer gives once another is complete above it.
    """
    return _wins(state, Odds(safe, risky, fresh))


@lru_cache(maxsize=400_000)
def _wins(state: Ideal, odds: Odds) -> float:
    options = [after for _, after in moves(state, odds)]
    if options:
        return odds.safe * max(1.0 - _wins(after, odds) for after in options)
    if odds.risky >= 1.0:
        return 0.5  # nobody ever fails
    return _bare(odds, state.top, _freed(odds))


def _bare(odds: Odds, top: int, freed: float) -> float:
    """No move is allowed, so risky ones follow; the one that completes a layer hands over a freed one."""
    after = freed if top == _FILLED else _bare(odds, top + 1, freed)
    return odds.risky * (1.0 - after)


@lru_cache(maxsize=4096)
def _freed(odds: Odds) -> float:
    """Value of one fresh layer under a bare complete one: played on it comes back to itself, so by iteration."""
    if odds.risky >= 1.0:
        return 0.5
    value = 0.5
    for _ in range(_ROUNDS):
        before, value = value, _once_freed(odds, value)
        if abs(value - before) < _CLOSE:
            break
    return value


def _once_freed(odds: Odds, again: float) -> float:
    """The same, where `again` is what it is worth when it comes back."""
    if odds.fresh == "none":
        return _bare(odds, _BARE, again)
    taken = 1.0 - _bare(odds, _BARE + 1, again)
    single = odds.safe * (1.0 - _bare(odds, _BARE + 2, again))
    options = {"full": (taken, 1.0 - single), "pair": (1.0 - single,), "single": (taken,)}
    return odds.safe * max(options[odds.fresh])


def _laid(state: Ideal, fresh: Layer) -> Ideal:
    """With the block on top; a layer that is complete frees the one that was the highest complete."""
    full, pairs, singles, top = state
    if top < _FILLED:
        return Ideal(full, pairs, singles, top + 1)
    return Ideal(full + (fresh == "full"), pairs + (fresh == "pair"), singles + (fresh == "single"), _BARE)
