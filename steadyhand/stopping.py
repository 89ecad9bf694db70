"""The stop that people reach for: the space bar, Ctrl-C, or a signal from outside."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_POLL_S = 0.1


class HumanStop:
    """Implements `StopSignal`; once set it stays set."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.why = ""

    def is_set(self) -> bool:
        """Whether somebody asked for a stop."""
        return self._event.is_set()

    def set(self, why: str) -> None:
        """Ask for a stop; the first reason counts."""
        if not self._event.is_set():
            self.why = why
        self._event.set()


@contextlib.contextmanager
def listening(stop: HumanStop) -> Iterator[None]:
    """Take Ctrl-C, SIGTERM and, on a terminal, the space bar for a stop while the block runs."""
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def on_signal(number: int, _frame: FrameType | None) -> None:
        stop.set("Ctrl-C" if number == signal.SIGINT else "SIGTERM")

    for number in previous:
        signal.signal(number, on_signal)
    try:
        with _space_bar(stop):
            yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _space_bar(stop: HumanStop) -> Iterator[None]:
    """Watch the keyboard without waiting for Enter; nothing where there is none."""
    fd = _keyboard()
    if fd is None:
        yield
        return
    import termios
    import tty

    before = termios.tcgetattr(fd)
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(fd, stop, done), daemon=True)
    try:
        tty.setcbreak(fd)
        watcher.start()
        yield
    finally:
        done.set()
        watcher.join(timeout=1.0)
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _keyboard() -> int | None:
    """Standard input where it is a terminal and this process is in its foreground; else touching it would stop us."""
    try:
        fd = sys.stdin.fileno()
        return fd if os.isatty(fd) and os.tcgetpgrp(fd) == os.getpgrp() else None
    except (AttributeError, ValueError, OSError):  # closed, or no file at all
        return None


def _watch(fd: int, stop: HumanStop, done: threading.Event) -> None:
    while not done.is_set():
        ready, _, _ = select.select([fd], [], [], _POLL_S)
        if ready and not _heed(fd, stop):
            return


def _heed(fd: int, stop: HumanStop) -> bool:
    """Take a space for a stop; False where the terminal is gone."""
    try:
        keys = os.read(fd, 64)
    except OSError:
        return False
    if b" " in keys:
        stop.set("space bar")
    return bool(keys)
