"""Live cameras for tests: on a fake sensor whose time costs nothing, and on a recorded video with a real thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from hardware.camera import LiveCamera
from hardware.fake_video import FakeSensor, FakeVideo, Plug, StepGrabber
from hardware.opencv_video import VideoSource, open_video
from hardware.video import Patience
from robot.camera_model import CameraModel
from robot.clock import ManualClock, WallClock
from robot.ports import Image

SMALL_PX = (64, 48)


def small_model(size_px: tuple[int, int] = SMALL_PX) -> CameraModel:
    K = np.array([[60.0, 0, size_px[0] / 2], [0, 60.0, size_px[1] / 2], [0, 0, 1]])
    return CameraModel("left", size_px, K, np.eye(4))


@dataclass
class Bench:
    """A live camera on a fake sensor, without a thread."""

    sensor: FakeSensor = field(default_factory=FakeSensor)
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        self.clock = ManualClock(100.0)
        self.plug = Plug(SMALL_PX)
        self.grabber = StepGrabber(self.clock)
        self.camera = LiveCamera(
            small_model(),
            lambda: FakeVideo(self.plug, self.clock, self.sensor, 1),
            self.clock,
            self.patience,
            self.grabber,
        )

    def connected(self) -> Bench:
        self.camera.connect()
        return self


def record(path: Path, pictures: list[Image], fps: float = 100.0, codec: str = "MJPG") -> Path:
    height, width = pictures[0].shape[:2]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, (width, height))
    assert writer.isOpened()
    for picture in pictures:
        writer.write(picture)
    writer.release()
    return path


def noisy(count: int, size_px: tuple[int, int] = SMALL_PX, level: int = 120) -> list[Image]:
    rng = np.random.default_rng(1)
    shape = (size_px[1], size_px[0], 3)
    return [(level + rng.integers(-9, 10, shape)).astype(np.uint8) for _ in range(count)]


QUICK = Patience(delay_s=0.005, capture_s=2.0, settle_s=0.02, frozen_s=0.2, retry_s=0.02, close_s=5.0)


@contextmanager
def playing(
    path: Path, patience: Patience = QUICK, size_px: tuple[int, int] = SMALL_PX
) -> Iterator[tuple[LiveCamera, WallClock]]:
    """A camera that plays a recording in real time, grabbed by its own thread."""
    clock = WallClock()
    source = VideoSource(str(path), size_px)
    opener: Callable[[], object] = lambda: open_video(source, clock)  # noqa: E731
    with LiveCamera(small_model(size_px), opener, clock, patience) as camera:  # type: ignore[arg-type]
        yield camera, clock
