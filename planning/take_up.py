"""Where a turn stands by the record: at its beginning, but for a record that broke off in it."""

from __future__ import annotations

from planning.observation import TowerObservation
from planning.scribe import Scribe
from planning.states import State
from planning.tower import Slot
from robot.errors import PerceptionError

_HOME_M = 0.002  # flush, as well as blocks of a tower built by hand are


def take_up(scribe: Scribe, seen: TowerObservation) -> tuple[State, str]:
    """The state that follows the first look, and why the turn ends where it does.

    What the record leaves open is closed as far as the pictures allow.

    Raises:
        PerceptionError: A block that was displaced is not seen to be home.
    """
    game = scribe.game
    if game.must_place:
        scribe.concede()
        return State.CONCEDED, (
            "the block that was in the hand lies on the table; the fingers cannot take it up from there"
        )
    if game.blocks_to_stack == 0:
        if game.state == "playing":
            scribe.release()
        return State.SETTLE, ""
    for slot in game.must_restore:
        _need_home(seen, slot)
        scribe.restore(slot)
    return State.CHOOSE, ""


def _need_home(seen: TowerObservation, slot: Slot) -> None:
    """Refuse a block that a person has to push home first: how it came to stand out was not watched.

    Raises:
        PerceptionError: It stands out, or cannot be seen.
    """
    block = seen.blocks.get(slot)
    if block is not None and abs(block.out_m) < _HOME_M:
        return
    how = "cannot be seen" if block is None else f"stands out by {abs(block.out_m) * 1e3:.1f} mm"
    raise PerceptionError(
        f"block {slot}, which was displaced when the record broke off, {how}, allowed {_HOME_M * 1e3:.0f} mm: push it "
        "flush and resume again"
    )
