"""Which of many places of a tower are worth a look: a few of its lines laid over a small picture, quickly.

As `lines` has it, but each face of the tower counts by how its middle is turned to the camera, its lines run as they do
there, and the nearest pixel is read. That is exact enough to leave out where no tower stands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perception.boxes import Ints
from perception.lines import GRAZING, Steps
from robot.compiled import compiled
from robot.frames import Array

# Every so many-th line, and how many places these leave: of a tower's layers, each then shows other lines.
ROUNDS = ((23, 10000), (9, 2000), (5, 500))
_QUARTER = np.pi / 2


def screened(steps: Sequence[Steps], lines: Array, places: Array) -> Array:
    """The places (m, 5) of (M, 5) that are worth a look with all lines, in their order.

    Args:
        steps: Of every view.
        lines: Points (N, 9) on a tower's lines, as `lines_of` has them, all of one distance from its middle.
        places: x, y, yaw, thickness, z; those of one yaw one after another.
    """
    for skip, kept in ROUNDS:
        if len(places) > kept:
            some, ends = _by_face(lines[::skip])
            sizes = np.diff(np.cumsum(some[:, 5] ** 2)[ends - 1], prepend=0.0)
            told = np.zeros(len(places))
            for s in steps:
                told += _glanced(s.gx, s.gy, s.lens, s.T_camera_world, some, ends, sizes, places)
            places = places[np.sort(np.argpartition(-told, kept)[:kept])]
    return places


def _by_face(lines: Array) -> tuple[Array, Ints]:
    """The lines of each of the four faces together, and where each face's end (4,)."""
    face = np.round(np.arctan2(lines[:, 4], lines[:, 3]) / _QUARTER).astype(np.int64) % 4
    order = np.argsort(face, kind="stable")
    return np.ascontiguousarray(lines[order]), np.searchsorted(face[order], np.arange(4), side="right")


@compiled
def _glanced(
    gx: Array, gy: Array, lens: Array, T: Array, lines: Array, ends: Ints, sizes: Array, places: Array
) -> Array:
    """Score (M,) of every place (M, 5) in one view, about; `sizes` (4,): squared weights of each face's lines."""
    out, turned = np.zeros(len(places)), np.empty((len(lines), 3))
    height, width = gx.shape
    fx, fy, cx, cy = lens[0], lens[1], lens[2], lens[3]
    middle = lines[:, 2].max() / 2
    half = (np.abs(lines[:, :2] * lines[:, 3:5]).sum(axis=1)).max()
    run = np.empty((2, 2))
    for m in range(len(places)):
        x, y, yaw, up = places[m, 0], places[m, 1], places[m, 2], places[m, 3]
        c, s = np.cos(yaw), np.sin(yaw)
        if m == 0 or yaw != places[m - 1, 2]:
            _turn(turned, lines, T, c, s, up)
        x0 = T[0, 0] * x + T[0, 1] * y + T[0, 2] * places[m, 4] + T[0, 3]
        y0 = T[1, 0] * x + T[1, 1] * y + T[1, 2] * places[m, 4] + T[1, 3]
        z0 = T[2, 0] * x + T[2, 1] * y + T[2, 2] * places[m, 4] + T[2, 3]
        total, norm = 0.0, 1e-9
        for f in range(4):
            nx, ny = (c, s) if f == 0 else (-s, c) if f == 1 else (-c, -s) if f == 2 else (s, -c)
            facing = _facing(run, lens, T, x0, y0, z0, nx, ny, half, middle * up)
            if facing <= GRAZING:
                continue
            worth, told = min(2.0 * facing, 1.0), 0.0
            for i in range(ends[f - 1] if f else 0, ends[f]):
                near = 1.0 / (turned[i, 2] + z0)
                column = int(fx * (turned[i, 0] + x0) * near + cx + 0.5)
                row = int(fy * (turned[i, 1] + y0) * near + cy + 0.5)
                if near > 0.0 and 0 <= column < width and 0 <= row < height:
                    k = int(lines[i, 8])
                    told += lines[i, 5] * abs(gx[row, column] * run[k, 1] - gy[row, column] * run[k, 0])
            total, norm = total + worth * told, norm + worth * worth * sizes[f]
        out[m] = total / np.sqrt(norm)
    return out


@compiled
def _turn(turned: Array, lines: Array, T: Array, c: float, s: float, thickness: float) -> None:
    """Lines turned by a yaw (N, 3), in the camera's axes."""
    for i in range(len(lines)):
        x, y = c * lines[i, 0] - s * lines[i, 1], s * lines[i, 0] + c * lines[i, 1]
        for j in range(3):
            turned[i, j] = T[j, 0] * x + T[j, 1] * y + T[j, 2] * lines[i, 2] * thickness


@compiled
def _facing(
    run: Array,
    lens: Array,
    T: Array,
    x0: float,
    y0: float,
    z0: float,
    nx: float,
    ny: float,
    half_m: float,
    up_m: float,
) -> float:
    """The sine at which a face's middle is seen; how its level and upright lines run there, of length 1, in `run`."""
    x = T[0, 0] * nx * half_m + T[0, 1] * ny * half_m + T[0, 2] * up_m + x0
    y = T[1, 0] * nx * half_m + T[1, 1] * ny * half_m + T[1, 2] * up_m + y0
    z = T[2, 0] * nx * half_m + T[2, 1] * ny * half_m + T[2, 2] * up_m + z0
    if z < 0.05:
        return -1.0
    # The way to the eye in the camera's axes is (-x, -y, -z); in the world's, turned back by T.
    ex = -(T[0, 0] * x + T[1, 0] * y + T[2, 0] * z)
    ey = -(T[0, 1] * x + T[1, 1] * y + T[2, 1] * z)
    a, b = x / z, y / z
    for k in range(2):
        dx = T[0, 2] if k else T[0, 1] * nx - T[0, 0] * ny
        dy = T[1, 2] if k else T[1, 1] * nx - T[1, 0] * ny
        dz = T[2, 2] if k else T[2, 1] * nx - T[2, 0] * ny
        du, dv = lens[0] * (dx - a * dz), lens[1] * (dy - b * dz)
        length = np.sqrt(du * du + dv * dv) + 1e-12
        run[k, 0], run[k, 1] = du / length, dv / length
    return float((nx * ex + ny * ey) / (np.sqrt(ex * ex + ey * ey) + 1e-12))
