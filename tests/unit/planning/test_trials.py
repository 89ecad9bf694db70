from __future__ import annotations

import pytest

from planning.evidence import Felt
from planning.tower import Slot
from planning.trials import Trials

BLOCK = Slot(5, 1)


@pytest.mark.parametrize("moved", [True, False])
def test_block_is_asked_again_only_with_a_clearly_higher_limit(moved: bool) -> None:
    trials = Trials()
    trials.asks(BLOCK, 0.4)
    trials.feels(Felt(BLOCK, moved, 0.4, 0.4))
    assert not trials.is_new(BLOCK, 0.45, 1.15)
    assert trials.is_new(BLOCK, 0.47, 1.15)


def test_new_turn_forgets_limits_and_what_was_seen_but_not_what_held_fast() -> None:
    trials, stuck, dragging = Trials(), Slot(9, 3), Slot(7, 2)
    for slot in (BLOCK, stuck, dragging):
        trials.asks(slot, 0.4)
    trials.feels(Felt(stuck, False, 0.4, 0.4))
    trials.feels(Felt(dragging, True, 0.2, 0.4, dragged=True))
    trials.puts_back(BLOCK)
    assert trials.passed(BLOCK)
    assert trials.drags(dragging)
    trials.turns()
    assert not trials.passed(BLOCK)
    assert not trials.drags(dragging)
    assert [trials.is_new(slot, 0.4, 1.0) for slot in (BLOCK, stuck, dragging)] == [True, False, True]


def test_what_held_fast_may_be_loose_once_a_block_beside_above_or_below_is_gone() -> None:
    for gone, again in ((Slot(3, 1), False), (Slot(4, 2), True), (Slot(5, 3), True), (Slot(6, 1), True)):
        trials = Trials()
        trials.feels(Felt(BLOCK, False, 0.4, 0.4))
        trials.unbinds(gone)
        assert trials.is_new(BLOCK, 0.4, 1.0) == again


def test_block_that_passed_but_was_then_seen_to_take_others_along_is_no_longer_one_that_passed() -> None:
    trials = Trials()
    trials.puts_back(BLOCK)
    trials.feels(Felt(BLOCK, True, 0.2, 0.4, dragged=True))
    assert not trials.passed(BLOCK)
