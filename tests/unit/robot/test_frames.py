from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot import frames
from robot.frames import Array

number = st.floats(-3.0, 3.0, allow_subnormal=False)
vector = st.tuples(number, number, number).map(np.array)
# Turns of up to half a turn, so that the rotation vector is the shortest one and comes back as it was.
turn = vector.filter(lambda v: 1e-6 < np.linalg.norm(v) < np.pi - 1e-4)
transform = st.builds(lambda v, t: frames.pose(frames.rotation_from_vector(v), t), turn, vector)


def close(a: Array, b: Array, tolerance: float = 1e-9) -> bool:
    return bool(np.allclose(a, b, rtol=0, atol=tolerance))


@given(transform, transform, transform)
def test_poses_form_a_group(A: Array, B: Array, C: Array) -> None:
    assert frames.is_pose(A @ B)
    assert close((A @ B) @ C, A @ (B @ C))
    assert close(A @ frames.pose(), A)
    assert close(A @ frames.inverse(A), np.eye(4))
    assert close(frames.inverse(A @ B), frames.inverse(B) @ frames.inverse(A))


@given(transform, transform, vector)
def test_inner_names_cancel_when_points_are_taken_along(
    T_world_tool: Array, T_tool_block: Array, p: Array
) -> None:
    in_tool = frames.apply(T_tool_block, p)
    assert close(frames.apply(T_world_tool, in_tool), frames.apply(T_world_tool @ T_tool_block, p))
    assert close(frames.apply(frames.inverse(T_world_tool), frames.apply(T_world_tool, p)), p)


@given(transform)
def test_points_of_any_leading_shape_are_taken_row_by_row(T: Array) -> None:
    p = np.arange(24.0).reshape(2, 4, 3) / 10
    moved = frames.apply(T, p)
    assert moved.shape == (2, 4, 3)
    assert close(moved[1, 2], frames.apply(T, p[1, 2]))
    assert close(moved[1, 2], (T @ np.append(p[1, 2], 1.0))[:3])


@given(turn)
def test_rotation_vector_comes_back(v: Array) -> None:
    assert close(frames.rotation_vector(frames.rotation_from_vector(v)), v, 1e-6)


@given(turn)
def test_quaternion_comes_back_as_the_same_rotation(v: Array) -> None:
    R = frames.rotation_from_vector(v)
    q = frames.quaternion(R)
    assert q[0] >= 0
    assert np.linalg.norm(q) == pytest.approx(1.0)
    assert close(frames.from_quaternion(q), R)
    assert close(frames.from_quaternion(-2.5 * q), R), "neither length nor sign of a quaternion matters"


@given(turn, turn)
def test_quaternions_multiply_as_rotations_do(v: Array, w: Array) -> None:
    (a, *u), (b, *z) = (frames.quaternion(frames.rotation_from_vector(x)) for x in (v, w))
    product = np.array([a * b - np.dot(u, z), *(a * np.array(z) + b * np.array(u) + np.cross(u, z))])
    expected = frames.rotation_from_vector(v) @ frames.rotation_from_vector(w)
    assert close(frames.from_quaternion(product), expected)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-7, -np.pi / 2, 2.5, 1e-9])
def test_turns_about_an_axis_survive_every_form(axis: int, angle: float) -> None:
    R = (frames.rot_x, frames.rot_y, frames.rot_z)[axis](angle)
    assert close(frames.from_quaternion(frames.quaternion(R)), R)
    assert close(frames.rotation_from_vector(frames.rotation_vector(R)), R, 1e-7)
    assert np.linalg.norm(frames.rotation_vector(R)) <= np.pi + 1e-12


def test_rotations_turn_from_each_axis_to_the_next() -> None:
    x, y, z = np.eye(3)
    quarter = np.pi / 2
    assert close(frames.rot_x(quarter) @ y, z)
    assert close(frames.rot_y(quarter) @ z, x)
    assert close(frames.rot_z(quarter) @ x, y)
    assert close(frames.rotation_from_vector([0, 0, quarter]), frames.rot_z(quarter))


def test_pose_copies_what_it_is_given() -> None:
    R, t = np.eye(3), np.zeros(3)
    T = frames.pose(R, t)
    R[0, 0], t[0] = 5.0, 5.0
    assert close(T, np.eye(4))


@pytest.mark.parametrize(
    "T",
    [
        np.diag([1.0, 1.0, -1.0, 1.0]),  # left-handed
        np.diag([1.0, 1.0, 1.0 + 1e-3, 1.0]),  # stretched
        np.diag([2.0, 2.0, 2.0, 1.0]),
        np.full((4, 4), np.nan),
        np.vstack([np.eye(4)[:3], [0, 0, 1e-3, 1]]),
        np.eye(3),
        frames.pose(None, [0, np.inf, 0]),
    ],
)
def test_what_is_no_rigid_transform_is_told_apart(T: Array) -> None:
    assert not frames.is_pose(T)


def test_small_rounding_still_makes_a_pose() -> None:
    assert frames.is_pose(frames.pose(frames.rot_y(0.3).round(8), [1, 2, 3]))
