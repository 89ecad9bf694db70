from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.observation import BlockMotion
from planning.touch import Push
from planning.touch import passed_on as along_with
from planning.tower import Slot, Tower

PUSHED = Slot(8, 3)
STAND = tuple(Tower.parse("111*18").blocks())
slots = st.sampled_from([slot for slot in STAND if slot != PUSHED])


ALONG, ASIDE = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])


def passed_on(
    moved_m: dict[Slot, float],
    pushed: Slot,
    stand: tuple[Slot, ...] | list[Slot],
    way=ALONG,
    by_m: float = 1.0,
) -> dict[Slot, float]:
    """Of blocks that all went one way."""
    motions = {slot: BlockMotion(d * way, 5e-5) for slot, d in moved_m.items()}
    return along_with(motions, Push(pushed, ALONG, by_m), stand)


def still() -> dict[Slot, float]:
    return {slot: 2e-5 for slot in STAND if slot != PUSHED}


def test_block_far_below_that_moves_alone_has_not_moved() -> None:
    told = passed_on(still() | {Slot(2, 2): 5.5e-4}, PUSHED, STAND)
    assert Slot(2, 2) not in told
    assert len(told) == len(STAND) - 2


@given(slots.filter(lambda slot: abs(slot.layer - PUSHED.layer) <= 1), st.floats(1e-4, 0.05))
def test_block_that_touches_the_pushed_one_or_lies_beside_it_may_always_have_moved(
    slot: Slot, by_m: float
) -> None:
    assert passed_on(still() | {slot: by_m}, PUSHED, STAND)[slot] == pytest.approx(by_m)


def test_tower_that_sways_above_the_pushed_block_moves_as_one() -> None:
    sway = still() | {slot: 5e-4 for slot in STAND if slot.layer > PUSHED.layer}
    assert passed_on(sway, PUSHED, STAND) == pytest.approx(sway)


def test_chain_of_dragged_blocks_is_believed_to_its_end() -> None:
    chain = still() | {Slot(9, 1): 2e-3, Slot(10, 2): 1.8e-3, Slot(11, 1): 1.1e-3}
    assert passed_on(chain, PUSHED, STAND) == pytest.approx(chain)


def test_block_between_that_could_not_be_watched_may_have_passed_it_on() -> None:
    moved = still() | {Slot(10, 2): 3e-3}
    assert Slot(10, 2) not in passed_on(moved, PUSHED, STAND)
    del moved[Slot(9, 1)]
    assert passed_on(moved, PUSHED, STAND)[Slot(10, 2)] == pytest.approx(3e-3)


def test_one_link_that_could_not_be_watched_makes_no_chain() -> None:
    moved = still() | {Slot(14, 2): 3e-3}
    del moved[Slot(13, 1)]
    assert Slot(14, 2) not in passed_on(moved, PUSHED, STAND)


def test_gap_passes_nothing_on() -> None:
    stand = [slot for slot in STAND if slot != Slot(13, 1)]
    moved = {slot: d for slot, d in still().items() if slot in stand} | {Slot(14, 2): 3e-3}
    assert Slot(14, 2) not in passed_on(moved, PUSHED, stand)


def test_nothing_goes_farther_than_the_block_that_drags_it() -> None:
    beside = Slot(9, 1)
    assert beside not in passed_on(still() | {beside: 3e-3}, PUSHED, STAND, by_m=2e-3)
    assert passed_on(still() | {beside: 2.2e-3}, PUSHED, STAND, by_m=2e-3)[beside] == pytest.approx(2.2e-3)


def test_what_is_dragged_goes_along_the_push_and_not_across_it() -> None:
    beside = Slot(9, 1)
    assert beside not in passed_on({beside: 1e-3}, PUSHED, STAND, way=ASIDE)
    assert beside in passed_on({beside: 1e-3}, PUSHED, STAND, way=(ALONG + ASIDE) / np.sqrt(2))
    assert beside in passed_on({beside: 1e-3}, PUSHED, STAND, way=-ALONG)
    assert beside in passed_on({beside: 3e-4}, PUSHED, STAND, way=ASIDE), "too little to tell"


@given(st.dictionaries(slots, st.floats(0.0, 0.02)))
def test_nothing_is_made_up(moved: dict[Slot, float]) -> None:
    assert passed_on(moved, PUSHED, STAND).keys() <= moved.keys()
