"""Where a camera is, from postures of the real arm's kinematics, with noise, outliers and axes that are parallel."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from perception.calibration_hand_eye import BESIDE, IN_HAND, Sighting, calibrate_hand_eye
from perception.hand_eye import SOLVERS, moved
from robot.arm_models import VIPERX_300S
from robot.frames import Array, inverse, pose, rot_x, rot_y, rot_z
from robot.kinematics import ArmKinematics

T_HAND = pose(rot_x(0.3) @ rot_y(0.2), [0.05, 0.01, 0.02])
T_BASE = pose(rot_y(2.0) @ rot_z(0.5), [0.9, 0.1, 0.5])
MIDDLE, SWING = np.array([0.0, -0.3, 0.3, 0.0, 0.4, 0.0]), np.array([0.6, 0.3, 0.3, 1.0, 0.5, 1.0])


@lru_cache(maxsize=1)
def hands(count: int = 20) -> list[Array]:
    """Poses of the arm's tool all over its reach."""
    kinematics, draw = ArmKinematics(VIPERX_300S, np.eye(4)), np.random.default_rng(3)
    return [kinematics.forward(MIDDLE + draw.uniform(-1, 1, 6) * SWING) for _ in range(count)]


def sightings(eye: str, noise: float = 4e-4, T_hands: list[Array] | None = None) -> list[Sighting]:
    """What arm and camera say; noise in metres, and thrice as much in radians."""
    draw, seen = np.random.default_rng(5), list[Sighting]()
    for k, T_base_tool in enumerate(hands() if T_hands is None else T_hands):
        through = T_base_tool @ T_HAND
        T = inverse(through) @ T_BASE if eye == IN_HAND else inverse(T_BASE) @ through
        seen.append(Sighting(f"p{k}", T_base_tool, moved(T, draw.normal(0, noise, 6) * ([3] * 3 + [1] * 3))))
    return seen


@pytest.mark.parametrize("eye", [IN_HAND, BESIDE])
def test_camera_is_found_to_about_the_noise(eye: str) -> None:
    found = calibrate_hand_eye(sightings(eye), eye)
    assert found.refusal is None
    assert found.outliers == {}
    assert found.T_hand is not None
    assert found.T_base is not None
    assert np.linalg.norm((found.T_hand - T_HAND)[:3, 3]) < 2e-3
    assert np.linalg.norm((found.T_base - T_BASE)[:3, 3]) < 2e-3
    assert np.abs((found.T_base - T_BASE)[:3, :3]).max() < 2e-3


@pytest.mark.parametrize("eye", [IN_HAND, BESIDE])
def test_solver_that_foretells_unseen_postures_best_is_taken(eye: str) -> None:
    found = calibrate_hand_eye(sightings(eye), eye)
    assert found.held_out is not None
    assert set(found.held_out) == set(SOLVERS)
    assert found.method is not None
    best = found.held_out[found.method]
    assert best.mm == min(error.mm for error in found.held_out.values())
    assert 0.2 < best.mm < 3.0
    assert 0.02 < best.deg < 0.5


def test_exact_poses_leave_no_error() -> None:
    found = calibrate_hand_eye(sightings(BESIDE, noise=0.0), BESIDE)
    assert found.held_out is not None
    assert found.method is not None
    assert found.held_out[found.method].mm < 1e-3


def test_eye_in_the_hand_is_not_solved_as_one_beside_the_arm() -> None:
    found = calibrate_hand_eye(sightings(IN_HAND), BESIDE)
    assert found.refusal is not None


@pytest.mark.parametrize("eye", [IN_HAND, BESIDE])
def test_posture_with_the_picture_of_another_is_left_out_by_name(eye: str) -> None:
    mixed = sightings(eye)
    mixed[3] = replace(mixed[3], T_camera_board=mixed[9].T_camera_board)
    found = calibrate_hand_eye(mixed, eye)
    assert found.refusal is None
    assert found.outliers is not None
    assert list(found.outliers) == ["p3"]
    assert found.outliers["p3"] > 20
    assert found.T_base is not None
    assert np.linalg.norm((found.T_base - T_BASE)[:3, 3]) < 2e-3


def test_many_postures_that_contradict_are_refused_by_name() -> None:
    mixed = sightings(BESIDE)
    for k in range(0, 14, 2):
        moved_board = mixed[k].T_camera_board @ pose(None, [0.0, 0.005 * k - 0.03, 0.03])
        mixed[k] = replace(mixed[k], T_camera_board=moved_board)
    found = calibrate_hand_eye(mixed, BESIDE)
    assert found.refusal is not None
    assert found.refusal.reason in {"outliers", "held-out"}


def test_turns_about_one_axis_alone_are_refused_with_the_numbers() -> None:
    kinematics, draw = ArmKinematics(VIPERX_300S, np.eye(4)), np.random.default_rng(1)
    waist = [kinematics.forward(MIDDLE + np.array([t, 0, 0, 0, 0, 0])) for t in draw.uniform(-1, 1, 15)]
    found = calibrate_hand_eye(sightings(BESIDE, T_hands=waist), BESIDE)
    assert found.refusal is not None
    assert found.refusal.reason == "parallel-axes"
    assert "degrees about one axis and by 0.0 about a second one" in found.refusal.detail
    assert "needed are 5 about each" in found.refusal.detail
    assert found.T_hand is None


def test_few_postures_are_refused() -> None:
    found = calibrate_hand_eye(sightings(BESIDE)[:9], BESIDE)
    assert found.refusal is not None
    assert found.refusal.reason == "too-few"


@pytest.mark.parametrize("limits", [(0.01, 1.0), (3.0, 0.001)])
def test_error_beyond_the_callers_limits_is_refused(limits: tuple[float, float]) -> None:
    found = calibrate_hand_eye(sightings(BESIDE), BESIDE, *limits)
    assert found.refusal is not None
    assert found.refusal.reason == "held-out"
    assert f"allowed are {limits[0]:g} mm and {limits[1]:g} degrees" in found.refusal.detail
