"""Two networks that know hands: one finds palms in a small square picture, the other says whether a hand is there.

They are MediaPipe's hand tracking models (palm detection and hand landmarks, both "full", Zhang and others, 2020), run
by OpenCV. What goes in and comes out is told by their model cards: RGB from 0 to 1; 2016 anchors on grids of 24 x 24
(two each) and 12 x 12 (six each), with a box and seven points each in pixels of the small picture.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from robot.errors import BadInputError
from robot.frames import Array
from robot.ports import Image

PALM_SIDE, HAND_SIDE = 192, 224  # px, of what the networks take
GRIDS = ((24, 2), (12, 6))
WRIST, MIDDLE_KNUCKLE = 0, 2
WIDER, TOWARDS_FINGERS = 2.6, 0.5  # a hand, by its palm's box
BLUR = 0.35  # px of the small picture, before it is made small
STEEPEST = 50.0
MODELS = Path(sys.prefix) / "share" / "steadyhand"
PALMS, HANDS = "palm_detection_full", "hand_landmark_full"


@dataclass(frozen=True)
class Palm:
    """Where a palm may be in a picture.

    Attributes:
        score: 0 to 1.
        centre_px: (2,).
        side_px: Of its box, the longer one.
        turn_rad: From "fingers up", clockwise as the picture shows it.
    """

    score: float
    centre_px: Array
    side_px: float
    turn_rad: float


def installed() -> bool:
    """Whether the networks are there to be asked."""
    return all(_path(name).is_file() for name in (PALMS, HANDS))


def palms_in(image: Image, left_px: float, top_px: float, side_px: float, least: float) -> list[Palm]:
    """Palms in a square of a picture (rows, columns, 3), BGR; what lies outside the picture is black.

    Args:
        image: The picture.
        left_px: Of the square.
        top_px: Of the square.
        side_px: Of the square.
        least: Score below which a palm is not told.

    Raises:
        BadInputError: The networks are not installed.
    """
    scale = PALM_SIDE / side_px
    M = np.array([[scale, 0.0, -left_px * scale], [0.0, scale, -top_px * scale]])
    boxes, scores = _forward(PALMS, _warped(image, M, PALM_SIDE))
    chance = _chance(scores[0, :, 0])
    best = [int(i) for i in np.argsort(-chance)[:2] if chance[i] >= least]
    corner = np.array([left_px, top_px])
    return [_palm(float(chance[i]), _anchors()[i], boxes[0, i] / PALM_SIDE, corner, side_px) for i in best]


def _palm(score: float, anchor: Array, raw: Array, corner_px: Array, side_px: float) -> Palm:
    points = raw.reshape(-1, 2)
    up = points[2 + MIDDLE_KNUCKLE] - points[2 + WRIST]
    centre = corner_px + (anchor + points[0]) * side_px
    return Palm(score, centre, float(points[1].max()) * side_px, float(np.arctan2(up[0], -up[1])))


def hand_chance(image: Image, palm: Palm) -> float:
    """How likely a hand is where a palm may be, 0 to 1.

    Raises:
        BadInputError: The networks are not installed.
    """
    c, s = np.cos(palm.turn_rad), np.sin(palm.turn_rad)
    fingers = np.array([s, -c])  # the way they point
    centre = palm.centre_px + TOWARDS_FINGERS * palm.side_px * fingers
    scale = HAND_SIDE / (WIDER * palm.side_px)
    R = scale * np.array([[c, s], [-s, c]])
    M = np.column_stack([R, HAND_SIDE / 2 - R @ centre])
    return float(_forward(HANDS, _warped(image, M, HAND_SIDE))[1].ravel()[0])


def _warped(image: Image, M: Array, side: int) -> Array:
    """A part of a picture (1, 3, side, side) as the networks take it; `M` (2, 3) maps pixels to its pixels."""
    scale = float(np.hypot(M[0, 0], M[0, 1]))
    window, M = _window(image, M, side)
    smooth = cv2.GaussianBlur(window, (0, 0), BLUR / scale) if scale < BLUR * 2 else window
    small = cv2.warpAffine(smooth, M, (side, side), flags=cv2.INTER_LINEAR)
    return np.ascontiguousarray(small[..., ::-1].transpose(2, 0, 1)[None], dtype=np.float32) / 255


def _window(image: Image, M: Array, side: int) -> tuple[Image, Array]:
    """The part of the picture that is needed, and the map from its pixels."""
    corners = np.array([[0, 0], [side, 0], [0, side], [side, side]], dtype=float)
    px = np.linalg.solve(M[:, :2], (corners - M[:, 2]).T).T
    rows, columns = image.shape[:2]
    low = np.clip(np.floor(px.min(axis=0)) - 2, 0, [columns - 1, rows - 1]).astype(int)
    high = np.clip(np.ceil(px.max(axis=0)) + 2, low + 1, [columns, rows]).astype(int)
    moved = M.copy()
    moved[:, 2] += M[:, :2] @ low
    return image[low[1] : high[1], low[0] : high[0]], moved


def _chance(score: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -STEEPEST, STEEPEST))))


@cache
def _anchors() -> Array:
    """Middles (2016, 2) of the places that the palm network looks at."""
    grids = []
    for n, each in GRIDS:
        y, x = np.mgrid[:n, :n]
        grids.append(np.repeat((np.stack([x, y], axis=-1).reshape(-1, 2) + 0.5) / n, each, axis=0))
    return np.concatenate(grids)


def _forward(name: str, picture: Array) -> tuple[Array, Array]:
    net = _net(name)
    net.setInput(picture)
    first, second = net.forward(["Identity", "Identity_1"])
    return np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)


def _path(name: str) -> Path:
    return MODELS / f"{name}.tflite"


@cache
def _net(name: str) -> cv2.dnn.Net:
    path = _path(name)
    if not path.is_file():
        raise BadInputError(
            f"the network that finds hands is not installed: {path} is missing; run `make setup`, it fetches it"
        )
    # The newer engine tells one output only (OpenCV 5.0).
    return cv2.dnn.readNetFromTFLite(str(path), engine=cv2.dnn.ENGINE_CLASSIC)
