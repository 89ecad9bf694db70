"""A camera whose pictures another program draws into a folder when asked: `steadyhand emulate --camera-link`."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from hardware.camera_link import CameraLink, Mark, cameras_in
from robot.camera_model import CameraModel
from robot.errors import DeviceError
from robot.ports import Clock, Frame, Image

ANSWER_S = 10.0  # a picture takes 0.2 s of the other program's time, and on a busy machine many times that
_NAP_S = 0.005
_RUNS = "is `steadyhand emulate` with --camera-link still running, and has it a core to run on?"


class LinkedCamera:
    """Implements `Camera` on a folder.

    Each picture is asked for, so that it is exposed after the call began. What lies in the folder is never taken for an
    answer: the ask must have been taken away, and the picture must be another file than the one before.

    Args:
        model: Its calibration, which pictures must fit; the name that it has in the folder.
        folder: Where the other program keeps its pictures.
        clock: Whose time pictures get.
        answer_s: Deadline of one picture.
    """

    def __init__(self, model: CameraModel, folder: Path, clock: Clock, answer_s: float = ANSWER_S) -> None:
        self.model = model
        self._folder, self._clock, self._answer_s = folder, clock, answer_s
        self._link = CameraLink(folder, model.name)

    def connect(self) -> None:
        """See that somebody answers.

        Raises:
            DeviceError: The folder keeps no such camera's pictures, or nobody draws new ones.
        """
        there = cameras_in(self._folder)
        if self.model.name not in there:
            raise self._error(
                f"folder {self._folder} keeps no pictures of it; it keeps those of {', '.join(there) or 'none'}: start "
                "`steadyhand emulate` with --camera-link first, and name the section as it names the camera"
            )
        self.capture()

    def capture(self) -> Frame:
        """A picture exposed after this call began.

        Raises:
            DeviceError: None came in time, or it does not fit the calibration.
        """
        asked_s = self._clock.now_s()
        try:
            png = self._answer(asked_s + self._answer_s)
        except OSError as error:
            raise self._error(f"folder {self._folder}: {error.strerror}: {_RUNS}") from None
        return Frame(self._decoded(png), asked_s, self.model.name)

    def capture_since(self, t_s: float) -> Frame:
        """A picture exposed at or after `t_s`, asked for as soon as it is that late.

        Raises:
            DeviceError: As `capture`.
        """
        self._clock.sleep_until(t_s)
        return self.capture()

    def close(self) -> None:
        """Nothing is held open; may be called twice."""

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _answer(self, until_s: float) -> bytes:
        before = self._link.mark()
        ask = self._link.ask()
        try:
            while ask.exists():
                if self._clock.now_s() >= until_s:
                    raise self._error(f"no picture came within {self._answer_s:g} s of asking: {_RUNS}")
                self._clock.sleep_until(self._clock.now_s() + _NAP_S)
        finally:
            ask.unlink(missing_ok=True)
        return self._new(before)

    def _new(self, before: Mark) -> bytes:
        png, now = self._link.read()
        if now == before:
            raise self._error(
                f"{self._link.picture} is the picture that lay there before one was asked for: somebody else took away "
                f"what asked for it; leave the folder to `steadyhand emulate`"
            )
        return png

    def _decoded(self, png: bytes) -> Image:
        image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) if png else None
        width, height = self.model.size_px
        if image is None or image.shape != (height, width, 3):
            is_what = "no picture" if image is None else f"{image.shape[1]} x {image.shape[0]}"
            raise self._error(
                f"{self._link.picture} is {is_what}, its calibration is for {width} x {height}: name "
                f"{self._link.camera_file}, which lies beside it, as its calibration"
            )
        return np.asarray(image, dtype=np.uint8)

    def _error(self, why: str) -> DeviceError:
        return DeviceError(f"camera {self.model.name!r}: {why}")
