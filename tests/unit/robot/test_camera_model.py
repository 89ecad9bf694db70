from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.camera_model import CameraModel
from robot.errors import BadInputError
from robot.frames import Array, apply, inverse, pose, rotation_from_vector, rotation_vector

K = np.array([[1394.0, 0.0, 639.5], [0.0, 1380.0, 479.5], [0.0, 0.0, 1.0]])
LENSES = [np.zeros(5), np.array([-0.28, 0.09, 1.2e-3, -8e-4, -0.02]), np.array([0.15, -0.4, 0.0, 3e-3, 0.3])]


def camera(T: Array | None = None, distortion: Array = LENSES[0], intrinsics: Array = K) -> CameraModel:
    return CameraModel("left", (1280, 960), intrinsics, pose() if T is None else T, distortion)


def by_opencv(model: CameraModel, p_world_m: Array) -> Array:
    T_camera_world = inverse(model.T_world_camera)
    pixels, _ = cv2.projectPoints(
        p_world_m.reshape(-1, 1, 3),
        rotation_vector(T_camera_world[:3, :3]),
        T_camera_world[:3, 3],
        model.K,
        model.distortion,
    )
    return np.asarray(pixels.reshape(-1, 2))


@pytest.mark.parametrize("distortion", LENSES, ids=["none", "barrel", "pincushion"])
@given(
    st.tuples(*[st.floats(-1.5, 1.5)] * 3),
    st.tuples(*[st.floats(-0.5, 0.5)] * 3),
    st.lists(st.tuples(st.floats(-0.3, 0.3), st.floats(-0.25, 0.25), st.floats(0.4, 2.0)), min_size=1),
)
def test_projection_is_opencvs(
    distortion: Array, turn: tuple[float, ...], at: tuple[float, ...], points: list[tuple[float, ...]]
) -> None:
    model = camera(pose(rotation_from_vector(turn), at), distortion)
    p_world = apply(model.T_world_camera, np.array(points))
    assert np.allclose(model.project(p_world), by_opencv(model, p_world), atol=1e-6)


def test_projection_keeps_leading_shape() -> None:
    p = np.array([[[0.1, 0.0, 1.0], [0.0, 0.1, 2.0]]])
    assert camera().project(p).shape == (1, 2, 2)
    assert camera().project(p)[0, 0] == pytest.approx([639.5 + 139.4, 479.5])


def test_points_behind_the_camera_have_no_pixel() -> None:
    pixels = camera().project(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.1, 0.1, 0.0]]))
    assert np.isfinite(pixels[0]).all()
    assert np.isnan(pixels[1:]).all()


def test_skew_of_the_pixels_counts() -> None:
    skewed = K.copy()
    skewed[0, 1] = 20.0
    p = np.array([0.0, 0.1, 1.0])
    assert camera(intrinsics=skewed).project(p)[0] - camera().project(p)[0] == pytest.approx(2.0)


def test_depth_runs_along_the_optical_axis() -> None:
    model = camera(pose(rotation_from_vector([0, np.pi / 2, 0]), [0.5, 0, 0]))  # looks along the world's +x
    assert model.depth_m(np.array([[1.5, 0.3, -0.2]])) == pytest.approx([1.0])
    assert model.position_m() == pytest.approx([0.5, 0, 0])


def test_position_is_a_copy() -> None:
    model = camera()
    model.position_m()[:] = 7.0
    assert model.position_m() == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    ("K_bad", "distortion", "T"),
    [
        (np.eye(4), LENSES[0], pose()),
        (K * np.nan, LENSES[0], pose()),
        (K, np.zeros(4), pose()),
        (K, np.array([0, 0, 0, 0, np.inf]), pose()),
        (K, LENSES[0], np.eye(3)),
        (K, LENSES[0], np.diag([1.0, 1, -1, 1])),
    ],
)
def test_unusable_calibration_is_refused_and_names_the_camera(
    K_bad: Array, distortion: Array, T: Array
) -> None:
    with pytest.raises(BadInputError, match=r"camera 'left': calibration is not usable.*got K"):
        camera(T, distortion, K_bad)
