"""The other end of a linked camera, without a simulation: pictures of grain are drawn as a test's time passes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from hardware.camera_link import CameraLink
from hardware.clock_link import LinkedClock, ToldTime
from hardware.linked_camera import LinkedCamera
from robot.clock import ManualClock
from robot.ports import Image
from support.live import SMALL_PX, small_model


class PassingClock(ManualClock):
    """Time that somebody uses."""

    def __init__(self) -> None:
        super().__init__(100.0)
        self.passing: Callable[[], None] = lambda: None

    def sleep_until(self, t_s: float) -> None:
        """Others get their turn."""
        super().sleep_until(t_s)
        self.passing()


@dataclass
class Drawer:
    """Draws into a folder for whoever asks.

    Attributes:
        size_px: Of its pictures.
        ended: It answers no more.
        only_takes: It takes asks away and draws nothing.
        drawn: When it drew, by the clock.
    """

    folder: Path
    clock: PassingClock = field(default_factory=PassingClock)
    size_px: tuple[int, int] = SMALL_PX
    ended: bool = False
    only_takes: bool = False
    drawn: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.link = CameraLink(self.folder, "left")
        self.link.camera_file.write_text(json.dumps({}))
        self.clock.passing = self.attend
        self.draw()

    def attend(self) -> None:
        if self.ended or not (asks := self.link.asked()):
            return
        if not self.only_takes:
            self.draw()
        for ask in asks:
            ask.unlink()

    def draw(self) -> None:
        self.drawn.append(self.clock.now_s())
        self.link.put(png(grain(len(self.drawn), self.size_px)), len(self.drawn))

    def camera(self) -> LinkedCamera:
        return LinkedCamera(small_model(), self.folder, self.clock)


def grain(number: int, size_px: tuple[int, int] = SMALL_PX) -> Image:
    """A picture that tells its number."""
    image = np.random.default_rng(number).integers(0, 255, (size_px[1], size_px[0], 3), dtype=np.uint8)
    image[0, 0] = number
    return image


def png(image: Image) -> bytes:
    return cv2.imencode(".png", image)[1].tobytes()


class Told:
    """A world that tells its time into a folder and goes on, in steps, as a test's real time passes.

    Attributes:
        stands: It does not go on any more.
    """

    def __init__(self, folder: Path) -> None:
        self.wall, self.now_s, self.stands = PassingClock(), 7.0, False
        self.folder, self.time = folder, ToldTime(folder, self.now_s, self.wall)
        self.wall.passing = self.go_on

    def go_on(self) -> None:
        """One step, if it may."""
        if not self.stands and self.time.may_go_on():
            self.now_s += 0.002
            self.time.tell(self.now_s)

    def clock(self) -> LinkedClock:
        return LinkedClock(self.folder, self.wall)
