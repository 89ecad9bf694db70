"""What an arm's file says of its URDF."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from robot.frames import Array, pose, rot_rpy

MM = 1e-3

_Length = Annotated[float, Field(ge=-500, le=500, strict=True)]
_Angle = Annotated[float, Field(ge=-360, le=360, strict=True)]
_Side = tuple[_Length, _Length]


class UrdfSection(BaseModel):
    """`[urdf]` in an arm's file.

    Attributes:
        file: The URDF, as seen from the arm's file.
        hand: The link that carries the fingers, the last one that the arm's joints move.
        flange_mm: From that link's origin to the flange: on the gripper's axis, where the L-fingers' legs stand.
        flange_deg: Roll, pitch and yaw of the flange in that link: x out of the gripper, y along the fingers' way.
        fingers_mm: From where the gripper carries the fingers on to the flange.
        opening_mm: So far apart the fingers go.
        park_deg: A posture in which the arm hides nothing from the cameras.
        foot_mm: What the arm stands on where it is raised: from where to where along x, and along y, of its base.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    file: str = Field(min_length=1)
    hand: str = Field(min_length=1)
    flange_mm: tuple[_Length, _Length, _Length] = (0.0, 0.0, 0.0)
    flange_deg: tuple[_Angle, _Angle, _Angle] = (0.0, 0.0, 0.0)
    fingers_mm: Annotated[float, Field(ge=10, le=150, strict=True)] = 30.0
    opening_mm: Annotated[float, Field(ge=25, le=150, strict=True)]
    park_deg: list[_Angle]
    foot_mm: tuple[_Side, _Side] = ((-100.0, 100.0), (-100.0, 100.0))

    def T_hand_flange(self) -> Array:
        """Pose (4, 4) of the flange in the hand's frame."""
        return pose(rot_rpy(*np.radians(self.flange_deg)), np.array(self.flange_mm) * MM)

    def foot_m(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """What it stands on, in metres."""
        (x0, x1), (y0, y1) = self.foot_mm
        return (x0 * MM, x1 * MM), (y0 * MM, y1 * MM)
