"""A calibrated camera: pixels, lens distortion and where it stands. Pure numpy, no camera library.

Conventions are OpenCV's: camera frame x right, y down, z forward; pixel (0, 0) is the centre of the top-left pixel;
distortion k1, k2, p1, p2, k3.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robot.errors import BadInputError
from robot.frames import Array, apply, inverse, is_pose


@dataclass(frozen=True)
class CameraModel:
    """Intrinsics and pose of one camera.

    Attributes:
        size_px: Width and height of its pictures.
        K: Intrinsic matrix (3, 3) [px].
        distortion: k1, k2, p1, p2, k3.
        T_world_camera: Pose (4, 4).
    """

    name: str
    size_px: tuple[int, int]
    K: Array
    T_world_camera: Array
    distortion: Array = field(default_factory=lambda: np.zeros(5))

    def __post_init__(self) -> None:
        good = self.K.shape == (3, 3) and self.distortion.shape == (5,) and is_pose(self.T_world_camera)
        if not good or not (np.isfinite(self.K).all() and np.isfinite(self.distortion).all()):
            raise BadInputError(
                f"camera {self.name!r}: calibration is not usable: K must be 3x3, distortion 5 numbers, T_world_camera "
                f"a rigid pose, all finite; got K {self.K.tolist()}, distortion {self.distortion.tolist()}"
            )

    def project(self, p_world_m: Array) -> Array:
        """Pixels (..., 2) of points (..., 3) in the world frame; NaN behind the camera (OpenCV's pinhole model)."""
        p = apply(inverse(self.T_world_camera), p_world_m)
        z = np.where(p[..., 2] > 1e-6, p[..., 2], np.nan)
        x, y = p[..., 0] / z, p[..., 1] / z
        xd, yd = self._distort(x, y)
        K = self.K
        return np.stack([K[0, 0] * xd + K[0, 1] * yd + K[0, 2], K[1, 1] * yd + K[1, 2]], axis=-1)

    def _distort(self, x: Array, y: Array) -> tuple[Array, Array]:
        k1, k2, p1, p2, k3 = self.distortion
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        xd = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        yd = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return xd, yd

    def depth_m(self, p_world_m: Array) -> Array:
        """Distance (...) along the optical axis of points (..., 3) in the world frame."""
        return np.asarray(apply(inverse(self.T_world_camera), p_world_m)[..., 2])

    def position_m(self) -> Array:
        """The camera's centre (3,) in the world frame."""
        return self.T_world_camera[:3, 3].copy()
