"""The lines of a record file: read once to the end, or read on while somebody still writes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from planning.game import Game
from planning.referee import fold
from planning.refusals import MalformedError, Text
from planning.strict_json import MAX_LINE_BYTES
from robot.errors import BadInputError


def judge_file(path: Path | str) -> Game:
    """Return the game that the record in a file leads to."""
    with open_record(path) as record:
        return fold(lines_of(record))


def open_record(path: Path | str) -> BinaryIO:
    """Open a record for reading, or say why it cannot be read."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise cannot("read", path, error, "Name a record file that exists and may be read") from None


def cannot(do: str, path: Path | str, error: Exception, advice: str) -> BadInputError:
    """Make the error for a path that cannot be used."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return BadInputError(f"cannot {do} the record {path}: {reason}. {advice}")


def lines_of(record: BinaryIO) -> Iterator[bytes]:
    """Read the lines to the end of the file; an endless one is refused, not waited for."""
    return growing_lines(record, wait=lambda: False)


def growing_lines(record: BinaryIO, wait: Callable[[], bool]) -> Iterator[bytes]:
    """Read lines as they become whole; at the end of the file `wait`, until that says no.

    Half a line is kept until its rest is there. Where it was cut off meanwhile, as a resumed journal does it,
    it never was.
    """
    whole, half, number = 0, b"", 1
    while True:
        half += _read_on(record, MAX_LINE_BYTES + 1 - len(half), number)
        if half.endswith(b"\n"):
            yield half[:-1]
            whole, half, number = whole + len(half), b"", number + 1
        elif not wait():
            break
        elif _was_cut(record, whole):
            half = b""
    if half:
        yield half


def _read_on(record: BinaryIO, limit: int, number: int) -> bytes:
    try:
        piece = record.readline(limit)
    except OSError as error:
        raise cannot("read on in", record.name, error, "Name a record file") from None
    if len(piece) == limit and not piece.endswith(b"\n"):
        raise MalformedError(f"a line of at most {MAX_LINE_BYTES} bytes", Text("a longer one"), line=number)
    return piece


def _was_cut(record: BinaryIO, whole: int) -> bool:
    """Tell whether the half line at the end was cut off, and go back to before it."""
    size = os.fstat(record.fileno()).st_size
    if size >= record.tell():
        return False
    if size < whole:
        raise BadInputError(f"the record {record.name} was shortened while it was read. Start again")
    record.seek(whole)
    return True
