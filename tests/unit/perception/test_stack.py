from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.stack import empty_stack, layer_frame, merged, nominal_stack, stack_of
from planning.tower import Slot
from robot.frames import pose, rot_z
from support.geometry import BLOCKSET, T_WORLD_TOWER, tower

RISE_M = BLOCKSET.height_m.mean


def test_blocks_lie_in_layers_across_each_other() -> None:
    stack = nominal_stack(np.eye(4), range(1, 4), BLOCKSET)
    along = stack.boxes.T[:, :3, 0].round(9)
    assert along[stack.layer % 2 == 1] == pytest.approx(np.tile([1.0, 0, 0], (6, 1)), abs=1e-9)
    assert along[stack.layer == 2] == pytest.approx(np.tile([0.0, 1, 0], (3, 1)), abs=1e-9)


def test_positions_count_along_the_towers_axes_and_leave_gaps_between() -> None:
    stack = nominal_stack(np.eye(4), range(1, 3), BLOCKSET)
    pitch = BLOCKSET.width_m.mean + BLOCKSET.gap_m
    assert stack.boxes.centres_m[:3, 1] == pytest.approx([-pitch, 0.0, pitch])
    assert stack.boxes.centres_m[3:, 0] == pytest.approx([-pitch, 0.0, pitch])
    assert stack.boxes.centres_m[[0, 3], 2] == pytest.approx([RISE_M / 2, 1.5 * RISE_M])


@given(st.permutations(range(9)))
def test_blocks_in_any_order_are_a_stack_in_order(order: list[int]) -> None:
    whole = tower(3)
    slots = whole.slots()
    made = stack_of([slots[i] for i in order], whole.boxes.T[order], whole.boxes.size_m[order])
    assert made.slots() == slots
    assert np.array_equal(made.boxes.T, whole.boxes.T)


@given(st.sets(st.integers(0, 8)))
def test_parts_of_a_stack_make_it_up_again(chosen: set[int]) -> None:
    whole = tower(3)
    mask = np.array([i in chosen for i in range(9)])
    again = merged(whole.take(~mask), whole.take(mask))
    assert again.slots() == whole.slots()
    assert np.array_equal(again.boxes.T, whole.boxes.T)


def test_empty_stack_has_no_blocks_and_can_be_added_to() -> None:
    assert len(empty_stack()) == 0
    assert merged(empty_stack(), tower(1)).slots() == [Slot(1, 1), Slot(1, 2), Slot(1, 3)]


@given(st.integers(2, 5), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02), st.floats(-0.1, 0.1))
def test_next_layer_lies_on_the_layer_below(k: int, x_m: float, y_m: float, yaw_rad: float) -> None:
    T = T_WORLD_TOWER @ pose(rot_z(yaw_rad), [x_m, y_m, 0.0])
    frame = layer_frame(nominal_stack(T, range(1, k), BLOCKSET), k, T, BLOCKSET)
    assert frame == pytest.approx(T @ pose(None, [0.0, 0.0, (k - 1) * RISE_M]), abs=1e-9)


def test_first_layer_lies_where_the_tower_stands() -> None:
    assert np.array_equal(layer_frame(empty_stack(), 1, T_WORLD_TOWER, BLOCKSET), T_WORLD_TOWER)


@given(st.integers(0, 2), st.floats(0.004, 0.04), st.sampled_from([-1.0, 1.0]))
def test_pushed_block_does_not_draw_the_layer_above_along(which: int, out_m: float, sign: float) -> None:
    stack = tower(4)
    block = 9 + which
    stack.boxes.T[block, :3, 3] += sign * out_m * stack.boxes.T[block, :3, 0]
    frame = layer_frame(stack, 5, T_WORLD_TOWER, BLOCKSET)
    assert frame == pytest.approx(T_WORLD_TOWER @ pose(None, [0.0, 0.0, 4 * RISE_M]), abs=1e-6)


@given(st.floats(-0.0025, 0.0025), st.floats(-0.0025, 0.0025))
def test_layer_that_slid_carries_the_next_along(x_m: float, y_m: float) -> None:
    """As a whole: each layer tells its place across its blocks, the one below it its place along."""
    stack = tower(4)
    shift = T_WORLD_TOWER[:3, :3] @ [x_m, y_m, 0.0]
    stack.boxes.T[stack.layer >= 3, :3, 3] += shift
    frame = layer_frame(stack, 5, T_WORLD_TOWER, BLOCKSET)
    assert frame[:2, 3] == pytest.approx((T_WORLD_TOWER[:3, 3] + shift)[:2], abs=1e-9)
