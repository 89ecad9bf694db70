"""Where the arm stands, by a camera of which both are known: its place in the world, and on the arm's base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perception.calibration_hand_eye import BESIDE, HandEye
from robot.frames import Array, inverse
from steadyhand.camera_file import CameraFile

_UPRIGHT_DEG = 0.5  # what the settings cannot say; over an arm's reach of 0.5 m that is 4 mm


@dataclass(frozen=True)
class ArmPlace:
    """As the settings' section `[arm]` has it, and how far the base leans, which it has not."""

    x_mm: float
    y_mm: float
    z_mm: float
    yaw_deg: float
    leans_deg: float

    def as_json(self) -> dict[str, float]:
        """Under the settings' own names."""
        return {name: round(value, 2) for name, value in vars(self).items()}

    def in_words(self) -> list[str]:
        """What to write down, and what else to do."""
        said = [
            "the arm's base stands here; write it into the settings:",
            "[arm]",
            *(f"{name} = {getattr(self, name):.2f}" for name in ("x_mm", "y_mm", "z_mm", "yaw_deg")),
        ]
        if self.leans_deg > _UPRIGHT_DEG:
            said.append(
                f"it leans by {self.leans_deg:.1f} degrees, allowed {_UPRIGHT_DEG:g}: level its foot, or calibrate the "
                "camera's place again"
            )
        return said


def arm_place(found: HandEye, eye: str, camera: CameraFile | None) -> ArmPlace | None:
    """Where a camera beside the arm shows the arm to stand; None where nobody knows where the camera is."""
    if eye != BESIDE or found.T_base is None or camera is None or camera.T_world_camera is None:
        return None
    return place_of(camera.T_world_camera @ inverse(found.T_base))


def place_of(T_world_base: Array) -> ArmPlace:
    """A pose (4, 4) in the settings' words."""
    x, y, z = (float(value) * 1e3 for value in T_world_base[:3, 3])
    yaw = float(np.degrees(np.arctan2(T_world_base[1, 0], T_world_base[0, 0])))
    leans = float(np.degrees(np.arccos(np.clip(T_world_base[2, 2], -1.0, 1.0))))
    return ArmPlace(x, y, z, yaw, leans)
