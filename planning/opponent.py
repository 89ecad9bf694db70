"""The person across the table, as a turn knows them: they play, they answer, they are told.

Whether their hand is one of flesh or is simulated, the wiring knows; whether they type or press a key, the application.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from planning.game import Game
from planning.violations import Violation
from planning.words import Word


@dataclass(frozen=True)
class Played:
    """What a person did, as far as they say; their hands have left the tower.

    Attributes:
        word: What they say they did; None where the robot is to see for itself.
        began_s: When their hand went to the tower, on the table's clock.
        ended_s: When it had left the tower.
    """

    word: Word | None
    began_s: float
    ended_s: float


class Opponent(Protocol):
    """A person who plays."""

    def play(self, game: Game) -> Played:
        """Wait until the person has done something.

        Raises:
            StoppedError: A person asked for a stop, or nobody can be heard any more.
        """
        ...

    def answer(self, question: str) -> Word | None:
        """Ask; None where the person agrees, else what they say instead.

        Raises:
            StoppedError: As `play`.
        """
        ...

    def tell(self, text: str) -> None:
        """Say something."""
        ...

    def judge(self, violations: Sequence[Violation]) -> None:
        """Say which rules were broken."""
        ...
