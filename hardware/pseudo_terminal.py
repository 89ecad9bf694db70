"""A device behind a pseudo-terminal, so that real drivers and other people's programs open it like a serial port."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
import tty
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from hardware.emulated_bus import Answer
from robot.errors import DeviceError

_CHUNK = 4096
_STOP_S = 5.0
_SPIN_S = 0.0002  # sleeping is not finer than this
_BITS_A_BYTE = 10


def put_link(link: Path, path: str) -> None:
    """Have a name lead to a terminal, in one step, so that nobody finds none or an old one."""
    fresh = link.with_name(f".{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(path)
    fresh.replace(link)


class PseudoTerminal:
    """Hands bytes to a device and its answers back, in a thread of its own, as fast as asked.

    Args:
        answers: The device: bytes in, answers out, one after another.
        link: A name that leads to the terminal and stays when the terminal's own changes.
        baud: Bits a second that the wire carries; None for as fast as it goes.
    """

    def __init__(
        self,
        answers: Callable[[bytes], Iterable[Answer]],
        link: Path | None = None,
        baud: int | None = None,
    ) -> None:
        self._answers, self._link = answers, link
        self._byte_s = 0.0 if baud is None else _BITS_A_BYTE / baud
        self._ends: tuple[int, int] | None = (
            None  # the device's end and the program's, kept open for who comes later
        )
        self._stop_r = self._stop_w = -1
        self._thread: threading.Thread | None = None
        self._died: Exception | None = None
        self.path = ""

    def start(self) -> None:
        """Be there, under a name of the system's choice (`path`) and the link."""
        if self._ends is not None:
            return
        self._ends = os.openpty()
        tty.setraw(self._ends[1])
        os.set_blocking(self._ends[0], False)
        self.path = os.ttyname(self._ends[1])
        self._stop_r, self._stop_w = os.pipe()
        if self._link is not None:
            put_link(self._link, self.path)
        self._thread = threading.Thread(target=self._run, name=f"device at {self.path}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up: whoever has it open gets an error; may be called twice, and `start` again under another name.

        Raises:
            DeviceError: The device ended by an error that is no wire's.
        """
        if self._ends is None:
            return
        os.write(self._stop_w, b"x")
        if self._thread is not None:
            self._thread.join(_STOP_S)
        for end in (*self._ends, self._stop_r, self._stop_w):
            os.close(end)
        self._ends = None
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        if self._died is not None:
            died, self._died = self._died, None
            raise DeviceError(
                f"the emulated device at {self.path} ended: {died!r}; please report it"
            ) from died

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        assert self._ends is not None
        end = self._ends[0]
        try:
            while True:
                ready, _, _ = select.select([end, self._stop_r], [], [])
                if self._stop_r in ready:
                    return
                data = os.read(end, _CHUNK)
                self._send(end, data, time.monotonic())
        except Exception as error:  # told when it is closed
            self._died = error

    def _send(self, end: int, told: bytes, came_s: float) -> None:
        """Send the answers, each when its last byte has gone over the wire."""
        free_s = came_s + len(told) * self._byte_s
        for answer in self._answers(told):
            free_s = max(free_s, came_s) + answer.delay_s + len(answer.data) * self._byte_s
            if not self._waited(free_s, exactly=self._byte_s > 0):
                return
            with contextlib.suppress(BlockingIOError):  # nobody reads: the bytes are lost, as on a wire
                os.write(end, answer.data)

    def _waited(self, until_s: float, *, exactly: bool) -> bool:
        """Wait; False where it is told to stop meanwhile."""
        spin_s = _SPIN_S if exactly else 0.0
        left_s = until_s - time.monotonic() - spin_s
        if left_s > 0:
            stopped, _, _ = select.select([self._stop_r], [], [], left_s)
            if stopped:
                return False
        while time.monotonic() < until_s:
            pass
        return True
