"""What is printed on the fingers, so that cameras can tell where they are: a sleeve round the strong part of each leg.

Three faces of each finger carry black and white squares: the one away from the other finger, and the two beside it.
No two faces are printed alike, and a face does not look like itself moved by a square.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from robot.frames import Array
from robot.lfinger import BAR_HALF_M, LFinger

SHEET_M = 0.0002  # thickness of what it is printed on


class _Print(NamedTuple):
    """A face of a finger: which, and its squares from the bend towards the tip, white where 1."""

    left: bool
    side: str
    cells: tuple[str, ...]


_PRINTS = (
    _Print(
        True, "outer",
        ("0100", "0110", "0001", "1100", "0110", "0101", "1011", "1010", "1101", "0111", "1101", "0000"),
    ),
    _Print(True, "front", ("10", "00", "00", "11", "00", "01", "11", "10", "01", "00", "01", "11")),
    _Print(True, "behind", ("00", "01", "01", "11", "00", "01", "10", "01")),
    _Print(
        False, "outer",
        ("1000", "0101", "1111", "0100", "1011", "0100", "0001", "0111", "1111", "1100", "0011", "1001"),
    ),
    _Print(False, "front", ("01", "11", "00", "10", "10", "11", "00", "11", "11", "10", "01", "00")),
    _Print(False, "behind", ("10", "01", "01", "00", "11", "10", "00", "10")),
)  # fmt: skip


@dataclass(frozen=True)
class PrintedFace:
    """A printed rectangle, in the tool's frame.

    Attributes:
        left: Of which finger, the left or the right one.
        corner_m: The corner (3,) where its first square lies.
        down_m: From there along the leg to the other end (3,).
        right_m: From the corner along the shorter side (3,).
        white: Its squares (rows, columns), rows along `down_m`.
    """

    left: bool
    corner_m: Array
    down_m: Array
    right_m: Array
    white: np.ndarray

    @property
    def normal(self) -> Array:
        """Unit vector (3,) out of the finger."""
        across = np.cross(self.down_m, self.right_m)
        return np.asarray(across / np.linalg.norm(across))


def printed_faces(finger: LFinger, opening_m: float) -> Iterator[PrintedFace]:
    """All printed faces, the fingers open so far."""
    for print_ in _PRINTS:
        yield _face(finger, opening_m, print_)


def _face(finger: LFinger, opening_m: float, print_: _Print) -> PrintedFace:
    sign = 1.0 if print_.left else -1.0
    half, inner, thick = finger.root_width_m / 2, opening_m / 2, finger.root_thickness_m
    # The bar joins the leg from behind: there the print begins beyond it.
    begins = -finger.leg_m + (BAR_HALF_M if print_.side == "behind" else -BAR_HALF_M)
    down = np.array([-finger.slim_m - begins, 0.0, 0.0])
    if print_.side == "outer":
        corner, right = [begins, -sign * half, sign * (inner + thick)], [0.0, sign * 2 * half, 0.0]
    else:
        side, lower = (1.0 if print_.side == "front" else -1.0), (inner if print_.left else -inner - thick)
        corner = [begins, side * half, lower + (thick if side > 0 else 0.0)]
        right = [0.0, 0.0, -side * thick]
    white = np.array([[int(cell) for cell in row] for row in print_.cells])
    bare = PrintedFace(print_.left, np.array(corner), down, np.array(right), white)
    return replace(bare, corner_m=bare.corner_m + SHEET_M * bare.normal)
