from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from planning.events import Clock, Event, Extract, Place, Release
from planning.opening import Opening
from planning.record import write_event
from planning.refusals import ImpossibleError, MalformedError
from planning.tower import Slot
from robot.errors import BadInputError, DeviceError, SteadyhandError
from steadyhand import journal as journal_module
from steadyhand.journal import Journal
from steadyhand.record_file import judge_file

A_TURN: list[Event] = [
    Extract(2, "Robot", "arm", Slot(5, 2), further={"force_n": 0.9}),
    Place(5, "Robot", "arm", Slot(19, 1), "x"),
    Release(6, "Robot"),
    Clock(16),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.jsonl"


@pytest.fixture
def opening() -> Opening:
    return Opening.of(["Robot", "Jürgen"])


def test_journal_writes_a_line_at_a_time_and_keeps_the_game(path: Path, opening: Opening) -> None:
    with Journal.create(path, opening) as journal:
        assert path.read_bytes().count(b"\n") == 1
        for k, event in enumerate(A_TURN, start=2):
            game = journal.append(event)
            assert journal.game is game
            assert path.read_bytes().count(b"\n") == k
            assert judge_file(path) == game
    assert "Jürgen" in path.read_text(encoding="utf-8")
    assert '"force_n": 0.9' in path.read_text(encoding="utf-8")


def test_each_line_reaches_the_disk_before_append_returns(
    path: Path, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    real = os.fsync
    monkeypatch.setattr(
        journal_module.os, "fsync", lambda handle: (synced.append(path.stat().st_size), real(handle))
    )
    with Journal.create(path, opening) as journal:
        for event in A_TURN:
            journal.append(event)
            assert synced[-1] == path.stat().st_size


def test_file_that_exists_is_never_overwritten(path: Path, opening: Opening) -> None:
    path.write_text("somebody's game\n")
    with pytest.raises(BadInputError, match=r"exists and is not overwritten\. Name a new file"):
        Journal.create(path, opening)
    assert path.read_text() == "somebody's game\n"


@pytest.mark.parametrize("name", ["missing/game.jsonl", ".", "no\0name", "x" * 300])
def test_path_that_cannot_be_written_is_bad_input_and_leaves_nothing(
    tmp_path: Path, opening: Opening, name: str
) -> None:
    with pytest.raises(BadInputError, match=r"record"):
        Journal.create(tmp_path / name, opening)
    assert list(tmp_path.iterdir()) == []


def test_refused_event_leaves_no_trace(path: Path, opening: Opening) -> None:
    with Journal.create(path, opening) as journal:
        before, game = path.read_bytes(), journal.game
        for event in (Release(1, "Robot"), Clock(-1), Clock(float("nan")), Clock(1, further={"x": {1}})):
            with pytest.raises((ImpossibleError, MalformedError)):
                journal.append(event)
        assert path.read_bytes() == before
        assert journal.game is game
        journal.append(A_TURN[0])


def test_closed_journal_writes_no_more(path: Path, opening: Opening) -> None:
    journal = Journal.create(path, opening)
    journal.close()
    journal.close()
    with pytest.raises(SteadyhandError, match=r"is closed, no `clock` written\. Resume it"):
        journal.append(Clock(1))


class FullDisk:
    """A file on which so many bytes more find room."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room

    def write(self, data: memoryview) -> int:
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written: int = self._file.write(data[: self._room])
        self._room -= written
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("room", [0, 1, 30])
def test_full_disk_leaves_no_half_line_and_a_game_that_can_go_on(
    path: Path, opening: Opening, room: int
) -> None:
    with Journal.create(path, opening) as journal:
        before, game, file = path.read_bytes(), journal.game, journal._file
        journal._file = FullDisk(file, room)  # type: ignore[assignment]
        with pytest.raises(DeviceError, match=r"No space left on device\. Make room"):
            journal.append(A_TURN[0])
        assert path.read_bytes() == before
        assert journal.game is game
        journal._file = file
        assert journal.append(A_TURN[0]).must_place


def test_lines_written_in_pieces_are_whole(path: Path, opening: Opening) -> None:
    with Journal.create(path, opening) as journal:

        class Slow(FullDisk):
            def write(self, data: memoryview) -> int:
                written: int = self._file.write(data[:7])
                return written

        journal._file = Slow(journal._file, 0)  # type: ignore[assignment]
        journal.append(A_TURN[0])
    assert judge_file(path).must_place


def test_record_without_an_opening_does_not_stay_behind(
    path: Path, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(journal_module.os, "fsync", fail)
    with pytest.raises(BadInputError, match=r"Input/output error"):
        Journal.create(path, opening)
    assert not path.exists()


def test_ctrl_c_between_write_and_return_leaves_file_and_game_agreeing(
    path: Path, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    with Journal.create(path, opening) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(journal_module.os, "fsync", interrupt)
            with pytest.raises(KeyboardInterrupt):
                journal.append(A_TURN[0])
        assert journal.game == judge_file(path)
        journal.append(A_TURN[1])
    assert judge_file(path).tower.n_blocks == 54


def written(path: Path, opening: Opening) -> bytes:
    with Journal.create(path, opening) as journal:
        for event in A_TURN:
            journal.append(event)
    return path.read_bytes()


def test_record_cut_off_anywhere_in_its_last_line_is_resumed(path: Path, opening: Opening) -> None:
    whole = written(path, opening)
    start = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(start + 1, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(MalformedError, match=r"line 5: expected a whole JSON object"):
            judge_file(path)
        with Journal.resume(path) as journal:
            assert path.read_bytes() == whole[:start]
            assert journal.game.state == "settling"
            journal.append(A_TURN[-1])
        assert path.read_bytes() == whole


def test_whole_record_is_resumed_as_it_is(path: Path, opening: Opening) -> None:
    whole = written(path, opening)
    with Journal.resume(path) as journal:
        assert path.read_bytes() == whole
        assert journal.game.player_in_turn == "Jürgen"
        journal.append(Clock(20))
    assert judge_file(path).t_s == 20


def test_last_line_that_only_lacks_its_line_feed_is_kept(path: Path, opening: Opening) -> None:
    whole = written(path, opening)
    path.write_bytes(whole[:-1])
    with Journal.resume(path) as journal:
        assert path.read_bytes() == whole
        assert journal.game.player_in_turn == "Jürgen"


@pytest.mark.parametrize("tail", [b"\0\0\0\0", b'{"t": 17, "type": "clo\0\0', b'{"t": 17, "type": "t\xc3'])
def test_what_a_power_failure_leaves_is_cut(path: Path, opening: Opening, tail: bytes) -> None:
    whole = written(path, opening)
    path.write_bytes(whole + tail)
    with Journal.resume(path):
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b'{"t": 17, "type": "wiggle"}',
        b'{"t": 1, "type": "clock"}',
        b'{"t": 17 "type"\n',
        b'{"t": 17,\n',
    ],
)
def test_malformed_line_is_refused_and_nothing_is_cut(path: Path, opening: Opening, line: bytes) -> None:
    whole = written(path, opening)
    path.write_bytes(whole + line)
    with pytest.raises(MalformedError, match=r"line 6: expected "):
        Journal.resume(path)
    assert path.read_bytes() == whole + line


@pytest.mark.parametrize("content", [b"", b'{"type": "ga', b"\0\0"])
def test_record_without_a_whole_opening_cannot_be_resumed(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(
        MalformedError, match=r"line 1: expected a whole opening line, got none\. Begin a new record"
    ):
        Journal.resume(path)
    assert path.read_bytes() == content


def test_record_that_is_not_there_cannot_be_resumed(path: Path) -> None:
    with pytest.raises(BadInputError, match=r"cannot read the record .*: No such file or directory"):
        Journal.resume(path)


def test_record_that_may_not_be_written_cannot_be_resumed(
    path: Path, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(path, opening)

    def deny(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(journal_module, "FileIO", deny)
    with pytest.raises(
        BadInputError, match=r"cannot write the record .*: Permission denied\. Make the file writable"
    ):
        Journal.resume(path)
    assert path.read_bytes() == whole


def test_what_is_written_is_what_is_judged(path: Path, opening: Opening) -> None:
    event = Clock(1.0004, further={"note": "é"})
    with Journal.create(path, opening) as journal:
        journal.append(event)
    assert path.read_text(encoding="utf-8").splitlines()[1] == write_event(event)
