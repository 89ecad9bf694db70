"""What the Fortnite edition adds: the spinner, the materials, the pegs and the top holes.

From the first peg in a top hole on the winner is fixed and the turns that follow are classic ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from planning.events import Climb, PegDown, Spin
from planning.materials import material_at
from planning.outcome import height_of
from planning.position import Peg, Position
from planning.refusals import ImpossibleError, Text
from planning.tower import Slot
from planning.violations import Rule


def check_spun(position: Position, kind: str) -> None:
    """Refuse what needs the spinner's result in a turn that has none yet."""
    if position.turn.spins and position.turn.spin is None:
        raise ImpossibleError("a `spin` in this turn first", Text(f"`{kind}`"), f"Let {position.player} spin")


def check_spin(position: Position, event: Spin) -> None:
    """Refuse a second spin, and one by somebody who is neither in turn nor next while the tower settles."""
    if not position.turn.spins:
        return
    if spins_ahead(position, event):
        if position.next_spin is not None:
            raise ImpossibleError("one spin a turn", Text(f"a second one by {event.player}"))
    elif event.player != position.player:
        raise ImpossibleError(f"a `spin` of {position.player}, who is in turn", event.player)
    elif position.turn.spin is not None:
        raise ImpossibleError("one spin a turn", Text(f"a second one by {event.player}"))


def check_goes_down(position: Position, event: PegDown) -> None:
    """Refuse a `peg_down` that is none: one's own peg, no peg, another face, or not down."""
    peg = position.pegs.get(event.peg_of)
    if event.peg_of == event.player or peg is None:
        raise ImpossibleError("an opponent whose peg is in the tower", event.peg_of)
    if event.slot is None:
        return
    if event.face != peg.face:
        raise ImpossibleError(f"the face of the peg of {event.peg_of}, {peg.face}", event.face)
    if event.slot.layer >= peg.layer:
        raise ImpossibleError(f"a slot below layer {peg.layer}, where the peg is", str(event.slot))


def spins_ahead(position: Position, event: Spin) -> bool:
    """Tell whether the next player spins while the tower still settles: a spin alone is no touch."""
    return position.turn.released_ms is not None and event.player == position.next_player


def has_material(position: Position, slot: Slot) -> bool:
    """Tell whether the block is of the material that was spun."""
    spin = position.turn.spin
    return spin is None or material_at(position.materials, slot) == spin.material


def holds_a_peg(position: Position, slot: Slot) -> bool:
    """Tell whether a player's peg is in the block."""
    return any(peg.slot == slot for peg in position.pegs.values())


def breaches_of_taking(position: Position, slot: Slot) -> Iterator[Rule]:
    """Tell which of this edition's rules taking the block breaks."""
    if position.turn.spins and not has_material(position, slot):
        yield "material"
    if position.turn.spins and holds_a_peg(position, slot):
        yield "peg-in-block"


def breaches_of_climb(position: Position, event: Climb) -> Iterator[Rule]:
    """Tell which rules the climb breaks: all the layers that were spun at once, into an empty hole."""
    turn = position.turn
    if not turn.spins or turn.spin is None:
        return
    aim = min(height_of(position, event.player) + turn.spin.climb, position.tower.n_layers)
    if turn.climbed or event.slot.layer != aim:
        yield "climb-count"
    if _is_full(position, event.player, event):
        yield "peg-in-block"


def breaches_of_peg_down(position: Position, event: PegDown) -> Iterator[Rule]:
    """Tell which rules moving an opponent's peg breaks: its new hole must be empty."""
    if position.turn.spins and _is_full(position, event.peg_of, event):
        yield "peg-in-block"


def climb(position: Position, event: Climb) -> None:
    """Put the player's peg into its new hole; the first one in a top hole wins."""
    position.pegs = {**position.pegs, event.player: Peg(event.slot, event.face, event.slot.layer)}
    position.turn.climbed = position.turn.laid = True
    if position.at_the_top is None and event.slot.layer == position.tower.n_layers:
        position.at_the_top = event.player


def peg_down(position: Position, event: PegDown) -> None:
    """Move an opponent's peg down, or take it off where no lower hole is free."""
    others = {player: peg for player, peg in position.pegs.items() if player != event.peg_of}
    if event.slot is not None and event.face is not None:
        others[event.peg_of] = Peg(event.slot, event.face, event.slot.layer)
    position.pegs = others


def _is_full(position: Position, player: str, event: Climb | PegDown) -> bool:
    return any(
        (peg.slot, peg.face) == (event.slot, event.face)
        for owner, peg in position.pegs.items()
        if owner != player
    )
