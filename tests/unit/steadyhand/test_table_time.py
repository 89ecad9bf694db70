"""A table whose cameras are drawn by `emulate`: made from its settings, in its time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hardware.clock_link import LinkedClock
from hardware.linked_camera import LinkedCamera
from robot.clock import ManualClock, WallClock
from robot.errors import DeviceError, SettingsError
from steadyhand.settings import Settings
from steadyhand.table_cameras import cautions, table_cameras
from steadyhand.table_time import table_time
from support.linked import Drawer, Told


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    drawer, told = Drawer(tmp_path), Told(tmp_path)
    described = {
        "width": 64, "height": 48, "K": [[60, 0, 32], [0, 60, 24], [0, 0, 1]], "dist": [0] * 5,
        "T_world_camera": np.eye(4).tolist(),
    }  # fmt: skip
    drawer.link.camera_file.write_text(json.dumps(described))
    yield tmp_path
    told.time.close()


def settings(folder: Path, **more: object) -> Settings:
    """One linked camera, and others by name."""
    left = {"device": str(folder), "calibration": str(folder / "left.camera.json")}
    return Settings.model_validate({"cameras": {"left": left, **more}})


def test_folder_as_device_is_a_linked_camera(folder: Path) -> None:
    [camera] = table_cameras(settings(folder), ManualClock())
    assert isinstance(camera, LinkedCamera)
    assert list(cautions(settings(folder))) == [], "nothing of it is left to a device"


def test_what_a_linked_camera_cannot_set_is_refused(folder: Path) -> None:
    wrong = settings(folder)
    wrong.cameras["left"].exposure_ms = wrong.cameras["left"].gain = 3.0
    with pytest.raises(SettingsError, match=r"cameras\.left: exposure_ms, gain: device .* leave that out"):
        table_cameras(wrong, ManualClock())


def test_time_of_a_table_with_linked_cameras_is_the_worlds(folder: Path) -> None:
    with table_time(settings(folder)) as time:
        assert isinstance(time.clock, LinkedClock)
        assert time.clock.now_s() == 7.0
        assert time.patience_s == 0.5
        with pytest.raises(DeviceError, match="another program plays"), table_time(settings(folder)):
            pass
    with table_time(settings(folder)):
        pass


def test_time_of_any_other_table_is_the_walls() -> None:
    with table_time(Settings()) as time:
        assert isinstance(time.clock, WallClock)
        assert time.patience_s is None


@pytest.mark.parametrize("other", ["0", "a folder"])
def test_cameras_of_two_worlds_are_refused(folder: Path, tmp_path: Path, other: str) -> None:
    (tmp_path / "a folder").mkdir()
    device = str(tmp_path / other) if other != "0" else other
    mixed = settings(folder, right={"device": device, "calibration": "right.json"})
    with (
        pytest.raises(SettingsError, match=r"left\.device = .*right\.device = .*all must see one world"),
        table_time(mixed),
    ):
        pass
