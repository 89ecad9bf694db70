"""What an event changes, once it is known to be possible and its breaches are noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planning import fortnite
from planning.events import (
    Bump,
    ByHand,
    Catch,
    Climb,
    Collapse,
    Concede,
    Drop,
    Event,
    Extract,
    Fall,
    Hands,
    Move,
    PegDown,
    Place,
    PromptDone,
    Release,
    Relocate,
    Restore,
    Settled,
    Shift,
    Skip,
    Spin,
    Stop,
)
from planning.feasible import half_out
from planning.outcome import Reason, outcome_of
from planning.position import Debt, Held, Position, Turn
from planning.tower import Slot


def take_effect(position: Position, event: Event) -> None:
    """Change the position by an event of the player in turn, or of nobody."""
    turn = position.turn
    if event.is_on_tower() and turn.first_ms is None:
        turn.first_ms = position.now_ms
        position.debt = None
    effect = _EFFECTS.get(type(event))
    if effect is not None:
        effect(position, event)
    if isinstance(event, ByHand):
        turn.last_hand = event.hand


def end_turn(position: Position) -> None:
    """End the turn with the tower standing: play passes to the next player."""
    player, seat = position.player, position.next_seat
    if position.turns_round:
        position.direction = -position.direction
    spins = position.turn.spins and position.at_the_top is None
    position.turn = Turn(position.tower, spins=spins, spin=position.next_spin if spins else None)
    position.next_spin = None
    position.n_completed += 1
    position.last_completed = player
    position.seat = seat


def _end(position: Position, reason: Reason) -> None:
    position.outcome = outcome_of(position, reason)


def _move(position: Position, event: Move) -> None:
    name = position.block(event.block)
    position.turn.moved.pop(name, None)  # what was moved last stands last
    position.turn.moved[name] = event.hand


def _shift(position: Position, event: Shift) -> None:
    turn = position.turn
    for slot in event.blocks:
        turn.shifted[position.block(slot)] = turn.last_hand


def _restore(position: Position, event: Restore) -> None:
    turn, name = position.turn, position.block(event.block)
    if turn.is_displaced(name):
        turn.moved.pop(name, None)
        turn.shifted.pop(name, None)
        turn.restored.add(name)
        return
    held = next(held for held in turn.held if held.name == name)
    _put_back(position, held, name)


def _put_back(position: Position, held: Held, slot: Slot) -> None:
    turn = position.turn
    turn.held = tuple(other for other in turn.held if other != held)
    turn.put_back += (held.name,)
    turn.laid = True
    position.set_down(held, slot)


def _extract(position: Position, event: Extract) -> None:
    _take(position, position.block(event.block))


def _take(position: Position, name: Slot) -> None:
    turn = position.turn
    turn.held += (position.lift(name),)
    turn.released_ms = None  # a block is out again: there is nothing settled to wait for
    if name in turn.put_back:
        turn.put_back = tuple(other for other in turn.put_back if other != name)
    else:
        turn.n_extracted += 1


def _drop(position: Position, event: Drop) -> None:  # noqa: ARG001
    name = None if position.turn.held else half_out(position)
    if name is not None:
        _take(position, name)
    if position.opening.options.dropped_block == "loses":
        _end(position, "drop")


def _place(position: Position, event: Place) -> None:
    turn, placing = position.turn, position.tower.placing(event.slot)
    turn.laid = True
    if placing in ("taken", "absent"):
        return
    held, *others = turn.held
    if placing == "below":
        _put_back(position, held, event.slot)
        return
    turn.held = tuple(others)
    position.set_down(held, event.slot)
    turn.n_stacked += 1
    if position.tower.is_complete(event.slot.layer):
        turn.completed_layer = True
    if held.mark is not None and not turn.fell:
        owed = position.debt.blocks if position.debt else ()
        position.debt = Debt(position.player, (*owed, held.name))


def _release(position: Position, event: Release) -> None:
    turn = position.turn
    if event.player != position.player:
        return
    turn.n_hands = 0
    if turn.all_done and turn.released_ms is None:
        turn.released_ms = position.now_ms


def _relocate(position: Position, event: Relocate) -> None:
    held = position.lift(position.turn.arrived.get(event.block, event.block))
    possible = position.tower.placing(event.slot) not in ("taken", "absent")
    position.set_down(held, event.slot if possible else event.block)


def _hands(position: Position, event: Hands) -> None:
    if event.player == position.player:
        position.turn.n_hands = event.count


def _fall(position: Position, event: Fall) -> None:
    turn = position.turn
    for slot in event.blocks:
        _lose(position, position.block(slot))
    if position.opening.options.fallen_block == "ends":
        _end(position, "fall")
    turn.fell = True
    position.debt = None


def _lose(position: Position, name: Slot) -> None:
    """Take a fallen block out of the game: nobody has to set it on top any more."""
    turn, held = position.turn, position.lift(name)
    position.pegs = {player: peg for player, peg in position.pegs.items() if player not in held.pegs}
    if name in turn.put_back:
        turn.put_back = tuple(other for other in turn.put_back if other != name)
        turn.n_stacked += 1


def _settled(position: Position, event: Settled) -> None:  # noqa: ARG001
    if position.opening.options.settling == "visible" and position.turn.released_ms is not None:
        end_turn(position)


def _prompt_done(position: Position, event: PromptDone) -> None:
    debt = position.debt
    if debt is not None and debt.player == event.player:
        position.debt = Debt(debt.player, debt.blocks[1:]) if len(debt.blocks) > 1 else None


def _spin(position: Position, event: Spin) -> None:
    if fortnite.spins_ahead(position, event):
        position.next_spin = event
    elif position.turn.spins:
        position.turn.spin = event


def _skip(position: Position, event: Skip) -> None:  # noqa: ARG001
    if position.turn.spins and position.turn.n_allowed > 0:
        position.turn.skipped = position.turn.laid = True


_EFFECTS: dict[type[Event], Callable[[Position, Any], None]] = {
    Move: _move,
    Shift: _shift,
    Restore: _restore,
    Extract: _extract,
    Drop: _drop,
    Place: _place,
    Release: _release,
    Relocate: _relocate,
    Hands: _hands,
    Fall: _fall,
    Settled: _settled,
    PromptDone: _prompt_done,
    Spin: _spin,
    Climb: fortnite.climb,
    PegDown: fortnite.peg_down,
    Skip: _skip,
    Collapse: lambda position, _: _end(position, "collapse"),
    Catch: lambda position, _: _end(position, "catch"),
    Concede: lambda position, _: _end(position, "concede"),
    Bump: lambda position, _: _end(position, "bump"),
    Stop: lambda position, _: _end(position, "stop"),
}
