"""A block's edges tried at many shifts and turns around a guess, judged by the brightness steps under them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import cv2
import numpy as np

from perception.boxes import EDGE_CORNERS, EDGE_FACES, FACE_NORMALS, SIGNS, Boxes
from perception.patches import lens_of, project
from perception.views import View
from robot.compiled import compiled
from robot.frames import Array, inverse, pose, rot_y, rot_z

CAP = 5.0  # grey levels a pixel: a stronger step counts no more than this
SHIFT_M = 1.5e-3 * np.arange(-4, 5)
HEIGHT_M = 1.5e-3 * np.arange(-4, 5)
YAW_RAD = np.radians([-5.0, -2.5, 0.0, 2.5, 5.0])
PITCH_RAD = np.radians([-3.0, 0.0, 3.0])
BEST = 30
_SPACING_M = 6e-3


def best_places(views: Sequence[View], guess: Boxes) -> list[Array]:
    """A few poses (4, 4) near the guess under which most of the block's edges lie on brightness steps."""
    trials = _trials(guess.T[0])
    scores = _score_all(views, guess.size_m[0], trials)
    chosen: list[int] = []
    for i in np.argsort(-scores):
        if all(np.linalg.norm(trials[i, :3, 3] - trials[j, :3, 3]) > 1.4e-3 for j in chosen):
            chosen.append(int(i))
        if len(chosen) == BEST:
            break
    return [trials[i] for i in chosen]


def _trials(T_guess: Array) -> Array:
    """Poses (G, 4, 4): shifts along the block's axes, turns about its middle."""
    shifts = product(SHIFT_M, SHIFT_M, HEIGHT_M)
    turns = [rot_z(a) @ rot_y(b) for a, b in product(YAW_RAD, PITCH_RAD)]
    moves = [pose(R, s) for s, R in product(shifts, turns)]
    return np.asarray(T_guess @ np.array(moves))


def _edge_points(size_m: Array) -> tuple[Array, Array, Array]:
    """Points (P, 3) on all twelve edges, directions (P, 3), and normals (P, 2, 3) of the two faces, block frame."""
    points, along, normals = [], [], []
    for (a, b), (f, g) in zip(EDGE_CORNERS, EDGE_FACES, strict=True):
        ends = SIGNS[[a, b]] * size_m / 2
        n = max(3, int(np.linalg.norm(ends[1] - ends[0]) / _SPACING_M))
        for s in (np.arange(n) + 0.5) / n:
            points.append(ends[0] + s * (ends[1] - ends[0]))
            along.append((ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0]))
            normals.append((FACE_NORMALS[f], FACE_NORMALS[g]))
    return np.array(points), np.array(along), np.array(normals)


def _score_all(views: Sequence[View], size_m: Array, trials: Array) -> Array:
    points, along, normals = _edge_points(size_m)
    total, count = np.zeros(len(trials)), np.zeros(len(trials))
    for view in views:
        soft = cv2.GaussianBlur(view.grey, (0, 0), 1.2)
        gx, gy = cv2.Scharr(soft, cv2.CV_64F, 1, 0) / 32, cv2.Scharr(soft, cv2.CV_64F, 0, 1) / 32
        T = np.ascontiguousarray(inverse(view.camera.T_world_camera)[:3])
        steps, seen = _steps(
            gx, gy, lens_of(view.camera), T, trials, points, along, normals, view.camera.position_m()
        )
        total += steps
        count += seen
    return total / np.maximum(count, 1)


@compiled
def _steps(
    gx: Array,
    gy: Array,
    lens: Array,
    T: Array,
    trials: Array,
    points: Array,
    along: Array,
    normals: Array,
    eye: Array,
) -> tuple[Array, Array]:
    """For every trial, the sum of the steps across the edges turned to the camera, and their number (G,) each."""
    g, n = len(trials), len(points)
    total, seen = np.zeros(g), np.zeros(g)
    height, width = gx.shape
    p, q, a, m = np.empty(3), np.empty(3), np.empty(3), np.empty((2, 3))
    for t in range(g):
        for i in range(n):
            for j in range(3):
                p[j], a[j], m[0, j], m[1, j] = trials[t, j, 3], 0.0, 0.0, 0.0
                for k in range(3):
                    p[j] += trials[t, j, k] * points[i, k]
                    a[j] += trials[t, j, k] * along[i, k]
                    m[0, j] += trials[t, j, k] * normals[i, 0, k]
                    m[1, j] += trials[t, j, k] * normals[i, 1, k]
            first, second = 0.0, 0.0
            for j in range(3):
                first += m[0, j] * (eye[j] - p[j])
                second += m[1, j] * (eye[j] - p[j])
                q[j] = p[j] + 1e-3 * a[j]
            if first <= 0 and second <= 0:
                continue
            u, v = project(p, lens, T)
            u1, v1 = project(q, lens, T)
            c, r = int(np.round(u)), int(np.round(v))
            if not (0 <= c < width and 0 <= r < height):
                continue
            du, dv = u1 - u, v1 - v
            step = abs(gx[r, c] * dv - gy[r, c] * du) / (np.sqrt(du * du + dv * dv) + 1e-9)
            total[t] += min(step, CAP)
            seen[t] += 1
    return total, seen
