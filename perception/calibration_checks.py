"""Whether pictures of a board tell a lens well, and what to do where they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.calibration_board import Board, BoardSeen
from robot.frames import Array

NO_BOARD = "no such board seen, or too blurred to be read"
NOMINAL_PX = 1280  # of the picture's width; limits in pixels grow with larger ones
_FEWEST = 10  # pictures that show the board
_BORDER = 0.3  # the outer parts of a picture's width and height
_UNSEEN = 1  # so many of nine parts may show no corner: lenses are round, the others tell it
_SPREAD_DEG = (8.0, 4.0)  # of the board's normals, in the direction of the most and across it
_FOCAL_SD = 0.01  # share of the focal length
_MOST_PX = 1.0  # held-out error in a picture of the nominal width
_OVER_NOISE = 1.6  # held-out errors over those of each picture fitted by itself; 1.1 where all is well
_ROWS, _COLUMNS = ("top", "middle", "bottom"), ("left", "centre", "right")
TILT_IT = "tilt the board by 20 to 40 degrees, to the left, right, front and back in turn"


@dataclass(frozen=True)
class PictureUsed:
    """What one picture gave.

    Attributes:
        corners: How many of the board's corners it shows.
        edge_px: How wide its edges are.
        left_out: Why it was not used, or nothing.
        held_out_px: Error (root mean square) when it was left out of the fit; None where there was none.
        held_out_mm: The same where the board was.
    """

    name: str
    corners: int = 0
    edge_px: float | None = None
    left_out: str = ""
    held_out_px: float | None = None
    held_out_mm: float | None = None


@dataclass(frozen=True)
class Refusal:
    """One word for scripts, and what is wrong, with the numbers and what to do."""

    reason: str
    detail: str


@dataclass(frozen=True)
class Found:
    """A picture in which the board is seen."""

    name: str
    size_px: tuple[int, int]
    seen: BoardSeen
    edge_px: float


def before_fitting(found: Sequence[Found], reports: Mapping[str, PictureUsed], board: Board) -> list[Refusal]:
    """What is wrong with the pictures, whatever the lens: their sizes, their number, where boards are in them."""
    sizes = Counter(f.size_px for f in found)
    if len(sizes) > 1:
        return [_mixed(found, sizes)]
    if len(found) < _FEWEST:
        return [_too_few(found, reports, board)]
    missing = _not_covered(found)
    return [_uncovered(missing)] if len(missing) > _UNSEEN else []


def _mixed(found: Sequence[Found], sizes: Counter[tuple[int, int]]) -> Refusal:
    (usual, _), *_ = sizes.most_common(1)
    other = next(f for f in found if f.size_px != usual)
    return Refusal(
        "wrong-resolution",
        f"{other.name} has {other.size_px[0]}x{other.size_px[1]} px, others {usual[0]}x{usual[1]}: a lens is "
        "calibrated at one resolution; give pictures of one camera at the resolution that it will work at",
    )


def _too_few(found: Sequence[Found], reports: Mapping[str, PictureUsed], board: Board) -> Refusal:
    unused = [f"{r.name} ({r.left_out})" for r in reports.values() if r.left_out]
    left_out = f"; left out: {', '.join(unused)}" if unused else ""
    blurred = any(r.left_out.startswith("blurred") for r in reports.values())
    still = " with more light, board and camera still" if blurred else ""
    return Refusal(
        "too-blurred" if blurred and len(found) + len(unused) >= _FEWEST else "too-few",
        f"{len(found)} of {len(reports)} pictures can be used, at least {_FEWEST} are needed, 15 to 25 are good: take "
        f"more{still}, the {board.kind} board of {board.squares[0]}x{board.squares[1]} squares in view{left_out}",
    )


def _not_covered(found: Sequence[Found]) -> list[str]:
    """Parts of the picture, out of nine, that no corner of any board lies in; the outer ones reach `_BORDER` far in."""
    size = np.array(found[0].size_px)
    px = np.concatenate([f.seen.px for f in found]) / size
    where = {(int(y), int(x)) for x, y in np.digitize(px, [_BORDER, 1 - _BORDER])}
    return [
        f"{_ROWS[row]} {_COLUMNS[column]}"
        for row in range(3)
        for column in range(3)
        if (row, column) not in where
    ]


def _uncovered(missing: Sequence[str]) -> Refusal:
    return Refusal(
        "coverage",
        f"no corner of a board is seen at {', '.join(missing)} of the picture, so that the lens is not known there: "
        "add pictures with the board there",
    )


def spread_deg(turns: Sequence[Array]) -> tuple[float, float]:
    """How much boards (rotation vectors, `T_camera_board`) differ in tilt: the most, and across that."""
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn in turns])
    spread = np.linalg.svd(normals - normals.mean(axis=0), compute_uv=False) / np.sqrt(len(normals))
    return float(np.degrees(spread[0])), float(np.degrees(spread[1]))


def flat(spread_deg: tuple[float, float], focal_sd: float) -> list[Refusal]:
    """Whether boards are too much alike in tilt, or the focal length's standard deviation (a share) is too large."""
    if spread_deg[0] >= _SPREAD_DEG[0] and spread_deg[1] >= _SPREAD_DEG[1] and focal_sd <= _FOCAL_SD:
        return []
    return [
        Refusal(
            "parallel",
            f"the boards are nearly parallel: their tilts spread by {spread_deg[0]:.1f} degrees, and across that by "
            f"{spread_deg[1]:.1f}, needed are {_SPREAD_DEG[0]:g} and {_SPREAD_DEG[1]:g}; the focal length is known to "
            f"{focal_sd:.1%}, needed is {_FOCAL_SD:.0%}: {TILT_IT}",
        )
    ]


def inexact(
    px: float, mm: float, width_px: int, reports: Mapping[str, PictureUsed], most_mm: float
) -> list[Refusal]:
    """Whether held-out errors [px] and [mm] (root mean square) are too large."""
    most_px = _MOST_PX * max(1.0, width_px / NOMINAL_PX)
    if px <= most_px and mm <= most_mm:
        return []
    worst = sorted(
        (r for r in reports.values() if r.held_out_px is not None), key=lambda r: -(r.held_out_px or 0.0)
    )
    named = ", ".join(f"{r.name} ({r.held_out_px:.2f} px)" for r in worst[:3])
    return [
        Refusal(
            "held-out",
            f"in pictures left out of the fit corners are {px:.2f} px or {mm:.2f} mm off, allowed are {most_px:.1f} px "
            f"and {most_mm:g} mm; worst are {named}: leave those out or take them again; is the board flat, its "
            "size as given, the focus fixed?",
        )
    ]


def changing(over_noise: float) -> list[Refusal]:
    """Whether pictures fit one lens much worse than each fits by itself."""
    if over_noise <= _OVER_NOISE:
        return []
    return [
        Refusal(
            "lens-changed",
            f"through one lens corners are {over_noise:.1f} times as far off as in each picture by itself, allowed are "
            f"{_OVER_NOISE:g}: focus or zoom changed between pictures, or they are of different cameras; switch "
            "autofocus off and take them again",
        )
    ]
