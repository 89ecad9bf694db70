from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planning.touch import passed_on
from planning.tower import Slot, Tower

PUSHED = Slot(8, 3)
STAND = tuple(Tower.parse("111*18").blocks())
slots = st.sampled_from([slot for slot in STAND if slot != PUSHED])


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
    assert passed_on(still() | {slot: by_m}, PUSHED, STAND)[slot] == by_m


def test_tower_that_sways_above_the_pushed_block_moves_as_one() -> None:
    sway = still() | {slot: 5e-4 for slot in STAND if slot.layer > PUSHED.layer}
    assert passed_on(sway, PUSHED, STAND) == sway


def test_chain_of_dragged_blocks_is_believed_to_its_end() -> None:
    chain = still() | {Slot(9, 1): 2e-3, Slot(10, 2): 1.8e-3, Slot(11, 1): 1.1e-3}
    assert passed_on(chain, PUSHED, STAND) == chain


def test_block_between_that_could_not_be_watched_may_have_passed_it_on() -> None:
    moved = still() | {Slot(10, 2): 3e-3}
    assert Slot(10, 2) not in passed_on(moved, PUSHED, STAND)
    del moved[Slot(9, 1)]
    assert passed_on(moved, PUSHED, STAND)[Slot(10, 2)] == 3e-3


def test_one_link_that_could_not_be_watched_makes_no_chain() -> None:
    moved = still() | {Slot(14, 2): 3e-3}
    del moved[Slot(13, 1)]
    assert Slot(14, 2) not in passed_on(moved, PUSHED, STAND)


def test_gap_passes_nothing_on() -> None:
    stand = [slot for slot in STAND if slot != Slot(13, 1)]
    moved = {slot: d for slot, d in still().items() if slot in stand} | {Slot(14, 2): 3e-3}
    assert Slot(14, 2) not in passed_on(moved, PUSHED, stand)


@given(st.dictionaries(slots, st.floats(0.0, 0.02)))
def test_nothing_is_made_up(moved: dict[Slot, float]) -> None:
    assert passed_on(moved, PUSHED, STAND).items() <= moved.items()
