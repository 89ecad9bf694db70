"""Judge a record: every line read, in order, into one verdict or one refusal that names its line.

The engine itself stands in rooms of its own (`planning.game` and what it imports) and knows no files. This is
its front door, for whoever wants to name one module.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from planning.game import Game
from planning.opening import Opening, read_opening
from planning.record import read_event
from planning.refusals import ImpossibleError, MalformedError, RefusalError, Text

__all__ = [
    "Game",
    "ImpossibleError",
    "MalformedError",
    "Opening",
    "RefusalError",
    "fold",
    "judge",
    "positions",
]


def judge(lines: Iterable[bytes | str]) -> dict[str, object]:
    """Return the verdict on a whole record."""
    return fold(lines).verdict()


def fold(lines: Iterable[bytes | str]) -> Game:
    """Return the game that a whole record leads to."""
    last = deque(positions(lines), maxlen=1)
    if not last:
        raise MalformedError(
            "a record that begins with a line of type `game`", Text("an empty record"), line=1
        )
    return last[0]


def positions(lines: Iterable[bytes | str]) -> Iterator[Game]:
    """Generate the game as each line leaves it; a refusal names the line."""
    game: Game | None = None
    for number, line in enumerate(lines, start=1):
        try:
            game = Game.start(read_opening(line)) if game is None else game.apply(read_event(line))
        except RefusalError as error:
            raise error.at_line(number) from None
        yield game
