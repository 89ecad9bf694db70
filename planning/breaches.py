"""Which rules an event breaks where the game stands. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from planning import fortnite
from planning.events import (
    Align,
    Brace,
    ByHand,
    Climb,
    Drop,
    Event,
    Extract,
    Hands,
    Move,
    PegDown,
    Place,
    Relocate,
    Restore,
    Touch,
)
from planning.feasible import half_out
from planning.position import Position
from planning.tower import Slot, axis_of
from planning.violations import RULES, Rule, Violation

_ORDER = {rule: place for place, rule in enumerate(RULES)}


def violations_of(position: Position, event: Event) -> list[Violation]:
    """Return what an event of the player in turn, or of nobody, breaks, in the order of the rules."""
    player = position.player
    found = [Violation(event.t_s, player, rule, event) for rule in _broken(position, event)]
    if position.debt is not None and event.is_on_tower() and position.turn.first_ms is None:
        found.append(Violation(event.t_s, position.debt.player, "prompt-open", event))
    if len(found) > 1:
        found.sort(key=lambda violation: _ORDER[violation.rule])
    return found


def _broken(position: Position, event: Event) -> Iterator[Rule]:
    options = position.opening.options
    if options.hands == "off-hand" and isinstance(event, ByHand) and _wrong_hand(position, event):
        yield "off-hand"
    breaches = _BREACHES.get(type(event))
    if breaches is not None:
        yield from breaches(position, event)
    if _is_late(position):
        yield "turn-limit"


def _wrong_hand(position: Position, event: ByHand) -> bool:
    chosen = position.opening.options.off_hands or {}
    return event.hand != chosen.get(event.player)


def _is_late(position: Position) -> bool:
    """Tell whether the turn's limit is over now, and was not yet found to be."""
    turn, limit_ms = position.turn, position.opening.options.turn_limit_ms
    if limit_ms is None or turn.first_ms is None or turn.late or turn.released_ms is not None:
        return False
    return position.now_ms - turn.first_ms > limit_ms


def _touching(position: Position, event: Touch | Move) -> Iterator[Rule]:
    name = position.block(event.block)
    if _another_displaced(position, name):
        yield "restore-first"
    if position.opening.options.retest == "once" and name in position.turn.restored:
        yield "retest"


def _extracting(position: Position, event: Extract) -> Iterator[Rule]:
    name = position.block(event.block)
    yield from _taking(position, name)
    if _another_displaced(position, name):
        yield "restore-first"


def _dropping(position: Position, event: Drop) -> Iterator[Rule]:  # noqa: ARG001
    name = None if position.turn.held else half_out(position)
    if name is not None:
        yield from _taking(position, name)


def _taking(position: Position, name: Slot) -> Iterator[Rule]:
    """Tell what it breaks that the block leaves the tower, by a hand or by falling out half extracted."""
    turn, slot = position.turn, position.slot_of(name) or name
    if slot.layer > position.highest_open_layer:
        yield "source-layer"
    if name not in turn.put_back and turn.n_extracted >= turn.n_allowed:
        yield "second-block"
    yield from fortnite.breaches_of_taking(position, slot)


def _another_displaced(position: Position, name: Slot) -> bool:
    turn = position.turn
    return bool(turn.moved or turn.shifted) and not turn.is_displaced(name)


def _restoring(position: Position, event: Restore) -> Iterator[Rule]:
    turn, options = position.turn, position.opening.options
    name = position.block(event.block)
    if not turn.is_displaced(name):
        yield "put-back"
        return
    moved_by = turn.moved.get(name) or turn.shifted.get(name)
    if options.restore_hand == "same" and moved_by is not None and event.hand != moved_by:
        yield "restore-hand"
    if options.testing == "none" and name in turn.moved:
        yield "no-testing"


def _placing(position: Position, event: Place) -> Iterator[Rule]:
    if position.turn.shifted:
        yield "restore-first"
    placing = position.tower.placing(event.slot)
    if placing == "below":
        yield "put-back"
    elif placing != "top":
        yield "wrong-slot"
    if event.axis != axis_of(event.slot.layer):
        yield "wrong-axis"


def _relocating(position: Position, event: Relocate) -> Iterator[Rule]:
    if position.tower.remove(event.block).placing(event.slot) in ("early", "taken", "absent"):
        yield "wrong-slot"
    yield "relocate-top"


def _aligning(position: Position, event: Align) -> Iterator[Rule]:
    top = position.tower.n_layers
    if not position.opening.options.align_top or any(slot.layer != top for slot in event.blocks):
        yield "align-top"


def _bracing(position: Position, event: Brace) -> Iterator[Rule]:  # noqa: ARG001
    yield "brace"


def _counting_hands(position: Position, event: Hands) -> Iterator[Rule]:
    if position.opening.options.hands != "two" and event.count >= 2 > position.turn.n_hands:
        yield "one-hand"


_BREACHES: dict[type[Event], Callable[[Position, Any], Iterator[Rule]]] = {
    Touch: _touching,
    Move: _touching,
    Extract: _extracting,
    Drop: _dropping,
    Restore: _restoring,
    Place: _placing,
    Relocate: _relocating,
    Align: _aligning,
    Brace: _bracing,
    Hands: _counting_hands,
    Climb: fortnite.breaches_of_climb,
    PegDown: fortnite.breaches_of_peg_down,
}
