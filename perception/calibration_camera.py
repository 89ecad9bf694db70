"""A lens from pictures of a board, and whether the pictures tell it well.

Zhang's method as OpenCV has it (`calibrateCameraExtended`). The error that is told is that of pictures to which the
lens was not fitted: the pictures are dealt into parts, each part is left out once, and in a picture left out the board
is placed by every other corner and the rest are predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from perception.calibration_board import Board, BoardSeen, Grey, edge_width_px, find_board
from perception.calibration_checks import (
    NO_BOARD,
    NOMINAL_PX,
    TILT_IT,
    Found,
    PictureUsed,
    Refusal,
    before_fitting,
    changing,
    flat,
    inexact,
    spread_deg,
)
from robot.frames import Array

_PARTS = 4
_QUIET_PX = 0.05  # errors below this are nobody's concern, however still the pictures
# A picture is blurred where edges are so many times as wide as usual; below and above these widths [px] they never and
# always are, in pictures of the nominal width, and so much more in larger ones.
_BLURRED, _BLURRED_PX = 1.5, (3.5, 5.5)


@dataclass(frozen=True)
class Picture:
    """A picture to calibrate by: its name and its brightness (rows, columns)."""

    name: str
    grey: Grey


@dataclass(frozen=True)
class Lens:
    """What a camera does to light: size of its pictures, K (3, 3) [px] and distortion k1, k2, p1, p2, k3."""

    size_px: tuple[int, int]
    K: Array
    distortion: Array


@dataclass(frozen=True)
class CameraCalibration:
    """The outcome.

    Attributes:
        lens: None where it could not even be fitted.
        refusals: Why it is not to be used; none where it is good.
        held_out_px: Error (root mean square) over all pictures, each left out once.
        held_out_mm: The same where the board was.
        away_m: How far away the board was (median).
        over_noise: How many times as large errors are as when each picture is fitted by itself (median).
        spread_deg: Of the board's normals, in the direction of the most and across it.
        focal_sd: Standard deviation of the focal length, as a share of it.
    """

    pictures: tuple[PictureUsed, ...]
    refusals: tuple[Refusal, ...]
    lens: Lens | None = None
    held_out_px: float | None = None
    held_out_mm: float | None = None
    away_m: float | None = None
    over_noise: float | None = None
    spread_deg: tuple[float, float] | None = None
    focal_sd: float | None = None


@dataclass(frozen=True)
class _Fit:
    lens: Lens
    T_camera_board: list[tuple[Array, Array]]  # rotation vectors and translations
    focal_sd: float


def calibrate_camera(pictures: Iterable[Picture], board: Board, most_mm: float = 0.5) -> CameraCalibration:
    """A lens from pictures of a board.

    Args:
        pictures: Of one camera, its focus and zoom fixed.
        board: What they show.
        most_mm: Held-out error [mm] beyond which the calibration is refused.
    """
    found, reports = _looked(pictures, board)
    refusals = before_fitting(found, reports, board)
    if refusals and refusals[0].reason != "coverage":
        return CameraCalibration(tuple(reports.values()), tuple(refusals))
    try:
        fit = _fitted(found, board)
        errors = _held_out(found, board)
    except cv2.error:
        unsolved = Refusal("parallel", f"no lens fits these pictures: {TILT_IT}")
        return CameraCalibration(tuple(reports.values()), (*refusals, unsolved))
    for name, (px, mm) in errors.items():
        reports[name] = _with_error(reports[name], px, mm)
    over_noise = float(np.median([_rms(errors[f.name][0]) / _noise_px(f, fit.lens, board) for f in found]))
    return _judged(fit, errors, over_noise, reports, refusals, most_mm)


def _looked(pictures: Iterable[Picture], board: Board) -> tuple[list[Found], dict[str, PictureUsed]]:
    """The sharp pictures in which the board is seen, and a report of every picture by name."""
    found, reports = list[Found](), dict[str, PictureUsed]()
    for picture in pictures:
        seen = find_board(picture.grey, board)
        if seen is None:
            reports[picture.name] = PictureUsed(picture.name, left_out=NO_BOARD)
            continue
        height, width = picture.grey.shape
        edge_px = edge_width_px(picture.grey, seen, board)
        reports[picture.name] = PictureUsed(picture.name, len(seen.numbers), edge_px)
        found.append(Found(picture.name, (width, height), seen, edge_px))
    return _sharp(found, reports), reports


def _sharp(found: Sequence[Found], reports: dict[str, PictureUsed]) -> list[Found]:
    """Those whose edges are not much wider than usual, nor wide at all; the others' reports say so."""
    if not found:
        return []
    usual_px = float(np.median([f.edge_px for f in found]))
    sharp = list[Found]()
    for f in found:
        fine_px, most_px = (px * max(1.0, f.size_px[0] / NOMINAL_PX) for px in _BLURRED_PX)
        allowed_px = min(max(fine_px, _BLURRED * usual_px), most_px)
        if f.edge_px <= allowed_px:
            sharp.append(f)
        else:
            why = f"blurred: edges {f.edge_px:.1f} px wide, at most {allowed_px:.1f}"
            reports[f.name] = replace(reports[f.name], left_out=why)
    return sharp


def _points(seen: BoardSeen, board: Board) -> tuple[Array, Array]:
    return board.p_board_m[seen.numbers].astype(np.float32), seen.px.astype(np.float32)


def _fitted(found: Sequence[Found], board: Board) -> _Fit:
    objects, images = zip(*(_points(f.seen, board) for f in found), strict=True)
    _, K, distortion, turns, shifts, sd, _, _ = cv2.calibrateCameraExtended(
        list(objects),
        list(images),
        found[0].size_px,
        None,
        None,  # type: ignore[call-overload]
    )
    lens = Lens(found[0].size_px, np.asarray(K, np.float64), np.ravel(distortion)[:5].astype(np.float64))
    return _Fit(lens, list(zip(turns, shifts, strict=True)), float(np.ravel(sd)[0] / K[0, 0]))


def _held_out(found: Sequence[Found], board: Board) -> dict[str, tuple[Array, Array]]:
    """Errors [px] and [mm] (n,) of every picture's corners, by name, by a lens that never saw the picture."""
    errors = {}
    for part in range(_PARTS):
        lens = _fitted([f for k, f in enumerate(found) if k % _PARTS != part], board).lens
        for f in found[part::_PARTS]:
            first, second = f.seen.split(board)
            both = [_predicted(lens, *pair, board) for pair in ((first, second), (second, first))]
            errors[f.name] = np.concatenate([px for px, _ in both]), np.concatenate([mm for _, mm in both])
    return errors


def _noise_px(f: Found, lens: Lens, board: Board) -> float:
    """How far corners are (root mean square) from a flat board that may be drawn in any perspective."""
    ideal = cv2.undistortPoints(f.seen.px.reshape(-1, 1, 2), lens.K, lens.distortion).reshape(-1, 2)
    flat_board = board.p_board_m[f.seen.numbers][:, :2]
    H, _ = cv2.findHomography(flat_board, ideal)
    drawn = cv2.perspectiveTransform(flat_board.reshape(-1, 1, 2), H).reshape(-1, 2)
    return max(_rms(np.linalg.norm(drawn - ideal, axis=1)) * float(lens.K[0, 0]), _QUIET_PX)


def _predicted(lens: Lens, known: BoardSeen, asked: BoardSeen, board: Board) -> tuple[Array, Array]:
    """Errors [px] and [mm] (n,) of corners, the board being placed by others."""
    p, px = _points(known, board)
    _, turn, shift = cv2.solvePnP(p, px, lens.K, lens.distortion)
    p, px = _points(asked, board)
    seen_px = cv2.projectPoints(p, turn, shift, lens.K, lens.distortion)[0].reshape(-1, 2)
    off_px = np.linalg.norm(seen_px - px, axis=1)
    depth_m = (p @ cv2.Rodrigues(turn)[0].T + shift.T)[:, 2]
    return off_px, off_px * depth_m / lens.K[0, 0] * 1e3


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _with_error(report: PictureUsed, px: Array, mm: Array) -> PictureUsed:
    return replace(report, held_out_px=_rms(px), held_out_mm=_rms(mm))


def _judged(
    fit: _Fit,
    errors: dict[str, tuple[Array, Array]],
    over_noise: float,
    reports: dict[str, PictureUsed],
    refusals: Sequence[Refusal],
    most_mm: float,
) -> CameraCalibration:
    px = _rms(np.concatenate([px for px, _ in errors.values()]))
    mm = _rms(np.concatenate([mm for _, mm in errors.values()]))
    spread = spread_deg([turn for turn, _ in fit.T_camera_board])
    more = [
        *flat(spread, fit.focal_sd),
        *inexact(px, mm, fit.lens.size_px[0], reports, most_mm),
        *changing(over_noise),
    ]
    away_m = float(np.median([np.linalg.norm(shift) for _, shift in fit.T_camera_board]))
    pictures = tuple(reports.values())
    return CameraCalibration(
        pictures, (*refusals, *more), fit.lens, px, mm, away_m, over_noise, spread, fit.focal_sd
    )
