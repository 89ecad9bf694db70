"""Where a camera sees the vertices of blocks, and which of their parts are turned to it, in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perception.boxes import Bools
from perception.chamfer import PART_NORMALS, PART_VERTICES, VERTEX_AXIS, VERTEX_SIGNS
from robot.camera_model import CameraModel
from robot.compiled import compiled
from robot.frames import Array, inverse

PARTS, VERTICES = len(PART_NORMALS), len(VERTEX_SIGNS)
_FIRST = np.ascontiguousarray(PART_VERTICES[:, 0])  # a vertex of each part


class Eye(NamedTuple):
    """A camera as compiled code takes it: (3, 4), (3,), (3, 3) and (5,), as those of `CameraModel`."""

    T_camera_world: Array
    position_m: Array
    K: Array
    distortion: Array


def eye_of(camera: CameraModel) -> Eye:
    """A camera made ready for compiled code."""
    T = np.ascontiguousarray(inverse(camera.T_world_camera)[:3])
    return Eye(T, camera.position_m(), np.ascontiguousarray(camera.K), camera.distortion)


@compiled
def project_to(eye: Eye, x: float, y: float, z: float, px: Array) -> None:
    """Put the pixel of a point [m] into `px` (2,); not a number behind the camera. See `CameraModel.project`."""
    T, K = eye.T_camera_world, eye.K
    depth = T[2, 0] * x + T[2, 1] * y + T[2, 2] * z + T[2, 3]
    if depth <= 1e-6:
        px[0] = px[1] = np.nan
        return
    a = (T[0, 0] * x + T[0, 1] * y + T[0, 2] * z + T[0, 3]) / depth
    b = (T[1, 0] * x + T[1, 1] * y + T[1, 2] * z + T[1, 3]) / depth
    k1, k2, p1, p2, k3 = eye.distortion
    r2 = a * a + b * b
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    u = a * radial + 2 * p1 * a * b + p2 * (r2 + 2 * a * a)
    v = b * radial + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b
    px[0] = K[0, 0] * u + K[0, 1] * v + K[0, 2]
    px[1] = K[1, 1] * v + K[1, 2]


@compiled
def outlines(eye: Eye, T: Array, size_m: Array, bevel_m: float) -> tuple[Array, Bools]:
    """Vertices (N, VERTICES, 2) [px] of blocks, and which of their parts (N, PARTS) are turned to the camera.

    `T` (N, 4, 4), `size_m` (N, 3): poses and sizes; `bevel_m`: cut off their edges.
    """
    n = len(T)
    px, facing = np.empty((n, VERTICES, 2)), np.empty((n, PARTS), np.bool_)
    at, local = np.empty((VERTICES, 3)), np.empty(3)
    for i in range(n):
        R = T[i]
        for j in range(VERTICES):
            for a in range(3):
                cut = 0.0 if VERTEX_AXIS[j] == a else bevel_m
                local[a] = VERTEX_SIGNS[j, a] * (size_m[i, a] / 2 - cut)
            for a in range(3):
                at[j, a] = R[a, 0] * local[0] + R[a, 1] * local[1] + R[a, 2] * local[2] + R[a, 3]
            project_to(eye, at[j, 0], at[j, 1], at[j, 2], px[i, j])
        for k in range(PARTS):
            p, n_block, toward = at[_FIRST[k]], PART_NORMALS[k], 0.0
            for a in range(3):
                normal = R[a, 0] * n_block[0] + R[a, 1] * n_block[1] + R[a, 2] * n_block[2]
                toward += normal * (eye.position_m[a] - p[a])
            facing[i, k] = toward > 0
    return px, facing
