from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.contacts import HEIGHT
from planning.laying import Heap, Thickness, promise, promises
from planning.mechanics import assess, comes_out
from planning.outlook import KINDS, ONE, TWO
from support.beliefs import LIGHT_N
from support.stacks import rough, row_of

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


def test_thickest_is_in_the_middle_twice_as_often_as_by_chance() -> None:
    rng = np.random.default_rng(1)
    draws = HEAP.mean_m + HEAP.sd_m * rng.standard_normal((3000, 3))
    lying = [laid(list(each)) for each in draws]
    assert all(sorted(order) == [1, 2, 3] for order in lying)
    share = np.mean([order[2] == max(each) for order, each in zip(lying, draws, strict=True)])
    assert 0.65 < share < 0.70, "the best rule of all wins 0.684 (Gilbert and Mosteller, 1966)"


@given(st.dictionaries(st.sampled_from([1, 2, 3]), st.builds(Thickness, thicknesses, st.floats(1e-6, 3e-4))))
def test_promise_is_how_often_the_middle_is_thickest_in_draws(lying: dict[int, Thickness]) -> None:
    rng = np.random.default_rng(2)
    each = [lying.get(position, HEAP.next) for position in (1, 2, 3)]
    drawn = np.array([it.mean_m + it.sd_m * rng.standard_normal(4000) for it in each])
    assert promise(lying, HEAP) == pytest.approx((drawn.argmax(axis=0) == 1).mean(), abs=0.04)


def test_layer_offers_two_moves_where_its_middle_is_thickest_and_else_one() -> None:
    """What promises rest on, in towers whose blocks differ as real ones do, under a few layers."""
    offers: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    for seed in range(12):
        towers = rough("111*14", seed)
        known = assess(towers, thorough=False)
        for layer in range(8, 14):
            rows = [row_of(towers, f"{layer}.{position}") for position in (1, 2, 3)]
            thickness_m = towers.bodies[0, rows, HEIGHT]
            loose = [int(known.push_n[0, row] < LIGHT_N and comes_out(known)[0, row]) for row in rows]
            kind = KINDS[0b111, sum(bit << k for k, bit in enumerate(loose))]
            offers[bool(thickness_m.argmax() == 1)][int(kind)] += 1
    middle, side = offers[True], offers[False]
    assert middle[TWO] > 0.85 * middle.total() > 10
    assert side[ONE] > 0.85 * side.total() > 10


def test_thickness_is_the_weighed_mean_and_deviation_of_draws() -> None:
    it = Thickness.of(np.array([1.0, 2.0, 9.0]), np.array([1.0, 3.0, 0.0]))
    assert (it.mean_m, it.sd_m) == (pytest.approx(1.75), pytest.approx(np.sqrt(3) / 4))
    assert Thickness.of(np.array([1.0, 3.0])) == Thickness(2.0, 1.0)


def test_what_was_laid_moves_what_is_expected() -> None:
    heap = HEAP.with_one(0.0144)
    assert heap.mean_m == pytest.approx(0.0147)
    assert heap.count == 4.0
    assert heap.next == Thickness(pytest.approx(0.0147), HEAP.sd_m)
