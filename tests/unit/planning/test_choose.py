from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.choose import LEAST_MARGIN_M, Memory, rank
from planning.observation import as_stacked
from planning.opening import Opening
from planning.probe import Verdict
from planning.referee import Game
from planning.stability import support_margin_m
from planning.tower import Slot, Tower

SIZE_M = np.array([0.075, 0.025, 0.015])
row = st.sampled_from(["111", "110", "011", "101", "010"])
towers = st.lists(row, min_size=3, max_size=12).map(lambda rows: "/".join([*rows, "111"]))


def seen_of(text: str):
    return as_stacked(Tower.parse(text), SIZE_M)


def legal_of(text: str) -> tuple[Slot, ...]:
    return Game.start(Opening.of(["Robot"], tower=text)).legal


@given(towers)
def test_every_choice_is_legal_stands_and_comes_once(text: str) -> None:
    seen, legal = seen_of(text), legal_of(text)
    choices = rank(seen, legal, Memory())
    assert len({choice.slot for choice in choices}) == len(choices)
    for choice in choices:
        assert choice.slot in legal
        assert choice.margin_m == support_margin_m(seen, {choice.slot}) >= LEAST_MARGIN_M
    assert [c.score for c in choices] == sorted((c.score for c in choices), reverse=True)
    left_out = set(legal) - {choice.slot for choice in choices}
    assert all(support_margin_m(seen, {slot}) < LEAST_MARGIN_M for slot in left_out)


def test_middle_of_a_full_layer_comes_before_its_sides() -> None:
    order = [choice.slot for choice in rank(seen_of("111*18"), legal_of("111*18"), Memory())]
    assert all(slot.position == 2 for slot in order[:14])
    assert "middle of a full layer" in rank(seen_of("111*18"), legal_of("111*18"), Memory())[0].why


def test_blocks_near_the_top_come_later() -> None:
    order = [choice.slot for choice in rank(seen_of("111*10"), legal_of("111*10"), Memory())]
    assert order.index(Slot(2, 2)) < order.index(Slot(9, 2))
    assert order.index(Slot(2, 1)) < order.index(Slot(9, 1))


def test_more_support_comes_before_less() -> None:
    text = "111/110/111/111/111/111"
    order = [choice.slot for choice in rank(seen_of(text), legal_of(text), Memory())]
    assert Slot(2, 2) not in order, "the tower would stand on an outer block alone"
    assert order.index(Slot(1, 1)) > order.index(Slot(1, 2))


def test_block_that_was_not_seen_is_not_chosen() -> None:
    seen = seen_of("111*5")
    hidden = replace(seen, blocks={s: b for s, b in seen.blocks.items() if s != Slot(2, 2)})
    assert Slot(2, 2) not in {choice.slot for choice in rank(hidden, legal_of("111*5"), Memory())}


def test_nothing_legal_is_nothing_to_choose() -> None:
    assert rank(seen_of("111*5"), (), Memory()) == []


@pytest.mark.parametrize("verdict", [Verdict.TIGHT, Verdict.DRAGS, Verdict.UNSEEN])
def test_probed_block_comes_after_all_that_were_not(verdict: Verdict) -> None:
    memory = Memory()
    memory.note(Slot(2, 2), verdict)
    choices = rank(seen_of("111*6"), legal_of("111*6"), memory)
    tried = next(choice for choice in choices if choice.slot == Slot(2, 2))
    rivals = [choice for choice in choices if choice.slot.layer in (1, 3) and choice.slot.position == 2]
    assert all(rival.score > tried.score for rival in rivals)
    assert f"earlier verdict: {verdict.value}" in tried.why


def test_memory_fades_as_turns_go_by() -> None:
    memory = Memory()
    memory.turn = 1
    memory.note(Slot(2, 2), Verdict.TIGHT)
    weights = []
    for memory.turn in (1, 2, 5):
        weights.append(memory.penalty(Slot(2, 2)))
    assert weights[0] > weights[1] > weights[2] > 0
    assert memory.penalty(Slot(3, 2)) == 0


def test_loose_verdict_speaks_against_nothing() -> None:
    memory = Memory()
    memory.note(Slot(2, 2), Verdict.LOOSE)
    assert memory.penalty(Slot(2, 2)) == 0
    assert memory.known() == {Slot(2, 2): Verdict.LOOSE}


def test_block_that_left_its_slot_is_forgotten_and_the_newest_verdict_counts() -> None:
    memory = Memory()
    memory.note(Slot(2, 2), Verdict.TIGHT)
    memory.note(Slot(2, 2), Verdict.DRAGS)
    assert memory.known() == {Slot(2, 2): Verdict.DRAGS}
    memory.forget(Slot(2, 2))
    memory.forget(Slot(9, 1))
    assert memory.known() == {}
    assert memory.penalty(Slot(2, 2)) == 0
