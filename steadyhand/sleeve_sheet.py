"""The print that goes round the fingers (`robot.sleeve`) as a sheet at true size, a strip to cut out for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robot.lfinger import LFinger
from robot.mat import PAPERS_M
from robot.sleeve import PrintedFace, printed_faces
from steadyhand.sheets import Rectangle, Sheet

PAPER = "a4"
_LEFT_MM, _TOP_MM, _APART_MM = 40.0, 60.0, 70.0  # of the first strip on the page, and between the two
_LINE_MM = 0.15
_RULER = 20.0
_PAPER_M = 5e-4  # corners of one edge lie so near each other, for the print has a thickness


def sleeve_sheet(finger: LFinger) -> Sheet:
    """Strips for the left and the right finger, the bend of the finger at the top."""
    width, height = (side * 1e3 for side in PAPERS_M[PAPER])
    faces = list(printed_faces(finger, 0.0))
    black = list[Rectangle]()
    for column, left in enumerate((True, False)):
        strip = in_order([face for face in faces if face.left == left])
        black += _strip(strip, _LEFT_MM + column * _APART_MM, height - _TOP_MM)
    leg_mm = (finger.leg_m - finger.slim_m) * 1e3
    words = [
        "steadyhand finger prints: left finger, right finger. Print at 100 % on matt paper or label sheet; measure the",
        "ruler: 100 mm. Cut out, fold at the lines, glue it round the strong part of each leg, upper edge at the bend;",
        f"the short face goes behind, below the bar. Each strip ends {leg_mm:g} mm below the middle of the bar.",
    ]
    ruler = (_LEFT_MM, height - _TOP_MM - _APART_MM, False)
    return Sheet((width, height), black, [ruler], words, (_RULER, height - _RULER))


def in_order(faces: Sequence[PrintedFace]) -> list[PrintedFace]:
    """One finger's faces so that each begins at the edge where the one before it ends."""
    ends = [face.corner_m + face.right_m for face in faces]
    first = next(f for f in faces if not any(_meet(end, f.corner_m) for end in ends))
    found = [first]
    while len(found) < len(faces):
        end = found[-1].corner_m + found[-1].right_m
        found.append(next(f for f in faces if _meet(end, f.corner_m)))
    return found


def _meet(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two corners lie on one edge of the leg."""
    return bool(np.abs(a - b)[1:].max() < _PAPER_M)


def _strip(faces: Sequence[PrintedFace], left_mm: float, top_mm: float) -> Iterator[Rectangle]:
    """Squares and outlines of one finger's faces, side by side."""
    begins = min(face.corner_m[0] for face in faces)
    for face in faces:
        width, height = (float(np.linalg.norm(v)) * 1e3 for v in (face.right_m, face.down_m))
        top = top_mm - float(face.corner_m[0] - begins) * 1e3
        yield from _cells(face, left_mm, top, width, height)
        yield from _outline(left_mm, top, width, height)
        left_mm += width


def _cells(face: PrintedFace, left: float, top: float, width: float, height: float) -> Iterator[Rectangle]:
    rows, columns = face.white.shape
    w, h = width / columns, height / rows
    for row, column in np.argwhere(face.white == 0):
        yield left + column * w, top - (row + 1) * h, w, h


def _outline(left: float, top: float, width: float, height: float) -> Iterator[Rectangle]:
    for x in (left, left + width):
        yield x - _LINE_MM / 2, top - height, _LINE_MM, height
    for y in (top, top - height):
        yield left, y - _LINE_MM / 2, width, _LINE_MM
