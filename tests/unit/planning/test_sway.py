from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.force_limit import Bounds, force_limit
from planning.sway import hardest_n, sway_m
from planning.tower import Slot
from support.beliefs import prior

layers = st.integers(1, 30)


@given(layers, st.floats(1e-4, 3e-3))
def test_hardest_push_makes_the_top_give_way_just_so_far(layer: int, most_m: float) -> None:
    assert sway_m(layer, hardest_n(layer, most_m)) == pytest.approx(most_m)
    assert hardest_n(layer + 1, most_m) < hardest_n(layer, most_m)


def test_ceiling_falls_with_the_layer_but_not_into_the_noise() -> None:
    bounds = Bounds(noise_n=0.08, ceiling_n=1.0, sway_m=0.0008)
    assert [round(bounds.hardest_n(Slot(layer, 1)), 2) for layer in (2, 10, 17, 30)] == [
        1.0,
        0.59,
        0.21,
        0.16,
    ]
    assert Bounds(0.08, 1.0).hardest_n(Slot(17, 1)) == 1.0


def test_no_probe_is_pushed_harder_than_the_tower_bears_there() -> None:
    bounds = Bounds(noise_n=0.04, ceiling_n=1.0, sway_m=0.00005)
    limits = [force_limit(prior(), slot, bounds).limit_n for slot in prior().slots if slot.layer < 8]
    for slot, limit_n in zip(prior().slots, limits, strict=False):
        assert limit_n is None or limit_n <= bounds.hardest_n(slot)
    assert (
        limits
        != [force_limit(prior(), s, replace(bounds, sway_m=1.0)).limit_n for s in prior().slots][
            : len(limits)
        ]
    )
