"""How a tower ends, and who wins and loses by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planning.opening import Side

if TYPE_CHECKING:
    from planning.position import Position

Reason = Literal["collapse", "catch", "fall", "drop", "concede", "bump", "stop"]
State = Literal["playing", "settling", "over", "rebuild", "unfinished"]


@dataclass(frozen=True)
class Outcome:
    """How a tower ended: by what, in which state, and for whom."""

    reason: Reason
    state: State
    winner: Side | None
    loser: Side | None
    next_builder: Side | None


def outcome_of(position: Position, reason: Reason) -> Outcome:
    """Tell what it means that the tower ends here for this reason."""
    winner = _fixed_winner(position)
    won = position.at_the_top is not None
    if reason == "stop":
        return Outcome(reason, "unfinished", winner, None, None)
    if reason == "bump":
        builder = position.opening.players[0]
        return Outcome(reason, "over" if won else "rebuild", winner, None, builder)
    loser = position.opening.side_of(position.player)
    if not won:
        winner = _winner_by_the_fall(position, reason, loser)
    alone = len(position.opening.players) == 1
    over = won or winner is not None or (alone and position.n_completed > 0)
    return Outcome(reason, "over" if over else "rebuild", winner, loser, loser)


def winner_so_far(position: Position) -> Side | None:
    """Return the winner at any time: in the Fortnite edition a top hole decides before the tower falls."""
    return position.outcome.winner if position.outcome else _fixed_winner(position)


def _fixed_winner(position: Position) -> Side | None:
    """Return who reached a top hole first; alone nobody wins."""
    if position.at_the_top is None or len(position.opening.players) == 1:
        return None
    return position.opening.side_of(position.at_the_top)


def _winner_by_the_fall(position: Position, reason: Reason, loser: Side) -> Side | None:
    if len(position.opening.players) == 1:
        return None
    if position.opening.edition == "fortnite" and not (reason == "concede" and position.n_completed == 0):
        return _highest_of_the_others(position, loser)
    return position.opening.side_of(position.last_completed) if position.last_completed else None


def _highest_of_the_others(position: Position, loser: Side) -> Side | None:
    """Return whose peg is highest among those who did not bring the tower down; None for a tie."""
    heights: dict[Side, int] = {}
    for player in position.opening.players:
        side = position.opening.side_of(player)
        if side != loser:
            heights[side] = max(heights.get(side, 0), height_of(position, player))
    best = [side for side, height in heights.items() if height == max(heights.values())]
    return best[0] if len(best) == 1 else None


def height_of(position: Position, player: str) -> int:
    """Return the layer of the block that the player's peg is in, 0 before the first climb."""
    peg = position.pegs.get(player)
    return peg.layer if peg else 0
