"""Where a picture may show a tower, at what size and seen from where, when nothing is known of its camera.

A stretch of a few layers, seen from many sides, is laid over the picture at many sizes: brightness should step on its
grooves and its outer corners and not between the grooves. So short a stretch looks much the same through any lens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import cv2
import numpy as np

from perception.boxes import Bools
from perception.lines import LIGHTS, STEPS_MOST
from robot.compiled import compiled
from robot.frames import Array, rot_x, rot_z

LAYERS = 6  # in the stretch
LAYER_PX = 6.0  # thickness of a layer in the shrunken picture
SIZES = np.geomspace(1 / 75, 1 / 12, 25)  # thickness of a layer over the picture's longer side
YAWS = np.radians([0.0, 15.0, 30.0, 45.0, 60.0, 75.0])
PITCHES = np.radians([-5.0, 10.0, 25.0, 40.0])  # of the look, downward
ROLLS = np.radians([-5.0, 0.0, 5.0])
BLUR_PX = 0.7
FLAT = 0.2  # of layers against their length, as blocks are sold
ALONG = (-0.85, -0.5, -0.17, 0.17, 0.5, 0.85)  # on each groove, over half its length
GRAZING = 0.2  # sides seen at less than this sine are left out
KEPT, OF_EACH = 60, 3
WIDE_PX, LOOKED_AT = 15, 0.1  # width of a side, about, and share of the picture that is looked at closely
LEAST, FIRST_LOOK = 3.0, 0.5  # score of a hint, and of a third of its lines, below which it is none
NEAR, SAME_SIZE = (
    1.5,
    0.1,
)  # layers apart, and ratio of sizes less 1, within which two hints with one yaw are the same


@dataclass(frozen=True)
class Hint:
    """A stretch of a tower that may be there.

    Attributes:
        at_px: Middle of the stretch (2,) in the picture.
        layer_px: Thickness of a layer.
        yaw_rad: Turn of the tower about its axis; a quarter turn more or less looks alike.
        pitch_rad: How steeply it is looked at from above.
        roll_rad: How much it leans in the picture, clockwise.
        score: How clearly it shows, in deviations of a blank picture.
    """

    at_px: Array
    layer_px: float
    yaw_rad: float
    pitch_rad: float
    roll_rad: float
    score: float


def steps_of(grey: Array, factor: float, blur_px: float) -> tuple[Array, Array]:
    """Steps of log brightness (rows, columns) along columns and along rows, `factor` times smaller."""
    small = cv2.resize(
        grey.astype(np.float32), None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA
    )
    logs = 60.0 * np.log(cv2.GaussianBlur(small, (0, 0), blur_px) + LIGHTS)
    gx, gy = (cv2.Scharr(logs, cv2.CV_32F, *d) / 32 for d in ((1, 0), (0, 1)))
    capped = np.minimum(STEPS_MOST / np.maximum(np.hypot(gx, gy), 1e-6), 1.0)
    return gx * capped, gy * capped


def hints(grey: Array) -> list[Hint]:
    """Where a picture (rows, columns) may show a tower, the clearest first; some answer comes back for any picture."""
    shapes = list(product(YAWS, PITCHES, ROLLS))
    found = list[Hint]()
    for size in SIZES:
        layer_px = float(size) * max(grey.shape)
        if layer_px < LAYER_PX:
            continue
        gx, gy = steps_of(grey, layer_px / LAYER_PX, BLUR_PX)
        worth = _worth_a_look(gy)
        for shape in shapes:
            offsets, across = _template(*shape)
            for score, row, column in _peaks(_laid(gx, gy, worth, offsets, across)):
                at = (np.array([column, row]) + 0.5) * layer_px / LAYER_PX - 0.5
                found.append(Hint(at, layer_px, *shape, score))
    return _apart(found)


@cache
def _template(yaw: float, pitch: float, roll: float) -> tuple[Array, Array]:
    """Offsets (N, 2: row, column) [px], and (N, 3) what takes a step across the line there, and its weight."""
    R = rot_z(roll) @ rot_x(np.pi / 2 + pitch) @ rot_z(yaw)
    rows: list[list[float]] = []
    for k in range(4):
        T = R @ rot_z(k * np.pi / 2)
        facing = -T[2, 0]
        if facing < GRAZING:
            continue
        for p, along, weight in _side_points():
            (u, v), d = (T @ p)[:2], (T @ along)[:2] / np.linalg.norm((T @ along)[:2])
            rows.append([v, u, d[1], -d[0], weight * min(2.0 * facing, 1.0)])
    table = np.random.default_rng(0).permutation(np.array(rows))
    table[:, 4] /= np.linalg.norm(table[:, 4])
    return np.round(table[:, :2]).astype(np.int64), np.ascontiguousarray(table[:, 2:])


def _side_points() -> Iterator[tuple[Array, Array, float]]:
    """Points of the side +x, the direction of the line through each, and its weight (negative where none is)."""
    level, upright, half = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), LAYER_PX / FLAT / 2
    for j in range(LAYERS + 1):
        z = (j - LAYERS / 2) * LAYER_PX
        for q in ALONG:
            yield np.array([half, q * half, z]), level, 1.0
            if j < LAYERS:
                yield np.array([half, q * half, z + LAYER_PX / 2]), level, -1.0
        if j < LAYERS:
            for q in (-half, half):
                yield np.array([half, q, z + LAYER_PX / 2]), upright, 1.0


def _worth_a_look(gy: Array) -> Bools:
    """Where (rows, columns) columns of pixels show steps at the distance of layers, whatever way the grooves slope."""
    comb = np.zeros((int(LAYERS * LAYER_PX) + 1, 1), np.float32)
    comb[:: int(LAYER_PX)] = 1.0
    comb[int(LAYER_PX / 2) :: int(LAYER_PX)] = -1.0
    told = cv2.filter2D(np.abs(gy), cv2.CV_32F, comb, borderType=cv2.BORDER_CONSTANT)
    told = cv2.blur(cv2.dilate(told, np.ones((int(LAYER_PX) + 1, 1), np.uint8)), (WIDE_PX, 1))
    return np.asarray(
        told[: told.shape[0] // 2 * 2 : 2, : told.shape[1] // 2 * 2 : 2] > np.quantile(told, 1 - LOOKED_AT)
    )


@compiled
def _laid(gx: Array, gy: Array, worth: Bools, offsets: Array, across: Array) -> Array:
    """Score of a template at every second pixel (rows, columns); cut short where a third of it tells too little."""
    height, width = gx.shape
    out = np.full((height // 2, width // 2), -9.0, np.float32)
    top, left = -offsets[:, 0].min(), -offsets[:, 1].min()
    bottom, right = offsets[:, 0].max(), offsets[:, 1].max()
    third = len(offsets) // 3
    for i in range((top + 1) // 2, (height - bottom) // 2):
        for j in range((left + 1) // 2, (width - right) // 2):
            if not worth[i, j]:
                continue
            total = 0.0
            for k in range(len(offsets)):
                r, c = 2 * i + offsets[k, 0], 2 * j + offsets[k, 1]
                total += across[k, 2] * abs(gx[r, c] * across[k, 0] + gy[r, c] * across[k, 1])
                if k == third and total < FIRST_LOOK:
                    break
            out[i, j] = total
    return out


def _peaks(scores: Array) -> list[tuple[float, float, float]]:
    """Score, row and column [px] of the best few places that are not each other's neighbours."""
    top = (cv2.dilate(scores, np.ones((7, 7), np.uint8)) == scores) & (scores > LEAST)
    rows, columns = np.nonzero(top)
    best = np.argsort(-scores[rows, columns])[:OF_EACH]
    return [(float(scores[rows[i], columns[i]]), 2.0 * rows[i], 2.0 * columns[i]) for i in best]


def _apart(found: list[Hint]) -> list[Hint]:
    """The clearest KEPT of them that are not nearly the same."""
    out = list[Hint]()
    for hint in sorted(found, key=lambda hint: -hint.score):
        if not any(_alike(hint, other) for other in out):
            out.append(hint)
            if len(out) == KEPT:
                break
    return out


def _alike(a: Hint, b: Hint) -> bool:
    near = float(np.abs(a.at_px - b.at_px).max()) < NEAR * b.layer_px
    return near and abs(np.log(a.layer_px / b.layer_px)) < SAME_SIZE and a.yaw_rad == b.yaw_rad
