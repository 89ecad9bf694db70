from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.equations import moved, solve
from perception.springs import springs
from perception.stack import Stack
from robot.frames import Array, pose, rot_x, rot_y
from support.geometry import BLOCKSET, tower

BASE_M = 0.1


def relaxed(stack: Stack) -> Stack:
    unknowns, _ = solve(springs(stack, BLOCKSET, BASE_M), len(stack))
    return Stack(stack.layer, stack.position, moved(stack.boxes, unknowns))


def displaced(which: int, motion: Array) -> Stack:
    stack = tower(4)
    stack.boxes.T[which] = stack.boxes.T[which] @ motion
    return stack


def test_tower_without_a_flaw_is_left_alone() -> None:
    stack = tower(4)
    assert np.abs(springs(stack, BLOCKSET, BASE_M).value).max() < 1e-9
    assert np.abs(relaxed(stack).boxes.T - stack.boxes.T).max() < 1e-9


@given(st.integers(0, 11), st.floats(-0.001, 0.001))
def test_block_that_floats_or_sinks_is_drawn_to_what_it_lies_on(which: int, by_m: float) -> None:
    stack = displaced(which, pose(None, [0.0, 0.0, by_m]))
    after = relaxed(stack)
    residual = after.boxes.T[which, 2, 3] - tower(4).boxes.T[which, 2, 3]
    assert abs(residual) <= 0.5 * abs(by_m) + 1e-9


@given(st.integers(0, 11), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02))
def test_tilted_block_is_drawn_level(which: int, about_x_rad: float, about_y_rad: float) -> None:
    stack = displaced(which, pose(rot_x(about_x_rad) @ rot_y(about_y_rad)))
    tilt = tilt_of(stack.boxes.T[which])
    assert tilt_of(relaxed(stack).boxes.T[which]) <= 0.6 * tilt + 1e-9


def test_blocks_that_overlap_in_a_layer_are_drawn_apart() -> None:
    """A middle block half a millimetre into its neighbour leaves it, and does not go beyond its place."""
    stack = displaced(4, pose(None, [0.0, 0.0005, 0.0]))
    offset = (relaxed(stack).boxes.centres_m - tower(4).boxes.centres_m)[4] @ stack.boxes.T[4, :3, 1]
    assert -1e-5 < offset < 0.00035


@given(st.integers(0, 11), st.floats(-0.03, 0.03))
def test_nothing_draws_a_pushed_block_back_into_its_slot(which: int, out_m: float) -> None:
    """Along its length a block may lie anywhere: the pictures alone say where."""
    stack = displaced(which, pose(None, [out_m, 0.0, 0.0]))
    gone = (relaxed(stack).boxes.centres_m - stack.boxes.centres_m)[which] @ stack.boxes.T[which, :3, 0]
    assert abs(gone) < 1e-5


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_size_is_drawn_to_that_of_the_block_set(axis: int) -> None:
    stack = tower(2)
    stack.boxes.size_m[1, axis] += 0.4e-3
    nominal = tower(2).boxes.size_m[1, axis]
    assert abs(relaxed(stack).boxes.size_m[1, axis] - nominal) < 0.3e-3


def tilt_of(T_world_block: Array) -> float:
    """Angle [rad] between a block's upward axis and the vertical."""
    return float(np.arccos(np.clip(T_world_block[2, 2], -1, 1)))
