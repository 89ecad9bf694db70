"""Which blocks the player in turn may take, and where a block in hand may go."""

from __future__ import annotations

from collections.abc import Iterator

from planning import fortnite
from planning.position import Position
from planning.tower import Slot


def legal_slots(position: Position) -> Iterator[Slot]:
    """Generate the slots that may be taken now, in order of layer, then position."""
    turn = position.turn
    if position.outcome is not None or turn.released_ms is not None or turn.held:
        return
    if not turn.put_back and not turn.blocks_left:
        return
    for slot in position.tower.blocks(position.highest_open_layer):
        if _may_be_taken(position, slot):
            yield slot


def free_top_slots(position: Position) -> tuple[Slot, ...]:
    """Return the slots in which the block in hand may be placed; none while shifted neighbours remain."""
    if position.outcome is not None or not position.turn.held or position.turn.shifted:
        return ()
    return position.tower.free_top_slots


def _may_be_taken(position: Position, slot: Slot) -> bool:
    """Tell whether this block of an open layer may be taken: every ruling takes some blocks out."""
    turn = position.turn
    name = turn.arrived.get(slot, slot)
    if (turn.moved or turn.shifted) and (name not in turn.moved or name in turn.shifted):
        return False
    if turn.put_back and name not in turn.put_back:
        return False
    if name in turn.restored and position.opening.options.retest == "once":
        return False
    return not turn.spins or (
        fortnite.has_material(position, slot) and not fortnite.holds_a_peg(position, slot)
    )
