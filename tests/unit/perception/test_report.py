"""From a fitted stack to an observation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.refine import Fitted
from perception.report import SURE, observation, tower_frame
from perception.stack import Stack, nominal_stack
from planning.observation import Seen, TowerObservation
from planning.tower import Slot
from robot.frames import pose, rot_z
from support.geometry import BLOCKSET, T_WORLD_TOWER, tower

SD_M = 2e-4


def told(
    odds: dict[Slot, float], stack: Stack | None = None, before: TowerObservation | None = None
) -> TowerObservation:
    stack = stack or tower(3)
    fitted = Fitted(stack, np.tile(np.eye(9) * SD_M**2, (len(stack), 1, 1)))
    return observation(7.5, fitted, odds, BLOCKSET, before)


def clear(stack: Stack) -> dict[Slot, float]:
    return dict.fromkeys(stack.slots(), 50.0)


@given(st.floats(-0.05, 0.05), st.floats(-0.05, 0.05), st.floats(-0.7, 0.7))
def test_frame_of_a_tower_is_where_it_stands(x_m: float, y_m: float, yaw_rad: float) -> None:
    T = pose(rot_z(yaw_rad), [x_m, y_m, 0.1])
    assert tower_frame(nominal_stack(T, range(1, 8), BLOCKSET), BLOCKSET, 0.1) == pytest.approx(T, abs=1e-6)


def test_frame_of_a_leaning_tower_is_at_its_foot() -> None:
    stack = tower(10)
    stack.boxes.T[:, 0, 3] += 1e-3 * (stack.layer - 1)
    assert tower_frame(stack, BLOCKSET, 0.1)[:2, 3] == pytest.approx(T_WORLD_TOWER[:2, 3], abs=2e-4)


@given(st.integers(0, 29), st.floats(0.005, 0.04))
def test_pushed_block_draws_the_towers_frame_along_by_little(which: int, out_m: float) -> None:
    stack = tower(10)
    stack.boxes.T[which, :3, 3] += out_m * stack.boxes.T[which, :3, 0]
    frame = tower_frame(stack, BLOCKSET, 0.1)
    assert np.linalg.norm(frame[:3, 3] - T_WORLD_TOWER[:3, 3]) < 2e-4


def test_slot_is_known_from_clear_odds_only() -> None:
    stack = tower(3).take(np.arange(9) != 4)
    odds = clear(stack) | {Slot(2, 2): -50.0, Slot(3, 3): SURE - 0.1, Slot(1, 1): SURE + 0.1}
    seen = told(odds, stack)
    assert seen.slots[Slot(1, 1)] is Seen.BLOCK
    assert seen.slots[Slot(2, 2)] is Seen.GAP
    assert seen.slots[Slot(3, 3)] is Seen.UNKNOWN
    assert seen.text() == "111/101/11?"
    assert seen.t_s == 7.5


def test_unknown_slot_has_no_block_and_is_told_in_words() -> None:
    seen = told(clear(tower(3)) | {Slot(3, 3): 1.0})
    assert Slot(3, 3) not in seen.blocks
    assert seen.unseen == ("3.3: not clear in any view whether it holds a block",)


@pytest.mark.parametrize(("was", "word"), [(50.0, "block"), (-50.0, "gap")])
def test_slot_that_is_not_clear_is_as_it_was_before(was: float, word: str) -> None:
    before = told(clear(tower(3)) | {Slot(3, 3): was})
    seen = told(clear(tower(3)) | {Slot(3, 3): 1.0}, before=before)
    assert seen.slots[Slot(3, 3)] is Seen(word)
    assert seen.unseen[0].endswith(f"taken to be as before: {word}")
    if word == "block":
        assert seen.blocks[Slot(3, 3)].sd_m > 1e-3, "unseen, it may have moved"
        assert seen.blocks[Slot(3, 2)].sd_m < 1e-3


@given(st.integers(0, 8), st.floats(-0.03, 0.03))
def test_stand_out_is_along_the_block_from_the_middle_of_the_tower(which: int, out_m: float) -> None:
    stack = tower(3)
    stack.boxes.T[which, :3, 3] += out_m * stack.boxes.T[which, :3, 0]
    seen = told(clear(stack), stack)
    for i, slot in enumerate(stack.slots()):
        want = out_m if i == which else 0.0
        assert seen.blocks[slot].out_m == pytest.approx(want, abs=1.2e-3), (
            "nine blocks weigh a pushed one down but little"
        )


def test_top_of_a_layer_is_near_its_highest_block() -> None:
    """Between the mean and the highest, because a part of any difference is error of measurement."""
    stack = tower(2)
    stack.boxes.T[4, 2, 3] += 0.4e-3
    flat, raised = told(clear(tower(2)), tower(2)).layer_top_m, told(clear(stack), stack).layer_top_m
    assert flat == pytest.approx([BLOCKSET.height_m.mean, 2 * BLOCKSET.height_m.mean])
    assert raised[0] == pytest.approx(flat[0])
    assert flat[1] + 0.4e-3 / 3 < raised[1] < flat[1] + 0.4e-3
