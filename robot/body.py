"""One arm as planning knows it: how it bends, where it stands, what it may do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from robot.frames import Array, inverse
from robot.limits import ArmLimits
from robot.ports import Kinematics


@dataclass(frozen=True)
class Body:
    """An arm's kinematics, place and limits.

    Attributes:
        T_world_base: Pose (4, 4) of the arm's base.
        park_rad: A posture (n,) in which the arm hides nothing from the cameras.
    """

    kinematics: Kinematics
    T_world_base: Array
    limits: ArmLimits
    park_rad: Array

    @cached_property
    def T_base_world(self) -> Array:
        """The inverse (4, 4) of `T_world_base`."""
        return inverse(self.T_world_base)
