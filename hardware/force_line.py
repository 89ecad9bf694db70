"""A pseudo-terminal with an emulated force sensor at its other end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import termios
import threading
import time
import tty
from pathlib import Path
from typing import Protocol

from hardware.pseudo_terminal import put_link

_ROOM = 4000  # bytes that a terminal keeps for its reader; what is more waits elsewhere, uncounted
_ARRIVAL_S = 0.1
_CHUNK = 4096
_EVERY_S = 0.002


class Device(Protocol):
    """What is at the other end."""

    def take(self, data: bytes) -> None:
        """What the host wrote."""
        ...

    def due(self) -> bytes:
        """What it sends until now that was not sent yet."""
        ...


class ForceLine:
    """Carries a device's bytes; whoever owns its time calls `pump`, or `serve` in real time.

    Args:
        device: At the other end.
        link: A name that leads to the terminal while it is there.
        arrival_s: How long to wait until what was sent can be read; in real time nobody needs to.

    Attributes:
        path: Of the terminal, to open as a serial port.
    """

    def __init__(self, device: Device, link: Path | None = None, arrival_s: float = _ARRIVAL_S) -> None:
        self._device, self._link, self._arrival_s = device, link, arrival_s
        self._near, self._far = (
            os.openpty()
        )  # holding the far end open too, the near one does not hang up with its reader
        tty.setraw(self._far)
        os.set_blocking(self._near, False)
        self.path = os.ttyname(self._far)
        if link is not None:
            put_link(link, self.path)

    def pump(self) -> None:
        """Hand over what has been written at either end; what is sent can be read at the far end afterwards.

        A reader that does not read loses bytes, as on a real port.
        """
        with contextlib.suppress(BlockingIOError):
            self._device.take(os.read(self._near, _CHUNK))
        data = self._device.due()
        if data:
            self._send(data)

    def serve(self, done: threading.Event) -> None:
        """Pump in real time until `done` is set."""
        while not done.wait(_EVERY_S):
            self.pump()

    def close(self) -> None:
        """Hang up; may be called twice."""
        if self._link is not None and self._near >= 0:
            self._link.unlink(missing_ok=True)
        for handle in {self._near, self._far} - {-1}:
            os.close(handle)
        self._near = self._far = -1

    def _send(self, data: bytes) -> None:
        before = self._readable()
        try:
            sent = os.write(self._near, data)
        except BlockingIOError:
            return
        deadline_s = time.monotonic() + self._arrival_s  # the system carries bytes across in its own time
        while before <= self._readable() < min(before + sent, _ROOM) and time.monotonic() < deadline_s:
            time.sleep(0)

    def _readable(self) -> int:
        count: int = struct.unpack("i", fcntl.ioctl(self._far, termios.FIONREAD, b"\0" * 4))[0]
        return count
