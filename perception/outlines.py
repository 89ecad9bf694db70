"""Where a camera sees the vertices of blocks, and which of their parts are turned to it, in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perception.boxes import Bools
from perception.chamfer import facing_parts, vertices_m
from robot.camera_model import CameraModel
from robot.compiled import compiled
from robot.frames import Array, inverse


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
def outlines(eye: Eye, T: Array, size_m: Array, bevel_m: float) -> tuple[Array, Bools]:
    """Vertices (N, 24, 2) [px] of blocks, and which of their parts (N, 26) are turned to the camera.

    `T` (N, 4, 4), `size_m` (N, 3): poses and sizes; `bevel_m`: cut off their edges.
    """
    vertices = vertices_m(T, size_m, bevel_m)
    return _projected(eye, vertices), facing_parts(vertices, T, eye.position_m)


@compiled
def _projected(eye: Eye, points: Array) -> Array:
    """Pixels (N, V, 2) of points (N, V, 3); not a number behind the camera. As `CameraModel.project`."""
    T, K = eye.T_camera_world, eye.K
    k1, k2, p1, p2, k3 = eye.distortion
    px = np.empty((points.shape[0], points.shape[1], 2))
    for i in range(points.shape[0]):
        for j in range(points.shape[1]):
            x, y, z = points[i, j, 0], points[i, j, 1], points[i, j, 2]
            depth = T[2, 0] * x + T[2, 1] * y + T[2, 2] * z + T[2, 3]
            depth = depth if depth > 1e-6 else np.nan
            a = (T[0, 0] * x + T[0, 1] * y + T[0, 2] * z + T[0, 3]) / depth
            b = (T[1, 0] * x + T[1, 1] * y + T[1, 2] * z + T[1, 3]) / depth
            r2 = a * a + b * b
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            u = a * radial + 2 * p1 * a * b + p2 * (r2 + 2 * a * a)
            v = b * radial + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b
            px[i, j, 0], px[i, j, 1] = K[0, 0] * u + K[0, 1] * v + K[0, 2], K[1, 1] * v + K[1, 2]
    return px
