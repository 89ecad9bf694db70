"""A player for tests: it takes the first block that may go, the middle ones first."""

from __future__ import annotations

from collections.abc import Sequence

from planning.evidence import Felt
from planning.observation import TowerObservation
from planning.policy import Choice, Moment
from planning.tower import Slot

LIMITS_N = (0.2, 0.32)  # of a block's first and second probe in a turn


class Eager:
    """Implements `Policy`; remembers what it was told."""

    def __init__(self, *, keeps: bool = True) -> None:
        self.keeping = keeps
        self.looked = 0
        self.felt: list[Felt] = []
        self.taken: list[Slot] = []
        self.laid: list[Slot] = []
        self.asked: list[Moment] = []
        self.left_out: tuple[str, ...] = ()
        self.believed: dict[Slot, float] = {}  # how loose blocks are

    def looks(self, seen: TowerObservation) -> None:
        self.looked += 1

    def choose(self, moment: Moment) -> Choice | None:
        self.asked.append(moment)
        for times, limit_n in enumerate(LIMITS_N):
            fresh = [slot for slot in moment.legal if moment.tried.count(slot) == times]
            for slot in sorted(fresh, key=lambda s: (s.position != 2, s)):
                return Choice(slot, limit_n, f"the first of {len(fresh)}")
        return None

    def feels(self, felt: Felt) -> None:
        self.felt.append(felt)

    def keeps(self, slot: Slot, moment: Moment) -> bool:
        return self.keeping

    def loose(self, slot: Slot) -> float:
        return self.believed.get(slot, 0.0)

    def tops(self, slot: Slot, free: Sequence[Slot]) -> list[Slot]:
        return sorted(free, key=lambda top: (top.position != 2, top))

    def takes(self, slot: Slot, thickness_m: float | None = None) -> None:
        self.taken.append(slot)

    def lays(self, slot: Slot) -> None:
        self.laid.append(slot)
