"""A verdict in plain words: who is in turn, what may be done, what first, and what was broken and why."""

from __future__ import annotations

from bisect import bisect
from itertools import groupby

from planning.events import Event
from planning.game import Game
from planning.opening import Side
from planning.outcome import Outcome
from planning.record import object_of
from planning.tower import Slot, Tower
from planning.violations import Violation
from steadyhand.breach_words import remedy_words, rule_words

_MATERIALS = {"w": "wood", "b": "brick", "m": "metal"}
_ENDS = {
    "collapse": "The tower fell in the turn of {player}.",
    "catch": "The falling tower was caught in the turn of {player}, which counts as its fall.",
    "fall": "A block that nobody was moving fell in the turn of {player}.",
    "drop": "{player} dropped the block being moved, which loses here.",
    "concede": "{player} conceded.",
    "bump": "The tower was bumped by somebody not in turn, or by the surroundings.",
    "stop": "The group ended the game with the tower standing.",
}


def explain(game: Game) -> str:
    """Tell a person how the game stands and what was broken."""
    lines = [_tower_words(game)]
    lines += _end_words(game, game.outcome) if game.outcome else turn_words(game)
    lines += [breach_words(violation) for violation in game.violations]
    if not game.violations:
        lines.append("No rule was broken.")
    return "\n".join(lines) + "\n"


def _tower_words(game: Game) -> str:
    turns = f"{game.completed_turns} completed turn" + ("" if game.completed_turns == 1 else "s")
    return f"At {game.t_s:g} s, after {turns}, the tower is {game.tower} ({game.tower.n_blocks} blocks)."


def _end_words(game: Game, outcome: Outcome) -> list[str]:
    lines = [_ENDS[outcome.reason].format(player=game.last_player)]
    lines.append(f"{_names(outcome.winner)} won." if outcome.winner else "Nobody won.")
    if outcome.loser:
        lines.append(f"{_names(outcome.loser)} lost.")
    if outcome.next_builder:
        lines.append(f"The next tower is built and begun by {_names(outcome.next_builder)}.")
    return lines


def turn_words(game: Game) -> list[str]:
    """Tell who is in turn, and what they have to do and may do."""
    player = game.player_in_turn
    if game.state == "settling":
        return [
            f"{player} has placed and released: the tower settles. {_settling_words(game)}",
            *_prompt_words(game),
        ]
    return [f"{player} is in turn.", *_duty_words(game), *_taking_words(game), *_prompt_words(game)]


def _settling_words(game: Game) -> str:
    if game.settles_at_s is None:
        return f"The turn ends when it is seen to stand still; then {game.next_player} is in turn."
    return f"The turn ends at {game.settles_at_s:g} s, or when {game.next_player} touches the tower."


def _duty_words(game: Game) -> list[str]:
    lines = []
    if game.must_restore:
        lines.append(f"To be put right first: {_list(game.must_restore)}. Touch no other block before.")
    if game.free_top_slots:
        lines.append(f"The block in hand goes on top: {_list(game.free_top_slots)}.")
    elif game.in_hand:
        lines.append("The block in hand waits until the shifted neighbours are put right.")
    elif game.must_place:
        lines.append("The block that was put back must come out again and go on top.")
    if game.turn_ends_at_s is not None:
        lines.append(f"The turn's limit runs until {game.turn_ends_at_s:g} s.")
    return [*lines, *_spinner_words(game)]


def _spinner_words(game: Game) -> list[str]:
    if game.must_spin:
        return [f"{game.player_in_turn} has to spin before taking a block or climbing."]
    lines = []
    if game.spin is not None and game.blocks_to_stack:
        lines.append(f"Still to stack: {game.blocks_to_stack} of {_MATERIALS[game.spin.material]}.")
    if game.spin is not None and game.must_climb:
        height = game.height_of(game.player_in_turn or "")
        lines.append(f"Still to climb: {game.spin.climb} from layer {height}.")
    return lines


def _taking_words(game: Game) -> list[str]:
    if game.legal:
        return [f"May be taken: {_open_words(game.legal, game.tower)}."]
    if game.must_place or game.must_spin:
        return []
    if game.must_restore:
        return ["No block may be taken now."]
    if game.must_climb or game.blocks_to_stack:
        return ["No block may be taken now."]
    return [f"No further block may be taken; the turn waits for the hands of {game.player_in_turn} to leave."]


def _prompt_words(game: Game) -> list[str]:
    return [f"{game.owes_prompt} still owes the prompt of a marked block."] if game.owes_prompt else []


def breach_words(violation: Violation) -> str:
    """Tell which rule was broken, by whom and how, and what to do about it."""
    rule = violation.rule
    return (
        f"At {violation.t_s:g} s {violation.player} broke `{rule}` by {_event_words(violation.event)}. "
        f"{rule_words(rule, 'en')} {remedy_words(rule, 'en')}"
    )


def _event_words(event: Event) -> str:
    """Name an event and what it was done to."""
    written = object_of(event)
    things = [
        str(written[key])
        for key in ("block", "slot", "count", "with", "face")
        if written.get(key) is not None
    ]
    return " ".join([f"`{event.kind}`", *things])


def _open_words(slots: tuple[Slot, ...], tower: Tower) -> str:
    """List slots; a run of layers whose every block may be taken is named as such."""
    mixed = sorted({slot.layer for slot in set(tower.blocks()) - set(slots)})
    parts = []
    for (is_mixed, _), group in groupby(
        slots, key=lambda slot: (slot.layer in mixed, bisect(mixed, slot.layer))
    ):
        run = tuple(group)
        parts.append(_list(run) if is_mixed else _layer_words(run[0].layer, run[-1].layer))
    return "; ".join(parts)


def _layer_words(first: int, last: int) -> str:
    return f"every block of layer {first}" if first == last else f"every block of layers {first} to {last}"


def _list(slots: tuple[Slot, ...]) -> str:
    return ", ".join(str(slot) for slot in slots)


def _names(side: Side | None) -> str:
    return " and ".join(side) if isinstance(side, tuple) else str(side)
