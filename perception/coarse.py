"""Where the tower roughly stands: nominal tower drawn as lines, tried at many places, judged by brightness steps.

The bottom layers of any tower show the same lines: grooves between layers on both faces, the upright corners, and on
every second layer of a face the two lines between three ends. The last tell layers with ends from layers with sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np

from perception.views import View
from planning.blockset import BlockSet
from robot.compiled import compiled
from robot.frames import Array, inverse, pose, rot_z

LAYERS = 14  # drawn; a tower in play has more
CAP = 12.0  # grey levels a pixel: a stronger step counts no more than this
_DIRECTIONS = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))


@dataclass(frozen=True)
class _Lines:
    """Points (N, 3) on lines of the nominal tower, their directions (N, 3), face normals (N, 3) and weights (N,)."""

    p_m: Array
    along: Array
    normal: Array
    weight: Array


def nominal_lines(blockset: BlockSet) -> _Lines:
    """The lines that a full tower of this block set shows, tower frame."""
    rows: list[tuple[Array, Array, Array, float]] = []
    half = blockset.length_m.mean / 2
    pitch = blockset.height_m.mean
    third = (blockset.width_m.mean + blockset.gap_m) / 2
    for nx, ny in _DIRECTIONS:
        out, side, up = np.array([nx, ny, 0.0]), np.array([-ny, nx, 0.0]), np.array([0.0, 0.0, 1.0])
        for k in range(LAYERS + 1):
            rows += [
                (half * out + s * half * side + k * pitch * up, side, out, 1.0)
                for s in np.linspace(-0.85, 0.85, 8)
            ]
        for k in range(LAYERS):
            middle = half * out + (k + 0.5) * pitch * up
            rows += [(middle + s * half * side, up, out, 2.0) for s in (-1.0, 1.0)]
            if (k % 2 == 0) == (
                nx != 0
            ):  # layer 1, drawn as k = 0, lies along x and shows its ends on the x faces
                rows += [(middle + s * third * side, up, out, 2.0) for s in (-1.0, 1.0)]
    return _Lines(*(np.array(column) for column in zip(*rows, strict=True)))


@compiled
def _score(
    gx: Array, gy: Array, lens: Array, T_camera: Array, lines: Array, places: Array, cap: float
) -> Array:
    """Score (M,) of every place (M, 4: x, y, yaw, z) in one view.

    `lens`: fx, fy, cx, cy; `T_camera` (3, 4): camera from nominal tower; `lines` (N, 10): point, direction, normal,
    weight.
    """
    out = np.zeros(len(places))
    height, width = gx.shape
    eye = np.zeros(3)
    for j in range(3):
        eye[j] = -(
            T_camera[0, j] * T_camera[0, 3]
            + T_camera[1, j] * T_camera[1, 3]
            + T_camera[2, j] * T_camera[2, 3]
        )
    for m in range(len(places)):
        c, s = np.cos(places[m, 2]), np.sin(places[m, 2])
        total = 0.0
        for i in range(len(lines)):
            x = c * lines[i, 0] - s * lines[i, 1] + places[m, 0]
            y = s * lines[i, 0] + c * lines[i, 1] + places[m, 1]
            z = lines[i, 2] + places[m, 3]
            nx, ny = c * lines[i, 6] - s * lines[i, 7], s * lines[i, 6] + c * lines[i, 7]
            if nx * (eye[0] - x) + ny * (eye[1] - y) <= 0:
                continue
            ax, ay, az = c * lines[i, 3] - s * lines[i, 4], s * lines[i, 3] + c * lines[i, 4], lines[i, 5]
            px = T_camera[0, 0] * x + T_camera[0, 1] * y + T_camera[0, 2] * z + T_camera[0, 3]
            py = T_camera[1, 0] * x + T_camera[1, 1] * y + T_camera[1, 2] * z + T_camera[1, 3]
            pz = T_camera[2, 0] * x + T_camera[2, 1] * y + T_camera[2, 2] * z + T_camera[2, 3]
            if pz < 0.05:
                continue
            tx = T_camera[0, 0] * ax + T_camera[0, 1] * ay + T_camera[0, 2] * az
            ty = T_camera[1, 0] * ax + T_camera[1, 1] * ay + T_camera[1, 2] * az
            tz = T_camera[2, 0] * ax + T_camera[2, 1] * ay + T_camera[2, 2] * az
            u, v = lens[0] * px / pz + lens[2], lens[1] * py / pz + lens[3]
            du, dv = lens[0] * (tx - px / pz * tz), lens[1] * (ty - py / pz * tz)
            column, row = int(u), int(v)
            if not (0 <= column < width - 1 and 0 <= row < height - 1):
                continue
            fu, fv = u - column, v - row
            norm = np.sqrt(du * du + dv * dv) + 1e-12
            steps = 0.0
            for a in range(2):
                for b in range(2):
                    w = (fu if a else 1 - fu) * (fv if b else 1 - fv)
                    steps += w * abs(gx[row + b, column + a] * dv - gy[row + b, column + a] * du)
            total += lines[i, 9] * min(steps / norm, cap)
        out[m] = total
    return out


@dataclass(frozen=True)
class _Small:
    """A shrunken, undistorted view: brightness gradients and its lens."""

    gx: Array
    gy: Array
    lens: Array
    T_camera_world: Array


def _shrunk(view: View, factor: int) -> _Small:
    K = view.camera.K.copy()
    grey: cv2.typing.MatLike = view.grey.astype(np.float32)
    if np.any(view.camera.distortion):
        grey = cv2.undistort(grey, K, view.camera.distortion)
    small = cv2.resize(grey, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), 0.8)
    gx, gy = cv2.Scharr(small, cv2.CV_64F, 1, 0) / 32, cv2.Scharr(small, cv2.CV_64F, 0, 1) / 32
    centre = (K[:2, 2] + 0.5) / factor - 0.5
    lens = np.array([K[0, 0] / factor, K[1, 1] / factor, *centre])
    return _Small(gx, gy, lens, inverse(view.camera.T_world_camera))


def find_tower(views: Sequence[View], blockset: BlockSet, T_world_nominal: Array) -> tuple[Array, float]:
    """`T_world_tower` (4, 4), good to about 1.5 mm and 1 degree, and its score (mean step, 0 to CAP).

    Args:
        views: The pictures and their cameras.
        blockset: The blocks.
        T_world_nominal: Where it should be, to within 20 mm, 6 degrees and less than a layer in height.
    """
    table = _table(blockset)
    wide = _grid([0.018, 0.018, np.radians(5.0), 0.012], [0.0045, 0.0045, np.radians(2.5), 0.003])
    best = wide[np.argsort(-_scores([_shrunk(v, 4) for v in views], T_world_nominal, table, wide))[:6]]
    half = [_shrunk(v, 2) for v in views]
    for steps in ([0.003, np.radians(1.2), 0.002], [0.0015, np.radians(0.6), 0.001]):
        near = _grid([steps[0], steps[0], steps[1], steps[2]], [steps[0], steps[0], steps[1], steps[2]])
        trial = (best[:, None] + near[None]).reshape(-1, 4)
        score = _scores(half, T_world_nominal, table, trial)
        best = trial[np.argsort(-score)[:2]]
    x, y, yaw, z = best[0]
    return T_world_nominal @ pose(rot_z(yaw), [x, y, z]), _mean_step(score, table, views)


def score_near(views: Sequence[View], blockset: BlockSet, T_world_tower: Array) -> float:
    """Score of a tower within 3 mm of `T_world_tower` (4, 4), as that of `find_tower`."""
    table, steps = _table(blockset), [0.003, 0.003, np.radians(1.2), 0.002]
    places = _grid(steps, steps)
    score = _scores([_shrunk(v, 2) for v in views], T_world_tower, table, places)
    return _mean_step(score, table, views)


def _table(blockset: BlockSet) -> Array:
    """The lines as `_score` wants them."""
    lines = nominal_lines(blockset)
    return np.concatenate([lines.p_m, lines.along, lines.normal, lines.weight[:, None]], axis=1)


def _mean_step(scores: Array, table: Array, views: Sequence[View]) -> float:
    """The best score as a mean step on the lines of the half of a tower that a view shows."""
    return float(scores.max() / (table[:, 9].sum() * len(views) / 2))


def _grid(reach: Sequence[float], step: Sequence[float]) -> Array:
    axes = [np.arange(-round(r / s), round(r / s) + 1) * s for r, s in zip(reach, step, strict=True)]
    return np.array(list(product(*axes)))


def _scores(views: Sequence[_Small], T_world_nominal: Array, table: Array, places: Array) -> Array:
    total = np.zeros(len(places))
    for view in views:
        T = (view.T_camera_world @ T_world_nominal)[:3]
        total += _score(view.gx, view.gy, view.lens, np.ascontiguousarray(T), table, places, CAP)
    return total
