"""A video device without hardware: a sensor that exposes on a clock, a driver's queue, and faults on demand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from hardware.stream import Stream
from robot.errors import DeviceError
from robot.ports import Clock, Image
from robot.seeding import generator

_HANG_S = 10.0  # how long OpenCV waits for a picture that does not come


@dataclass(frozen=True)
class FakeSensor:
    """Times of a sensor and its driver.

    Attributes:
        period_s: From one exposure to the next.
        exposure_s: Length of an exposure; the driver stamps its end, when the first byte arrives.
        transfer_s: From there until the picture is complete.
        queue: Buffers of the driver.
        stamps: Whether the driver tells its stamps.
        stamps_off_s: By how much another clock than ours is ahead, from which they come.
    """

    period_s: float = 1 / 30
    exposure_s: float = 0.020
    transfer_s: float = 0.030
    queue: int = 4
    stamps: bool = True
    stamps_off_s: float = 0.0


@dataclass
class Plug:
    """What a test does to the camera.

    Attributes:
        gone: It cannot be opened, and an open one delivers nothing.
        hung: Its driver waits in vain for a picture.
        frozen: It sends the same picture again and again.
        torn: Its pictures cannot be decoded.
        size_px: Width and height of its pictures.
        opened: How often it was opened.
        released: How often it was given back.
        shown: Number of the picture it sent last, which it repeats when frozen.
        exposed_s: When the exposure of every picture began, by the number that `number_of` reads in it.
    """

    size_px: tuple[int, int]
    gone: bool = False
    hung: bool = False
    frozen: bool = False
    torn: bool = False
    opened: int = 0
    released: int = 0
    shown: int = 0
    exposed_s: dict[int, float] = field(default_factory=dict)


def number_of(image: Image) -> int:
    """Which of a fake camera's pictures this is."""
    return int(image[0, 0] @ np.array([1, 1 << 8, 1 << 16]))


class FakeVideo:
    """Implements `VideoDevice`. Buffers go round as in Video4Linux: filled in the order in which they were given."""

    ended = "it was unplugged; plug it in again"

    def __init__(self, plug: Plug, clock: Clock, sensor: FakeSensor, seed: int) -> None:
        if plug.gone:
            raise DeviceError("camera 'fake' cannot be opened: it is not there")
        plug.opened += 1
        self.queue = sensor.queue
        self._plug, self._clock, self._sensor = plug, clock, sensor
        width, height = plug.size_px
        self._grain = generator(seed, "fake video").integers(0, 256, (height + 64, width, 3), dtype=np.uint8)
        self._started_s = clock.now_s()
        self._next = 0  # exposure that has not been looked at yet
        self._free = deque([self._started_s] * sensor.queue)  # when each empty buffer was given to the driver
        self._full: deque[int] = deque()
        self._held: int | None = None

    def grab(self) -> bool:
        """The oldest picture of the queue, or the next one."""
        if self._plug.gone:
            return False
        if self._plug.hung:
            self._clock.sleep_until(self._clock.now_s() + _HANG_S)
            return False
        self._give_back()
        self._expose_until(self._clock.now_s())
        while not self._full:
            self._clock.sleep_until(self._complete_s(self._next))
            self._expose_until(self._clock.now_s())
        self._held = self._full.popleft()
        self._plug.exposed_s[self._number(self._held)] = self._began_s(self._held)
        return True

    def stamp_s(self) -> float | None:
        """When the first byte arrived."""
        if not self._sensor.stamps or self._held is None:
            return None
        return self._began_s(self._held) + self._sensor.exposure_s + self._sensor.stamps_off_s

    def retrieve(self) -> Image | None:
        """Grain that differs from picture to picture, with the picture's number in the first pixel."""
        if self._plug.torn or self._held is None:
            return None
        if not self._plug.frozen:
            self._plug.shown = self._number(self._held)
        number = self._plug.shown
        width, height = self._plug.size_px
        image = self._grain[number % 64 :][:height, :width].copy()
        image[0, 0] = [number & 255, number >> 8 & 255, number >> 16 & 255]
        self._give_back()
        return image

    def release(self) -> None:
        """Count it."""
        self._plug.released += 1

    def _number(self, exposure: int) -> int:
        """Of a picture, over all openings."""
        return self._plug.opened * 100_000 + exposure

    def _began_s(self, exposure: int) -> float:
        return self._started_s + exposure * self._sensor.period_s

    def _complete_s(self, exposure: int) -> float:
        return self._began_s(exposure) + self._sensor.exposure_s + self._sensor.transfer_s

    def _give_back(self) -> None:
        """The buffer that was held goes to the end of the driver's queue."""
        if self._held is not None:
            self._free.append(self._clock.now_s())
            self._held = None

    def _expose_until(self, now_s: float) -> None:
        """Fill buffers with what is complete by now; what finds no buffer when its bytes arrive is lost."""
        while self._complete_s(self._next) <= now_s:
            arrives_s = self._began_s(self._next) + self._sensor.exposure_s
            if self._free and self._free[0] <= arrives_s:
                self._free.popleft()
                self._full.append(self._next)
            self._next += 1


class StepGrabber:
    """Makes a stream go on without a thread, when somebody waits for it, so that a test's clock decides all.

    Attributes:
        held_up_s: How long each step is held up, one after the other, as a thread on a busy machine is; then no more.
    """

    def __init__(self, clock: Clock) -> None:
        self.held_up_s: Iterator[float] = iter(())
        self._clock = clock
        self._stream: Stream | None = None

    def start(self, stream: Stream) -> None:
        """Take this stream."""
        self._stream = stream

    def wait_until(self, done: Callable[[], bool], until_s: float) -> bool:
        """Step until `done` or until the clock says `until_s`."""
        while not done() and self._clock.now_s() < until_s:
            self.step(until_s)
        return done()

    def step(self, until_s: float = np.inf) -> None:
        """One step, and the wait that it asks for."""
        self._clock.sleep_until(self._clock.now_s() + next(self.held_up_s, 0.0))
        if self._stream is not None and (pause_s := self._stream.step()) > 0:
            self._clock.sleep_until(min(self._clock.now_s() + pause_s, until_s))

    def run(self, seconds: float) -> None:
        """Let time pass with nobody asking for a picture."""
        self.wait_until(lambda: False, self._clock.now_s() + seconds)

    def stop(self, within_s: float) -> None:  # noqa: ARG002 - it ends at once
        """Close the stream."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None
