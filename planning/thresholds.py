"""Players that decide by force limits alone: marks for the robot's own to beat, and a plain fallback for the arm.

Each goes through its candidates and probes them up to a limit; the first that moves without dragging others is taken. A
probe that stopped says only that more is needed, so where none passes every limit is raised and the list gone through
again, up to a ceiling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planning.blockset import BlockSet
from planning.equilibrium import GRAVITY_M_S2
from planning.evidence import Felt
from planning.observation import TowerObservation
from planning.policy import Choice, Moment
from planning.tower import Slot
from robot.errors import BadInputError
from robot.seeding import generator

CEILING_N = 3.0
_BOTTOM_N, _TOP_N, _TOP_LAYER = 0.7, 0.1, 17  # the authors of the real data set: their limit fell with height

Limit = Callable[[Slot, TowerObservation], float]


@dataclass(frozen=True)
class Rule:
    """How such a player decides.

    Attributes:
        limit_n: Of a block's first probe, by its slot and the tower seen.
        harder: Every limit is multiplied by this once no candidate passed.
        why: In words.
    """

    limit_n: Limit
    harder: float
    why: str


class Threshold:
    """One player through one game.

    Args:
        rule: How it decides.
        seed: Of the order in which it goes through the blocks.
        hardest_n: Force up to which limits are raised.
    """

    def __init__(self, rule: Rule, seed: int, hardest_n: float = CEILING_N) -> None:
        self._rule, self._rng, self.hardest_n = rule, generator(seed, "threshold"), hardest_n
        self._seen: TowerObservation | None = None
        self._order: list[Slot] = []
        self._dragged: set[Slot] = set()
        self._round = -1
        self.left_out: tuple[str, ...] = ()  # it would probe every block

    def looks(self, seen: TowerObservation) -> None:
        """A new turn: nothing is remembered of the last."""
        self._seen, self._order, self._dragged, self._round = seen, [], set(), -1

    def choose(self, moment: Moment) -> Choice | None:
        """The next block of a random order; harder once all were tried; None once all were pushed up to the ceiling."""
        candidates = [slot for slot in moment.legal if slot not in self._dragged]
        self._order = [slot for slot in self._order if slot in candidates]
        if not self._order:
            if self._exhausted(candidates):
                return None
            self._round += 1
            self._order = [candidates[k] for k in self._rng.permutation(len(candidates))]
        slot = self._order.pop()
        return Choice(slot, self._limit_n(slot), f"{self._rule.why}, round {self._round + 1}")

    def feels(self, felt: Felt) -> None:
        """A block that drags others is left alone for this turn."""
        if felt.dragged:
            self._dragged.add(felt.slot)

    def keeps(self, slot: Slot, moment: Moment) -> bool:
        """Whatever passes is taken."""
        del moment
        return slot not in self._dragged

    def loose(self, slot: Slot) -> float:
        """It believes nothing."""
        del slot
        return 0.0

    def tops(self, slot: Slot, free: Sequence[Slot]) -> list[Slot]:
        """The middle slot first: there a block needs no room beside a neighbour."""
        del slot
        return sorted(free, key=lambda top: (top.position != 2, top.position))

    def takes(self, slot: Slot, thickness_m: float | None = None) -> None:
        """Means nothing to it."""

    def lays(self, slot: Slot) -> None:
        """Means nothing to it."""

    def _limit_n(self, slot: Slot) -> float:
        assert self._seen is not None
        return min(
            self._rule.limit_n(slot, self._seen) * self._rule.harder ** max(self._round, 0), self.hardest_n
        )

    def _exhausted(self, candidates: Sequence[Slot]) -> bool:
        """There is no candidate, or every one was probed at the ceiling."""
        hardest = all(self._limit_n(slot) >= self.hardest_n for slot in candidates)
        return not candidates or (self._round >= 0 and hardest)


RULES: dict[str, Callable[[BlockSet], Rule]] = {
    "random": lambda _set: Rule(_always(CEILING_N), 1.0, "any block that may be taken"),
    "fixed-0.2": lambda _set: Rule(_always(0.2), 1.6, "no more than 0.2 N"),
    "fixed-0.3": lambda _set: Rule(_always(0.3), 1.6, "no more than 0.3 N"),
    "height": lambda _set: Rule(_falling_n, 1.6, "0.7 N at the bottom, 0.1 N at layer 17"),
    "kimura": lambda blockset: Rule(_static_n(blockset), 1.2, "friction by a static model"),
}


def threshold(name: str, blockset: BlockSet, seed: int, hardest_n: float = CEILING_N) -> Threshold:
    """The player of one of the `RULES`.

    Raises:
        BadInputError: None has that name.
    """
    if name not in RULES:
        raise BadInputError(f"policy {name!r} is not known: choose of {', '.join(RULES)}")
    return Threshold(RULES[name](blockset), seed, hardest_n)


def _always(limit_n: float) -> Limit:
    return lambda _slot, _seen: limit_n


def _falling_n(slot: Slot, seen: TowerObservation) -> float:
    """Falls linearly from the bottom layer to layer 17, and no lower above."""
    del seen
    share = (slot.layer - 1) / (_TOP_LAYER - 1)
    return max(_BOTTOM_N + (_TOP_N - _BOTTOM_N) * share, _TOP_N)


def _static_n(blockset: BlockSet) -> Limit:
    """Kimura and others (2010): friction times what lies on the block and what it presses down with.

    The static model here: blocks of mean mass, and every layer shares what it bears evenly. They draw side blocks
    lengthwise only; here every block is.
    """
    a_grip_n = blockset.friction.mean * blockset.mass_kg.mean * GRAVITY_M_S2

    def limit_n(slot: Slot, seen: TowerObservation) -> float:
        layers = np.array([other.layer for other in seen.blocks])
        on_top = float((layers > slot.layer).sum()) / float((layers == slot.layer).sum())
        return a_grip_n * (2.0 * on_top + 1.0)

    return limit_n
