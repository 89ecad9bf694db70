from __future__ import annotations

import numpy as np
import pytest

from planning.observation import Seen, TowerObservation, as_stacked
from planning.tower import Slot, Tower

SIZE_M = np.array([0.075, 0.025, 0.015])


@pytest.mark.parametrize("text", ["111", "111/101/010", "110/011/111/001"])
def test_stacked_tower_is_seen_as_it_is_written(text: str) -> None:
    assert as_stacked(Tower.parse(text), SIZE_M).text() == text


def test_what_was_not_seen_is_a_question_mark() -> None:
    seen = as_stacked(Tower.parse("111/101"), SIZE_M)
    slots = {**seen.slots, Slot(1, 3): Seen.UNKNOWN}
    hidden = TowerObservation(0.0, seen.T_world_tower, slots, seen.blocks, ())
    assert hidden.text() == "11?/101"


def test_slots_that_were_not_looked_at_are_gaps_and_nothing_is_no_tower() -> None:
    seen = as_stacked(Tower.parse("111"), SIZE_M)
    assert TowerObservation(0.0, seen.T_world_tower, {Slot(2, 2): Seen.BLOCK}, {}, ()).text() == "000/010"
    assert TowerObservation(0.0, seen.T_world_tower, {}, {}, ()).text() == ""


def test_stacked_blocks_lie_across_each_other_on_each_other() -> None:
    blocks = as_stacked(Tower.parse("111/111"), SIZE_M).blocks
    assert blocks[Slot(1, 3)].T_world_block[:3, 3] == pytest.approx([0, 0.025, 0.0075])
    assert blocks[Slot(2, 3)].T_world_block[:3, 3] == pytest.approx([0.025, 0, 0.0225])
    assert blocks[Slot(1, 1)].T_world_block[:3, 0] == pytest.approx([1, 0, 0])
    assert blocks[Slot(2, 1)].T_world_block[:3, 0] == pytest.approx([0, 1, 0])
