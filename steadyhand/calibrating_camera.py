"""What `steadyhand calibrate camera` does: a lens from pictures of a board, written only where it is good."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import track

from perception.calibration_camera import CameraCalibration, Lens, Picture, calibrate_camera
from perception.calibration_checks import PictureUsed
from robot.errors import BadInputError, PerceptionError
from steadyhand.calibrating import (
    BoardOptions,
    grey_picture,
    mat_markers,
    need_name,
    need_yaml,
    refused_json,
    rounded,
    told,
    verdict,
)
from steadyhand.camera_info import markers_said, text_of
from steadyhand.files import write_whole


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    images: tuple[Path, ...]
    board: BoardOptions
    mat: str | None = None
    name: str = "camera"
    most_mm: float = 0.5
    output: Path | None = None
    json: bool = False


def run(request: Request, out: TextIO) -> int:
    """Calibrate and print; 0 where the calibration is good, 1 where it is refused.

    Raises:
        BadInputError: A path or an option cannot be used.
    """
    board, name = request.board.board(), need_name(request.name)
    mat = None if request.mat is None else mat_markers(request.mat)
    if request.output is not None:
        need_yaml(request.output)
    _need_different(request.images)
    found = calibrate_camera(_pictures(request.images), board, request.most_mm)
    if request.output is not None and found.lens is not None and not found.refusals:
        said = None if mat is None else markers_said(mat.dictionary, mat.corners_world_m)
        write_whole(request.output, text_of(found.lens, name, None, said, _quality(found)).encode())
    return told(_json(found, request), _lines(found, request), out, as_json=request.json)


def _need_different(images: tuple[Path, ...]) -> None:
    twice = next((path for path in images if images.count(path) > 1), None)
    if twice is not None:
        raise BadInputError(f"picture {twice} is given twice: it would be tested on itself; give it once")


def _pictures(images: tuple[Path, ...]) -> Iterator[Picture]:
    """One after another, so that a hundred large ones need no more memory than one; what is no picture is left out."""
    missing = next((path for path in images if not path.is_file()), None)
    if missing is not None:
        raise BadInputError(f"picture {missing}: no such file; name one that exists")
    console = Console(stderr=True)
    for path in track(images, "looking", console=console, transient=True, disable=not console.is_terminal):
        try:
            yield Picture(str(path), grey_picture(path))
        except PerceptionError as error:
            sys.stderr.write(f"left out: {error}\n")


def _quality(found: CameraCalibration) -> dict[str, object]:
    """What the file says of itself."""
    return {
        "date": date.today().isoformat(),
        "pictures": sum(not p.left_out for p in found.pictures),
        "held_out_px": _round(found.held_out_px),
        "held_out_mm": _round(found.held_out_mm),
    }


def _round(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)


def _json(found: CameraCalibration, request: Request) -> dict[str, object]:
    lens: Lens | None = found.lens
    return {
        "refused": refused_json(found.refusals),
        "size_px": None if lens is None else list(lens.size_px),
        "K": None if lens is None else rounded(lens.K),
        "dist": None if lens is None else [round(float(v), 7) for v in lens.distortion],
        "held_out_px": _round(found.held_out_px),
        "held_out_mm": _round(found.held_out_mm),
        "board_distance_mm": None if found.away_m is None else round(found.away_m * 1e3, 1),
        "over_noise": _round(found.over_noise, 2),
        "tilt_spread_deg": None if found.spread_deg is None else [round(v, 2) for v in found.spread_deg],
        "focal_sd_percent": None if found.focal_sd is None else round(found.focal_sd * 100, 3),
        "pictures": [_picture(p) for p in found.pictures],
        "output": None if request.output is None or found.refusals else str(request.output),
    }


def _picture(p: PictureUsed) -> dict[str, object]:
    return {
        "image": p.name,
        "corners": p.corners,
        "edge_px": _round(p.edge_px, 2),
        "left_out": p.left_out or None,
        "held_out_px": _round(p.held_out_px),
        "held_out_mm": _round(p.held_out_mm),
    }


def _lines(found: CameraCalibration, request: Request) -> list[str]:
    good = ""
    if found.lens is not None and found.held_out_mm is not None and found.away_m is not None:
        f, c = found.lens.K[[0, 1], [0, 1]], found.lens.K[:2, 2]
        good = (
            f"focal length {f[0]:.1f}, {f[1]:.1f} px (to {found.focal_sd:.2%}), middle {c[0]:.1f}, {c[1]:.1f}; in "
            f"pictures left out of the fit corners are {found.held_out_px:.3f} px off, {found.held_out_mm:.3f} mm at "
            f"{found.away_m * 1e3:.0f} mm"
        )
    return [*map(_line, found.pictures), *verdict(found.refusals, request.output, good)]


def _line(p: PictureUsed) -> str:
    if p.left_out:
        return f"{p.name}: left out, {p.left_out}"
    off = (
        ""
        if p.held_out_px is None
        else f", {p.held_out_px:.2f} px or {p.held_out_mm:.2f} mm off when left out"
    )
    return f"{p.name}: {p.corners} corners, edges {p.edge_px:.1f} px wide{off}"
