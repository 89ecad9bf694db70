"""A camera placed by the mat, and how it is told when something is wrong with mat or lens."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from perception.calibration_camera import Lens
from perception.calibration_pose import PoseCalibration, calibrate_pose
from perception.markers import Markers
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array
from robot.mat import DICTIONARY, printed_mat
from support.geometry import camera
from support.mats import mat_picture

SIZE_PX = (960, 720)
MARKERS = Markers(DICTIONARY, printed_mat("a3").corners_world_m())
EYE = replace(
    camera(np.array([0.35, -0.42, 0.45]), np.array([0.0, 0.0, 0.02]), SIZE_PX, 900.0),
    distortion=np.array([-0.12, 0.08, 0.0015, -0.001, -0.02]),
)
LENS = Lens(SIZE_PX, EYE.K, EYE.distortion)


@lru_cache(maxsize=1)
def grey() -> Array:
    return mat_picture(EYE, "a3")


def placed(picture: Array, lens: Lens = LENS, markers: Markers = MARKERS) -> PoseCalibration:
    return calibrate_pose(picture, lens, markers)


def test_camera_is_placed_and_every_marker_is_foretold_by_the_others() -> None:
    found = placed(grey())
    assert found.refusal is None
    assert found.T_world_camera is not None
    assert np.linalg.norm(found.T_world_camera[:3, 3] - EYE.position_m()) < 1e-3
    assert set(found.held_out_mm) == {0, 1, 2, 3}
    assert max(found.held_out_mm.values()) < 0.5


def test_hidden_marker_leaves_too_few_to_leave_one_out() -> None:
    covered = grey().copy()
    px = EYE.project(MARKERS.corners_world_m[2])
    cv2.fillConvexPoly(covered, cv2.convexHull(px.astype(np.int32)), 120.0)
    found = placed(covered)
    assert found.refusal is not None
    assert found.refusal.reason == "too-few"
    assert "of the markers 0, 1, 2, 3 only 0, 1, 3 is seen clearly" in found.refusal.detail


def test_mat_that_was_measured_wrong_is_refused_with_the_marker() -> None:
    """Marker 1 lies 6 mm from where the sheet says."""
    shifted = dict(MARKERS.corners_world_m)
    shifted[1] = shifted[1] + np.array([0.004, -0.0045, 0.0])
    found = placed(grey(), markers=Markers(DICTIONARY, shifted))
    assert found.refusal is not None
    assert found.refusal.reason == "held-out"
    assert "mm from where the others place it, allowed are 1 mm: lay the mat flat" in found.refusal.detail


def test_wrong_lens_is_refused() -> None:
    pinhole = Lens(SIZE_PX, EYE.K @ np.diag([1.15, 0.9, 1.0]), np.zeros(5))
    found = placed(grey(), lens=pinhole)
    assert found.refusal is not None
    assert found.refusal.reason == "held-out"


def test_picture_without_the_mat_is_no_answer() -> None:
    with pytest.raises(PerceptionError, match="none of the markers 0, 1, 2, 3 is seen"):
        placed(np.full(SIZE_PX[::-1], 120.0))


def test_known_camera_model_agrees_with_the_drawn_mat() -> None:
    """So that the tests above rest on a picture that shows what it should."""
    model: CameraModel = EYE
    for corners in MARKERS.corners_world_m.values():
        x, y = model.project(corners.mean(axis=0))
        assert 0 < x < SIZE_PX[0]
        assert 0 < y < SIZE_PX[1]
