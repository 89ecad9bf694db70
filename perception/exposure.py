"""Drift of exposure and white balance between two pictures of the same scene.

Both pictures are averaged in small squares. Where a square is neither dark nor burnt out, the ratio of its levels tells
by how much the picture became brighter; the median over all squares is the drift, and squares that disagree show what
moved, or a light that changed on one side.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import Bools
from robot.errors import BadInputError
from robot.frames import Array
from robot.ports import Image

CELL_PX = 16
DARK, BURNT = 15.0, 240.0  # levels of a square beyond which it tells nothing
LEAST_CELLS = 30
ALIKE = 0.06  # logarithm of brightness by which a square may differ from the median
# Blocks' motions are measured as well as ever at these drifts (their test holds them to it).
MOST_BRIGHTNESS, MOST_COLOUR, LEAST_ALIKE = 1.25, 1.10, 0.5


@dataclass(frozen=True)
class Drift:
    """How a later picture's levels lie against an earlier one's.

    Attributes:
        brightness: Factor of green.
        red: Factor of red against green.
        blue: Factor of blue against green.
        alike: Share of the squares whose brightness changed like that, to 6 %.
        cells: Squares that could be compared.
    """

    brightness: float
    red: float
    blue: float
    alike: float
    cells: int


def exposure_drift(before: Image, after: Image, fixed: Bools | None = None) -> Drift:
    """How exposure and white balance have changed between two pictures of one camera.

    Args:
        before: A picture (rows, columns, 3), BGR.
        after: A later one.
        fixed: Pixels (rows, columns) that may be compared; all if left out.

    Raises:
        BadInputError: The pictures differ in size.
    """
    if before.shape != after.shape:
        raise BadInputError(
            f"pictures of {before.shape} and {after.shape} cannot be compared: take both alike"
        )
    ratios = _ratios(before, after, fixed)
    if not len(ratios):
        return Drift(1.0, 1.0, 1.0, 0.0, 0)
    blue, green, red = np.median(ratios, axis=0)
    alike = float((np.abs(ratios[:, 1] - green) < ALIKE).mean())
    return Drift(
        float(np.exp(green)), float(np.exp(red - green)), float(np.exp(blue - green)), alike, len(ratios)
    )


def _ratios(before: Image, after: Image, fixed: Bools | None) -> Array:
    """Logarithm (n, 3) of the levels' ratio in every square that tells it."""
    rows, columns = before.shape[0] // CELL_PX, before.shape[1] // CELL_PX
    first, second = _cells(before, rows, columns), _cells(after, rows, columns)
    both = np.stack([first, second])
    good = ((both > DARK) & (both < BURNT)).all(axis=(0, 3))
    if fixed is not None:
        good &= _cells(fixed.astype(np.uint8), rows, columns) == 1.0
    return np.asarray(np.log(second[good] / first[good]))


def _cells(picture: Image, rows: int, columns: int) -> Array:
    """Mean (rows, columns, ...) of every whole square."""
    whole = picture[: rows * CELL_PX, : columns * CELL_PX].astype(np.float32)
    return np.asarray(cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.float64)


def drift_fault(drift: Drift, camera: str) -> str | None:
    """What is wrong with a drift and what to do, for a person; None where it is within what is allowed."""
    if drift.cells < LEAST_CELLS:
        return (
            f"camera {camera!r}: only {drift.cells} squares of its pictures are neither dark nor burnt out, at least "
            f"{LEAST_CELLS} are needed: set the exposure so that the tower's wood lies in the middle of the levels"
        )
    if drift.alike < LEAST_ALIKE:
        return (
            f"camera {camera!r}: only {drift.alike:.0%} of its picture became brighter or dimmer alike, at least "
            f"{LEAST_ALIKE:.0%} must: a lamp was switched, the sun came out, or something stands in front; make the "
            "light as it was, or look anew"
        )
    faults = [
        f"{what} changed by a factor of {factor:.2f}, allowed is {1 / most:.2f} to {most:.2f}"
        for what, factor, most in (
            ("brightness", drift.brightness, MOST_BRIGHTNESS),
            ("red against green", drift.red, MOST_COLOUR),
            ("blue against green", drift.blue, MOST_COLOUR),
        )
        if not 1 / most <= factor <= most
    ]
    if not faults:
        return None
    return (
        f"camera {camera!r}: {'; '.join(faults)}: hold its exposure, gain and white balance fast (docs/cameras.md), or "
        "make the light as it was; then look anew"
    )
