from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.along import AT_REST_M, UNDER_FORCE_M, in_words
from planning.probe import ProbeReport
from planning.sway import sway_m
from planning.tower import Slot

PROBE = cast("ProbeReport", SimpleNamespace(slot=Slot(22, 1)))
ABOVE, BESIDE, BELOW = Slot(23, 1), Slot(22, 3), Slot(21, 2)
LEAST_M, PULL_N = 0.0009, 0.1


def said(others: dict[Slot, float], leans_m: float = UNDER_FORCE_M) -> str | None:
    return in_words(PROBE, others, LEAST_M, PULL_N, leans_m)


def test_tower_that_leans_as_a_whole_is_not_taken_along() -> None:
    """Seen in a game: all above, beside and below moved by 1.4 to 1.6 mm, and sprang back."""
    leaning = {ABOVE: 0.0016, BESIDE: 0.0014, BELOW: 0.0013}
    assert said(leaning) is None
    assert said(leaning, 0.0) == "23.1 came along by 1.6 mm"


@pytest.mark.parametrize("steady", [BESIDE, BELOW])
def test_block_above_that_moves_while_one_beside_or_below_stands_has_come_along(steady: Slot) -> None:
    moved = {ABOVE: 0.0018, BESIDE: 0.0015, BELOW: 0.0015} | {steady: 0.0}
    assert said(moved) == "23.1 came along by 1.8 mm"


def test_with_nothing_beside_or_below_in_sight_only_the_force_tells_how_far_it_leans() -> None:
    assert said({ABOVE: LEAST_M + sway_m(22, PULL_N) - 1e-6}) is None
    assert said({ABOVE: LEAST_M + sway_m(22, PULL_N) + 1e-6}) is not None


@given(st.floats(0.003, 0.05))
def test_all_of_a_tower_that_went_farther_than_it_can_lean_has_come_along(far_m: float) -> None:
    assert said({ABOVE: far_m, BESIDE: far_m, BELOW: far_m}) is not None


def test_tower_left_leaning_by_a_pull_is_not_taken_along() -> None:
    """Seen in a game, the arm away: all above had moved by 0.43 to 0.51 mm, a block below by 0.38 mm."""
    leaning = {ABOVE: 0.00051, BESIDE: 0.00044, BELOW: 0.00038}
    assert in_words(PROBE, leaning, 0.0005, 0.0, AT_REST_M) is None
    assert in_words(PROBE, leaning | {BELOW: 0.0}, 0.0005, 0.0, AT_REST_M) is not None


@given(st.floats(0.00101, 0.05))
def test_at_rest_what_the_record_calls_a_displacement_is_never_leaning(far_m: float) -> None:
    assert in_words(PROBE, {ABOVE: far_m, BESIDE: far_m, BELOW: far_m}, 0.0005, 0.0, AT_REST_M) is not None


def test_nothing_watched_has_nothing_along() -> None:
    assert said({}) is None
