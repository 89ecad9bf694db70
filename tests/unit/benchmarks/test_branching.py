"""A process that goes on in two: what the child writes, reads and is answered is its own."""

from __future__ import annotations

import os
import select
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.branching import branch
from hardware.emulated_bus import Answer
from hardware.pseudo_terminal import PseudoTerminal
from hardware.transport import Port

SOON_S = 5.0


def in_child(served: list[PseudoTerminal], folder: Path, is_right: Callable[[dict[str, str]], bool]) -> bool:
    """Whether something is so in a child."""
    child, names = branch(folder, served)
    if child == 0:
        code = 1
        with suppress(BaseException):
            code = 0 if is_right(names) else 2
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_is_being_written_goes_on_in_two_files(tmp_path: Path) -> None:
    path, copy = tmp_path / "game.jsonl", tmp_path / "child" / "game.jsonl"
    with path.open("w") as file:
        file.write("before")
        file.flush()

        def writes(_names: dict[str, str]) -> bool:
            file.write(", in the child")
            file.flush()
            return copy.read_text() == "before, in the child"

        assert in_child([], tmp_path / "child", writes)
        file.write(", in the parent")
    assert path.read_text() == "before, in the parent"


def test_bytes_that_wait_in_a_terminal_wait_for_both(tmp_path: Path) -> None:
    near, far = os.openpty()
    tty.setraw(far)
    os.write(near, b"waiting")
    assert select.select([far], [], [], SOON_S)[0], "the system carries it across in its own time"
    name = os.ttyname(far)

    def reads(names: dict[str, str]) -> bool:
        os.write(near, b", mine")
        return (
            os.read(far, 7) + os.read(far, 6) == b"waiting, mine" and os.ttyname(far) == names[name] != name
        )

    assert in_child([], tmp_path / "child", reads)
    assert os.read(far, 20) == b"waiting"
    os.close(near)
    os.close(far)


def test_device_with_a_thread_answers_both(tmp_path: Path) -> None:
    heard: list[bytes] = []

    def answers(data: bytes) -> list[Answer]:
        heard.append(data)
        return [Answer(1, data.upper())]

    with PseudoTerminal(answers) as terminal, Port(terminal.path) as port:

        def asked(text: bytes) -> bytes:
            port.write(text)
            return port.read(len(text), port.now_s() + SOON_S)

        assert asked(b"before") == b"BEFORE"
        assert in_child([terminal], tmp_path / "child", lambda _: asked(b"child") == b"CHILD")
        assert asked(b"parent") == b"PARENT"
        assert heard == [b"before", b"parent"]


def test_folder_of_a_child_must_be_new(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        branch(tmp_path, [])
