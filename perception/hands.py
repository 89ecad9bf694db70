"""Whether a picture shows a hand, from that picture alone.

A tool is not a hand, and wood, cardboard and skin have one colour, so networks that know hands look (`hand_net`): at
many squares that overlap, where a hand at the tower would be, each large enough for a hand. What is as large as a palm
at that distance counts by how likely it is one, and one look is not enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from perception.hand_net import hand_chance, palms_in
from perception.views import View
from robot.camera_model import CameraModel
from robot.frames import Array
from robot.ports import Image

LOOKS_M = (0.40, 0.50, 0.60)  # sides of the squares about a tower
ASIDE = (-0.5, 0.0, 0.5)  # of a square's side: left of the tower, over it, right of it
STEP, OVER = 0.3, 0.6  # of a square's side: from one to the next; how far the first reaches above the tower
LEAST_PALM_M, MOST_PALM_M = 0.05, 0.13  # longer side of a palm's box, from a child's to a large man's
LEAST_SCORE = 0.1  # of a palm that is looked at more closely
SAME_M = 0.09  # looks at palms so near each other are looks at one hand
COUNTS, HAND = 0.05, 0.7  # what one look must say to count; what all looks at a hand say together
SHARES = (0.6, 1.0)  # sides of the squares over a whole picture, of its shorter side
NOMINAL_M = 0.5  # that many metres are taken to fit into a picture's shorter side where nobody knows


@dataclass(frozen=True)
class Square:
    """A part of a picture to look at: left and top border and side [px], and how many pixels are a metre there."""

    left_px: float
    top_px: float
    side_px: float
    px_per_m: float


def hand_in(image: Image, squares: Iterable[Square]) -> bool:
    """Whether any hand is seen in some squares of a picture (rows, columns, 3), BGR.

    Raises:
        BadInputError: The networks are not installed; the message says how to mend that.
    """
    found = [row for square in squares for row in _looked(image, square)]
    if not found:
        return False
    place, said = np.array([row[:2] for row in found]), np.array([row[2] for row in found])
    near = np.linalg.norm(place[:, None] - place[None], axis=-1) < SAME_M
    return bool((near @ said).max() >= HAND)


def _looked(image: Image, square: Square) -> list[tuple[float, float, float]]:
    """Palms of a palm's size: where (x, y) [m, in the picture's plane], and how likely a hand is there."""
    out = []
    for palm in palms_in(image, square.left_px, square.top_px, square.side_px, LEAST_SCORE):
        if LEAST_PALM_M <= palm.side_px / square.px_per_m <= MOST_PALM_M:
            said = palm.score * hand_chance(image, palm)
            if said >= COUNTS:
                x, y = palm.centre_px / square.px_per_m
                out.append((float(x), float(y), said))
    return out


def any_hand(views: Sequence[View], T_world_tower: Array, height_m: float) -> bool:
    """Whether any of the views of a tower shows a hand near it.

    Raises:
        BadInputError: The networks are not installed.
    """
    return any(hand_in(view.image, squares_about(view.camera, T_world_tower, height_m)) for view in views)


def squares_about(camera: CameraModel, T_world_tower: Array, height_m: float) -> list[Square]:
    """Where a hand at a tower of some height may be in a camera's picture."""
    base, up = T_world_tower[:3, 3], T_world_tower[:3, 2]
    foot, top = camera.project(np.array([base, base + height_m * up]))
    across = camera.T_world_camera[:3, 0]
    middle = base + height_m / 2 * up
    ends = camera.project(np.array([middle, middle + 0.01 * across]))
    px_per_m = float(np.linalg.norm(ends[1] - ends[0])) / 0.01
    low, high = min(top[1], foot[1]), max(top[1], foot[1])
    return [
        Square(float((foot[0] + top[0]) / 2 + (aside - 0.5) * side), float(row), side, px_per_m)
        for side in (look * px_per_m for look in LOOKS_M)
        for row in np.arange(low - OVER * side, high - side / 2, STEP * side)
        for aside in ASIDE
    ]


def squares_over(image: Image) -> list[Square]:
    """A whole picture in squares, where nobody knows where a tower stands or how far off it is."""
    rows, columns = image.shape[:2]
    short, out = min(rows, columns), list[Square]()
    for side in (share * short for share in SHARES):
        for top in _starts(rows, side):
            out += [Square(left, top, side, short / NOMINAL_M) for left in _starts(columns, side)]
    return out


def _starts(length: float, side: float) -> list[float]:
    """Where squares begin that overlap by half or more and cover a length."""
    n = int(np.ceil((length - side) / (side / 2) - 1e-6)) + 1
    return [float(x) for x in np.linspace(0.0, max(length - side, 0.0), n)]
