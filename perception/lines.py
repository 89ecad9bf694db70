"""Lines of a tower laid over pictures: how clearly brightness steps on them, and not between them.

Where lines belong (the grooves between layers, the upright corners, and on every second layer of a face the two lines
between three ends) brightness steps, and halfway between them it does not. The difference tells a tower from books,
keyboards and boxes, and which layers show ends from those that show sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import cv2
import numpy as np

from perception.views import View, Window
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
    def of(cls, view: View, factor: int, blur_px: float, window: Window | None = None) -> Steps:
        """A view, or a part of it when undistorted, made so many times smaller, then blurred."""
        key = (cls, factor, blur_px, window)
        if key not in view.made:
            view.made[key] = cls._made(view, factor, blur_px, window)
        return cast(Steps, view.made[key])

    @classmethod
    def _made(cls, view: View, factor: int, blur_px: float, window: Window | None) -> Steps:
        grey, K = view.straight, view.camera.K
        left, top, right, bottom = window or (0, 0, grey.shape[1], grey.shape[0])
        small: cv2.typing.MatLike = grey[top:bottom, left:right]
        if factor > 1:
            small = cv2.resize(small, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
        logs = 60.0 * np.log(cv2.GaussianBlur(small, (0, 0), blur_px) + np.float32(LIGHTS))
        gx, gy = (cv2.Scharr(logs, cv2.CV_32F, *d, scale=1 / 32) for d in ((1, 0), (0, 1)))
        capped = np.minimum(STEPS_MOST / np.maximum(cv2.magnitude(gx, gy), 1e-6), 1.0)
        centre = (K[:2, 2] - [left, top] + 0.5) / factor - 0.5
        lens = np.array([K[0, 0] / factor, K[1, 1] / factor, *centre])
        T = np.ascontiguousarray(inverse(view.camera.T_world_camera)[:3])
        return cls(gx * capped, gy * capped, lens, T)


def scores(steps: Sequence[Steps], lines: Array, places: Array) -> Array:
    """How clearly the lines show (M,) at places (M, 5: x, y, yaw, thickness, z), in deviations of a blank picture."""
    order = np.argsort(places[:, 2], kind="stable")  # the lines are turned once for every yaw
    total, turned = np.zeros(len(places)), np.ascontiguousarray(places[order])
    for s in steps:
        total[order] += score_view(s.gx, s.gy, s.lens, s.T_camera_world, lines, turned)
    return np.asarray(total / np.sqrt(len(steps)))


@compiled
def score_view(gx: Array, gy: Array, lens: Array, T: Array, lines: Array, places: Array) -> Array:
    """Score (M,) of every place (M, 5) in one view: weighted steps across lines turned to it, over the weights' norm.

    `gx`, `gy` (rows, columns), `lens` and `T` (3, 4) are those of `Steps`, `lines` (N, 9) those of `lines_of`.
    Lines outside the picture count as seen without a step. Places of one yaw are best given one after another.
    """
    out, turned = np.zeros(len(places)), np.empty((len(lines), 10))
    height, width = gx.shape
    fx, fy, cx, cy = lens[0], lens[1], lens[2], lens[3]
    eye_x = -(T[0, 0] * T[0, 3] + T[1, 0] * T[1, 3] + T[2, 0] * T[2, 3])
    eye_y = -(T[0, 1] * T[0, 3] + T[1, 1] * T[1, 3] + T[2, 1] * T[2, 3])
    for m in range(len(places)):
        x, y, yaw, thickness, z = places[m, 0], places[m, 1], places[m, 2], places[m, 3], places[m, 4]
        if m == 0 or yaw != places[m - 1, 2]:
            _turn(turned, lines, T, yaw)
        x0 = T[0, 0] * x + T[0, 1] * y + T[0, 2] * z + T[0, 3]
        y0 = T[1, 0] * x + T[1, 1] * y + T[1, 2] * z + T[1, 3]
        z0 = T[2, 0] * x + T[2, 1] * y + T[2, 2] * z + T[2, 3]
        total, size = 0.0, 1e-9
        for i in range(len(lines)):
            ex, ey = eye_x - x - turned[i, 6], eye_y - y - turned[i, 7]
            toward = turned[i, 8] * ex + turned[i, 9] * ey
            if toward <= 0.0:
                continue
            facing = toward / np.sqrt(ex * ex + ey * ey)
            up = lines[i, 2] * thickness
            depth = turned[i, 2] + T[2, 2] * up + z0
            if facing <= GRAZING or depth < 0.05:
                continue
            weight = lines[i, 5] * min(2.0 * facing, 1.0)
            size += weight * weight
            near = 1.0 / depth
            a = (turned[i, 0] + T[0, 2] * up + x0) * near
            b = (turned[i, 1] + T[1, 2] * up + y0) * near
            u, v = fx * a + cx, fy * b + cy
            column, row = int(u), int(v)
            if not (0 <= column < width - 1 and 0 <= row < height - 1):
                continue
            du, dv = fx * (turned[i, 3] - a * turned[i, 5]), fy * (turned[i, 4] - b * turned[i, 5])
            fu, fv = u - column, v - row
            upper = (1 - fu) * abs(gx[row, column] * dv - gy[row, column] * du)
            upper += fu * abs(gx[row, column + 1] * dv - gy[row, column + 1] * du)
            lower = (1 - fu) * abs(gx[row + 1, column] * dv - gy[row + 1, column] * du)
            lower += fu * abs(gx[row + 1, column + 1] * dv - gy[row + 1, column + 1] * du)
            total += weight * ((1 - fv) * upper + fv * lower) / (np.sqrt(du * du + dv * dv) + 1e-12)
        out[m] = total / np.sqrt(size)
    return out


@compiled
def _turn(turned: Array, lines: Array, T: Array, yaw: float) -> None:
    """Lines turned by a yaw (N, 10): place and direction in the camera's axes without height, place and normal."""
    c, s = np.cos(yaw), np.sin(yaw)
    for i in range(len(lines)):
        x, y = c * lines[i, 0] - s * lines[i, 1], s * lines[i, 0] + c * lines[i, 1]
        dx, dy, dz = c * lines[i, 6] - s * lines[i, 7], s * lines[i, 6] + c * lines[i, 7], lines[i, 8]
        for j in range(3):
            turned[i, j] = T[j, 0] * x + T[j, 1] * y
            turned[i, 3 + j] = T[j, 0] * dx + T[j, 1] * dy + T[j, 2] * dz
        turned[i, 6], turned[i, 7] = x, y
        turned[i, 8] = c * lines[i, 3] - s * lines[i, 4]
        turned[i, 9] = s * lines[i, 3] + c * lines[i, 4]
