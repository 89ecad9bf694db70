"""Real parts: recordings read by OpenCV and grabbed by a real thread; a real camera where the kernel has one."""

from __future__ import annotations

import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera import LiveCamera
from hardware.camera_controls import Locks
from hardware.device_names import cameras_there
from hardware.opencv_video import VideoSource, open_video
from hardware.stream import StreamState
from hardware.video import Patience
from robot.clock import ManualClock, WallClock
from robot.errors import DeviceError
from robot.ports import Image
from support.live import QUICK, SMALL_PX, noisy, playing, record, small_model
from support.webcam import Capture


def capture_often(camera: LiveCamera) -> None:
    for _ in range(50):
        camera.capture()


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("camera")]


@pytest.mark.parametrize(("codec", "off"), [("MJPG", 12.0), ("MPNG", 0.0)])
def test_recorded_pictures_come_in_order_at_their_pace(tmp_path: Path, codec: str, off: float) -> None:
    pictures = noisy(4)
    clock = ManualClock(5.0)
    video = open_video(VideoSource(str(record(tmp_path / "a.avi", pictures, 50.0, codec)), SMALL_PX), clock)
    for k, picture in enumerate(pictures, 1):
        assert video.grab()
        assert clock.now_s() == pytest.approx(5.0 + k / 50)
        image = video.retrieve()
        assert image is not None
        assert np.abs(image.astype(int) - picture).mean() <= off
    assert not video.grab()
    video.release()
    video.release()


def test_recording_is_a_camera_with_a_thread_that_ends_with_it(tmp_path: Path) -> None:
    with playing(record(tmp_path / "a.avi", noisy(60))) as (camera, clock):
        assert threads() == ["camera left"]
        for _ in range(3):
            asked_s = clock.now_s()
            frame = camera.capture()
            assert asked_s <= frame.t_s <= clock.now_s()
    assert threads() == []
    assert camera.state is StreamState.CLOSED


def test_recording_that_ends_breaks_the_stream_and_begins_anew(tmp_path: Path) -> None:
    with playing(record(tmp_path / "a.avi", noisy(12))) as (camera, _):
        seen = {camera.generation}
        for _ in range(10):
            camera.capture()
            seen.add(camera.generation)
        assert len(seen) > 1


def test_recording_of_one_picture_again_and_again_is_frozen(tmp_path: Path) -> None:
    same = noisy(1) * 60
    path = record(tmp_path / "a.avi", same)
    with pytest.raises(DeviceError, match=r"camera 'left': it is frozen: .* the same picture"), playing(path):
        pass
    assert threads() == []


def test_recording_of_another_size_is_refused_with_both(tmp_path: Path) -> None:
    path = record(tmp_path / "a.avi", noisy(20, (32, 24)))
    with (
        pytest.raises(DeviceError, match="its pictures are 32 x 24 x 3, its calibration is for 64 x 48"),
        playing(path),
    ):
        pass


def test_file_that_is_no_video_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.avi"
    path.write_bytes(b"no video" * 500)
    with pytest.raises(DeviceError, match=r"recording .*a\.avi cannot be opened: .*MJPG"), playing(path):
        pass


def test_recording_removed_while_it_plays_is_told(tmp_path: Path) -> None:
    path = record(tmp_path / "a.avi", noisy(10))
    patience = Patience(delay_s=0.005, capture_s=0.6, settle_s=0.02, retry_s=0.02, close_s=5.0)
    with playing(path, patience) as (camera, _):
        path.unlink()
        with pytest.raises(DeviceError, match=r"a\.avi' is not there"):
            capture_often(camera)


class Stuck:
    """Pictures for a while, then a driver that does not return."""

    queue, ended = 1, "it has ended"

    def __init__(self) -> None:
        self.freed = threading.Event()
        self.released = threading.Event()
        self._left = noisy(40)

    def grab(self) -> bool:
        if not self._left:
            self.freed.wait(20)
            return False
        return True

    def stamp_s(self) -> float | None:
        return None

    def retrieve(self) -> Image | None:
        return self._left.pop()

    def release(self) -> None:
        self.released.set()


def test_driver_that_does_not_return_holds_up_neither_capture_nor_close() -> None:
    device = Stuck()
    patience = Patience(delay_s=0.0, capture_s=0.05, settle_s=0.0, close_s=0.05)
    camera = LiveCamera(small_model(), lambda: device, WallClock(), patience)
    camera.connect()
    with pytest.raises(DeviceError, match=r"no picture came within 0\.05 s"):
        capture_often(camera)
    with pytest.raises(DeviceError, match=r"has not let go of the device within 0\.05 s: unplug it"):
        camera.close()
    device.freed.set()
    assert device.released.wait(5), "the thread gives it back as soon as it can"


class Endless(Stuck):
    """Pictures without end."""

    def grab(self) -> bool:
        self._left = self._left or noisy(40)
        return not self.freed.wait(0.001)


def test_closing_gives_the_device_back_by_the_thread_that_used_it() -> None:
    device = Endless()
    with LiveCamera(small_model(), lambda: device, WallClock(), QUICK) as camera:
        camera.capture()
        assert not device.released.is_set()
    assert device.released.is_set()


def test_error_of_ours_in_the_thread_is_told_to_who_waits() -> None:
    def broken() -> Stuck:
        raise ZeroDivisionError("a slip")

    camera = LiveCamera(small_model(), broken, WallClock(), QUICK)
    with pytest.raises(DeviceError, match=r"camera 'left': its thread ended: ZeroDivisionError\('a slip'\)"):
        camera.connect()
    assert threads() == []


def test_camera_is_opened_by_its_name_and_set_format_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/null stands for it, a character device; changing the format makes drivers forget their controls."""
    capture = Capture()
    monkeypatch.setattr(cv2, "VideoCapture", lambda: capture)
    locks = Locks(exposure_s=0.01, gain=20, focus=35, white_balance_k=4500)
    video = open_video(VideoSource("/dev/null", (1280, 960), 30.0, locks), WallClock())
    assert capture.opened == ("/dev/null", cv2.CAP_V4L2)
    assert capture.values[cv2.CAP_PROP_FRAME_WIDTH] == 1280
    assert capture.values[cv2.CAP_PROP_FRAME_HEIGHT] == 960
    assert capture.values[cv2.CAP_PROP_FPS] == 30
    assert capture.values[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")
    assert capture.values[cv2.CAP_PROP_EXPOSURE] == 100
    format_set = max(capture.order.index(p) for p in (cv2.CAP_PROP_FOURCC, cv2.CAP_PROP_FRAME_HEIGHT))
    assert format_set < capture.order.index(cv2.CAP_PROP_AUTO_EXPOSURE)
    assert video.queue == 4
    assert video.stamp_s() == pytest.approx(1.2345)
    assert video.retrieve() is not None
    capture.torn = True
    assert video.retrieve() is None


def test_camera_that_ignores_its_settings_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = Capture(stubborn=(cv2.CAP_PROP_GAIN,))
    monkeypatch.setattr(cv2, "VideoCapture", lambda: capture)
    with pytest.raises(DeviceError, match="it ignores what it was set to: gain: 20 asked, 64 read back"):
        open_video(VideoSource("/dev/null", (1280, 960), locks=Locks(gain=20)), WallClock())
    assert capture.released == 1


def test_camera_that_another_program_has_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = Capture(refused=True)
    monkeypatch.setattr(cv2, "VideoCapture", lambda: capture)
    with pytest.raises(DeviceError, match=r"camera /dev/null cannot be opened: end other programs .*fuser"):
        open_video(VideoSource("/dev/null", (1280, 960)), WallClock())
    assert capture.released == 1


def test_camera_of_this_machine_delivers_fresh_pictures() -> None:
    there = cameras_there()
    if not there:
        pytest.skip("this machine has no camera under /dev/v4l, not even a v4l2loopback device")
    probe = cv2.VideoCapture(there[0], cv2.CAP_V4L2)
    size = int(probe.get(cv2.CAP_PROP_FRAME_WIDTH)), int(probe.get(cv2.CAP_PROP_FRAME_HEIGHT))
    probe.release()
    clock = WallClock()
    source = VideoSource(there[0], size)
    with LiveCamera(small_model(size), lambda: open_video(source, clock), clock) as camera:
        asked_s = clock.now_s()
        assert asked_s <= camera.capture().t_s <= clock.now_s()
