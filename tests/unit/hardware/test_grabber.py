"""The thread behind a camera, where its driver hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from hardware.grabber import ThreadGrabber
from hardware.stream import Stream, StreamState
from hardware.video import Patience
from robot.clock import WallClock
from robot.errors import DeviceError
from robot.ports import Image


class Hanging:
    """A device whose driver waits for a picture until the test lets it go, and then has none."""

    queue, ended = 1, "it was unplugged"

    def __init__(self) -> None:
        self.waits, self.let_go = threading.Event(), threading.Event()

    def grab(self) -> bool:
        self.waits.set()
        self.let_go.wait(10.0)
        return False

    def stamp_s(self) -> float | None:
        return None

    def retrieve(self) -> Image | None:
        return None

    def release(self) -> None:
        pass


def stream_of(device: Hanging) -> Stream:
    return Stream((4, 3), lambda: device, WallClock(), Patience(retry_s=0.01, most_retry_s=0.01))


def soon(done: Callable[[], bool]) -> bool:
    until_s = time.monotonic() + 5.0
    while not done() and time.monotonic() < until_s:
        time.sleep(0.002)
    return done()


def test_thread_that_its_driver_held_ends_though_another_has_begun() -> None:
    grabber, first, second = ThreadGrabber(WallClock()), Hanging(), Hanging()
    held = stream_of(first)
    grabber.start(held)
    assert first.waits.wait(5.0)
    with pytest.raises(DeviceError, match="has not let go of the device"):
        grabber.stop(0.01)
    grabber.start(stream_of(second))
    first.let_go.set()
    assert soon(lambda: held.state is StreamState.CLOSED), "or it would keep the camera from the second"
    second.let_go.set()
    grabber.stop(5.0)
