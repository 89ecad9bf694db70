"""What makes a stream go on: a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from hardware.stream import Stream
from robot.errors import DeviceError
from robot.ports import Clock


class Grabber(Protocol):
    """Calls a stream's `step` again and again."""

    def start(self, stream: Stream) -> None:
        """Begin."""
        ...

    def wait_until(self, done: Callable[[], bool], until_s: float) -> bool:
        """Let the stream go on until `done`, or until the clock says `until_s`; whether it is done.

        Raises:
            DeviceError: The stream cannot go on any more.
        """
        ...

    def stop(self, within_s: float) -> None:
        """End, with the device given back.

        Raises:
            DeviceError: It did not end in time.
        """
        ...


class ThreadGrabber:
    """Grabs in a thread, so that the driver's queue never holds old pictures for long."""

    def __init__(self, clock: Clock, name: str = "camera") -> None:
        self._clock, self._name = clock, name
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._died: Exception | None = None

    def start(self, stream: Stream) -> None:
        """Begin; a daemon thread, so that a driver that hangs does not keep the program from ending."""
        self._stopping = (
            threading.Event()
        )  # of its own: a thread that its driver still holds must end all the same
        self._died = None
        work = (stream, self._stopping)
        self._thread = threading.Thread(target=self._run, args=work, name=self._name, daemon=True)
        self._thread.start()

    def wait_until(self, done: Callable[[], bool], until_s: float) -> bool:
        """Wait until a step makes `done` true, or until the clock says `until_s`.

        Raises:
            DeviceError: The thread has ended by an error that is no device's.
        """
        with self._changed:
            self._changed.wait_for(lambda: done() or self._died is not None, until_s - self._clock.now_s())
        if self._died is not None:
            raise DeviceError(f"its thread ended: {self._died!r}; this is a bug, please report it")
        return done()

    def stop(self, within_s: float) -> None:
        """End the thread; it gives the device back itself, since only it may use it.

        Raises:
            DeviceError: It still waits for the driver.
        """
        self._stopping.set()
        if self._thread is None:
            return
        self._thread.join(within_s)
        if self._thread.is_alive():
            raise DeviceError(
                f"its driver has not let go of the device within {within_s:g} s: unplug it, or end this program"
            )
        self._thread = None

    def _run(self, stream: Stream, stopping: threading.Event) -> None:
        try:
            while not stopping.is_set():
                pause_s = stream.step()
                self._tell()
                stopping.wait(pause_s)
        except Exception as error:  # told to whoever waits for a picture
            self._died = error
        finally:
            stream.close()
            self._tell()

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()
