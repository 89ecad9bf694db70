"""A X = Z B solved for exact and for noisy poses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perception.hand_eye import LEVER_M, SOLVERS, difference, moved
from robot.frames import Array, inverse, is_pose, pose, rotation_from_vector
from support.geometry import poses


def random_poses(seed: int, count: int) -> list[Array]:
    draw = np.random.default_rng(seed)
    return [pose(rotation_from_vector(draw.normal(0, 0.8, 3)), draw.normal(0, 0.3, 3)) for _ in range(count)]


@pytest.mark.parametrize("name", list(SOLVERS))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(X=poses(), Z=poses(), seed=st.integers(0, 1000))
def test_exact_poses_are_solved_exactly(name: str, X: Array, Z: Array, seed: int) -> None:
    A = random_poses(seed, 6)
    B = [inverse(Z) @ a @ X for a in A]
    found_X, found_Z = SOLVERS[name](A, B)
    assert found_X == pytest.approx(X, abs=1e-6)
    assert found_Z == pytest.approx(Z, abs=1e-6)


@pytest.mark.parametrize("name", list(SOLVERS))
def test_noisy_poses_are_solved_to_about_their_noise_by_rigid_poses(name: str) -> None:
    draw = np.random.default_rng(4)
    X, Z = random_poses(8, 2)
    A = random_poses(9, 20)
    B = [moved(inverse(Z) @ a @ X, draw.normal(0, 1e-3, 6)) for a in A]
    for found, true in zip(SOLVERS[name](A, B), (X, Z), strict=True):
        assert is_pose(found)
        off = difference(true, found)
        assert np.linalg.norm(off[:3]) < 2e-3
        assert np.linalg.norm(off[3:]) / LEVER_M < 2e-3


def test_refined_solution_minds_one_wrong_pose_little() -> None:
    X, Z = random_poses(8, 2)
    A = random_poses(9, 15)
    B = [inverse(Z) @ a @ X for a in A]
    B[4] = B[7]
    found, _ = SOLVERS["refined"](A, B)
    assert np.linalg.norm(difference(X, found)) < 2e-3


def test_difference_of_a_pose_that_was_moved_is_that_move() -> None:
    T = random_poses(1, 1)[0]
    shift, turn = np.array([0.01, -0.02, 0.03]), np.array([0.1, 0.0, -0.05])
    off = difference(T, moved(T, np.concatenate([turn, shift])))
    assert off == pytest.approx([*shift, *LEVER_M * turn])
