from __future__ import annotations

from pathlib import Path

import pytest

from hardware.device_names import DeviceName, Kind, cameras_there, device_named
from robot.errors import DeviceError

LEFT = "usb-046d_HD_Pro_Webcam_C920_ABC1-video-index0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Stable names of one camera with two devices; /dev/null stands for the camera, as a character device."""
    for folder, name in (("by-id", LEFT), ("by-id", LEFT[:-1] + "1"), ("by-path", "pci-1-video-index0")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).symlink_to("/dev/null")
    return tmp_path


@pytest.mark.parametrize("name", [LEFT, f"by-id/{LEFT}", "pci-1-video-index0"])
def test_stable_name_is_found_bare_or_whole(root: Path, name: str) -> None:
    given = str(root / name) if "/" in name else name
    found = device_named(given, root)
    assert found.kind is Kind.CAMERA
    assert found.stable
    assert Path(found.path).name == Path(name).name


def test_device_file_of_a_number_is_not_stable(root: Path) -> None:
    assert device_named("/dev/null", root) == DeviceName("/dev/null", Kind.CAMERA, stable=False)


def test_missing_device_is_told_with_those_that_are_there(root: Path) -> None:
    with pytest.raises(
        DeviceError, match=rf"device '77' is not there; cameras that are: .*{LEFT}, .*pci-1-video"
    ):
        device_named("77", root)


def test_no_camera_at_all_is_told(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"device 'usb-x' is not there; cameras that are: none under"):
        device_named("usb-x", tmp_path)


def test_unplugged_camera_of_a_stable_name_is_missing(root: Path) -> None:
    link = root / "by-id" / LEFT
    link.unlink()
    link.symlink_to(root / "gone")
    with pytest.raises(DeviceError, match="is not there"):
        device_named(str(link), root)


def test_only_devices_with_pictures_are_listed(root: Path) -> None:
    assert [Path(name).name for name in cameras_there(root)] == [LEFT, "pci-1-video-index0"]


def test_address_and_recording_are_told_apart(tmp_path: Path) -> None:
    video = tmp_path / "a.avi"
    video.touch()
    assert device_named("rtsp://10.0.0.2/left").kind is Kind.ADDRESS
    assert device_named(str(video)).kind is Kind.RECORDING
