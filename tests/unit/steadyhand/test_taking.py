"""`see --take`: pictures by the cameras of the settings; recorded videos stand for them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import pytest

from robot.errors import BadInputError, DeviceError, SettingsError
from steadyhand.__main__ import main
from steadyhand.taking import take
from support.live import SMALL_PX, noisy, record

CALIBRATION = {
    "width": SMALL_PX[0],
    "height": SMALL_PX[1],
    "K": [[60, 0, 32], [0, 60, 24], [0, 0, 1]],
    "dist": [0, 0, 0, 0, 0],
    "T_world_camera": [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 1], [0, 0, 0, 1]],
}


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Two cameras; of the right one the recording is brighter."""
    text = ""
    for name, level in (("left", 60), ("right", 180)):
        record(tmp_path / f"{name}.avi", noisy(300, level=level))
        (tmp_path / f"{name}.json").write_text(json.dumps(CALIBRATION))
        text += (
            f'[cameras.{name}]\ndevice = "{tmp_path / name}.avi"\ncalibration = "{name}.json"\ndelay_ms = 5\n'
        )
    (tmp_path / "s.toml").write_text(text)
    return tmp_path / "s.toml"


def test_every_camera_takes_a_picture_that_is_kept_with_its_calibration(
    settings: Path, tmp_path: Path
) -> None:
    pictures, files = take(settings, tmp_path / "new" / "shots")
    assert [path.name for path in pictures] == ["left.png", "right.png"]
    levels = [cv2.imread(str(path)).mean() for path in pictures]  # type: ignore[union-attr]
    assert levels == pytest.approx([60, 180], abs=3)
    assert all(json.loads(path.read_text()) == CALIBRATION for path in files)


def test_settings_without_a_camera_are_refused_with_what_to_add(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no camera is named.*add a section \[cameras\.NAME\]"):
        take(None, tmp_path)


def test_missing_camera_is_a_device_error_and_leaves_no_picture(settings: Path, tmp_path: Path) -> None:
    (tmp_path / "right.avi").unlink()
    with pytest.raises(DeviceError, match=r"camera 'right': device .* is not there"):
        take(settings, tmp_path / "shots")
    assert list((tmp_path / "shots").iterdir()) == []


def test_place_that_is_no_folder_is_refused(settings: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInputError, match=r"file: no folder can be made there"):
        take(settings, tmp_path / "file")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "give one or more IMAGE, or --take FOLDER"),
        (["a.png", "--take", "shots"], "one of the two"),
        (["--take", "shots", "--camera", "a.json"], "leave --camera out"),
        (["a.png", "--settings", "s.toml"], "leave it out where IMAGE is given"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: list[str], why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["steadyhand", "see", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert why in " ".join(capsys.readouterr().err.split())


def test_what_is_taken_is_read(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no tower in these pictures, and that is what is said of them."""
    monkeypatch.setattr(
        sys,
        "argv",
        ["steadyhand", "see", "--take", str(tmp_path / "shots"), "--settings", str(settings), "--json"],
    )
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert json.loads(capsys.readouterr().out)["refused"]["reason"]
