"""A game as immutable positions: an event is checked, judged and applied, and gives the next position."""

from __future__ import annotations

from functools import cached_property

from planning.course import advance, limit_at_ms, settles_at_ms
from planning.editions import Options
from planning.events import Event, Spin
from planning.legal import free_top_slots, legal_slots
from planning.opening import Opening, Side
from planning.outcome import Outcome, State, height_of, winner_so_far
from planning.position import Position
from planning.refusals import RefusalError
from planning.tower import Slot, Tower
from planning.verdict import must_place, must_restore, state_of, verdict_of
from planning.violations import Violation, Violations


class Game:
    """A game at one moment. It never changes; `apply` returns the next one."""

    def __init__(self, position: Position) -> None:
        self._position = position

    @classmethod
    def start(cls, opening: Opening) -> Game:
        """Begin a game as the first line of a record says."""
        return cls(Position.start(opening))

    def apply(self, event: Event) -> Game:
        """Return the game after the event; what cannot be is refused before anything is changed."""
        position = self._position.copy()
        advance(position, event)
        return Game(position)

    def violations_of(self, event: Event) -> tuple[Violation, ...]:
        """Return what the event would break; this game stays as it is."""
        return self.apply(event).violations[len(self.violations) :]

    def is_legal(self, event: Event) -> bool:
        """Tell whether the event is possible here and breaks no rule."""
        try:
            return not self.violations_of(event)
        except RefusalError:
            return False

    @cached_property
    def legal(self) -> tuple[Slot, ...]:
        """The slots that the player in turn may take a block from now."""
        return tuple(legal_slots(self._position))

    @cached_property
    def free_top_slots(self) -> tuple[Slot, ...]:
        """The slots in which a block in hand may be placed without a violation."""
        return free_top_slots(self._position)

    def verdict(self) -> dict[str, object]:
        """Return the verdict as the notation has it, ready to be written as JSON."""
        return verdict_of(self._position)

    @property
    def opening(self) -> Opening:
        """The first line of the record."""
        return self._position.opening

    @property
    def options(self) -> Options:
        """The options of this game, all of them set."""
        return self._position.opening.options

    @property
    def tower(self) -> Tower:
        """The tower as it stands; a displaced block still counts as in its slot."""
        return self._position.tower

    @property
    def t_s(self) -> float:
        """The time of the last event, to the millisecond."""
        return self._position.now_ms / 1000

    @property
    def state(self) -> State:
        """Whether the game is playing, settling, over, to be rebuilt or unfinished."""
        return state_of(self._position)

    @property
    def outcome(self) -> Outcome | None:
        """How the tower ended and for whom, or None while it has not."""
        return self._position.outcome

    @property
    def winner(self) -> Side | None:
        """The winner, also one that a top hole has fixed before the tower falls."""
        return winner_so_far(self._position)

    @property
    def player_in_turn(self) -> str | None:
        """The player in turn, or None after the end."""
        return None if self.outcome else self._position.player

    @property
    def last_player(self) -> str:
        """The player in turn or, after the end, the one in whose turn the tower ended."""
        return self._position.player

    @property
    def next_player(self) -> str | None:
        """The player whose turn follows, or None after the end."""
        return None if self.outcome else self._position.next_player

    @property
    def completed_turns(self) -> int:
        """How many turns ended with the tower standing."""
        return self._position.n_completed

    @property
    def must_restore(self) -> tuple[Slot, ...]:
        """The blocks displaced and not restored, named as when the turn began."""
        return must_restore(self._position)

    @property
    def must_place(self) -> bool:
        """Whether a block has been extracted and not placed on top."""
        return must_place(self._position)

    @property
    def in_hand(self) -> tuple[Slot, ...]:
        """The blocks that have left the tower, named as when the turn began."""
        return tuple(held.name for held in self._position.turn.held)

    @property
    def spin(self) -> Spin | None:
        """What the spinner said for this turn (Fortnite edition), None before it."""
        return self._position.turn.spin

    @property
    def must_spin(self) -> bool:
        """Whether the player in turn has to spin before a block may be taken."""
        turn = self._position.turn
        return self.outcome is None and turn.spins and turn.spin is None

    @property
    def must_climb(self) -> bool:
        """Whether the climb that was spun is still to be made."""
        turn = self._position.turn
        return self.outcome is None and turn.spins and turn.spin is not None and not turn.climbed

    @property
    def blocks_to_stack(self) -> int:
        """How many blocks the player in turn has still to set on top."""
        turn = self._position.turn
        done = self.outcome is not None or turn.skipped
        return 0 if done else max(turn.n_allowed - turn.n_stacked, len(self.in_hand), 0)

    @property
    def settles_at_s(self) -> float | None:
        """When the settling ends by the clock, or None where no clock ends it."""
        return _seconds(settles_at_ms(self._position))

    @property
    def turn_ends_at_s(self) -> float | None:
        """The latest time of release that keeps the turn's limit, or None where there is none."""
        return _seconds(limit_at_ms(self._position))

    @property
    def owes_prompt(self) -> str | None:
        """The player who still has to carry out the prompt of a marked block."""
        return self._position.debt.player if self._position.debt else None

    @property
    def violations(self) -> Violations:
        """The rules broken so far, in order."""
        return self._position.violations

    def height_of(self, player: str) -> int:
        """Return the layer of the player's peg (Fortnite edition), 0 before the first climb."""
        return height_of(self._position, player)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._position == other._position

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Game at {self.t_s:g} s: {self.state}, turn of {self.player_in_turn}, tower {self.tower}>"


def _seconds(t_ms: int | None) -> float | None:
    return None if t_ms is None else t_ms / 1000
