"""A stream of pictures that may break: stamped, watched, reopened. It knows no thread; something calls `step`.

When was a picture exposed? A driver keeps a few pictures in a queue, and a program that was held up finds old ones
there. A driver's own stamp tells. Without one the queue's length does: a picture's buffer was given to the driver when
the picture so many places earlier had been taken out, so the picture was completed after that.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

import numpy as np

from hardware.video import OpenDevice, Patience, VideoDevice
from robot.errors import DeviceError
from robot.ports import Clock, Image

_OLDEST_STAMP_S = 1.0  # a stamp that lies farther back, or ahead, is of another clock


class StreamState(Enum):
    """What a stream is doing."""

    OPENING = "opening"
    LIVE = "live"
    LOST = "lost"
    CLOSED = "closed"


@dataclass(frozen=True)
class Shot:
    """A picture, not exposed before `t_s`."""

    image: Image
    t_s: float


class Stream:
    """One device's pictures, across breaks.

    Attributes:
        state: What it is doing.
        generation: How often the stream began or broke. It changes the moment a break is noticed, and does not change
            back: what was seen under another generation may not hold any more.
        fault: Why the device is lost, for a person; empty where it is not.
        tries: How often opening was tried since the stream broke.
        newest: The newest picture that was decoded and differs from the one before it; None since a break.
    """

    def __init__(
        self, size_px: tuple[int, int], open_device: OpenDevice, clock: Clock, patience: Patience
    ) -> None:
        self.state, self.generation, self.fault, self.tries = StreamState.OPENING, 0, "", 0
        self.newest: Shot | None = None
        self._size_px, self._open, self._clock = size_px, open_device, clock
        self._patience = patience
        self._device: VideoDevice | None = None
        self._wanted = False
        self._next_try_s = clock.now_s()
        self._opened_s = self._changed_s = self._next_check_s = 0.0
        self._returned: deque[float] = deque()
        self._last: Image | None = None
        self._grabbed = self._last_grabbed = 0  # pictures so far, and when `_last` was one

    def want(self, wanted: bool) -> None:
        """Whether somebody waits for a picture: then every one is decoded."""
        self._wanted = wanted

    def since(self, t_s: float) -> Shot | None:
        """The newest picture, if it was exposed since `t_s` and the stream has not broken since."""
        shot = self.newest
        return shot if shot is not None and shot.t_s >= t_s else None

    def step(self) -> float:
        """Take one picture, or try once to open the device; seconds for which there is nothing to do after that."""
        if self.state is StreamState.CLOSED:
            return self._patience.most_retry_s
        try:
            if self._device is None:
                return self._reopen()
            self._take(self._device)
        except DeviceError as error:
            self._lose(str(error))
        return 0.0

    def close(self) -> None:
        """Give the device back for good; may be called twice."""
        if self.state is not StreamState.CLOSED:
            self.state = StreamState.CLOSED
            self.generation += 1
        self._release()

    def _release(self) -> None:
        device, self._device = self._device, None
        self.newest = self._last = None
        if device is not None:
            device.release()

    def _reopen(self) -> float:
        now_s = self._clock.now_s()
        if now_s < self._next_try_s:
            return self._next_try_s - now_s
        self.tries += 1
        self._device = self._open()
        self._opened_s = self._next_check_s = self._clock.now_s()
        self._changed_s = self._opened_s + self._patience.settle_s + self._patience.delay_s
        self._returned = deque(maxlen=max(self._device.queue, 1))
        self.state = StreamState.OPENING
        return 0.0

    def _lose(self, why: str) -> None:
        """Let the device go, and say when it is to be tried again."""
        if self.state is StreamState.LIVE:
            self.generation += 1
        self.state, self.fault = StreamState.LOST, why
        self._release()
        wait_s = self._patience.retry_s * 2.0 ** min(self.tries, 30)
        self._next_try_s = self._clock.now_s() + min(wait_s, self._patience.most_retry_s)

    def _take(self, device: VideoDevice) -> None:
        grabbed = device.grab()
        now_s = self._clock.now_s()
        if not grabbed:
            raise DeviceError(device.ended)
        t_s = self._exposed_s(device.stamp_s(), now_s)
        self._returned.append(now_s)
        self._grabbed += 1
        if self._is_due(now_s) and t_s >= self._opened_s + self._patience.settle_s:
            self._next_check_s = now_s + self._patience.check_s
            self._look(device.retrieve(), t_s, now_s)

    def _is_due(self, now_s: float) -> bool:
        """Whether a picture is worth decoding: somebody waits for one, or it is to be seen that the stream lives."""
        return self._wanted or self.state is not StreamState.LIVE or now_s >= self._next_check_s

    def _exposed_s(self, stamp_s: float | None, now_s: float) -> float:
        """The earliest moment at which the exposure of the picture grabbed last can have begun."""
        if stamp_s is not None and now_s - _OLDEST_STAMP_S <= stamp_s <= now_s:
            return stamp_s - self._patience.delay_s
        full = len(self._returned) == self._returned.maxlen
        return (self._returned[0] if full else self._opened_s) - self._patience.delay_s

    def _look(self, image: Image | None, t_s: float, now_s: float) -> None:
        """Hand a picture on if it differs from the one before it.

        A frozen device repeats a picture under new stamps, and the first that is seen of it may be old already; the
        second tells.
        """
        if image is None or (self._last is not None and np.array_equal(image, self._last)):
            self._check_alive(image is None, now_s)
            return
        self._check_size(image)
        follows = self._last is not None and self._last_grabbed == self._grabbed - 1
        self._last, self._last_grabbed, self._changed_s = image, self._grabbed, now_s
        if follows:
            self._hand_on(image, t_s)

    def _hand_on(self, image: Image, t_s: float) -> None:
        if self.state is not StreamState.LIVE:
            self.state, self.tries, self.fault = StreamState.LIVE, 0, ""
            self.generation += 1
        self.newest = Shot(image, t_s)

    def _check_alive(self, broken: bool, now_s: float) -> None:
        still_s = now_s - self._changed_s
        if still_s <= self._patience.frozen_s:
            return
        what = "its pictures cannot be decoded" if broken else "it sends the same picture again and again"
        raise DeviceError(
            f"it is frozen: for {still_s:.1f} s {what}, allowed are {self._patience.frozen_s:g} s "
            "(a live sensor has noise): take the cover off the lens, or plug it in again, at a USB port of its own"
        )

    def _check_size(self, image: Image) -> None:
        width, height = self._size_px
        if image.shape != (height, width, 3):
            got = " x ".join(map(str, (image.shape[1], image.shape[0], *image.shape[2:])))
            raise DeviceError(
                f"its pictures are {got}, its calibration is for {width} x {height} x 3: choose "
                "a size that the device has, or calibrate it at this size"
            )
