"""Where the simulated cameras stand, and what their calibration is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from robot.camera_model import CameraModel
from robot.frames import Array, pose, quaternion

SIZE_PX = (1280, 960)


@dataclass(frozen=True)
class CameraPlace:
    """Where a simulated camera stands and looks, world frame."""

    name: str
    position_m: tuple[float, float, float]
    target_m: tuple[float, float, float]
    fovy_deg: float = 38.0

    def T_world_camera(self) -> Array:
        """OpenCV pose (4, 4): z forward, y down."""
        p = np.array(self.position_m)
        z = np.array(self.target_m) - p
        z /= np.linalg.norm(z)
        x = np.cross(z, [0.0, 0.0, 1.0])
        x /= np.linalg.norm(x)
        return pose(np.stack([x, np.cross(z, x), z], axis=1), p)

    def model(self) -> CameraModel:
        """Ideal pinhole of MuJoCo's renderer: square pixels, no distortion."""
        width, height = SIZE_PX
        f = height / 2 / math.tan(math.radians(self.fovy_deg) / 2)
        K = np.array([[f, 0.0, (width - 1) / 2], [0.0, f, (height - 1) / 2], [0.0, 0.0, 1.0]])
        return CameraModel(self.name, SIZE_PX, K, self.T_world_camera())


def default_places() -> tuple[CameraPlace, ...]:
    """Left and right at opposite corners of the tower, and front, across from the arm."""
    at, high = 0.80, 0.56
    target = (0.0, 0.0, 0.265)
    return (
        CameraPlace("left", (0.0, at, high), target),
        CameraPlace("right", (0.0, -at, high), target),
        CameraPlace("front", (at, 0.0, high), target),
    )


def add_cameras(spec: mujoco.MjSpec, places: Sequence[CameraPlace]) -> None:
    """Put the cameras into a scene's specification (MuJoCo's camera looks along -z, with y up)."""
    flip = np.diag([1.0, -1.0, -1.0])
    for place in places:
        T = place.T_world_camera()
        spec.worldbody.add_camera(
            name=place.name, pos=T[:3, 3], quat=quaternion(T[:3, :3] @ flip), fovy=place.fovy_deg
        )
