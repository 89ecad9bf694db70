"""How a game runs on: time passes, turns end, an event is checked, judged and takes effect, in this order."""

from __future__ import annotations

from planning.breaches import violations_of
from planning.effects import end_turn, take_effect
from planning.events import Act, Event, PegDown, Release
from planning.feasible import check_edition, check_feasible, check_names_a_block
from planning.position import Position
from planning.refusals import MalformedError
from planning.violations import Violation


def advance(position: Position, event: Event) -> None:
    """Read one event: change the position by it, or refuse it."""
    _check_players(position, event)
    _pass_time(position, event)
    if position.outcome is not None:
        return
    check_edition(position, event)
    if isinstance(event, Act) and event.is_on_tower() and not _takes_the_turn(position, event.player):
        check_names_a_block(position, event)
        found = [Violation(event.t_s, event.player, "turn-order", event)]
    else:
        check_feasible(position, event)
        found = violations_of(position, event)
        take_effect(position, event)
    if found:
        _note(position, found)
    if isinstance(event, Release):
        _end_settled_turn(position)  # a settling of 0 s is over at once


def settles_at_ms(position: Position) -> int | None:
    """Return when the clock ends the settling, None where no clock does."""
    released_ms = position.turn.released_ms
    if released_ms is None or position.outcome is not None:
        return None
    options = position.opening.options
    return None if options.settling == "visible" else released_ms + options.settle_ms


def limit_at_ms(position: Position) -> int | None:
    """Return the latest time of release that keeps the turn's limit, None where none runs."""
    limit_ms, turn = position.opening.options.turn_limit_ms, position.turn
    if (
        limit_ms is None
        or turn.first_ms is None
        or turn.released_ms is not None
        or position.outcome is not None
    ):
        return None
    return turn.first_ms + limit_ms


def _check_players(position: Position, event: Event) -> None:
    players = position.opening.players
    if isinstance(event, Act) and event.player not in players:
        raise _unknown("player", event.player, players)
    if isinstance(event, PegDown) and event.peg_of not in players:
        raise _unknown("peg_of", event.peg_of, players)


def _unknown(key: str, name: str, players: tuple[str, ...]) -> MalformedError:
    return MalformedError(
        f"`{key}` to be one of {', '.join(players)}", name, "The first line names the players"
    )


def _pass_time(position: Position, event: Event) -> None:
    """Let the clock run up to the event; what settled until then has ended its turn."""
    now_ms = round(event.t_s * 1000)
    if now_ms < position.now_ms:
        raise MalformedError(
            f"`t` not before {position.now_ms / 1000:g}",
            event.t_s,
            "Times never decrease; order the lines by `t`",
        )
    position.now_ms = now_ms
    _end_settled_turn(position)


def _end_settled_turn(position: Position) -> None:
    settles_ms = settles_at_ms(position)
    if settles_ms is not None and position.now_ms >= settles_ms:
        end_turn(position)


def _takes_the_turn(position: Position, player: str) -> bool:
    """Tell whether the event is the player's to cause; the next player's first one ends a timed settling."""
    if position.turn.released_ms is None or player != position.next_player:
        return player == position.player
    if position.opening.options.settling == "visible":
        return False
    end_turn(position)
    return True


def _note(position: Position, found: list[Violation]) -> None:
    position.violations = position.violations.plus(found)
    if any(violation.rule == "turn-limit" for violation in found):
        position.turn.late = True
