"""What a player of the game decides: which block to probe, how hard, whether to take it, where to lay it.

The turn of the arm and the match simulator ask the same questions through this port.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from planning.evidence import Felt
from planning.observation import TowerObservation
from planning.tower import Slot


@dataclass(frozen=True)
class Moment:
    """When a block is chosen.

    Attributes:
        legal: Blocks that may be taken, that the arm can reach, and without which the tower is seen to stand.
        tried: Blocks probed in this turn, in order; a block may be there more than once.
        left_s: Time left of the turn, infinite where the rules set no limit.
        players: How many take turns.
    """

    legal: tuple[Slot, ...]
    tried: tuple[Slot, ...] = ()
    left_s: float = field(default=float("inf"))
    players: int = 1


@dataclass(frozen=True)
class Choice:
    """The block to probe next.

    Attributes:
        limit_n: Force limit of the probe.
        why: In one line, for people.
    """

    slot: Slot
    limit_n: float
    why: str


class Policy(Protocol):
    """One player through one game: it decides, and is told what comes of it."""

    @property
    def left_out(self) -> Sequence[str]:
        """Blocks that the last choice would not probe, and why, in words."""
        ...

    def looks(self, seen: TowerObservation) -> None:
        """The tower as it stands, at the start of every turn of this player."""
        ...

    def choose(self, moment: Moment) -> Choice | None:
        """The block to probe next; None where nothing is worth a try."""
        ...

    def feels(self, felt: Felt) -> None:
        """What a probe showed."""
        ...

    def keeps(self, slot: Slot, moment: Moment) -> bool:
        """Whether a block that a probe has found loose is taken, rather than put back to look for a better one."""
        ...

    def loose(self, slot: Slot) -> float:
        """How likely a block is loose; 0 where nothing is believed of it."""
        ...

    def tops(self, slot: Slot, free: Sequence[Slot]) -> list[Slot]:
        """The free top slots in the order in which a block is best laid there.

        Args:
            slot: Where the block stands, or stood until it was taken: this is asked before and after.
            free: The slots.
        """
        ...

    def takes(self, slot: Slot, thickness_m: float | None = None) -> None:
        """The block has left the tower; its thickness, where the hand has measured it."""
        ...

    def lays(self, slot: Slot) -> None:
        """The block in the hand lies in a top slot."""
        ...
