from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from robot.errors import StoppedError
from robot.fakes import Button
from steadyhand.lines import Editor, Piped, Typed


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue  # closed by the test


def test_lines_come_from_a_pipe_one_by_one_and_then_nothing(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"5.2 19.1\r\n\nconc")
    os.write(pipe[1], b"ede")
    os.close(pipe[1])
    lines = Piped(pipe[0], Button())
    assert [lines.next() for _ in range(5)] == ["5.2 19.1", "", "concede", None, None]


def test_bytes_that_are_no_text_are_a_line_like_any_other(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"\xff\xfe\n")
    assert Piped(pipe[0], Button()).next() == "\ufffd\ufffd"


def test_stop_ends_the_waiting_for_a_pipe(pipe: tuple[int, int]) -> None:
    with pytest.raises(StoppedError, match="stopped by a person"):
        Piped(pipe[0], Button(after=3)).next()


def test_without_an_input_it_is_at_its_end() -> None:
    assert Piped(None, Button()).next() is None


class Keyboard:
    """Keys typed while a line is waited for, as the stop's watcher hands them on."""

    def __init__(self) -> None:
        self.shown = ""
        self.stops: list[bool] = []
        self.editor = Editor(self._show)

    def _show(self, text: str) -> None:
        self.shown += text

    def line(self, *keys: bytes, button: Button | None = None) -> str | None:
        """The line that comes of keys; they are typed once it is waited for."""
        waiting = _Asked(button or Button())
        typing = threading.Thread(target=self._type, args=(waiting, keys))
        typing.start()
        try:
            return Typed(self.editor, waiting).next()
        finally:
            typing.join()

    def _type(self, waiting: _Asked, keys: tuple[bytes, ...]) -> None:
        waiting.asked.wait(5.0)
        for key in keys:
            self.stops.append(self.editor.stops(key))


class _Asked:
    """A stop that tells when it was asked for the first time."""

    def __init__(self, button: Button) -> None:
        self._button, self.asked = button, threading.Event()

    def is_set(self) -> bool:
        self.asked.set()
        return self._button.is_set()


def test_line_may_hold_a_space_and_is_shown() -> None:
    keyboard = Keyboard()
    assert keyboard.line(b"5", b".2", b" ", b"19.1", b"\r") == "5.2 19.1"
    assert keyboard.shown == "5.2 19.1\n"
    assert not any(keyboard.stops)


def test_space_that_begins_a_line_stops() -> None:
    keyboard = Keyboard()
    assert keyboard.line(b"\n") == ""
    assert keyboard.line(b" ", b"\n") == ""
    assert keyboard.stops == [False, True, False]


def test_space_stops_while_no_line_is_waited_for() -> None:
    keyboard = Keyboard()
    assert keyboard.editor.stops(b"5.2 19")
    assert not keyboard.editor.stops(b"5.2")
    assert keyboard.line(b"1.1\n") == "1.1", "what was typed before is forgotten"


def test_typing_errors_are_rubbed_out() -> None:
    keyboard = Keyboard()
    assert keyboard.line(b"6\x7f5.2 19\x15", b"\x7f", b"7.\x082\n") == "72"
    assert keyboard.shown.startswith("6\b \b5.2")


def test_end_of_the_terminal_and_of_an_empty_line_are_the_end_of_input() -> None:
    keyboard = Keyboard()
    assert keyboard.line(b"a\x04\n") == "a", "only of an empty line"
    assert keyboard.line(b"\x04") is None
    keyboard.editor.end()
    assert keyboard.line() is None


def test_stop_ends_the_waiting_for_keys() -> None:
    with pytest.raises(StoppedError):
        Keyboard().line(button=Button(after=2))


def test_endless_line_is_kept_short_and_keys_that_show_nothing_are_left_out() -> None:
    line = Keyboard().line(b"\x1b\x00" + b"9" * 1000 + b"\n")
    assert line == "9" * 200
