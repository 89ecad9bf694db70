from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.observation import TowerObservation, as_stacked
from planning.stability import (
    LEAST_MARGIN_M,
    footprint,
    spare,
    stands_out_m,
    support_margin_m,
    support_margins_m,
)
from planning.tower import Slot, Tower
from robot.frames import pose, rot_z

SIZE_M = np.array([0.075, 0.025, 0.015])
row = st.sampled_from(["111", "110", "011", "101", "010", "100", "001"])
towers = st.lists(row, min_size=2, max_size=12).map("/".join)


def stacked(text: str) -> TowerObservation:
    return as_stacked(Tower.parse(text), SIZE_M)


def shifted(seen: TowerObservation, slot: Slot, by_m: tuple[float, float]) -> TowerObservation:
    block = seen.blocks[slot]
    T = block.T_world_block.copy()
    T[:2, 3] += by_m
    return replace(seen, blocks={**seen.blocks, slot: replace(block, T_world_block=T)})


@pytest.mark.parametrize(
    ("text", "margin_mm"),
    [
        ("111/111", 37.5),
        ("010/111", 12.5),
        ("101/111", 37.5),
        ("110/111", 12.5),
        ("011/111", 12.5),
        ("100/111", -12.5),
        ("111/010/010/001", 0.0),
        ("111/010/010/111", 12.5),
    ],
)
def test_margin_is_the_distance_of_the_load_from_the_edge_of_its_support(text: str, margin_mm: float) -> None:
    assert support_margin_m(stacked(text)) * 1e3 == pytest.approx(margin_mm)


@given(towers)
def test_margin_agrees_with_an_interval_for_every_layer(text: str) -> None:
    """In a tower without flaws only the places across the blocks of a layer matter; along them it is 75 mm long."""
    seen, rows = stacked(text), text.split("/")
    for layer, margin in support_margins_m(seen).items():
        across = [25.0 * (p - 1) for p, mark in enumerate(rows[layer - 1]) if mark == "1"]
        heavy = [
            (25.0 * (p - 1) if (k - layer) % 2 == 0 else 0.0)
            for k, marks in enumerate(rows[layer:], start=layer + 1)
            for p, mark in enumerate(marks)
            if mark == "1"
        ]
        along = [
            (25.0 * (p - 1) if (k - layer) % 2 else 0.0)
            for k, marks in enumerate(rows[layer:], start=layer + 1)
            for p, mark in enumerate(marks)
            if mark == "1"
        ]
        expected = min(
            np.mean(heavy) - min(across) + 12.5,
            max(across) + 12.5 - np.mean(heavy),
            37.5 - abs(np.mean(along)),
        )
        assert margin * 1e3 == pytest.approx(expected, abs=1e-6)


@given(towers, st.floats(-3, 3), st.tuples(st.floats(-1, 1), st.floats(-1, 1)))
def test_margin_does_not_depend_on_where_the_tower_stands(
    text: str, turn: float, at: tuple[float, float]
) -> None:
    seen = stacked(text)
    T = pose(rot_z(turn), [*at, 0.1])
    moved = {s: replace(b, T_world_block=T @ b.T_world_block) for s, b in seen.blocks.items()}
    assert support_margin_m(replace(seen, blocks=moved)) == pytest.approx(support_margin_m(seen), abs=1e-9)


def test_block_thought_away_is_as_good_as_gone() -> None:
    assert support_margin_m(stacked("111/111/111"), {Slot(1, 1)}) == support_margin_m(stacked("011/111/111"))
    assert support_margin_m(stacked("111/111"), {Slot(1, 1), Slot(1, 2)}) == pytest.approx(-0.0125)


def test_layer_without_blocks_carries_nothing() -> None:
    assert support_margin_m(stacked("010/111"), {Slot(1, 2)}) == -np.inf


def test_top_layer_needs_to_carry_nothing() -> None:
    assert support_margin_m(stacked("111/100")) == pytest.approx(0.0125)
    assert support_margin_m(stacked("100")) == np.inf


def test_margin_is_that_of_the_worst_layer() -> None:
    margins = support_margins_m(stacked("111/010/111/110/111"))
    assert list(margins) == [1, 2, 3, 4]
    assert support_margin_m(stacked("111/010/111/110/111")) == min(margins.values())


def test_shifted_block_takes_its_support_along() -> None:
    seen = stacked("010/111")
    away = shifted(seen, Slot(1, 2), (0.0, 0.005))
    assert support_margin_m(away) == pytest.approx(0.0075)


def test_footprint_turns_with_the_block() -> None:
    block = stacked("010").blocks[Slot(1, 2)]
    turned = replace(block, T_world_block=pose(rot_z(np.pi / 2), [0.1, 0.0, 0.0]))
    corners = footprint(turned)
    assert np.ptp(corners, axis=0) == pytest.approx([0.025, 0.075])
    assert corners.mean(axis=0) == pytest.approx([0.1, 0.0])


def test_narrow_layer_forbids_to_make_it_narrower_and_nothing_else() -> None:
    narrow = stacked("111*3/010/111*3")
    for slot in [slot for slot in narrow.blocks if slot.layer > 4]:
        narrow = shifted(narrow, slot, (0.009, 0.0))
    assert 0.002 < support_margin_m(narrow) < LEAST_MARGIN_M
    kept = spare(narrow, narrow.blocks)
    assert Slot(2, 2) in kept, "it changes nothing above the narrow layer"
    assert Slot(4, 2) not in kept
    assert all(support_margin_m(narrow, {slot}) >= support_margin_m(narrow) - 0.00031 for slot in kept)


def test_of_a_wide_tower_all_are_spare_that_leave_four_millimetres() -> None:
    seen = stacked("111*4/101/111*2")
    assert spare(seen, seen.blocks) == {
        s for s in seen.blocks if support_margin_m(seen, {s}) >= LEAST_MARGIN_M
    }


@pytest.mark.parametrize(
    ("text", "out_mm"), [("111/111", 30), ("010/111", 5), ("011/111", (30, 5)), ("111", 30)]
)
def test_block_stands_out_as_far_as_its_middle_is_borne(text: str, out_mm: int | tuple[int, int]) -> None:
    seen = as_stacked(Tower.parse(text), (0.075, 0.025, 0.015))
    slot = Slot(text.count("/") + 1, 2)
    along = seen.blocks[slot].T_world_block[:3, 0]
    found = {round(stands_out_m(seen, slot, way * along) * 1e3) for way in (1, -1)}
    assert found == set(out_mm if isinstance(out_mm, tuple) else (out_mm,))
