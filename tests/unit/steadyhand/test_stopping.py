from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from steadyhand.lines import Editor
from steadyhand.stopping import HumanStop, _watch, listening

TraceFunction = Callable[[FrameType, str, object], object]

# Waits for a stop for at most ten seconds; its standard input is a terminal, of which it takes charge.
LISTENER = """
import fcntl, sys, termios, time
if {own}:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from steadyhand.stopping import HumanStop, listening
stop = HumanStop()
with listening(stop):
    print("ready", flush=True)
    for _ in range({patience}):
        if stop.is_set():
            break
        time.sleep(0.02)
print("why", stop.why, flush=True)
"""


class Listener:
    def __init__(self, *, own: bool = True, patience: int = 500) -> None:
        self.master, slave = pty.openpty()
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            [sys.executable, "-c", LISTENER.format(own=own, patience=patience)],
            stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.slave = slave
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def mode(self) -> list[object]:
        return termios.tcgetattr(self.slave)

    def end(self) -> str:
        out, err = self.process.communicate(timeout=20)
        assert (self.process.returncode, err) == (0, "")
        return out.strip()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for handle in (self.master, self.slave):
            os.close(handle)


@pytest.fixture
def listener() -> Iterator[Listener]:
    it = Listener()
    yield it
    it.close()


def test_space_bar_stops_without_enter(listener: Listener) -> None:
    os.write(listener.master, b"xyz")
    os.write(listener.master, b" ")
    assert listener.end() == "why space bar"


def test_terminal_is_as_before_afterwards(listener: Listener) -> None:
    lines = listener.mode()[3]
    assert isinstance(lines, int)
    assert not lines & termios.ICANON, "keys come at once meanwhile"
    os.write(listener.master, b" ")
    listener.end()
    assert listener.mode() == listener.before


@pytest.mark.parametrize(("number", "why"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_signal_stops(listener: Listener, number: signal.Signals, why: str) -> None:
    listener.process.send_signal(number)
    assert listener.end() == f"why {why}"


def test_ctrl_c_on_the_terminal_stops(listener: Listener) -> None:
    os.write(listener.master, b"\x03")
    assert listener.end() == "why Ctrl-C"


def test_other_keys_stop_nothing() -> None:
    it = Listener(patience=20)
    os.write(it.master, b"stop\n")
    assert it.end() == "why"
    it.close()


def test_terminal_of_another_process_is_left_alone() -> None:
    """In the background, taking the keyboard would put the program to sleep."""
    it = Listener(own=False, patience=20)
    assert it.mode() == it.before
    assert it.end() == "why"
    it.close()


@pytest.mark.parametrize("stdin", ["< /dev/null", "<&-"])
def test_without_a_keyboard_signals_still_stop(stdin: str) -> None:
    code = LISTENER.format(own=False, patience=500)
    with subprocess.Popen(
        ["sh", "-c", f'exec "$0" -c "$1" {stdin}', sys.executable, code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "why Ctrl-C\n"


def test_handlers_are_as_before_afterwards() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    stop = HumanStop()
    with listening(stop):
        signal.raise_signal(signal.SIGTERM)
    assert stop.is_set()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_handlers_are_as_before_after_an_error_too() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="on the way"), listening(HumanStop()):
        raise ValueError("on the way")
    assert signal.getsignal(signal.SIGINT) == before


def test_first_reason_counts_and_a_stop_stays() -> None:
    stop = HumanStop()
    assert not stop.is_set()
    stop.set("space bar")
    stop.set("Ctrl-C")
    assert (stop.is_set(), stop.why) == (True, "space bar")


def test_stop_may_be_asked_for_while_it_is_being_asked_for() -> None:
    stop, nested = HumanStop(), []

    def interrupt(frame: FrameType, _event: str, _arg: object) -> TraceFunction:
        sys.settrace(None)
        nested.append(frame.f_lineno)
        stop.set("again")  # as a signal handler does, between any two steps of the first
        sys.settrace(interrupt)
        return interrupt

    def ask() -> None:
        sys.settrace(interrupt)
        stop.set("Ctrl-C")
        sys.settrace(None)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(timeout=5.0)
    assert nested
    assert not asking.is_alive(), "it waits for itself"
    assert stop.is_set()


def test_keyboard_that_cannot_be_heard_any_more_is_a_stop() -> None:
    def nobody_reads(_text: str) -> None:
        raise BrokenPipeError("nobody reads")

    stop, editor, (far, near) = HumanStop(), Editor(nobody_reads), pty.openpty()
    editor._open.set()  # a line is asked for, and so is echoed
    os.write(far, b"x\n")
    _watch(near, stop, editor, threading.Event())
    assert stop.why == "keyboard lost: BrokenPipeError('nobody reads')"
    os.close(far)
    os.close(near)
