"""Camera files in ROS's form: written and read back, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from perception.calibration_camera import Lens
from robot.errors import BadInputError
from robot.frames import Array, pose, rot_x
from robot.mat import DICTIONARY, printed_mat
from steadyhand.camera_file import CameraFile, read_camera_file
from steadyhand.camera_info import markers_said, said_of, text_of

K = np.array([[1100.0, 0.0, 639.5], [0.0, 1101.0, 479.5], [0.0, 0.0, 1.0]])
LENS = Lens((1280, 960), K, np.array([-0.2, 0.05, 0.001, -0.002, 1e-5]))
PLACE = pose(rot_x(2.6), [0.1, -0.2, 0.5])
CORNERS = printed_mat("a3").corners_world_m()
MAT = markers_said(DICTIONARY, CORNERS)
# As ROS's camera_calibration and yaml-cpp write it, 1e-05 without a point.
ROS = """image_width: 640
image_height: 480
camera_name: narrow_stereo
camera_matrix:
  rows: 3
  cols: 3
  data: [438.783, 0, 305.593, 0, 437.302, 243.738, 0, 0, 1]
distortion_model: plumb_bob
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.361, 0.16, 1e-05, -6E-4, 0]
rectification_matrix:
  rows: 3
  cols: 3
  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]
projection_matrix:
  rows: 3
  cols: 4
  data: [393.6, 0, 322.8, 0, 0, 393.6, 241.2, 0, 0, 0, 1, 0]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "eye.yaml"
    path.write_text(text)
    return path


def read(folder: Path, text: str) -> CameraFile:
    return read_camera_file(written(folder, text), placed=False)


def test_file_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    camera = read_camera_file(written(tmp_path, text_of(LENS, "left", PLACE, MAT)))
    assert camera.size_px == LENS.size_px
    assert camera.K.tolist() == K.tolist()
    assert camera.distortion.tolist() == LENS.distortion.tolist()
    assert camera.T_world_camera == pytest.approx(PLACE)
    assert camera.markers is not None
    assert camera.markers.dictionary == DICTIONARY
    for number, corners in CORNERS.items():
        assert camera.markers.corners_world_m[number] == pytest.approx(corners)


numbers = st.floats(-1e3, 1e3, allow_nan=False).filter(lambda v: abs(v) > 1e-12)


@given(st.lists(numbers, min_size=5, max_size=5), st.lists(st.floats(1.0, 1e5), min_size=4, max_size=4))
def test_every_number_survives_being_written(terms: list[float], fc: list[float]) -> None:
    from steadyhand.camera_info import values_of

    fx, fy, cx, cy = fc
    lens = Lens((640, 480), np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]]), np.array(terms))
    values = values_of(Path("eye.yaml"), text_of(lens, "eye"))
    assert values["K"] == lens.K.tolist()
    assert values["dist"] == terms


def test_file_that_ros_wrote_is_read(tmp_path: Path) -> None:
    camera = read(tmp_path, ROS)
    assert camera.size_px == (640, 480)
    assert camera.K[0].tolist() == [438.783, 0.0, 305.593]
    assert camera.distortion.tolist() == [-0.361, 0.16, 1e-5, -6e-4, 0.0]
    assert (camera.T_world_camera, camera.markers) == (None, None)


def test_what_is_written_has_all_that_ros_asks_for() -> None:
    values = yaml.safe_load(text_of(LENS, "left"))
    assert set(yaml.safe_load(ROS)) == set(values)
    assert values["projection_matrix"]["data"][:4] == [1100.0, 0.0, 639.5, 0.0]
    assert values["distortion_model"] == "plumb_bob"


def test_lens_of_four_terms_has_no_fifth(tmp_path: Path) -> None:
    text = ROS.replace("cols: 5", "cols: 4").replace(", -6E-4, 0]", ", -6E-4]")
    assert read(tmp_path, text).distortion.tolist() == [-0.361, 0.16, 1e-5, -6e-4, 0.0]


def test_markers_may_be_numbered_without_quotes(tmp_path: Path) -> None:
    text = text_of(LENS, "left", None, MAT).replace("'0':", "0:").replace("'3':", "3:")
    assert "0:\n" in text
    camera = read_camera_file(written(tmp_path, text))
    assert camera.markers is not None
    assert set(camera.markers.corners_world_m) == {0, 1, 2, 3}


def test_name_and_quality_are_kept(tmp_path: Path) -> None:
    path = written(tmp_path, text_of(LENS, "left", None, None, {"held_out_mm": 0.1}))
    assert said_of(path) == ("left", {"held_out_mm": 0.1})
    assert said_of(tmp_path / "eye.json") == (None, {})


def test_file_without_place_is_refused_where_one_is_needed(tmp_path: Path) -> None:
    with pytest.raises(
        BadInputError, match=r"neither T_world_camera nor markers .*`steadyhand calibrate pose`"
    ):
        read_camera_file(written(tmp_path, ROS))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("438.783", ".nan", "K is .*nan.*, allowed is 3x3 finite numbers"),
        ("438.783", ".inf", "K is .*inf.*, allowed is 3x3 finite numbers"),
        ("438.783", "-438.783", "fx and fy above 0"),
        ("438.783", "wide", "K is .*wide.*, allowed is 3x3 finite numbers"),
        ("-0.361", ".nan", "dist is .*nan.*, allowed is 5 finite numbers"),
        ("plumb_bob", "equidistant", "distortion_model is 'equidistant', allowed is plumb_bob"),
        ("distortion_model: plumb_bob\n", "", "distortion_model is missing; it has 'image_width'"),
        ("image_width: 640\n", "", "image_width is missing"),
        ("image_width: 640", "image_width: 640.5", "width is 640.5, allowed is a whole number"),
        ("cols: 5", "cols: 8", "distortion_coefficients is .*, allowed is rows, cols and data"),
        (
            "cols: 5\n  data: [-0.361, 0.16, 1e-05, -6E-4, 0]",
            "cols: 2\n  data: [-0.361, 0.16]",
            "distortion_coefficients are 2 numbers, allowed are k1, k2, p1, p2 and k3",
        ),
        ("image_width: 640", "image_width: [640", "is no YAML"),
    ],
)
def test_value_that_cannot_be_is_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    assert old in ROS
    with pytest.raises(BadInputError, match=f"(?s)camera file .*eye\\.yaml: .*{why}"):
        read(tmp_path, ROS.replace(old, new))


@pytest.mark.parametrize("text", ["", "just words", "- 1\n- 2\n", "a: &a [*a]\n"])
def test_file_of_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInputError, match=r"camera file .*eye\.yaml: "):
        read(tmp_path, text)


def test_size_of_markers_is_their_side() -> None:
    side: Array = CORNERS[0][1] - CORNERS[0][0]
    assert MAT["size_m"] == pytest.approx(np.linalg.norm(side))
