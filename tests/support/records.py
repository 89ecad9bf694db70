"""A record on paper: judged like a journal, kept in memory."""

from __future__ import annotations

from planning.events import Event
from planning.game import Game
from planning.opening import Opening
from planning.record import read_event, write_event


class Paper:
    """Implements `planning.scribe.Recorder`.

    Attributes:
        events: What was written, as a reader reads it.
    """

    def __init__(
        self, tower: str | None = None, players: tuple[str, ...] = ("Robot",), **options: object
    ) -> None:
        edition = str(options.pop("edition", "classic"))
        self.game = Game.start(Opening.of(players, edition, options, tower=tower))
        self.events: list[Event] = []

    def append(self, event: Event) -> Game:
        event = read_event(write_event(event))
        self.game = self.game.apply(event)
        self.events.append(event)
        return self.game

    def kinds(self) -> list[str]:
        """The kinds of the events, in order."""
        return [event.kind for event in self.events]

    def rules_broken(self) -> list[str]:
        return [violation.rule for violation in self.game.violations]
