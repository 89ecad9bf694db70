"""Lines of a tower laid over pictures: how clearly brightness steps on them, and not between them.

Where lines belong (the grooves between layers, the upright corners, and on every second layer of a face the two lines
between three ends) brightness steps, and halfway between them it does not. The difference tells a tower from books,
keyboards and boxes, and which layers show ends from those that show sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from perception.views import View
from planning.blockset import BlockSet
from robot.compiled import compiled
from robot.frames import Array, inverse

STEPS_MOST = 4.0  # a step counts up to so much: 60 times the logarithm of brightness, a pixel
LIGHTS = 15.0  # grey levels, added before the logarithm, so that noise in the dark is no step
# Blocks' edges are rounded. Along an upright corner of the tower, two faces meet in such an edge, and its outline is
# seen so much further in than where the faces would meet.
ROUND_M = 0.45e-3
GRAZING = 0.05  # faces seen at less than this sine tell nothing
ENDS, NONE = 1.5, -1.0  # weights of lines between ends, and of where no line is; of all other lines 1
UPRIGHT_AT = (0.25, 0.5, 0.75)  # heights in a layer at which upright lines are read
_FACES = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))  # their normals (x, y), tower frame

_Face = tuple[float, float]


@lru_cache(maxsize=64)
def lines_of(blockset: BlockSet, first: int, last: int, points: int) -> Array:
    """Points (N, 9) on lines of full layers and between them, tower frame.

    Point [m], the face's normal (x, y), weight (negative where there is no line), direction of the line.

    Args:
        blockset: The blocks.
        first: Lowest layer, from 1.
        last: Highest one.
        points: How many on each groove.
    """
    layers = range(first, last + 1)
    rows = [row for face in _FACES for layer in layers for row in _layer(blockset, face, layer, points)]
    return np.ascontiguousarray(np.array(rows))


@lru_cache(maxsize=512)
def lines_from(blockset: BlockSet, k: int, first: int, last: int, points: int, thickness: float) -> Array:
    """The same (N, 9) with heights over the lower side of layer k, layers being `thickness` times as thick."""
    lines = lines_of(blockset, first, last, points).copy()
    lines[:, 2] = (lines[:, 2] - (k - 1) * blockset.height_m.mean) * thickness
    return lines


def _layer(blockset: BlockSet, face: _Face, layer: int, points: int) -> list[list[float]]:
    """Rows of `lines_of` for one layer on one face: the groove above it and its uprights; odd layers end on x faces."""
    thick, half = blockset.height_m.mean, blockset.length_m.mean / 2
    along = np.linspace(-0.85, 0.85, points) * half
    rows = [_row(face, half, q, layer * thick, 1.0, 0.0) for q in along]
    rows += [_row(face, half, q, (layer - 0.5) * thick, NONE, 0.0) for q in along]
    ends = (layer % 2 == 1) == (face[0] != 0.0)
    for share in UPRIGHT_AT:
        rows += _uprights(blockset, face, (layer - 1 + share) * thick, ends)
    return rows


def _uprights(blockset: BlockSet, face: _Face, z_m: float, ends: bool) -> list[list[float]]:
    """Rows of `lines_of` at one height: the tower's corners, and the lines between three ends or where they are not."""
    half = blockset.length_m.mean / 2
    corner, third = half - ROUND_M, (blockset.width_m.mean + blockset.gap_m) / 2
    rows = [_row(face, corner, q, z_m, 1.0, 1.0) for q in (-corner, corner)]
    rows += [_row(face, half, q, z_m, ENDS if ends else NONE, 1.0) for q in (-third, third)]
    if ends:
        rows += [_row(face, half, q, z_m, NONE, 1.0) for q in (-2 * third, 0.0, 2 * third)]
    return rows


def _row(face: _Face, out_m: float, side_m: float, z_m: float, weight: float, upright: float) -> list[float]:
    """One row of `lines_of`; a line is upright (1) or level (0)."""
    nx, ny = face
    x, y = nx * out_m - ny * side_m, ny * out_m + nx * side_m
    level = 1.0 - upright
    return [x, y, z_m, nx, ny, weight, -ny * level, nx * level, upright]


@dataclass(frozen=True)
class Steps:
    """A shrunken, undistorted view: steps of log brightness (rows, columns) along its columns and along its rows.

    `lens`: fx, fy, cx, cy [px]; `T_camera_world` without its last row (3, 4).
    """

    gx: Array
    gy: Array
    lens: Array
    T_camera_world: Array

    @classmethod
    def of(cls, view: View, factor: int, blur_px: float) -> Steps:
        """A view made so many times smaller, then blurred."""
        K, distortion = view.camera.K, view.camera.distortion
        grey: cv2.typing.MatLike = view.grey.astype(np.float32)
        if np.any(distortion):
            grey = cv2.undistort(grey, K, distortion)
        small = cv2.resize(grey, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
        logs = 60.0 * np.log(cv2.GaussianBlur(small, (0, 0), blur_px) + LIGHTS)
        gx, gy = (cv2.Scharr(logs, cv2.CV_64F, *d) / 32 for d in ((1, 0), (0, 1)))
        capped = np.minimum(STEPS_MOST / np.maximum(np.hypot(gx, gy), 1e-6), 1.0)
        centre = (K[:2, 2] + 0.5) / factor - 0.5
        lens = np.array([K[0, 0] / factor, K[1, 1] / factor, *centre])
        T = np.ascontiguousarray(inverse(view.camera.T_world_camera)[:3])
        return cls(gx * capped, gy * capped, lens, T)


def scores(steps: Sequence[Steps], lines: Array, places: Array) -> Array:
    """How clearly the lines show (M,) at places (M, 4: x, y, yaw, thickness), in deviations of a blank picture."""
    total = np.zeros(len(places))
    for s in steps:
        total += score_view(s.gx, s.gy, s.lens, s.T_camera_world, lines, places)
    return np.asarray(total / np.sqrt(len(steps)))


@compiled
def score_view(gx: Array, gy: Array, lens: Array, T: Array, lines: Array, places: Array) -> Array:
    """Score (M,) of every place (M, 4) in one view: weighted steps across lines turned to it, over the weights' norm.

    `gx`, `gy` (rows, columns), `lens` and `T` (3, 4) are those of `Steps`, `lines` (N, 9) those of `lines_of`.
    Lines outside the picture count as seen without a step.
    """
    out = np.zeros(len(places))
    height, width = gx.shape
    eye = np.zeros(2)
    for j in range(2):
        eye[j] = -(T[0, j] * T[0, 3] + T[1, j] * T[1, 3] + T[2, j] * T[2, 3])
    for m in range(len(places)):
        c, s = np.cos(places[m, 2]), np.sin(places[m, 2])
        total, size = 0.0, 1e-9
        for i in range(len(lines)):
            x = c * lines[i, 0] - s * lines[i, 1] + places[m, 0]
            y = s * lines[i, 0] + c * lines[i, 1] + places[m, 1]
            z = lines[i, 2] * places[m, 3]
            ex, ey = eye[0] - x, eye[1] - y
            nx, ny = c * lines[i, 3] - s * lines[i, 4], s * lines[i, 3] + c * lines[i, 4]
            facing = (nx * ex + ny * ey) / np.sqrt(ex * ex + ey * ey)
            depth = T[2, 0] * x + T[2, 1] * y + T[2, 2] * z + T[2, 3]
            if facing <= GRAZING or depth < 0.05:
                continue
            weight = lines[i, 5] * min(2.0 * facing, 1.0)
            size += weight * weight
            a = (T[0, 0] * x + T[0, 1] * y + T[0, 2] * z + T[0, 3]) / depth
            b = (T[1, 0] * x + T[1, 1] * y + T[1, 2] * z + T[1, 3]) / depth
            u, v = lens[0] * a + lens[2], lens[1] * b + lens[3]
            column, row = int(u), int(v)
            if not (0 <= column < width - 1 and 0 <= row < height - 1):
                continue
            dx, dy = c * lines[i, 6] - s * lines[i, 7], s * lines[i, 6] + c * lines[i, 7]
            dz = lines[i, 8]
            away = T[2, 0] * dx + T[2, 1] * dy + T[2, 2] * dz
            du = lens[0] * (T[0, 0] * dx + T[0, 1] * dy + T[0, 2] * dz - a * away)
            dv = lens[1] * (T[1, 0] * dx + T[1, 1] * dy + T[1, 2] * dz - b * away)
            fu, fv = u - column, v - row
            step = 0.0
            for p in range(2):
                for q in range(2):
                    w = (fu if p else 1 - fu) * (fv if q else 1 - fv)
                    step += w * abs(gx[row + q, column + p] * dv - gy[row + q, column + p] * du)
            total += weight * step / (np.sqrt(du * du + dv * dv) + 1e-12)
        out[m] = total / np.sqrt(size)
    return out
