"""Picture files, read as the camera took them, or upright, as they are shown to people."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np

from robot.errors import BadInputError, PerceptionError
from robot.ports import Image

_JPEG, _PNG = b"\xff\xd8", b"\x89PNG"
_PNG_END = b"IEND\xaeB`\x82"
_MARKER = re.compile(rb"\xff+([^\x00\xff\xd0-\xd7])", re.DOTALL)  # of a JPEG's segment, not within its data
_JPEG_END = b"\xd9"


def file_bytes(path: Path) -> bytes:
    """What a picture file holds.

    Raises:
        BadInputError: There is no such file, or it may not be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadInputError(f"picture {path}: no such file; name one that exists") from None
    except OSError as error:
        raise BadInputError(
            f"picture {path}: cannot be read: {error.strerror}; name a file that can"
        ) from None


def decoded(path: Path, data: bytes, *, upright: bool = False) -> Image:
    """The picture (rows, columns, 3), BGR, of a file's bytes.

    Args:
        path: The file, for errors.
        data: What it holds.
        upright: Whether to turn it by what the file says of the camera's attitude. A calibration is for the pixels as
            the camera took them.

    Raises:
        PerceptionError: They are no picture, or only the beginning of one (`unreadable-file`).
    """
    if not _is_whole(data):
        raise PerceptionError(
            f"picture {path} is cut off: its end is missing after {len(data)} bytes; copy it again, or take another",
            reason="unreadable-file",
        )
    image = _image(data, upright=upright)
    if image is None:
        raise PerceptionError(
            f"{path} is no picture that can be read: {len(data)} bytes, beginning with {data[:4]!r}; give a JPEG or a "
            "PNG",
            reason="unreadable-file",
        )
    return np.asarray(image, dtype=np.uint8)


def _image(data: bytes, *, upright: bool) -> cv2.typing.MatLike | None:
    how = cv2.IMREAD_COLOR if upright else cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        return cv2.imdecode(np.frombuffer(data, np.uint8), how)
    except cv2.error:  # no bytes at all, or more pixels than OpenCV takes
        return None


def _is_whole(data: bytes) -> bool:
    """Whether a JPEG or PNG has its end; OpenCV fills a missing part with grey and says nothing."""
    if data.startswith(_JPEG):
        return _jpeg_ends(data)
    return not data.startswith(_PNG) or _PNG_END in data


def _jpeg_ends(data: bytes) -> bool:
    """Follow the segments: a small picture within the first ones has an end, too, and phones append to the file."""
    at = len(_JPEG)
    while found := _MARKER.search(data, at):
        if found[1] == _JPEG_END:
            return True
        at = found.end() + int.from_bytes(data[found.end() : found.end() + 2], "big")
    return False
