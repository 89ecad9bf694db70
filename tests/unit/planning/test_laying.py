from __future__ import annotations

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
        middle = belongs_in_middle(thickness, HEAP, free)
        lying[next(s for s in free if (s.position == 2) == middle)] = thickness
    return lying


@given(st.lists(thicknesses, min_size=3, max_size=3))
def test_every_layer_is_filled_and_the_middle_never_last(blocks: list[float]) -> None:
    order = list(laid(blocks))
    assert sorted(order) == FREE
    assert order[2] != Slot(19, 2), "there may be no room between two"


def test_thickest_is_in_the_middle_as_often_as_this_rule_allows() -> None:
    rng = np.random.default_rng(1)
    draws = HEAP.mean_m + HEAP.sd_m * rng.standard_normal((6000, 3))
    share = np.mean([laid(list(each))[Slot(19, 2)] == max(each) for each in draws])
    p = 3**-0.5
    expected = (p - p**3 / 3) / 2 + (1 - p**3) / 3  # p^2 above the threshold, (1 - p^2) / 2 below
    assert share == pytest.approx(expected, abs=0.02)


def test_taken_middle_is_no_place_any_more_and_the_last_place_is_taken() -> None:
    assert not belongs_in_middle(0.016, HEAP, [Slot(19, 1), Slot(19, 3)])
    assert belongs_in_middle(0.014, HEAP, [Slot(19, 2)])


def test_what_was_laid_moves_what_is_expected() -> None:
    heap = HEAP.with_one(0.0144)
    assert heap.mean_m == pytest.approx(0.0147)
    assert heap.count == 4.0
    assert heap.thinner(0.0147) == pytest.approx(0.5)
    assert heap.thinner(0.0148) > HEAP.thinner(0.0148)
