"""A webcam's controls as Video4Linux devices have them, and an OpenCV capture that has nothing else."""

from __future__ import annotations

import cv2
import numpy as np

from robot.ports import Image

SWITCH = {
    cv2.CAP_PROP_EXPOSURE: (cv2.CAP_PROP_AUTO_EXPOSURE, 1.0),
    cv2.CAP_PROP_FOCUS: (cv2.CAP_PROP_AUTOFOCUS, 0.0),
    cv2.CAP_PROP_WB_TEMPERATURE: (cv2.CAP_PROP_AUTO_WB, 0.0),
}


class Webcam:
    """Takes values as Video4Linux devices do: only once their automatic is off, and rounded to steps."""

    def __init__(
        self, step: float = 1.0, *, without: tuple[int, ...] = (), stubborn: tuple[int, ...] = ()
    ) -> None:
        self.values = {
            cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
            cv2.CAP_PROP_EXPOSURE: 333.0,
            cv2.CAP_PROP_GAIN: 64.0,
            cv2.CAP_PROP_AUTOFOCUS: 1.0,
            cv2.CAP_PROP_FOCUS: 0.0,
            cv2.CAP_PROP_AUTO_WB: 1.0,
            cv2.CAP_PROP_WB_TEMPERATURE: 4000.0,
        }
        self._step, self._stubborn = step, stubborn
        for prop in without:
            del self.values[prop]

    def get(self, prop: int, /) -> float:
        return self.values.get(prop, -1.0)

    def set(self, prop: int, value: float, /) -> bool:
        switch, off = SWITCH.get(prop, (prop, None))
        if (
            prop not in self.values
            or prop in self._stubborn
            or (off is not None and self.values[switch] != off)
        ):
            return False
        self.values[prop] = value if prop in dict(SWITCH.values()) else round(value / self._step) * self._step
        return True


class Capture(Webcam):
    """In place of `cv2.VideoCapture`.

    Attributes:
        opened: What was opened, and by which backend.
        order: Properties in the order in which they were set.
        released: How often it was given back.
    """

    def __init__(self, *, refused: bool = False, stubborn: tuple[int, ...] = ()) -> None:
        super().__init__(stubborn=stubborn)
        self.values |= {cv2.CAP_PROP_BUFFERSIZE: 4.0, cv2.CAP_PROP_POS_MSEC: 1234.5}
        for prop in (
            cv2.CAP_PROP_FOURCC,
            cv2.CAP_PROP_FRAME_WIDTH,
            cv2.CAP_PROP_FRAME_HEIGHT,
            cv2.CAP_PROP_FPS,
        ):
            self.values[prop] = 0.0
        self.opened: tuple[str, int] | None = None
        self.order: list[int] = []
        self.released = 0
        self.torn = False
        self._refused = refused

    def open(self, path: str, backend: int) -> bool:
        self.opened = path, backend
        return not self._refused

    def set(self, prop: int, value: float, /) -> bool:
        self.order.append(prop)
        return super().set(prop, value)

    def grab(self) -> bool:
        return True

    def retrieve(self) -> tuple[bool, Image]:
        if self.torn:
            raise cv2.error("corrupt data")
        return True, np.zeros((2, 2, 3), np.uint8)

    def release(self) -> None:
        self.released += 1
