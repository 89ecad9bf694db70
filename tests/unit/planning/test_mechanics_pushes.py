from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.contacts import FRICTION
from planning.mechanics import Towers, assess, comes_out, joined, loads
from planning.pushing import GROUND_FRICTION
from support.stacks import MU, WEIGHT_N, rough, row_of, stack, without

layer = st.sampled_from(["111", "111", "110", "011", "101", "010"])
texts = st.lists(layer, min_size=1, max_size=8).map(lambda rows: "/".join([*rows, "111"]))
seeds = st.integers(0, 2**31)
compiled = settings(deadline=None, max_examples=40)  # the first example waits for the compiler
LOOSE = stack("111/111/111/111", height={"3.2": -3e-4})


# Forces


def test_free_block_slides_at_its_own_friction() -> None:
    known, k = assess(LOOSE), row_of(LOOSE, "3.2")
    for force in (known.push_n, known.push_minus_n, known.slide_n, known.drag_n):
        assert force[0, k] == pytest.approx(MU * WEIGHT_N, rel=1e-3)
    assert known.hold[0, k] == np.inf


def test_loaded_block_rubs_above_and_below() -> None:
    """Each side block of layer 3 bears half of layer 4 and presses with its own weight more."""
    known, k = assess(LOOSE), row_of(LOOSE, "3.1")
    assert known.slide_n[0, k] == pytest.approx(MU * (1.5 + 2.5) * WEIGHT_N, rel=1e-3)


def test_block_that_bears_all_takes_it_along() -> None:
    """The middle one alone is thick: nothing but its own lower face holds it and all above."""
    towers = stack("111/111/111/111", height={"2.2": 4e-4})
    known, k = assess(towers), row_of(towers, "2.2")
    assert known.hold[0, k] == pytest.approx(0.0, abs=1e-3)
    assert known.drag_n[0, k] == pytest.approx(MU * 7 * WEIGHT_N, rel=2e-2)
    assert known.slide_n[0, k] == pytest.approx(MU * 13 * WEIGHT_N, rel=1e-2)


def test_middle_block_that_bears_a_third_is_held_by_the_other_two() -> None:
    towers = stack("111/111/111")
    known, k = assess(towers), row_of(towers, "2.2")
    share = known.top_n[0, k] / (3 * WEIGHT_N)
    assert known.hold[0, k] == pytest.approx((1 - share) / share, rel=2e-2)
    assert known.drag_n[0, k] == pytest.approx(known.slide_n[0, k], rel=1e-3)


def test_lowest_block_rubs_on_the_ground() -> None:
    towers = stack("111")
    assert assess(towers).slide_n[0] == pytest.approx(GROUND_FRICTION * WEIGHT_N, rel=1e-3)


def test_rougher_of_two_faces_counts() -> None:
    towers = stack("111/010", friction={"1.2": 0.15})
    known, k = assess(towers), row_of(towers, "2.2")
    assert known.slide_n[0, k] < (MU + 0.15) * WEIGHT_N
    rougher = stack("010/010/010", friction={"1.2": 0.15})
    assert assess(rougher).slide_n[0, 1] == pytest.approx((2 * (MU + 0.15) + 1 * MU) * WEIGHT_N, rel=1e-3)


def test_push_high_up_tips_the_column_about_its_narrowest_support() -> None:
    """One block a layer, pushed along x in layer 9: layer 2 rests on layer 1 with its width, 12.5 mm to either side."""
    towers = stack("/".join(["010"] * 10))
    known, k = assess(towers), row_of(towers, "9.2")
    lever_m = 7.5 * 0.015
    assert known.tip_plus_n[0, k] == pytest.approx(9 * WEIGHT_N * 0.0125 / lever_m, rel=1e-2)
    assert known.tip_plus_n[0, k] == pytest.approx(known.tip_minus_n[0, k], rel=1e-6)


def test_push_towards_the_near_edge_tips_first() -> None:
    towers = stack("111*5", x={f"{k}.{p}": 0.012 for k in (4, 5) for p in (1, 2, 3)})
    known, k = assess(towers), row_of(towers, "3.2")
    assert known.tip_plus_n[0, k] < known.tip_minus_n[0, k]


@compiled
@given(texts, seeds)
def test_mechanisms_never_take_more_than_the_block_alone(text: str, seed: int) -> None:
    known = assess(rough(text, seed))
    if not known.stands[0]:
        assert np.isnan(known.push_n).all()
        return
    assert (known.drag_n <= known.slide_n + 1e-9).all()
    assert (known.push_n <= known.drag_n + 1e-9).all()
    assert (known.drag_n >= 0).all()
    held = known.hold > 1.05
    assert known.drag_n[held] == pytest.approx(known.slide_n[held], rel=2e-2)


@compiled
@given(texts, seeds, st.floats(0.2, 3))
def test_friction_forces_scale_with_friction_alone(text: str, seed: int, factor: float) -> None:
    towers = rough(text, seed)
    bodies = towers.bodies.copy()
    bodies[..., FRICTION] *= factor
    known, rougher = assess(towers), assess(Towers(towers.slots, bodies))
    above = np.array([slot.layer > 1 for slot in towers.slots])  # not those that rub on the ground
    assert rougher.slide_n[:, above] == pytest.approx(factor * known.slide_n[:, above], nan_ok=True)
    assert rougher.hold == pytest.approx(known.hold, rel=1e-6, nan_ok=True)
    assert np.array_equal(rougher.top_n, known.top_n, equal_nan=True)


# Without a block


@pytest.mark.parametrize(
    ("text", "slot", "margin_mm"),
    [
        ("111/111", "1.2", 37.5),
        ("111/111", "1.1", 12.5),
        ("110/111", "1.1", 12.5),
        ("110/111", "1.2", -12.5),
        ("101/111", "1.1", -12.5),
        ("010/111", "1.2", -37.5),
        ("111/101/111", "2.3", -12.5),
        ("111/111/111", "3.1", 25.0),
    ],
)
def test_margin_without_a_block_is_that_of_the_worst_layer(text: str, slot: str, margin_mm: float) -> None:
    towers = stack(text)
    known, k = assess(towers), row_of(towers, slot)
    assert known.margin_m[0, k] * 1e3 == pytest.approx(margin_mm, abs=1e-6)
    assert known.stands_without[0, k] == (margin_mm > 0)


def test_last_block_of_a_tower_leaves_nothing_that_could_fall() -> None:
    known = assess(stack("010"))
    assert known.stands_without[0, 0]
    assert known.margin_m[0, 0] == pytest.approx(0.0375)


def test_block_pushed_far_out_makes_its_neighbours_needed() -> None:
    """Where the middle block carries on its end only, a side block cannot be taken any more."""
    towers = stack("111/111/111", x={"1.2": 0.055})
    known, k = assess(towers), row_of(towers, "1.1")
    assert assess(stack("111/111/111")).stands_without[0, k]
    assert not known.stands_without[0, k]


def test_single_block_that_tips_on_its_own_is_seen_though_the_whole_has_margin() -> None:
    """2.3 hangs out by more than half and only the block on it, 3.2, holds it down."""
    towers = stack("010/111/010", y={"2.3": 0.018}, mass={"3.2": 0.04})
    known = assess(towers)
    assert known.stands[0]
    assert known.margin_m[0, row_of(towers, "3.2")] > 0
    assert not known.stands_without[0, row_of(towers, "3.2")]


@compiled
@given(texts, seeds)
def test_taking_a_block_away_agrees_with_a_tower_that_never_had_it(text: str, seed: int) -> None:
    towers = rough(text, seed)
    known = assess(towers)
    layers = [slot.layer for slot in towers.slots]
    for k, slot in enumerate(towers.slots):
        if layers.count(slot.layer) > 1 and abs(known.margin_m[0, k]) > 1e-3:
            alone = loads(without(towers, str(slot))).stands[0] and known.margin_m[0, k] > 0
            assert known.stands_without[0, k] == alone


# Which come out


def test_loose_block_comes_out_and_a_needed_one_does_not() -> None:
    safe = comes_out(assess(LOOSE))[0]
    assert safe[row_of(LOOSE, "3.2")]
    assert not safe[row_of(LOOSE, "3.1")]  # held less than three times over
    assert not comes_out(assess(stack("110/111")))[0, 1]


def test_nothing_comes_out_of_a_tower_that_falls() -> None:
    known = replace(assess(LOOSE), stands=np.array([False]))
    assert not comes_out(known).any()


def test_batches_join_in_order() -> None:
    one, two = assess(rough("111*3", 1)), assess(rough("111*3", 2))
    both = joined([one, two])
    assert np.array_equal(both.push_n, np.concatenate([one.push_n, two.push_n]))
    assert both.stands.shape == (2,)
