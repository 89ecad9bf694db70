"""The verdict on a game so far, as the notation has it."""

from __future__ import annotations

from planning.legal import legal_slots
from planning.opening import Side
from planning.outcome import State, winner_so_far
from planning.position import Position
from planning.tower import Slot


def verdict_of(position: Position) -> dict[str, object]:
    """Return the verdict, its keys in the notation's order and its values ready to be written as JSON."""
    outcome = position.outcome
    return {
        "state": state_of(position),
        "turn_of": None if outcome else position.player,
        "completed_turns": position.n_completed,
        "tower": str(position.tower),
        "legal": [str(slot) for slot in legal_slots(position)],
        "must_restore": [str(slot) for slot in must_restore(position)],
        "must_place": must_place(position),
        "winner": _written(winner_so_far(position)),
        "loser": _written(outcome.loser) if outcome else None,
        "next_builder": _written(outcome.next_builder) if outcome else None,
        "violations": [violation.as_verdict() for violation in position.violations],
    }


def state_of(position: Position) -> State:
    """Tell how the game stands."""
    if position.outcome is not None:
        return position.outcome.state
    return "playing" if position.turn.released_ms is None else "settling"


def must_restore(position: Position) -> tuple[Slot, ...]:
    """Return the blocks displaced and not restored; the end of the tower ends every duty."""
    return () if position.outcome is not None else position.turn.displaced()


def must_place(position: Position) -> bool:
    """Tell whether a block has been extracted and not placed on top."""
    return position.outcome is None and position.turn.must_place


def _written(side: Side | None) -> object:
    return list(side) if isinstance(side, tuple) else side
