"""A camera placed by a drawn sheet of markers, held against the pose from which the sheet was drawn."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import cv2
import numpy as np
import pytest

from perception.markers import CameraSeen, Markers, camera_pose
from robot.camera_model import CameraModel
from robot.errors import BadInputError, PerceptionError
from robot.frames import Array, apply, inverse, pose, rot_z, rotation_vector
from robot.mat import DICTIONARY, Mat
from support.geometry import camera

SIZE_PX, F_PX = (1280, 960), 1150.0
SHEET_M, DOT_M = 0.300, 0.00025  # side of the sheet, and of a dot of the printer
MAT = Mat(0.040, {0: (0.1, 0.1), 1: (0.1, -0.1), 2: (-0.1, -0.1), 3: (-0.1, 0.1)}, SHEET_M)
MARKERS = Markers(DICTIONARY, MAT.corners_world_m())
LENS = np.array([-0.12, 0.08, 0.0015, -0.001, -0.02])
INK, PAPER, TABLE = 40.0, 215.0, 90.0  # grey levels
BLUR_PX, NOISE_LEVELS = 0.8, 3.0
OFF_M, TURNED_DEG = 1e-3, 0.08  # a turn by 0.05 degrees is a pixel


def eye(azimuth_deg: float, elevation_deg: float, away_m: float = 0.6) -> CameraModel:
    """A camera around the sheet, that looks at a point 8 cm above it, as one that has to see a tower does."""
    azimuth, elevation = np.radians([azimuth_deg, elevation_deg])
    level = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    target = np.array([0.0, 0.0, 0.08])
    up = np.array([0.0, 0.0, np.sin(elevation)])
    return camera(target + away_m * (np.cos(elevation) * level + up), target, SIZE_PX, F_PX)


def sheet(without: Collection[int] = (), name: str = DICTIONARY) -> Array:
    """The sheet as it leaves the printer, its right along the world's -y and its lower edge at the world's -x."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))
    side = round(MAT.marker_m / DOT_M)
    dots = np.full((round(SHEET_M / DOT_M),) * 2, PAPER)
    for number in set(MAT.centres_m) - set(without):
        x, y, _ = MARKERS.corners_world_m[number][0]
        top, left = (round((SHEET_M / 2 - a) / DOT_M) for a in (x, y))
        black = cv2.aruco.generateImageMarker(dictionary, number, side) == 0
        dots[top : top + side, left : left + side] = np.where(black, INK, PAPER)
    return np.asarray(cv2.GaussianBlur(dots, (0, 0), 2.0))


def picture(
    model: CameraModel, without: Collection[int] = (), name: str = DICTIONARY, seed: int = 1
) -> Array:
    """What a camera sees of the sheet on a table: every pixel's ray is followed down to the table."""
    width, height = model.size_px
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 1, 2)
    ideal = cv2.undistortPoints(pixels.astype(np.float64), model.K, model.distortion).reshape(-1, 2)
    rays = np.column_stack([ideal, np.ones(len(ideal))]) @ model.T_world_camera[:3, :3].T
    far = np.where(rays[:, 2] < -1e-3, -model.position_m()[2] / np.minimum(rays[:, 2], -1e-3), 1e3)
    table = model.position_m() + far[:, None] * rays
    dots = ((SHEET_M / 2 - table[:, :2]) / DOT_M - 0.5).astype(np.float32).reshape(height, width, 2)
    drawn = cv2.remap(sheet(without, name), dots[..., 1], dots[..., 0], cv2.INTER_LINEAR, borderValue=TABLE)
    noise = np.random.default_rng(seed).normal(0.0, NOISE_LEVELS, drawn.shape)
    return np.asarray((cv2.GaussianBlur(drawn, (0, 0), BLUR_PX) + noise).round().clip(0.0, 255.0))


def look(model: CameraModel, grey: Array) -> CameraSeen:
    return camera_pose(grey, model.K, model.distortion, MARKERS)


def assert_placed(found: CameraSeen, model: CameraModel) -> None:
    off = inverse(model.T_world_camera) @ found.T_world_camera
    assert np.linalg.norm(off[:3, 3]) < OFF_M
    assert np.degrees(np.linalg.norm(rotation_vector(off[:3, :3]))) < TURNED_DEG


@pytest.mark.parametrize(
    ("azimuth_deg", "elevation_deg"),
    [(0.0, 20.0), (75.0, 35.0), (160.0, 60.0), (280.0, 20.0), (310.0, 45.0)],
)
def test_camera_is_placed_from_any_side(azimuth_deg: float, elevation_deg: float) -> None:
    model = eye(azimuth_deg, elevation_deg)
    found = look(model, picture(model))
    assert_placed(found, model)
    assert set(found.seen) == {0, 1, 2, 3}
    assert min(found.seen.values()) > 0.8


@pytest.mark.parametrize("hidden", [0, 3])
def test_camera_is_placed_with_a_marker_hidden_and_that_one_is_not_said_to_be_seen(hidden: int) -> None:
    model = eye(20.0, 30.0)
    found = look(model, picture(model, without=[hidden]))
    assert_placed(found, model)
    assert set(found.seen) == {0, 1, 2, 3} - {hidden}


def test_camera_with_a_lens_that_distorts_is_placed() -> None:
    model = replace(eye(30.0, 30.0, away_m=0.45), distortion=LENS)
    assert_placed(look(model, picture(model)), model)


def test_lens_that_is_taken_for_a_pinhole_misplaces_the_camera() -> None:
    """So that the test above fails where distortion is forgotten."""
    model = replace(eye(30.0, 30.0, away_m=0.45), distortion=LENS)
    found = camera_pose(picture(model), model.K, np.zeros(5), MARKERS)
    assert np.linalg.norm(found.T_world_camera[:3, 3] - model.position_m()) > 2 * OFF_M


@pytest.mark.parametrize("name", ["DICT_5X5_100", "DICT_APRILTAG_36h11"])
def test_camera_is_placed_by_markers_of_other_dictionaries(name: str) -> None:
    """Theirs have more cells."""
    model = eye(20.0, 35.0)
    grey = picture(model, name=name)
    found = camera_pose(grey, model.K, model.distortion, Markers(name, MARKERS.corners_world_m))
    assert_placed(found, model)
    assert set(found.seen) == {0, 1, 2, 3}


def test_sheet_that_lies_elsewhere_moves_the_camera_with_it() -> None:
    """Places of markers are the caller's, not the sheet's own."""
    shift = pose(rot_z(0.7), [0.3, -0.2, 0.05])
    corners = {number: apply(shift, p) for number, p in MARKERS.corners_world_m.items()}
    model = eye(20.0, 35.0)
    found = camera_pose(picture(model), model.K, model.distortion, Markers(DICTIONARY, corners))
    assert_placed(found, replace(model, T_world_camera=shift @ model.T_world_camera))


def refusal(grey: Array) -> PerceptionError:
    with pytest.raises(PerceptionError) as caught:
        look(eye(20.0, 35.0), grey)
    return caught.value


def test_picture_in_a_mirror_is_refused() -> None:
    error = refusal(picture(eye(20.0, 35.0))[:, ::-1])
    assert error.reason == "mirrored"
    assert "the picture is flipped; switch mirroring off in the camera" in str(error)


def test_picture_without_markers_is_refused_with_those_that_should_be_there() -> None:
    error = refusal(picture(eye(20.0, 35.0), without=[0, 1, 2, 3]))
    assert error.reason == "camera-moved"
    assert "none of the markers 0, 1, 2, 3 is seen" in str(error)
    assert "turn the camera to the sheet" in str(error)


def test_markers_of_other_numbers_are_none_of_those_that_should_be_there() -> None:
    model = eye(20.0, 35.0)
    others = {number + 10: p for number, p in MARKERS.corners_world_m.items()}
    with pytest.raises(PerceptionError, match="none of the markers 10, 11, 12, 13 is seen"):
        camera_pose(picture(model), model.K, model.distortion, Markers(DICTIONARY, others))


@pytest.mark.parametrize("name", ["DICT_4X4_51", "getPredefinedDictionary", "CORNER_REFINE_SUBPIX"])
def test_dictionary_that_opencv_does_not_know_is_named(name: str) -> None:
    model, blank = eye(20.0, 35.0), np.full(SIZE_PX[::-1], PAPER)
    with pytest.raises(BadInputError, match=f"marker dictionary '{name}' is not known: use OpenCV's names"):
        camera_pose(blank, model.K, model.distortion, Markers(name, MARKERS.corners_world_m))


def test_marker_that_its_dictionary_has_not_is_named() -> None:
    model, blank = eye(20.0, 35.0), np.full(SIZE_PX[::-1], PAPER)
    strange = {**MARKERS.corners_world_m, 50: MARKERS.corners_world_m[0] + 0.1}
    with pytest.raises(BadInputError, match="marker 50 is not in DICT_4X4_50, which has 0 to 49: correct"):
        camera_pose(blank, model.K, model.distortion, Markers(DICTIONARY, strange))


def test_sheet_of_which_no_marker_looks_as_it_should_is_refused() -> None:
    """Its corners were written down anticlockwise."""
    model = eye(40, 35)
    turned = Markers(DICTIONARY, {n: corners[::-1].copy() for n, corners in MARKERS.corners_world_m.items()})
    with pytest.raises(PerceptionError, match="none lies as the sheet says") as refused:
        camera_pose(picture(model), model.K, model.distortion, turned)
    assert refused.value.reason == "camera-moved"
