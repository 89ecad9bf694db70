from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning import poses
from planning.poses import APPROACH_M
from robot.frames import Array, apply, inverse, is_pose, pose, rotation_from_vector

LENGTH_M = 0.075
number = st.floats(-1, 1)
block = st.builds(
    lambda v, t: pose(rotation_from_vector(v), t),
    st.tuples(number, number, number),
    st.tuples(number, number, number),
)
end = st.sampled_from([1, -1])


@given(block, end)
def test_push_goes_straight_through_the_block_from_its_end(T: Array, end: int) -> None:
    aim = poses.push_aim(T, LENGTH_M, end, 0.02)
    assert aim.length_m == pytest.approx(APPROACH_M + 0.02)
    assert aim.free_m < APPROACH_M
    assert len(aim.starts) == 2
    for start in aim.starts:
        assert is_pose(start, 1e-9)
        touch = start[:3, 3] + APPROACH_M * aim.direction
        assert apply(inverse(T), touch) == pytest.approx([end * LENGTH_M / 2, 0, 0], abs=1e-9)
        assert T[:3, 0] @ aim.direction == pytest.approx(-end), (
            "along the block's own axis, in three dimensions"
        )
        assert start[:3, 0] == pytest.approx(aim.direction), "legs first"
        assert abs(start[:3, 2] @ T[:3, 2]) == pytest.approx(1), (
            "the pinch runs through the block's thickness"
        )
    up, down = aim.starts
    assert up[:3, 2] == pytest.approx(-down[:3, 2])


@given(block, end, st.floats(0, 0.05))
def test_pushed_block_comes_out_at_the_other_end(T: Array, end: int, out_m: float) -> None:
    out = poses.pushed_out(T, end, out_m)
    assert out[:3, :3] == pytest.approx(T[:3, :3])
    assert apply(inverse(T), out[:3, 3]) == pytest.approx([-end * out_m, 0, 0], abs=1e-9)


def test_pushing_out_changes_no_pose_but_its_own() -> None:
    T = np.eye(4)
    poses.pushed_out(T, 1, 0.02)
    assert np.array_equal(T, np.eye(4))


@given(block, end)
def test_end_point_is_the_middle_of_an_end_face(T: Array, end: int) -> None:
    assert apply(inverse(T), poses.end_point(T, LENGTH_M, end)) == pytest.approx(
        [end * LENGTH_M / 2, 0, 0], abs=1e-9
    )


@given(block, block)
def test_laying_ends_with_the_block_where_it_should_lie(T_world_block: Array, T_tool_block: Array) -> None:
    aim = poses.lay_aim(T_world_block, T_tool_block, 0.03, 0.002)
    (start,) = aim.starts
    laid = start.copy()
    laid[:3, 3] += 0.03 * aim.direction
    assert np.allclose(laid @ T_tool_block, T_world_block, atol=1e-9)
    assert aim.direction == pytest.approx([0, 0, -1])
    assert aim.length_m == pytest.approx(0.032)
    assert aim.free_m < 0.03


def test_pinch_runs_as_near_to_up_as_it_can() -> None:
    leaning = np.array([0.1, 0.0, 1.0])
    for R in poses.tool_rotations(np.array([1.0, 0.0, 0.0]), leaning):
        assert R[:, 0] == pytest.approx([1, 0, 0])
        assert abs(R[2, 2]) == pytest.approx(1)
        assert np.linalg.det(R) == pytest.approx(1)
