from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.observe import observe
from perception.views import View, views_of
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.ports import Frame, Image
from support.geometry import BLOCKSET, T_WORLD_TOWER, cameras_around

EYE = cameras_around(4)[0]
CAMERAS = {"eye": EYE}


def picture(low: int = 40, high: int = 200) -> Image:
    """A ramp from left to right."""
    ramp = np.linspace(low, high, 320).astype(np.uint8)
    return np.tile(ramp[None, :, None], (240, 1, 3))


def refusal(image: Image, camera: str = "eye") -> PerceptionError:
    with pytest.raises(PerceptionError) as caught:
        views_of([Frame(image, 0.0, camera)], CAMERAS)
    return caught.value


def test_picture_is_taken_with_its_camera() -> None:
    (view,) = views_of([Frame(picture(), 0.0, "eye")], CAMERAS)
    assert view.camera is EYE
    assert view.grey[0, [0, -1]] == pytest.approx([40, 200], abs=1)


def test_no_pictures_are_refused() -> None:
    with pytest.raises(PerceptionError, match="no pictures were given: at least one is needed"):
        views_of([], CAMERAS)


def test_camera_without_calibration_is_named_beside_those_that_have_one() -> None:
    error = refusal(picture(), "rear")
    assert error.reason == "camera-moved"
    assert "camera 'rear' has no calibration; calibrated cameras: eye" in str(error)
    assert "calibrate it" in str(error)


@pytest.mark.parametrize(
    ("image", "got"),
    [
        (picture()[:120], "(120, 320, 3) uint8"),
        (picture()[..., 0], "(240, 320) uint8"),
        (picture().astype(np.float32), "(240, 320, 3) float32"),
    ],
    ids=["size", "grey", "type"],
)
def test_picture_of_another_kind_is_refused_with_both_sizes(image: Image, got: str) -> None:
    error = refusal(image)
    assert error.reason == "wrong-resolution"
    assert (
        f"picture of camera 'eye' is {got}, its calibration is for (240, 320, 3) uint8: set the camera"
        in str(error)
    )


def test_dark_picture_is_refused_with_its_brightness() -> None:
    error = refusal(picture(0, 10))
    assert error.reason == "too-dark"
    assert "95 % of it lies below 9 of 255; switch the light on" in str(error)


@pytest.mark.parametrize("level", [60, 255])
def test_picture_that_shows_nothing_is_refused_with_its_contrast(level: int) -> None:
    error = refusal(np.full((240, 320, 3), level, np.uint8))
    assert error.reason == "no-contrast"
    assert "its brightness spans 0 of 255 levels; take the cover off the lens" in str(error)


def test_picture_without_a_tower_is_refused_with_its_score() -> None:
    with pytest.raises(
        PerceptionError, match=r"steps of 0\.\d grey levels, at least 2\.5 are needed; put"
    ) as caught:
        observe([Frame(picture(), 0.0, "eye")], CAMERAS, BLOCKSET, T_WORLD_TOWER)
    assert caught.value.reason == "no-tower"


@given(st.integers(0, 200), st.integers(0, 150), st.integers(1, 300), st.integers(1, 200))
def test_part_of_a_picture_shows_points_where_the_whole_does(
    left: int, top: int, width: int, height: int
) -> None:
    view = View(EYE, picture(), picture()[..., 0].astype(float))
    part = view.cropped((left, top, min(left + width, 320), min(top + height, 240)))
    points = np.array([[0.0, 0.0, 0.1], [0.03, -0.02, 0.15]])
    assert part.camera.project(points) == pytest.approx(EYE.project(points) - [left, top])
    assert part.image.shape[:2] == part.grey.shape == part.camera.size_px[::-1]
    assert part.grey[0, 0] == view.grey[top, left]


@pytest.mark.parametrize("brightness", [0.4, 1.6])
def test_colour_does_not_change_with_brightness(brightness: float) -> None:
    """By much less than wood differs from the grey of the table, 0.3 and more."""
    wood = np.tile(np.array([90.0, 120.0, 150.0]), (20, 20, 1))
    lit, dim = (View(_small(), image.astype(np.uint8), image[..., 0]) for image in (wood, wood * brightness))
    assert lit.chroma() == pytest.approx(dim.chroma(), abs=0.05)
    assert np.abs(lit.chroma()[0, 0]).min() > 0.15


def _small() -> CameraModel:
    return replace(EYE, size_px=(20, 20))
