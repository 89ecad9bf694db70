"""Recordings of postures to calibrate by: JSON Lines, one posture a line, so that one more is one line more.

`{"q_deg": [...]}` or `{"T_base_tool": 4x4}` says where the arm was; `{"image": "a.png"}`, `{"T_camera_board": 4x4}` or
`{"p_world_mm": [x, y, z]}` what was seen, or touched; `"name"` is for people. Pictures lie beside the recording.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from robot.errors import BadInputError
from robot.frames import Array, is_pose

_ROUNDED = 1e-3  # poses are written with few digits
Matrix = list[list[float]]


class Entry(BaseModel):
    """One posture, as it is written."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    name: str | None = None
    q_deg: list[float] | None = None
    T_base_tool: Matrix | None = None
    image: str | None = None
    T_camera_board: Matrix | None = None
    p_world_mm: list[float] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Entry:
        if (self.q_deg is None) == (self.T_base_tool is None):
            raise ValueError("exactly one of q_deg and T_base_tool must be there")
        if sum(v is not None for v in (self.image, self.T_camera_board, self.p_world_mm)) != 1:
            raise ValueError("exactly one of image, T_camera_board and p_world_mm must be there")
        for key in ("T_base_tool", "T_camera_board"):
            T = getattr(self, key)
            if T is not None and not _rigid(T):
                raise ValueError(f"{key} must be a rotation and a shift in metres, 4x4")
        if self.p_world_mm is not None and len(self.p_world_mm) != 3:
            raise ValueError("p_world_mm must be x, y and z")
        return self


def _rigid(T: Matrix) -> bool:
    return [len(row) for row in T] == [4] * 4 and is_pose(np.array(T), _ROUNDED)


def read_recording(path: Path) -> list[tuple[str, Entry]]:
    """The postures of a recording and their names, which differ.

    Raises:
        BadInputError: It cannot be read, or a line of it is no posture.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise BadInputError(f"recording {path}: no such file; name one that exists") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"recording {path}: cannot be read: {error}; name a file that can") from None
    entries = [_entry(path, n, line) for n, line in enumerate(lines, start=1) if line.strip()]
    names = [name for name, _ in entries]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInputError(
            f"recording {path}: {twice!r} is there twice; give each posture a name of its own"
        )
    return entries


def _entry(path: Path, number: int, line: str) -> tuple[str, Entry]:
    try:
        entry = Entry.model_validate_json(line)
    except ValidationError as error:
        why = "; ".join(_fault(fault) for fault in error.errors()[:3])
        raise BadInputError(
            f"recording {path}, line {number}: {why}; correct the line, or take it out"
        ) from None
    return entry.name or entry.image or f"line {number}", entry


def _fault(fault: Any) -> str:
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"{key} is not known; the keys are {', '.join(Entry.model_fields)}"
    said = str(fault["msg"]).removeprefix("Value error, ")
    return f"{key}: {said.lower()}" if key else said


def as_pose(T: Matrix) -> Array:
    """A pose (4, 4), what was lost by rounding made up for."""
    A = np.array(T)
    u, _, vt = np.linalg.svd(A[:3, :3])
    A[:3, :3] = u @ vt
    return A
