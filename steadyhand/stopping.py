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

from steadyhand.lines import POLL_S, Editor, Lines, Piped, Typed, standard_input


class HumanStop:
    """Implements `StopSignal`; once set it stays set.

    It takes no lock: a second Ctrl-C may come while the first is still being taken down, in the same thread.
    """

    def __init__(self) -> None:
        self._asked, self.why = False, ""

    def is_set(self) -> bool:
        """Whether somebody asked for a stop."""
        return self._asked

    def set(self, why: str) -> None:
        """Ask for a stop; the first reason counts."""
        if not self._asked:
            self.why = why
        self._asked = True


@contextlib.contextmanager
def listening(stop: HumanStop) -> Iterator[Lines]:
    """Take Ctrl-C, SIGTERM and, on a terminal, the space bar for a stop while the block runs.

    Yields:
        What else is typed, or piped in, line by line.
    """
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def on_signal(number: int, _frame: FrameType | None) -> None:
        stop.set("Ctrl-C" if number == signal.SIGINT else "SIGTERM")

    for number in previous:
        signal.signal(number, on_signal)
    try:
        with _space_bar(stop) as lines:
            yield lines
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _space_bar(stop: HumanStop) -> Iterator[Lines]:
    """Watch the keyboard without waiting for Enter; nothing where there is none."""
    fd = _keyboard()
    if fd is None:
        yield Piped(standard_input(), stop)
        return
    import termios
    import tty

    before = termios.tcgetattr(fd)
    done, editor = threading.Event(), Editor(_echo)
    watcher = threading.Thread(target=_watch, args=(fd, stop, editor, done), daemon=True)
    try:
        tty.setcbreak(fd)
        watcher.start()
        yield Typed(editor, stop)
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


def _echo(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _watch(fd: int, stop: HumanStop, editor: Editor, done: threading.Event) -> None:
    try:
        while not done.is_set():
            ready, _, _ = select.select([fd], [], [], POLL_S)
            if ready and not _heed(fd, stop, editor):
                editor.end()
                return
    except (
        Exception
    ) as error:  # whatever it is, an echo that nobody takes, say: nobody hears the space bar now
        stop.set(f"keyboard lost: {error!r}")


def _heed(fd: int, stop: HumanStop, editor: Editor) -> bool:
    """Take a space for a stop and what is typed for a line; False where the terminal is gone."""
    try:
        keys = os.read(fd, 64)
    except OSError:
        return False
    if editor.stops(keys):
        stop.set("space bar")
    return bool(keys)
