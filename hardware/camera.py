"""A live camera: the newest picture of a device, and never one from before the moment that was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from hardware.grabber import Grabber, ThreadGrabber
from hardware.stream import Shot, Stream, StreamState
from hardware.video import OpenDevice, Patience
from robot.camera_model import CameraModel
from robot.errors import DeviceError
from robot.ports import Clock, Frame

_ADVICE = "check its cable, and that no other program uses it"


class LiveCamera:
    """Implements `Camera` on a video device that may vanish and come back.

    A break in the stream changes `generation`. Who looked under another generation must look again before anything
    moves: read it before a look and compare it before the motion.

    Args:
        model: Its calibration, which pictures must fit.
        open_device: Opens the device; called again whenever it was lost.
        clock: Monotonic, the machine's own where the driver stamps its pictures.
        patience: How long what may take.
        grabber: What makes it go on; a thread if nothing is given.
    """

    def __init__(
        self,
        model: CameraModel,
        open_device: OpenDevice,
        clock: Clock,
        patience: Patience | None = None,
        grabber: Grabber | None = None,
    ) -> None:
        self.model = model
        self._open_device, self._clock = open_device, clock
        self._patience = patience or Patience()
        self._grabber = grabber or ThreadGrabber(clock, f"camera {model.name}")
        self._stream: Stream | None = None
        self._generation = 0  # of the stream that was closed last, so that no number is used twice
        self._asking = threading.Lock()

    def connect(self) -> None:
        """Open the device and wait for its first picture.

        Raises:
            DeviceError: It cannot be opened or set as asked, or sends no picture that fits the calibration.
        """
        if self._stream is not None:
            return
        stream = Stream(self.model.size_px, self._open_device, self._clock, self._patience)
        stream.generation = self._generation
        self._stream = stream
        self._grabber.start(stream)
        until_s = self._clock.now_s() + self._patience.connect_s
        try:
            if self._waited(lambda: stream.state is StreamState.LIVE or bool(stream.fault), until_s):
                if stream.state is StreamState.LIVE:
                    return
                raise self._error(stream.fault)
            raise self._error(f"no picture within {self._patience.connect_s:g} s of opening: {_ADVICE}")
        except BaseException:
            self.close()
            raise

    def capture(self) -> Frame:
        """A picture exposed after this call began.

        Raises:
            DeviceError: None came in time.
        """
        return self.capture_since(self._clock.now_s())

    def capture_since(self, t_s: float) -> Frame:
        """A picture exposed at or after `t_s`, the end of the last motion, say; at once where there is one already.

        Raises:
            DeviceError: None came in time, or the camera is not connected.
        """
        until_s = self._clock.now_s() + self._patience.capture_s
        if not self._asking.acquire(timeout=self._patience.capture_s):
            raise self._error("another thread asks for a picture all the time; give it a camera of its own")
        try:
            shot = self._shot_since(self._connected(), t_s, until_s)
        finally:
            self._asking.release()
        return Frame(shot.image.copy(), shot.t_s, self.model.name)

    def _shot_since(self, stream: Stream, t_s: float, until_s: float) -> Shot:
        stream.want(True)
        try:
            self._waited(lambda: stream.since(t_s) is not None, until_s)
        finally:
            stream.want(False)
        shot = stream.since(t_s)
        if shot is None:
            raise self._error(self._why_none(stream))
        return shot

    def _why_none(self, stream: Stream) -> str:
        late = f"no picture came within {self._patience.capture_s:g} s"
        if stream.fault:
            tries = f"it is opened again by itself, tried {stream.tries} times"
            return f"{late}, the device is lost ({stream.fault}); {tries}"
        return f"{late}, the device is {stream.state.value}: {_ADVICE}"

    @property
    def generation(self) -> int:
        """Changes at every break of the stream and when it begins anew; no value comes twice."""
        return self._generation if self._stream is None else self._stream.generation

    @property
    def state(self) -> StreamState:
        """What the stream is doing."""
        return StreamState.CLOSED if self._stream is None else self._stream.state

    def close(self) -> None:
        """End the thread and give the device back; may be called twice.

        Raises:
            DeviceError: The driver did not let go in time.
        """
        stream, self._stream = self._stream, None
        if stream is None:
            return
        try:
            self._grabber.stop(self._patience.close_s)
        except DeviceError as error:
            raise self._error(str(error)) from None
        finally:
            self._generation = stream.generation + 1

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connected(self) -> Stream:
        if self._stream is None:
            raise self._error("it is not connected: call connect() first")
        return self._stream

    def _waited(self, done: Callable[[], bool], until_s: float) -> bool:
        try:
            return self._grabber.wait_until(done, until_s)
        except DeviceError as error:
            raise self._error(str(error)) from error.__cause__

    def _error(self, why: str) -> DeviceError:
        return DeviceError(f"camera {self.model.name!r}: {why}")
