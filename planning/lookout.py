"""Looking at the whole tower and holding it against the record: the game goes on only where the two agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planning.eyes import Eyes, View
from planning.observation import Seen, TowerObservation
from planning.tower import Slot, Tower
from robot.errors import PerceptionError

# A block whose grain is found again so near is there: of 560 blocks it was right about all
_STAYED_M = 0.003


def observe(
    eyes: Eyes, tower: Tower, prior: TowerObservation | None, before: View | None = None
) -> tuple[TowerObservation, View]:
    """The tower as the pictures show it, looked at afresh where they seem to contradict the record; and the pictures.

    What a reading with hindsight and one without contradict in different slots, each has misread. So have both where a
    block's own grain is found again that was seen there before.

    Args:
        eyes: They look.
        tower: The record's.
        prior: What was seen of it before, None for nothing.
        before: The view in which that was seen, where it is still at hand.

    Raises:
        PerceptionError: The pictures cannot be read, or show another tower than the record's.
    """
    view = eyes.look()
    seen = eyes.observe(view, prior)
    wrong = contradictions(seen, tower)
    if prior is not None and wrong:
        view, first = eyes.look(), seen
        seen = eyes.observe(view, None)
        misread = contradictions(seen, tower)
        wrong = [slot for slot in misread if slot in wrong]
        if wrong and before is not None:
            first = _with_those_that_stayed(first, eyes, (before, view), prior, wrong)
            wrong = [slot for slot in wrong if slot not in first.blocks or not tower.has(slot)]
        if not wrong:
            seen = _corrected(seen, first, misread)
    if wrong:
        raise PerceptionError(
            f"the pictures and the record disagree on {', '.join(map(str, wrong))}: the record says {tower}, the "
            f"pictures {seen.text()}. Set the tower as the record has it, or start a new record"
        )
    return seen, view


def _with_those_that_stayed(
    seen: TowerObservation,
    eyes: Eyes,
    views: tuple[View, View],
    prior: TowerObservation,
    wrong: Sequence[Slot],
) -> TowerObservation:
    """A reading with those blocks of some slots that were seen before, and whose grain is where it was."""
    found = eyes.motions(*views, prior)
    blocks = {}
    for slot in wrong:
        if slot in prior.blocks and slot in found and np.linalg.norm(found[slot].moved_m) < _STAYED_M:
            T = prior.blocks[slot].T_world_block.copy()
            T[:3, 3] += found[slot].moved_m
            blocks[slot] = replace(prior.blocks[slot], T_world_block=T)
    slots = {**seen.slots, **dict.fromkeys(blocks, Seen.BLOCK)}
    return replace(seen, slots=slots, blocks={**seen.blocks, **blocks})


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
