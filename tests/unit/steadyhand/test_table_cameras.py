"""Cameras from their settings: a recorded video stands for each."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from robot.clock import ManualClock, WallClock
from robot.errors import BadInputError, DeviceError, SettingsError
from steadyhand.settings import Settings
from steadyhand.settings_file import changes, example, load_settings
from steadyhand.table_cameras import cautions, table_cameras
from support.live import SMALL_PX, noisy, record

SECTION = '[cameras.left]\ndevice = "{0}/left.avi"\ncalibration = "left.json"\n'


def calibrated(folder: Path, size_px: tuple[int, int] = SMALL_PX, *, placed: bool = True) -> None:
    values = {
        "width": size_px[0],
        "height": size_px[1],
        "K": [[60, 0, 32], [0, 60, 24], [0, 0, 1]],
        "dist": [0, 0, 0, 0, 0],
        "T_world_camera": np.eye(4).tolist() if placed else None,
        "markers": {
            "dictionary": "DICT_4X4_50",
            "size_m": 1.0,
            "corners_world_m": {"0": [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]]},
        },
    }
    (folder / "left.json").write_text(json.dumps(values))


def loaded(folder: Path, more: str = "") -> Settings:
    (folder / "s.toml").write_text(SECTION.format(folder) + more)
    return load_settings(folder / "s.toml")


def test_camera_of_the_settings_takes_pictures(tmp_path: Path) -> None:
    record(tmp_path / "left.avi", noisy(300))
    calibrated(tmp_path)
    clock = WallClock()
    [camera] = table_cameras(loaded(tmp_path, "delay_ms = 5\n"), clock, tmp_path)
    with camera:
        asked_s = clock.now_s()
        frame = camera.capture()
    assert frame.camera == "left"
    assert frame.t_s >= asked_s


def test_missing_device_is_told_when_it_is_connected_and_not_before(tmp_path: Path) -> None:
    calibrated(tmp_path)
    [camera] = table_cameras(loaded(tmp_path), WallClock(), tmp_path)
    with pytest.raises(DeviceError, match=r"camera 'left': device '.*left\.avi' is not there"):
        camera.connect()


def test_calibration_of_another_size_is_an_error_with_both(tmp_path: Path) -> None:
    record(tmp_path / "left.avi", noisy(120))
    calibrated(tmp_path, (32, 24))
    [camera] = table_cameras(loaded(tmp_path), WallClock(), tmp_path)
    with pytest.raises(DeviceError, match="its pictures are 64 x 48 x 3, its calibration is for 32 x 24"):
        camera.connect()


def test_calibration_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"camera file .*left\.json: no such file"):
        table_cameras(loaded(tmp_path), ManualClock(), tmp_path)


def test_calibration_without_a_pose_is_refused(tmp_path: Path) -> None:
    calibrated(tmp_path, placed=False)
    with pytest.raises(
        SettingsError, match=r"cameras\.left\.calibration = .*T_world_camera is null.*calibrate"
    ):
        table_cameras(loaded(tmp_path), ManualClock(), tmp_path)


def test_unstable_name_and_what_is_left_to_the_device_are_told(tmp_path: Path) -> None:
    """/dev/null stands for a camera: a device file without a stable name."""
    text = '[cameras.left]\ndevice = "/dev/null"\ncalibration = "left.json"\ngain = 20\nfocus = 35\n'
    (tmp_path / "s.toml").write_text(text)
    told = list(cautions(load_settings(tmp_path / "s.toml")))
    assert len(told) == 2
    assert (
        "camera 'left': device '/dev/null' may be another camera after the next start; stable names: "
        in told[0]
    )
    assert "camera 'left': exposure, white balance left to the device" in told[1]


def test_recording_needs_no_caution(tmp_path: Path) -> None:
    record(tmp_path / "left.avi", noisy(2))
    assert list(cautions(loaded(tmp_path))) == []


def test_settings_without_cameras_have_none() -> None:
    assert table_cameras(Settings(), ManualClock()) == []


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            "exposre_ms = 3",
            r"cameras\.left\.exposre_ms is not known; the keys are device, calibration, fps, exposure_ms",
        ),
        ("exposure_ms = 0", r"cameras\.left\.exposure_ms = 0: input should be greater than or equal to 0\.1"),
        ("gain = nan", r"cameras\.left\.gain = nan: input should be a finite number"),
        (
            "white_balance_k = '4500'",
            r"cameras\.left\.white_balance_k = '4500': input should be a valid number",
        ),
        ("delay_ms = 2001", r"cameras\.left\.delay_ms = 2001: input should be less than or equal to 2000"),
        ("[cameras.right]\ndevice = '0'", r"cameras\.right\.calibration.*field required"),
        (
            "[cameras.right]\ndevice = ''\ncalibration = 'a'",
            r"cameras\.right\.device = '': .*at least 1 char",
        ),
    ],
)
def test_wrong_camera_section_is_refused_with_what_is_allowed(tmp_path: Path, more: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        loaded(tmp_path, more + "\n")


def test_example_of_a_camera_is_one_that_can_be_used(tmp_path: Path) -> None:
    begin = example().index("# [cameras.left]")
    text = "\n".join(line.removeprefix("# ") for line in example()[begin:].splitlines())
    (tmp_path / "s.toml").write_text(text)
    camera = load_settings(tmp_path / "s.toml").cameras["left"]
    assert set(tomllib.loads(text)["cameras"]["left"]) == set(type(camera).model_fields)


def test_cameras_are_told_among_what_differs_from_the_defaults(tmp_path: Path) -> None:
    told = changes(loaded(tmp_path, "gain = 20\n"))
    assert any(line.startswith("cameras.left.device = ") for line in told)
    assert "cameras.left.gain = 20.0" in told
    assert not any("focus" in line for line in told)
