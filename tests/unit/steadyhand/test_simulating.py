from __future__ import annotations

import json
from pathlib import Path

import cv2
import mujoco
import numpy as np
import pytest

from robot.arm_models import WIDOWX_250S
from robot.errors import BadInputError
from robot.mat import default_mat
from sim.viewpoints import default_places
from steadyhand import simulating
from steadyhand.simulating import camera_file, export_scene, take_picture


def test_picture_is_written_with_its_camera_file_beside_it(tmp_path: Path) -> None:
    said = take_picture(tmp_path / "a.png", "left", None, None, 1, "111/111")
    assert (
        said
        == f"steadyhand see {tmp_path}/a.png --camera {tmp_path}/a.camera.json --base-mm 100 reads the tower"
    )
    image = cv2.imread(str(tmp_path / "a.png"))
    assert image is not None
    described = json.loads((tmp_path / "a.camera.json").read_text())
    assert image.shape == (described["height"], described["width"], 3)
    assert np.array(described["T_world_camera"]).shape == (4, 4)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.camera.json", "a.png"]


def test_camera_file_has_the_keys_that_see_takes() -> None:
    place = default_places()[0]
    described = json.loads(json.dumps(camera_file(place.model(), default_mat())))
    assert list(described) == ["width", "height", "K", "dist", "T_world_camera", "markers"]
    assert described["dist"] == [0, 0, 0, 0, 0]
    assert np.allclose(described["T_world_camera"], place.T_world_camera())
    markers = described["markers"]
    assert list(markers) == ["dictionary", "size_m", "corners_world_m"]
    assert all(np.array(corners).shape == (4, 3) for corners in markers["corners_world_m"].values())
    assert set(markers["corners_world_m"]) == {str(k) for k in range(8)}


@pytest.mark.parametrize(
    ("name", "camera", "why"),
    [
        ("a.png", "top", r"camera 'top' is not known: choose one of left, right, front"),
        ("a.gif", "left", r"'\.gif' is no picture format"),
        ("a", "left", r"'' is no picture format"),
        ("gone/a.png", "left", r"there is no folder"),
    ],
)
def test_picture_that_cannot_be_is_refused_and_nothing_written(
    tmp_path: Path, name: str, camera: str, why: str
) -> None:
    with pytest.raises(BadInputError, match=why):
        take_picture(tmp_path / name, camera, None, None, 1, "111")
    assert list(tmp_path.iterdir()) == []


def test_scene_is_exported_with_and_without_the_arm(tmp_path: Path) -> None:
    export_scene(tmp_path / "bare.xml", None, "tight", 3, "111/101", with_arm=False)
    export_scene(tmp_path / "arm.xml", None, "tight", 3, "111/101", with_arm=True)
    bare, arm = (mujoco.MjModel.from_xml_path(str(tmp_path / name)) for name in ("bare.xml", "arm.xml"))
    assert [bare.body(k).name for k in range(1, bare.nbody)] == ["b01", "b02", "b03", "b04", "b05"]
    assert arm.nbody > bare.nbody + 10
    assert arm.body("b05").mass == bare.body("b05").mass


@pytest.mark.parametrize("with_arm", [True, False])
@pytest.mark.parametrize("name", ["gone/a.xml", "."])
def test_scene_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, name: str, with_arm: bool
) -> None:
    with pytest.raises(BadInputError, match="cannot be written"):
        export_scene(tmp_path / name, None, None, 1, "111", with_arm=with_arm)
    assert list(tmp_path.iterdir()) == []


def test_meshes_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    (tmp_path / "arm_meshes").write_text("in the way")
    with pytest.raises(
        BadInputError, match=r"the arm's meshes beside .*a\.xml: cannot be written: File exists"
    ):
        export_scene(tmp_path / "a.xml", None, None, 1, "111", with_arm=True)
    assert [path.name for path in tmp_path.iterdir()] == ["arm_meshes"]


def test_settings_reach_the_exported_scene(tmp_path: Path) -> None:
    settings = tmp_path / "s.toml"
    settings.write_text("blockset = 'heavy'\n[tower]\nplinth_mm = 0\n")
    export_scene(tmp_path / "a.xml", settings, None, 1, "111", with_arm=False)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    assert model.body("b01").mass[0] > 0.025
    assert model.body("b01").pos[2] < 0.01, "without a plinth the tower stands on the table"


def test_viewer_without_a_screen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadInputError, match="the viewer needs a screen"):
        simulating.view_scene(None, None, 1, "111")


def test_light_wood_and_clutter_reach_the_picture_and_leave_the_camera_file_as_it_is(tmp_path: Path) -> None:
    for name, appearance in (("a", {}), ("b", {"light": "dim", "wood": "painted", "clutter": "some, hand"})):
        take_picture(tmp_path / f"{name}.png", "left", None, None, 1, "111", appearance)
    usual, other = (cv2.imread(str(tmp_path / f"{name}.png")) for name in "ab")
    assert usual is not None
    assert other is not None
    assert other.mean() < usual.mean() / 2
    assert (tmp_path / "a.camera.json").read_text() == (tmp_path / "b.camera.json").read_text()


@pytest.mark.parametrize(
    ("appearance", "why"),
    [
        ({"light": "noon"}, "light 'noon' is not known"),
        ({"clutter": "some,cat"}, "clutter 'cat' is not known"),
    ],
)
def test_picture_of_an_unknown_look_is_refused_and_nothing_written(
    tmp_path: Path, appearance: dict[str, str], why: str
) -> None:
    with pytest.raises(BadInputError, match=why):
        take_picture(tmp_path / "a.png", "left", None, None, 1, "111", appearance)
    assert list(tmp_path.iterdir()) == []


def test_without_settings_the_arm_is_of_the_model_that_is_asked_for() -> None:
    plan, body = simulating.plan_and_body(None, None, 1, "111", looks=False, arm="widowx-250s")
    assert plan.arm is WIDOWX_250S
    assert body.T_world_base[:3, 3] == pytest.approx([WIDOWX_250S.place.x_m, 0, WIDOWX_250S.place.z_m])
    assert body.limits.opening_max_m == pytest.approx(WIDOWX_250S.opening_m)
    assert plan.room.riser is not None
