"""The `calibrate` commands, run as a person runs them, on pictures drawn through a known lens and on recordings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from perception.calibration_board import Board
from robot.frames import Array, inverse, pose, rot_x, rot_y, rot_z
from steadyhand import wiring
from steadyhand.__main__ import main
from steadyhand.camera_file import read_camera_file
from steadyhand.camera_info import text_of
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from support.boards import LENS, good_poses, pictures
from support.geometry import camera
from support.mats import mat_picture

BOARD = Board()
T_TOOL_BOARD = pose(rot_x(0.3) @ rot_y(0.2), [0.05, 0.01, 0.02])
T_BASE_CAMERA = pose(rot_y(2.0) @ rot_z(0.5), [0.9, 0.1, 0.5])
POSED = replace(
    camera(np.array([0.15, -0.2, 0.4]), np.zeros(3), LENS.size_px, 560.0), distortion=LENS.distortion
)


@dataclass
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.out.count("\n") == 1
        answer: dict[str, Any] = json.loads(self.out)
        return answer


Calibrate = Callable[..., Said]


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of sixteen pictures of the board."""
    folder = tmp_path_factory.mktemp("shots")
    for picture in pictures(BOARD, good_poses(BOARD)):
        cv2.imwrite(str(folder / picture.name), picture.grey)
    return folder


@pytest.fixture
def calibrate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Calibrate:
    monkeypatch.chdir(tmp_path)

    def command(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["steadyhand", "calibrate", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code if isinstance(left.value.code, int) else 0
        return Said(code, *capsys.readouterr())

    return command


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# camera


def test_camera_file_is_written_and_read_back(calibrate: Calibrate, shots: Path, tmp_path: Path) -> None:
    images = sorted(shots.glob("*.png"))
    said = calibrate("camera", *images, "--mat", "a3", "--name", "left", "-o", "left.yaml", "--json")
    assert said.code == 0
    answer = said.json
    assert answer["refused"] is None
    assert answer["output"] == "left.yaml"
    assert answer["held_out_mm"] < 0.1
    assert len(answer["pictures"]) == 16
    written = read_camera_file(tmp_path / "left.yaml")
    assert np.abs(written.K - answer["K"]).max() < 1e-6
    assert written.K[0, 0] == pytest.approx(560.0, rel=2e-3)
    assert written.markers is not None
    assert "camera_name: left" in (tmp_path / "left.yaml").read_text()


def test_refused_calibration_is_never_written(calibrate: Calibrate, shots: Path, tmp_path: Path) -> None:
    said = calibrate("camera", *sorted(shots.glob("*.png"))[:9], "-o", "left.yaml", "--json")
    assert said.code == 1
    assert said.json["refused"]["reason"] == "too-few"
    assert said.json["output"] is None
    assert files(tmp_path) == []


def test_refusal_is_told_to_people_with_what_to_do(calibrate: Calibrate, shots: Path, tmp_path: Path) -> None:
    (tmp_path / "note.png").write_text("no picture")
    said = calibrate("camera", *sorted(shots.glob("*.png"))[:3], "note.png")
    assert said.code == 1
    assert said.out.splitlines()[-2].startswith("refused (too-few): 3 of 3 pictures can be used, at least 10")
    assert said.out.splitlines()[-1] == "nothing was written"
    assert "left out: note.png is no picture" in said.err


def test_old_file_stays_where_the_new_calibration_is_refused(
    calibrate: Calibrate, shots: Path, tmp_path: Path
) -> None:
    (tmp_path / "left.yaml").write_text("old")
    said = calibrate("camera", *sorted(shots.glob("*.png")), "--limit-mm", "0.001", "-o", "left.yaml")
    assert said.code == 1
    assert (tmp_path / "left.yaml").read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["camera", "none.png"], "picture none.png: no such file"),
        (["camera", "a.png", "--squares", "8by6"], "--squares '8by6': expected squares along and across"),
        (["camera", "a.png", "--board", "dots"], "board 'dots' is not known: use charuco or chessboard"),
        (["camera", "a.png", "-o", "left.json"], r"left\.json: a camera file in ROS's form ends in \.yaml"),
        (["camera", "a.png", "-o", "no/left.yaml"], "there is no folder no"),
        (["camera", "a.png", "--mat", "a5"], "paper 'a5' is not known: choose one of a4, a3"),
        (["camera", "a.png", "a.png"], "a.png is given twice"),
        (["camera", "a.png", "--name", "left eye"], "camera name 'left eye': use letters"),
        (["mat", "-o", "mat.gif"], r"mat\.gif: a sheet ends in \.pdf"),
        (["mat", "--paper", "letter", "-o", "mat.pdf"], "paper 'letter' is not known"),
        (
            ["board", "--squares", "30x20", "--dictionary", "DICT_5X5_1000", "-o", "b.pdf"],
            "does not fit on A4",
        ),
        (["pose", "a.png", "--camera", "none.yaml"], "camera file none.yaml: no such file"),
        (["hand-eye", "none.jsonl", "--eye", "table"], "recording none.jsonl: no such file"),
        (["hand-eye", "none.jsonl", "--eye", "sky"], "--eye 'sky' is not known"),
        (["joints", "none.jsonl"], "recording none.jsonl: no such file"),
    ],
)
def test_what_cannot_be_used_is_told_with_exit_2(
    calibrate: Calibrate, tmp_path: Path, arguments: list[str], why: str
) -> None:
    import re

    said = calibrate(*arguments)
    assert said.code == 2
    assert re.search(why, said.err), said.err
    assert "Traceback" not in said.err
    assert files(tmp_path) == []


# mat, board


def test_mat_and_board_are_written(calibrate: Calibrate, tmp_path: Path) -> None:
    assert calibrate("mat", "-o", "mat.pdf").code == 0
    assert calibrate("board", "-o", "board.pdf").code == 0
    assert all((tmp_path / name).read_bytes().startswith(b"%PDF") for name in ("mat.pdf", "board.pdf"))


# pose


@pytest.fixture
def lens_file(tmp_path: Path) -> Path:
    path = tmp_path / "left.yaml"
    lens = replace(LENS, K=POSED.K)
    path.write_text(text_of(lens, "left", None, None, {"held_out_mm": 0.05}))
    cv2.imwrite(str(tmp_path / "mat.png"), mat_picture(POSED, "a3").astype(np.uint8))
    return path


def test_place_is_written_into_the_camera_file(calibrate: Calibrate, lens_file: Path) -> None:
    said = calibrate("pose", "mat.png", "--camera", "left.yaml", "--mat", "a3", "-o", "left.yaml", "--json")
    assert said.code == 0, said.out
    assert max(said.json["held_out_mm"].values()) < 1.0
    written = read_camera_file(lens_file)
    assert written.T_world_camera is not None
    assert np.linalg.norm(written.T_world_camera[:3, 3] - POSED.position_m()) < 2e-3
    assert written.markers is not None
    text = lens_file.read_text()
    assert "camera_name: left" in text
    assert "held_out_mm: 0.05" in text


def test_picture_of_another_resolution_is_refused_with_both(calibrate: Calibrate, lens_file: Path) -> None:
    image = cv2.imread("mat.png")
    assert image is not None
    cv2.imwrite("mat.png", cv2.resize(image, (320, 240)))
    before = lens_file.read_text()
    said = calibrate("pose", "mat.png", "--camera", "left.yaml", "--mat", "a3", "-o", "left.yaml", "--json")
    assert said.code == 1
    assert said.json["refused"]["reason"] == "wrong-resolution"
    assert "has 320x240 px" in said.json["refused"]["detail"]
    assert "calibrated at 640x480" in said.json["refused"]["detail"]
    assert lens_file.read_text() == before


def test_pose_without_any_mat_is_bad_input(calibrate: Calibrate, lens_file: Path) -> None:
    said = calibrate("pose", "mat.png", "--camera", "left.yaml")
    assert said.code == 2
    assert "says no markers: name the printed mat with --mat a3 or --mat a4" in said.err


# hand-eye, joints


def recorded(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def on_the_arm(T_camera_board: Array) -> list[list[float]]:
    T: list[list[float]] = (T_BASE_CAMERA @ T_camera_board @ inverse(T_TOOL_BOARD)).tolist()
    return T


def test_camera_beside_the_arm_is_found_from_pictures(
    calibrate: Calibrate, shots: Path, tmp_path: Path
) -> None:
    (tmp_path / "left.yaml").write_text(text_of(LENS, "left"))
    rows: list[dict[str, object]] = [
        {"T_base_tool": on_the_arm(T), "image": f"{k:02}.png"} for k, T in enumerate(good_poses(BOARD))
    ]
    recording = recorded(shots / "postures.jsonl", rows)
    said = calibrate(
        "hand-eye", recording, "--eye", "table", "--camera", "left.yaml", "-o", "h.json", "--json"
    )
    assert said.code == 0, said.out
    answer = said.json
    assert answer["held_out"][answer["method"]]["mm"] < 0.5
    assert answer["T_base_camera"] == pytest.approx(T_BASE_CAMERA, abs=2e-3)
    written = json.loads((tmp_path / "h.json").read_text())
    assert written["T_base_camera"] == answer["T_base_camera"]
    assert answer["arm"] is None, "nobody knows where the camera stands"


def test_camera_that_knows_its_place_tells_where_the_arm_stands(calibrate: Calibrate, tmp_path: Path) -> None:
    T_world_base = pose(rot_z(np.radians(3.0)), [-0.381, 0.012, 0.004])
    (tmp_path / "left.yaml").write_text(text_of(LENS, "left", T_world_base @ T_BASE_CAMERA))
    rows: list[dict[str, object]] = [
        {"T_base_tool": on_the_arm(T), "T_camera_board": T.tolist()} for T in good_poses(BOARD)
    ]
    recording = recorded(tmp_path / "postures.jsonl", rows)
    said = calibrate("hand-eye", recording, "--eye", "table", "--camera", "left.yaml", "--json")
    assert said.code == 0, said.out
    arm = said.json["arm"]
    assert [arm[key] for key in ("x_mm", "y_mm", "z_mm", "yaw_deg")] == pytest.approx(
        [-381, 12, 4, 3], abs=0.1
    )
    told = calibrate("hand-eye", recording, "--eye", "table", "--camera", "left.yaml").out
    (tmp_path / "told.toml").write_text(told[told.index("[arm]") : told.index("not written")])
    settings = load_settings(tmp_path / "told.toml")
    assert settings.arm.T_world_base() == pytest.approx(T_world_base, abs=2e-4)


def test_pictures_of_another_resolution_are_refused_and_not_called_a_fault(
    calibrate: Calibrate, shots: Path, tmp_path: Path
) -> None:
    (tmp_path / "left.yaml").write_text(text_of(replace(LENS, size_px=(1280, 960)), "left"))
    rows: list[dict[str, object]] = [{"T_base_tool": np.eye(4).tolist(), "image": "00.png"}]
    recording = recorded(shots / "one.jsonl", rows)
    said = calibrate("hand-eye", recording, "--eye", "table", "--camera", "left.yaml", "--json")
    assert said.code == 1
    assert said.json["refused"]["reason"] == "wrong-resolution"
    assert (
        "640x480 px, but camera file left.yaml was calibrated at 1280x960" in said.json["refused"]["detail"]
    )


def touched_rows(count: int, off_deg: Array) -> list[dict[str, object]]:
    body, draw = wiring.body_of(Settings()), np.random.default_rng(2)
    rows = list[dict[str, object]]()
    for _ in range(count):
        q = np.array([0.0, -0.3, 0.3, 0.0, 0.4, 0.0]) + draw.uniform(-0.4, 0.4, 6) * [1, 0.7, 0.7, 2, 1, 2]
        p = (body.T_world_base @ body.kinematics.forward(q + np.radians(off_deg)))[:3, 3]
        rows.append(
            {"q_deg": np.degrees(q).tolist(), "p_world_mm": (p * 1e3 + draw.normal(0, 0.2, 3)).tolist()}
        )
    return rows


def test_joints_are_found_from_touched_points(calibrate: Calibrate, tmp_path: Path) -> None:
    off = np.array([0.9, 0.7, -0.5, 0.0, -0.8, 0.0])
    recording = recorded(tmp_path / "touched.jsonl", touched_rows(24, off))
    said = calibrate("joints", recording, "-o", "joints.json", "--json")
    assert said.code == 0, said.out
    found = said.json["offsets_deg"]
    assert list(found.values())[:5] == pytest.approx(off[:5], abs=0.25)
    assert said.json["held_out_mm"] < 1.0 < said.json["without_mm"]
    assert json.loads((tmp_path / "joints.json").read_text())["offsets_deg"] == found


def test_joints_for_people_are_a_line_each(calibrate: Calibrate, tmp_path: Path) -> None:
    recording = recorded(tmp_path / "touched.jsonl", touched_rows(24, np.array([0.9, 0.7, -0.5, 0, -0.8, 0])))
    said = calibrate("joints", recording)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("waist: +0.")
    assert lines[5] == "wrist_rotate: not asked for"
    assert lines[-1] == "not written: name a file with -o"


def test_few_touched_points_are_refused_and_nothing_is_written(calibrate: Calibrate, tmp_path: Path) -> None:
    recording = recorded(tmp_path / "touched.jsonl", touched_rows(5, np.zeros(6)))
    said = calibrate("joints", recording, "-o", "joints.json")
    assert said.code == 1
    assert "refused (too-few): 5 postures" in said.out
    assert files(tmp_path) == ["touched.jsonl"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ('{"q_deg": [0, 0', "line 1: invalid json"),
        ('{"q_deg": [0, 0, 0, 0, 0, 0]}', "exactly one of image, T_camera_board and p_world_mm"),
        ('{"image": "a.png"}', "exactly one of q_deg and T_base_tool"),
        ('{"q_deg": [0, NaN], "image": "a.png"}', "line 1: "),
        ('{"q": [0], "image": "a.png"}', "q is not known; the keys are name, q_deg"),
        (
            '{"q_deg": [0, 0], "p_world_mm": [1, 2, 3]}',
            "2 joint angles, needed are q_deg of the 6 joints waist",
        ),
        ('{"q_deg": [0, 0, 0, 0, 0, 0], "p_world_mm": [1, 2]}', "p_world_mm must be x, y and z"),
        ('{"q_deg": [0, 0, 0, 0, 0, 0], "T_camera_board": [[1]]}', "T_camera_board must be a rotation"),
        ('{"q_deg": [0, 0, 0, 0, 0, 0], "image": "a.png"}', "give their camera with --camera"),
    ],
)
def test_line_of_a_recording_that_cannot_be_is_told(
    calibrate: Calibrate, tmp_path: Path, row: str, why: str
) -> None:
    (tmp_path / "r.jsonl").write_text(row + "\n")
    said = calibrate("joints", "r.jsonl")
    assert said.code == 2
    assert why.lower() in said.err.lower()
    assert "r.jsonl, " in said.err or "recording r.jsonl has pictures" in said.err
