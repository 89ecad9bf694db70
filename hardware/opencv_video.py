"""Cameras, recordings and addresses opened by OpenCV."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from hardware.camera_controls import Locks, Properties, lock
from hardware.device_names import DeviceName, Kind, device_named
from hardware.video import VideoDevice
from robot.errors import DeviceError
from robot.ports import Clock, Image

_WAIT_MS = 5000  # for an address to answer; a camera's driver has 10 s, set in OpenCV itself


@dataclass(frozen=True)
class VideoSource:
    """What to open and how.

    Attributes:
        device: Its name (see `device_named`).
        size_px: Width and height to ask for; the stream checks what comes.
        fps: Pictures a second to ask for; None leaves it to the device.
        locks: What to hold fast.
        compressed: Ask for MJPG: uncompressed pictures of two cameras do not fit through one USB 2 controller.
    """

    device: str
    size_px: tuple[int, int]
    fps: float | None = None
    locks: Locks = field(default_factory=Locks)
    compressed: bool = True


def open_video(source: VideoSource, clock: Clock) -> VideoDevice:
    """Open a device and set it as asked. A recording is played at its own pace and ends as a camera that vanishes.

    Raises:
        DeviceError: It is not there, cannot be opened, or ignores what it is set to.
    """
    name = device_named(source.device)
    capture = cv2.VideoCapture()
    if not _opened(capture, name):
        capture.release()
        raise DeviceError(f"{name.kind.value} {name.path} cannot be opened: {_cure(name.kind)}")
    if name.kind is not Kind.CAMERA:
        return _Recording(capture, clock) if name.kind is Kind.RECORDING else _OpenCvVideo(capture)
    try:
        _set_up(capture, source)
    except DeviceError:
        capture.release()
        raise
    return _Camera(capture)


def _opened(capture: cv2.VideoCapture, name: DeviceName) -> bool:
    if name.kind is Kind.CAMERA:
        return capture.open(name.path, cv2.CAP_V4L2)
    waits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _WAIT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _WAIT_MS]
    return capture.open(name.path, cv2.CAP_FFMPEG, waits)


def _cure(kind: Kind) -> str:
    return {
        Kind.CAMERA: "end other programs that use it (`fuser -v` names them), join the group `video`, and take the "
        "device whose name ends in index0",
        Kind.RECORDING: "it is no video that OpenCV can read; record it as MJPG in an .avi file",
        Kind.ADDRESS: f"nothing answers there within {_WAIT_MS / 1000:g} s; check the address and the network",
    }[kind]


def _set_up(capture: Properties, source: VideoSource) -> None:
    """Format, size and rate first: they restart the stream, and some drivers then forget the controls."""
    capture.set(cv2.CAP_PROP_MODE, 0)  # controls in the device's own values
    if source.compressed:
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    for prop, pixels in zip(
        (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT), source.size_px, strict=True
    ):
        capture.set(prop, pixels)
    if source.fps is not None:
        capture.set(cv2.CAP_PROP_FPS, source.fps)
    lock(capture, source.locks)


class _OpenCvVideo:
    """Pictures of an address; how long they were on their way is not known here but in `Patience.delay_s`."""

    ended = "its pictures have ceased to come; check the network"

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self.queue = 1
        self._capture = capture

    def grab(self) -> bool:
        """Wait for the next picture."""
        return self._capture.grab()

    def stamp_s(self) -> float | None:
        """Unknown: what OpenCV tells is the place in the stream."""
        return None

    def retrieve(self) -> Image | None:
        """Decode it; OpenCV tells of pictures that are torn by raising or by nothing."""
        try:
            good, image = self._capture.retrieve()
        except cv2.error:
            return None
        return np.asarray(image, dtype=np.uint8) if good else None

    def release(self) -> None:
        """Give the device back."""
        self._capture.release()


class _Camera(_OpenCvVideo):
    """A camera on Video4Linux, whose driver stamps pictures when their first byte arrives (CLOCK_MONOTONIC)."""

    ended = (
        "it was unplugged, another program took it, or its driver has no picture any more; plug it in again"
    )

    def __init__(self, capture: cv2.VideoCapture) -> None:
        super().__init__(capture)
        self.queue = max(int(capture.get(cv2.CAP_PROP_BUFFERSIZE)), 1)

    def stamp_s(self) -> float | None:
        """What the driver says."""
        return self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1e3


class _Recording(_OpenCvVideo):
    """A recorded video, one picture a period."""

    ended = "the recording has ended; it begins anew"

    def __init__(self, capture: cv2.VideoCapture, clock: Clock) -> None:
        super().__init__(capture)
        fps = capture.get(cv2.CAP_PROP_FPS)
        self._period_s = 1.0 / fps if 0 < fps < 1000 else 1.0 / 30
        self._clock, self._due_s = clock, clock.now_s()

    def grab(self) -> bool:
        """Take the next picture at its time, which is when it counts as exposed."""
        self._due_s = max(self._due_s + self._period_s, self._clock.now_s())
        self._clock.sleep_until(self._due_s)
        return super().grab()
