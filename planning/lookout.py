"""Looking at the whole tower and holding it against the record: the game goes on only where the two agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planning.eyes import Eyes, View
from planning.observation import Seen, TowerObservation
from planning.tower import Slot, Tower
from robot.errors import PerceptionError


def observe(eyes: Eyes, tower: Tower, prior: TowerObservation | None) -> tuple[TowerObservation, View]:
    """The tower as the pictures show it, looked at afresh where they seem to contradict the record; and the pictures.

    What a reading with hindsight and one without contradict in different slots, each has misread.

    Raises:
        PerceptionError: The pictures cannot be read, or show another tower than the record's.
    """
    view = eyes.look()
    seen = eyes.observe(view, prior)
    wrong = contradictions(seen, tower)
    if prior is not None and wrong:
        view, before = eyes.look(), seen
        seen = eyes.observe(view, None)
        misread = contradictions(seen, tower)
        wrong = [slot for slot in misread if slot in wrong]
        if not wrong:
            seen = _corrected(seen, before, misread)
    if wrong:
        raise PerceptionError(
            f"the pictures and the record disagree on {', '.join(map(str, wrong))}: the record says {tower}, the "
            f"pictures {seen.text()}. Set the tower as the record has it, or start a new record"
        )
    return seen, view


def _corrected(seen: TowerObservation, other: TowerObservation, misread: Sequence[Slot]) -> TowerObservation:
    """A reading with some of its slots as another one has them."""
    blocks = {slot: block for slot, block in seen.blocks.items() if slot not in misread}
    blocks |= {slot: other.blocks[slot] for slot in misread if slot in other.blocks}
    slots = {**seen.slots, **{slot: other.slots[slot] for slot in misread if slot in other.slots}}
    return replace(seen, slots=slots, blocks=blocks)


def contradictions(seen: TowerObservation, tower: Tower) -> list[Slot]:
    """The slots that are seen to hold what the record says they do not."""
    decided = {slot: what for slot, what in seen.slots.items() if what is not Seen.UNKNOWN}
    wrong = [slot for slot, what in decided.items() if (what is Seen.BLOCK) != tower.has(slot)]
    return sorted(wrong + [slot for slot in tower.blocks() if slot not in seen.slots])
