from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from robot.camera_model import CameraModel
from robot.errors import BadInputError
from robot.frames import is_pose, pose, rot_x
from robot.mat import default_mat
from steadyhand.camera_file import read_camera_file
from steadyhand.simulating import camera_file

K = [[1100.0, 0.0, 639.5], [0.0, 1100.0, 479.5], [0.0, 0.0, 1.0]]
SQUARE = [[0.0, 0.04, 0.0], [0.04, 0.04, 0.0], [0.04, 0.0, 0.0], [0.0, 0.0, 0.0]]
MARKERS = {"dictionary": "DICT_4X4_50", "size_m": 0.04, "corners_world_m": {"7": SQUARE}}
GOOD: dict[str, Any] = {
    "width": 1280,
    "height": 960,
    "K": K,
    "dist": [0.1, 0, 0, 0, 0],
    "T_world_camera": pose(rot_x(0.3), [0, 0, 0.5]).tolist(),
    "markers": None,
}


def written(folder: Path, **changes: object) -> Path:
    path = folder / "eye.json"
    path.write_text(json.dumps(GOOD | changes))
    return path


def test_camera_file_says_size_lens_and_place(tmp_path: Path) -> None:
    camera = read_camera_file(written(tmp_path))
    assert camera.size_px == (1280, 960)
    assert camera.K.tolist() == K
    assert camera.distortion.tolist() == [0.1, 0, 0, 0, 0]
    assert camera.T_world_camera == pytest.approx(np.array(GOOD["T_world_camera"]))
    assert camera.markers is None


def test_camera_file_may_leave_the_place_to_markers(tmp_path: Path) -> None:
    camera = read_camera_file(written(tmp_path, T_world_camera=None, markers=MARKERS))
    assert camera.T_world_camera is None
    assert camera.markers is not None
    assert camera.markers.dictionary == "DICT_4X4_50"
    assert {n: c.tolist() for n, c in camera.markers.corners_world_m.items()} == {7: SQUARE}


def test_file_that_the_simulation_writes_is_read_back(tmp_path: Path) -> None:
    model = CameraModel("eye", (1280, 960), np.array(K), np.array(GOOD["T_world_camera"]))
    path = tmp_path / "eye.json"
    path.write_text(json.dumps(camera_file(model, default_mat())))
    camera = read_camera_file(path)
    assert camera.T_world_camera == pytest.approx(model.T_world_camera)
    assert camera.markers is not None
    assert len(camera.markers.corners_world_m) == 8


def test_pose_written_with_few_digits_is_made_rigid(tmp_path: Path) -> None:
    camera = read_camera_file(written(tmp_path, T_world_camera=np.round(GOOD["T_world_camera"], 4).tolist()))
    assert camera.T_world_camera is not None
    assert is_pose(camera.T_world_camera, 1e-12)


@pytest.mark.parametrize("key", ["width", "height", "K", "dist"])
def test_missing_key_is_named(tmp_path: Path, key: str) -> None:
    path = tmp_path / "eye.json"
    path.write_text(json.dumps({name: value for name, value in GOOD.items() if name != key}))
    with pytest.raises(BadInputError, match=rf"eye\.json: {key} is missing; it has '(width|height)'"):
        read_camera_file(path)


@pytest.mark.parametrize("key", ["dictionary", "size_m", "corners_world_m"])
def test_missing_key_of_the_markers_is_named(tmp_path: Path, key: str) -> None:
    markers = {name: value for name, value in MARKERS.items() if name != key}
    with pytest.raises(BadInputError, match=rf"markers\.{key} is missing"):
        read_camera_file(written(tmp_path, markers=markers))


def test_file_without_pose_and_markers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="neither T_world_camera nor markers is given"):
        read_camera_file(written(tmp_path, T_world_camera=None))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"width": 0}, "width is 0, allowed is a whole number of pixels from 1 to 30000"),
        ({"width": 1280.0}, "width is 1280.0, allowed"),
        ({"height": True}, "height is True"),
        ({"K": K[:2]}, "K is .*, allowed is 3x3 finite numbers"),
        ({"K": [K[0], K[1], [0.0, 1.0]]}, "K is .*, allowed is 3x3"),
        ({"K": [K[0], ["0", 1100.0, 479.5], K[2]]}, "K is .*, allowed is 3x3"),
        ({"K": [[float("nan"), 0, 1], K[1], K[2]]}, "K is .*nan.*, allowed is 3x3 finite"),
        ({"K": [K[0], [5.0, 1100.0, 479.5], K[2]]}, r"K is .*, allowed is \[\[fx, s, cx\]"),
        ({"K": [[-1100.0, 0.0, 639.5], K[1], K[2]]}, "fx and fy above 0"),
        ({"K": [K[0], K[1], [0.0, 0.0, 2.0]]}, "fx and fy above 0"),
        ({"K": [[10**400, 0, 0], K[1], K[2]]}, "K is .*, allowed is 3x3 finite"),
        ({"dist": [0, 0, 0, 0]}, r"dist is \[0, 0, 0, 0\], allowed is 5 finite numbers"),
        ({"dist": [0, 0, 0, 0, float("inf")]}, "dist is .*inf"),
        ({"dist": None}, "dist is None"),
        ({"T_world_camera": np.eye(3).tolist()}, "T_world_camera is .*, allowed is 4x4"),
        ({"T_world_camera": np.diag([1, 1, -1, 1]).tolist()}, "T_world_camera is .*, allowed is a rotation"),
        ({"T_world_camera": (2 * np.eye(4)).tolist()}, "T_world_camera is .*, allowed is a rotation"),
        ({"markers": 3}, "markers is 3, allowed is null, or an object"),
        ({"markers": MARKERS | {"dictionary": 4}}, "dictionary is 4, allowed is OpenCV's name"),
        ({"markers": MARKERS | {"size_m": -0.04}}, "size_m is -0.04, allowed is a length"),
        ({"markers": MARKERS | {"size_m": "4 cm"}}, "size_m is '4 cm', allowed is a finite number"),
        ({"markers": MARKERS | {"size_m": 40}}, r"its sides \[0.04, .*, allowed is a square with .*40 m"),
        ({"markers": MARKERS | {"corners_world_m": {}}}, "corners_world_m is {}, allowed is an object"),
        ({"markers": MARKERS | {"corners_world_m": {"a": SQUARE}}}, "is 'a', allowed is a marker's number"),
        ({"markers": MARKERS | {"corners_world_m": {"1": SQUARE[:3]}}}, r"\['1'\] is .*allowed is 4x3"),
        (
            {"markers": MARKERS | {"corners_world_m": {"1": [SQUARE[k] for k in (0, 2, 1, 3)]}}},
            "in the order of its outline",
        ),
    ],
)
def test_value_that_cannot_be_is_refused(tmp_path: Path, changes: dict[str, object], why: str) -> None:
    with pytest.raises(BadInputError, match=f"(?s)camera file .*eye\\.json: .*{why}.*correct the file"):
        read_camera_file(written(tmp_path, **changes))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"[1, 2]", r"the file is \[1, 2\], allowed is one JSON object"),
    ],
)
def test_file_that_holds_no_json_object_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "eye.json"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=rf"eye\.json: {why}"):
        read_camera_file(path)


def test_file_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"no\.json: no such file; name"):
        read_camera_file(tmp_path / "no.json")
    with pytest.raises(BadInputError, match="cannot be read: Is a directory"):
        read_camera_file(tmp_path)
