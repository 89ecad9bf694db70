from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.laying import Heap, belongs_in_middle
from planning.tower import Slot

HEAP = Heap(0.0148, 0.00017, 3.0)
FREE = [Slot(19, 1), Slot(19, 2), Slot(19, 3)]
thicknesses = st.floats(0.0142, 0.0154)


def laid(blocks: list[float]) -> dict[Slot, float]:
    """Three blocks laid one after the other."""
    lying: dict[Slot, float] = {}
    for thickness in blocks:
        free = [slot for slot in FREE if slot not in lying]
        middle = belongs_in_middle(thickness, HEAP, lying, free)
        lying[next(s for s in free if (s.position == 2) == middle)] = thickness
    return lying


@given(st.lists(thicknesses, min_size=3, max_size=3))
def test_every_layer_is_filled(blocks: list[float]) -> None:
    assert sorted(laid(blocks).values()) == sorted(blocks)


def test_thickest_is_in_the_middle_about_as_often_as_full_information_allows() -> None:
    rng = np.random.default_rng(1)
    draws = HEAP.mean_m + HEAP.sd_m * rng.standard_normal((4000, 3))
    share = np.mean([laid(list(each))[Slot(19, 2)] == max(each) for each in draws])
    assert share == pytest.approx(0.684, abs=0.02)  # Gilbert and Mosteller, table 7


def test_clear_order_is_used_whichever_way_the_blocks_come() -> None:
    for blocks in permutations([0.0145, 0.0146, 0.0152]):
        assert laid(list(blocks))[Slot(19, 2)] == 0.0152


def test_taken_middle_is_no_place_any_more_and_the_last_place_is_taken() -> None:
    assert not belongs_in_middle(0.016, HEAP, {Slot(19, 2): 0.0148}, [Slot(19, 1), Slot(19, 3)])
    assert belongs_in_middle(0.014, HEAP, {Slot(19, 1): 0.0148, Slot(19, 3): 0.0149}, [Slot(19, 2)])


def test_what_was_laid_moves_what_is_expected() -> None:
    heap = HEAP.with_one(0.0144)
    assert heap.mean_m == pytest.approx(0.0147)
    assert heap.count == 4.0
    assert heap.thinner(0.0147) == pytest.approx(0.5)
    assert heap.thinner(0.0148) > HEAP.thinner(0.0148)
