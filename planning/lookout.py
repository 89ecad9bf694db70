"""Looking at the whole tower and holding it against the record: the game goes on only where the two agree."""

from __future__ import annotations

from planning.eyes import Eyes, View
from planning.observation import Seen, TowerObservation
from planning.tower import Slot, Tower
from robot.errors import PerceptionError


def observe(eyes: Eyes, tower: Tower, prior: TowerObservation | None) -> tuple[TowerObservation, View]:
    """The tower as the pictures show it, looked at afresh where they seem to contradict the record; and the pictures.

    Raises:
        PerceptionError: The pictures cannot be read, or show another tower than the record's.
    """
    view = eyes.look()
    seen = eyes.observe(view, prior)
    if prior is not None and contradictions(seen, tower):
        view = eyes.look()
        seen = eyes.observe(view, None)
    wrong = contradictions(seen, tower)
    if wrong:
        raise PerceptionError(
            f"the pictures and the record disagree on {', '.join(map(str, wrong))}: the record says {tower}, the "
            f"pictures {seen.text()}. Set the tower as the record has it, or start a new record"
        )
    return seen, view


def contradictions(seen: TowerObservation, tower: Tower) -> list[Slot]:
    """The slots that are seen to hold what the record says they do not."""
    decided = {slot: what for slot, what in seen.slots.items() if what is not Seen.UNKNOWN}
    wrong = [slot for slot, what in decided.items() if (what is Seen.BLOCK) != tower.has(slot)]
    return sorted(wrong + [slot for slot in tower.blocks() if slot not in seen.slots])
