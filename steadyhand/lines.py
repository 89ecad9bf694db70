"""Lines that people type: on the terminal whose space bar stops the arm, or through a pipe."""

from __future__ import annotations

import codecs
import os
import queue
import select
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from robot.errors import StoppedError
from robot.ports import StopSignal

POLL_S = 0.1
_LONGEST = 200
_ENTER, _BACK, _KILL, _END = "\r\n", "\b\x7f", "\x15", "\x04"


class Lines(Protocol):
    """Where lines come from."""

    def next(self) -> str | None:
        """Wait for a line; None at the end of input.

        Raises:
            StoppedError: A person asked for a stop.
        """
        ...


class Editor:
    """A line being typed key by key while the keyboard belongs to the stop: a space begins no line, but may be in one.

    Args:
        echo: Shows what was typed.
    """

    def __init__(self, echo: Callable[[str], None]) -> None:
        self._echo = echo
        self._open = threading.Event()
        self._text = ""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")

    def next(self, stop: StopSignal) -> str | None:
        """Wait for a line; None where the terminal is at its end.

        Raises:
            StoppedError: A person asked for a stop.
        """
        self._open.set()
        try:
            while True:
                _check(stop)
                try:
                    return self._lines.get(timeout=POLL_S)
                except queue.Empty:
                    continue
        finally:
            self._open.clear()

    def stops(self, keys: bytes) -> bool:
        """Take keys; True where they ask for a stop."""
        if not self._open.is_set():
            self._text = ""
            return b" " in keys
        return any(self._key(key) for key in self._decoder.decode(keys))

    def end(self) -> None:
        """The terminal is gone."""
        self._lines.put(None)

    def _key(self, key: str) -> bool:
        if key in _ENTER:
            self._finish(self._text)
        elif key == _END and not self._text:
            self._finish(None)
        elif key in _BACK and self._text:
            self._rub_out(1)
        elif key == _KILL:
            self._rub_out(len(self._text))
        elif key == " " and not self._text:
            return True
        elif key.isprintable() and len(self._text) < _LONGEST:
            self._text += key
            self._echo(key)
        return False

    def _finish(self, line: str | None) -> None:
        self._echo("\n")
        self._text = ""
        self._lines.put(line)

    def _rub_out(self, count: int) -> None:
        self._text = self._text[: len(self._text) - count]
        self._echo("\b \b" * count)


class Typed:
    """Implements `Lines` on a terminal, by an editor that the stop's watcher feeds."""

    def __init__(self, editor: Editor, stop: StopSignal) -> None:
        self._editor, self._stop = editor, stop

    def next(self) -> str | None:
        """The next line."""
        return self._editor.next(self._stop)


class Piped:
    """Implements `Lines` on a pipe or a file; a line may lack its end where the input ends.

    Args:
        fd: To read from; None is the end of input.
        stop: Asked while waiting.
    """

    def __init__(self, fd: int | None, stop: StopSignal) -> None:
        self._fd, self._stop = fd, stop
        self._kept = b""

    def next(self) -> str | None:
        """The next line."""
        while b"\n" not in self._kept:
            if not self._more():
                last, self._kept = self._kept, b""
                return _text(last) if last else None
        line, _, self._kept = self._kept.partition(b"\n")
        return _text(line)

    def _more(self) -> bool:
        """Read on; False at the end."""
        while self._fd is not None:
            _check(self._stop)
            if select.select([self._fd], [], [], POLL_S)[0]:
                read = os.read(self._fd, 4096)
                self._kept += read
                return bool(read)
        return False


def standard_input() -> int | None:
    """The file that lines are piped through; None where it is a terminal of somebody else, or closed."""
    try:
        fd = sys.stdin.fileno()
        return None if os.isatty(fd) else fd
    except (AttributeError, ValueError, OSError):
        return None


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace").rstrip("\r")


def _check(stop: StopSignal) -> None:
    if stop.is_set():
        raise StoppedError("stopped by a person; the arm stands still")
