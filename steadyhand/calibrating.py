"""What the `calibrate` commands share: boards from options, pictures in grey, and how a refusal is told."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import cv2
import numpy as np

from perception.calibration_board import Board, Grey
from perception.calibration_checks import Refusal
from perception.markers import Markers
from robot.errors import BadInputError, PerceptionError
from robot.frames import Array
from robot.mat import DICTIONARY, PAPERS_M, printed_mat
from steadyhand import camera_info
from steadyhand.camera_file import CameraFile
from steadyhand.files import need_place
from steadyhand.photos import decoded, file_bytes


@dataclass(frozen=True)
class BoardOptions:
    """A board as the command line says it."""

    kind: str
    squares: str
    square_mm: float
    marker_mm: float
    dictionary: str
    legacy: bool = False

    def board(self) -> Board:
        """The board.

        Raises:
            BadInputError: There can be no such board.
        """
        counts = re.fullmatch(r"(\d{1,2})[xX](\d{1,2})", self.squares)
        if counts is None:
            raise BadInputError(f"--squares {self.squares!r}: expected squares along and across, such as 8x6")
        columns, rows = int(counts[1]), int(counts[2])
        sides_m = self.square_mm / 1e3, self.marker_mm / 1e3
        return Board(self.kind, (columns, rows), *sides_m, self.dictionary, self.legacy)


def need_paper(paper: str) -> str:
    """The paper's name in small letters.

    Raises:
        BadInputError: Nobody knows it.
    """
    if paper.lower() not in PAPERS_M:
        raise BadInputError(f"paper {paper!r} is not known: choose one of {', '.join(PAPERS_M)}")
    return paper.lower()


def mat_markers(paper: str) -> Markers:
    """The markers of the mat that is printed on this paper.

    Raises:
        BadInputError: Nobody knows it.
    """
    return Markers(DICTIONARY, printed_mat(need_paper(paper)).corners_world_m())


def need_name(name: str) -> str:
    """A camera's name, which ROS wants of letters, digits and underscores.

    Raises:
        BadInputError: It has others.
    """
    if not re.fullmatch(r"[A-Za-z0-9_]+", name):
        raise BadInputError(f"camera name {name!r}: use letters, digits and underscores, such as left")
    return name


def need_yaml(path: Path) -> None:
    """Refuse a path at which no camera file in ROS's form can be written.

    Raises:
        BadInputError: It cannot, or its name ends otherwise.
    """
    need_place(path)
    if path.suffix.lower() not in camera_info.ENDINGS:
        endings = " or ".join(camera_info.ENDINGS)
        raise BadInputError(f"{path}: a camera file in ROS's form ends in {endings}; name it so")


def grey_picture(path: Path) -> Grey:
    """A picture's brightness (rows, columns).

    Raises:
        BadInputError: There is no such file.
        PerceptionError: It is no picture (`unreadable-file`).
    """
    return np.asarray(cv2.cvtColor(decoded(path, file_bytes(path)), cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def need_size(path: Path, grey: Grey, camera: CameraFile) -> None:
    """Refuse a picture of another size than its camera was calibrated at.

    Raises:
        PerceptionError: Both sizes are told (`wrong-resolution`).
    """
    height, width = grey.shape
    if (width, height) != camera.size_px:
        raise PerceptionError(
            f"picture {path} has {width}x{height} px, but camera file {camera.path} was calibrated at "
            f"{camera.size_px[0]}x{camera.size_px[1]}: take pictures at that resolution, or "
            "calibrate the camera at this",
            reason="wrong-resolution",
        )


def refused_json(refusals: Sequence[Refusal]) -> dict[str, str] | None:
    """All refusals as one: the first one's word, and what each says."""
    if not refusals:
        return None
    return {"reason": refusals[0].reason, "detail": "; also: ".join(r.detail for r in refusals)}


def told(answer: Mapping[str, object], lines: Sequence[str], out: TextIO, *, as_json: bool) -> int:
    """Print an answer as JSON or for people; 0, or 1 where it says `refused`."""
    if as_json:
        out.write(json.dumps(answer, allow_nan=False) + "\n")
    else:
        out.write("".join(f"{line}\n" for line in lines))
    return 0 if answer["refused"] is None else 1


def verdict(refusals: Sequence[Refusal], output: Path | None, good: str) -> list[str]:
    """The last lines for people: refused and why, or how good it is and where it was written."""
    if refusals:
        return [*(f"refused ({r.reason}): {r.detail}" for r in refusals), "nothing was written"]
    return [good, f"written to {output}" if output is not None else "not written: name a file with -o"]


def rounded(T: Array | None, digits: int = 7) -> list[list[float]] | None:
    """A matrix for JSON."""
    return None if T is None else [[round(float(v), digits) for v in row] for row in T]
