from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.laying import Heap, Thickness, promise, promises

HEAP = Heap(0.0148, 0.00017, 3.0)
thicknesses = st.floats(0.0142, 0.0154)


def laid(blocks: list[float]) -> dict[int, float]:
    """Three blocks laid one after the other, as measured."""
    lying: dict[int, float] = {}
    for thickness in blocks:
        known = {position: Thickness(m, 0.0) for position, m in lying.items()}
        promised = promises(Thickness(thickness, 0.0), known, HEAP)
        lying[max(promised, key=lambda position: promised[position])] = thickness
    return lying


@given(st.lists(thicknesses, min_size=3, max_size=3))
def test_every_layer_is_filled_and_the_middle_never_last(blocks: list[float]) -> None:
    order = list(laid(blocks))
    assert sorted(order) == [1, 2, 3]
    assert order[2] != 2, "there may be no room between two"


def test_thickest_is_in_the_middle_as_often_as_this_rule_allows() -> None:
    rng = np.random.default_rng(1)
    draws = HEAP.mean_m + HEAP.sd_m * rng.standard_normal((3000, 3))
    share = np.mean([laid(list(each))[2] == max(each) for each in draws])
    p = 3**-0.5
    expected = (p - p**3 / 3) / 2 + (1 - p**3) / 3  # p^2 above the threshold, (1 - p^2) / 2 below
    assert share == pytest.approx(expected, abs=0.025)


@given(st.dictionaries(st.sampled_from([1, 2, 3]), st.builds(Thickness, thicknesses, st.floats(1e-5, 3e-4))))
def test_promise_is_how_often_the_middle_is_thickest_in_draws(lying: dict[int, Thickness]) -> None:
    rng = np.random.default_rng(2)
    each = [lying.get(position, HEAP.next) for position in (1, 2, 3)]
    drawn = np.array([it.mean_m + it.sd_m * rng.standard_normal(4000) for it in each])
    assert promise(lying, HEAP) == pytest.approx((drawn.argmax(axis=0) == 1).mean(), abs=0.06)


def test_thickness_is_the_weighed_mean_and_deviation_of_draws() -> None:
    it = Thickness.of(np.array([1.0, 2.0, 9.0]), np.array([1.0, 3.0, 0.0]))
    assert (it.mean_m, it.sd_m) == (pytest.approx(1.75), pytest.approx(np.sqrt(3) / 4))
    assert Thickness.of(np.array([1.0, 3.0])) == Thickness(2.0, 1.0)


def test_what_was_laid_moves_what_is_expected() -> None:
    heap = HEAP.with_one(0.0144)
    assert heap.mean_m == pytest.approx(0.0147)
    assert heap.count == 4.0
    assert heap.next == Thickness(pytest.approx(0.0147), HEAP.sd_m)
