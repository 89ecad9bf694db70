"""Files that a command writes: checked before anything happens, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
from pathlib import Path

from robot.errors import BadInputError

PICTURES = (".png", ".jpg", ".jpeg")
RUNS = Path("runs")  # where games are kept that were not told where


def need_place(path: Path, endings: Collection[str] = ()) -> None:
    """Refuse a path at which no file can be written.

    Args:
        path: Where the file will be.
        endings: What its name may end in; anything where this is empty.

    Raises:
        BadInputError: It is a folder, or its own folder is missing or may not be written in, or it ends otherwise.
    """
    folder = path.parent
    if path.is_dir():
        raise BadInputError(f"{path}: cannot be written: it is a folder; name a file in it")
    if not folder.is_dir():
        raise BadInputError(
            f"{path}: cannot be written: there is no folder {folder}; make it, or name another"
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise BadInputError(
            f"{path}: cannot be written: not allowed; name a file in a folder that may be written in"
        )
    if endings and path.suffix.lower() not in endings:
        raise BadInputError(f"{path}: {path.suffix!r} is no picture format; use {' or '.join(endings)}")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        BadInputError: It cannot be written.
    """
    need_place(path)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            written = Path(file.name)
            try:
                file.write(data)
                file.flush()
                written.chmod(0o644)
                written.replace(path)
            except BaseException:
                written.unlink()
                raise
    except OSError as error:
        raise BadInputError(
            f"{path}: cannot be written: {error.strerror}; name a file in a folder that can"
        ) from None
