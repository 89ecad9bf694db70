"""The journal of a game: a record file written as the game goes, one line at a time, safe against a crash.

Each event passes through the rules before it is written, and each line is on the disk before the next thing
happens. A power failure can leave half a line at the end; `Journal.resume` cuts it off and goes on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType

from planning.events import Event
from planning.game import Game
from planning.opening import Opening, write_opening
from planning.record import read_event, write_event
from planning.referee import fold
from planning.refusals import MalformedError, Text
from planning.strict_json import is_half_an_object
from robot.errors import BadInputError, DeviceError, SteadyhandError
from steadyhand.record_file import cannot, open_record


class Journal:
    """A record that is being written; `game` is where it stands. Use `create` or `resume`."""

    def __init__(self, path: Path, file: FileIO, game: Game) -> None:
        self.path = path
        self.game = game
        self._file = file

    @classmethod
    def create(cls, path: Path | str, opening: Opening) -> Journal:
        """Begin a new record; a file that exists is never overwritten."""
        path = Path(path)
        line = write_opening(opening)
        try:
            file = FileIO(str(path), "x")
        except FileExistsError:
            raise BadInputError(
                f"the record {path} exists and is not overwritten. Name a new file, or resume that one"
            ) from None
        except (OSError, ValueError) as error:
            raise cannot("write", path, error, "Name a file in a folder that may be written") from None
        journal = cls(path, file, Game.start(opening))
        journal._begin(line)
        return journal

    @classmethod
    def resume(cls, path: Path | str) -> Journal:
        """Go on with a record that broke off: half a line at its end is cut, anything else refused."""
        tail = _Tail.of(path)
        game = tail.game()
        tail.mend()
        try:
            file = FileIO(str(path), "a")
        except OSError as error:
            raise cannot("write", path, error, "Make the file writable") from None
        return cls(Path(path), file, game)

    def append(self, event: Event) -> Game:
        """Judge the event, write it, and return the game after it; a refused event leaves no trace."""
        if self._file.closed:
            raise SteadyhandError(f"the record {self.path} is closed, no `{event.kind}` written. Resume it")
        line = write_event(event)
        game = self.game.apply(read_event(line))  # what is judged is what a reader will read
        size = self._size()
        try:
            self._write(line)
        finally:  # a Ctrl-C may come between the write and its return: the file decides what happened
            if self._size() > size:
                self.game = game
        return game

    def close(self) -> None:
        """Close the file; every line is on the disk already."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, line: str) -> None:
        """Write the opening; a record without one must not stay behind."""
        try:
            self._write(line)
            _sync_folder(self.path.parent)
        except DeviceError as error:
            self.close()
            self.path.unlink(missing_ok=True)
            raise BadInputError(str(error)) from None

    def _write(self, line: str) -> None:
        """Write a line and wait until the disk has it; half a line must not stay behind."""
        size, left = self._size(), memoryview(line.encode("utf-8") + b"\n")
        end = size + len(left)
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise DeviceError(
                f"cannot write the record {self.path}: {error.strerror}. Make room, then resume it"
            ) from None
        finally:
            if self._size() < end:
                self._file.truncate(size)

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size


@dataclass(frozen=True)
class _Tail:
    """A journal as it lies on the disk: its whole lines, and the half one at its end."""

    path: Path
    lines: list[bytes]
    half: bytes
    size: int
    lacks_line_feed: bool

    @classmethod
    def of(cls, path: Path | str) -> _Tail:
        with open_record(path) as record:
            data = record.read()
        lines = data.split(b"\n")
        last = lines.pop()
        half = last if last and is_half_an_object(last) else b""
        if last and not half:
            lines.append(last)
        return cls(Path(path), lines, half, len(data), bool(last) and not half)

    def game(self) -> Game:
        """Where the game stands by the whole lines."""
        if not self.lines:
            raise MalformedError("a whole opening line", Text("none"), "Begin a new record", line=1)
        return fold(self.lines)

    def mend(self) -> None:
        """Cut the half line off, or add the line feed that a whole last line lacks."""
        if not self.half and not self.lacks_line_feed:
            return
        try:
            with self.path.open("r+b") as file:
                file.truncate(self.size - len(self.half))
                file.seek(0, os.SEEK_END)
                file.write(b"\n" if self.lacks_line_feed else b"")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot("mend", self.path, error, "Make the file writable") from None


def broken_off(path: Path | str) -> Game:
    """Where a game stands whose record may end in half a line; nothing is changed."""
    return _Tail.of(path).game()


def _sync_folder(folder: Path) -> None:
    """Make the new file's name as durable as its lines, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
