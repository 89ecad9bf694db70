"""Whether an event can have happened at all where the game stands; it is refused if not.

Illegal is another matter: what a player may not do can still be done, and is judged in `planning.breaches`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planning import fortnite
from planning.events import (
    Align,
    Climb,
    Concede,
    Drop,
    Event,
    Extract,
    Fall,
    Move,
    OnBlock,
    PegDown,
    Place,
    Release,
    Relocate,
    Restore,
    Shift,
    Skip,
    Spin,
    Touch,
)
from planning.position import Position
from planning.refusals import ImpossibleError, Text
from planning.tower import Slot


def check_edition(position: Position, event: Event) -> None:
    """Refuse the spinner's and the pegs' events, whoever causes them, in a game that knows neither."""
    edition = position.opening.edition
    if edition != "fortnite" and isinstance(event, (Spin, Skip, Climb, PegDown)):
        raise ImpossibleError(
            "spinner and pegs in the fortnite edition only", Text(f"`{event.kind}` in {edition}")
        )


def check_feasible(position: Position, event: Event) -> None:
    """Refuse an event of the player in turn, or of nobody, that cannot have happened."""
    check = _CHECKS.get(type(event))
    if check is not None:
        check(position, event)


def check_names_a_block(position: Position, event: Event) -> None:
    """Refuse an event of somebody not in turn whose block is none; nothing else is asked of it."""
    slots = (event.block,) if isinstance(event, OnBlock) else event.blocks if isinstance(event, Align) else ()
    for slot in slots:
        if position.name_of(slot) is None:
            raise _no_block(position, slot)


def half_out(position: Position) -> Slot | None:
    """Return the block that would fall were a half extracted one to fall: the one moved last."""
    turn = position.turn
    for name in reversed(turn.moved):
        if turn.n_stacked == 0 or turn.blocks_left or name in turn.put_back:
            return name
    return None


def _check_stands(position: Position, slot: Slot) -> None:
    name = position.name_of(slot)
    if name is None:
        raise _no_block(position, slot)
    if position.slot_of(name) is None:
        raise ImpossibleError("a block that stands in the tower", str(slot), "That block has left the tower")


def _check_stands_now(position: Position, slot: Slot) -> None:
    if not position.tower.has(slot):
        raise _no_block(position, slot)


def _check_block(position: Position, event: Touch | Move) -> None:
    _check_stands(position, event.block)


def _check_blocks(position: Position, event: Shift | Fall) -> None:
    for slot in event.blocks:
        _check_stands(position, slot)
    if len({position.block(slot) for slot in event.blocks}) < len(event.blocks):
        raise ImpossibleError(
            "each block once", [str(slot) for slot in event.blocks], "Name it by one slot only"
        )


def _check_extract(position: Position, event: Extract) -> None:
    _check_stands(position, event.block)
    fortnite.check_spun(position, event.kind)


def _check_restore(position: Position, event: Restore) -> None:
    name = position.name_of(event.block)
    if name is None:
        raise _no_block(position, event.block)
    if position.turn.is_displaced(name):
        return
    if all(held.name != name for held in position.turn.held):
        raise ImpossibleError(
            "a block that stands displaced or is in hand",
            str(event.block),
            "A probe that moved nothing is a `touch`, and has no `restore`",
        )
    if position.tower.placing(name) in ("taken", "absent"):
        raise ImpossibleError(
            "the old slot of the block to be free", str(event.block), f"It is {position.tower}"
        )


def _check_place(position: Position, event: Place) -> None:
    if not position.turn.held:
        raise ImpossibleError(
            "a block in hand", Text(f"a place at {event.slot} with none"), "Extract one first"
        )


def _check_drop(position: Position, event: Drop) -> None:
    _check_in_turn(position, event.player, event.kind)
    if position.turn.held:
        return
    if half_out(position) is None:
        raise ImpossibleError(
            "a block in hand or half extracted",
            Text("a drop with nothing moved"),
            "After `place`, and for a block that was not being moved, write `fall`",
        )
    fortnite.check_spun(position, event.kind)


def _check_release(position: Position, event: Release) -> None:
    if event.player == position.player and not position.turn.laid:
        raise ImpossibleError(
            "a release after placing",
            Text(f"nothing placed by {event.player} in this turn"),
            "Place the block first",
        )


def _check_concede(position: Position, event: Concede) -> None:
    _check_in_turn(position, event.player, event.kind)


def _check_align(position: Position, event: Align) -> None:
    for slot in event.blocks:
        _check_stands_now(position, slot)


def _check_relocate(position: Position, event: Relocate) -> None:
    _check_stands_now(position, event.block)
    if event.slot == event.block:
        raise ImpossibleError(
            "another slot than the block's own", str(event.slot), "Write no `relocate` then"
        )


def _check_skip(position: Position, event: Skip) -> None:
    _check_in_turn(position, event.player, event.kind)
    fortnite.check_spun(position, event.kind)


def _check_climb(position: Position, event: Climb) -> None:
    _check_stands_now(position, event.slot)
    fortnite.check_spun(position, event.kind)


def _check_peg_down(position: Position, event: PegDown) -> None:
    if event.slot is not None:
        _check_stands_now(position, event.slot)
    fortnite.check_goes_down(position, event)


def _check_in_turn(position: Position, player: str, kind: str) -> None:
    if player != position.player:
        raise ImpossibleError(f"a `{kind}` of {position.player}, who is in turn", player)


def _no_block(position: Position, slot: Slot) -> ImpossibleError:
    return ImpossibleError(
        "a slot that holds a block",
        str(slot),
        f"The tower is {position.tower}; a block bears the slot of turn's start",
    )


_CHECKS: dict[type[Event], Callable[[Position, Any], None]] = {
    Touch: _check_block,
    Move: _check_block,
    Extract: _check_extract,
    Restore: _check_restore,
    Shift: _check_blocks,
    Fall: _check_blocks,
    Place: _check_place,
    Drop: _check_drop,
    Release: _check_release,
    Concede: _check_concede,
    Align: _check_align,
    Relocate: _check_relocate,
    Spin: fortnite.check_spin,
    Skip: _check_skip,
    Climb: _check_climb,
    PegDown: _check_peg_down,
}
