"""The pair of L-shaped fingers: dimensions that kinematics, collision checks and the printable part share.

Frame of a dimension: the flange (roboticstoolbox's `ee_gripper_link`: x out of the gripper, y along the pinch). The
fingers bend by 90 degrees about the pinch axis, so the legs run along the flange's z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.frames import Array, pose

BAR_HALF_M = 0.008  # half the width, along the leg, of the bar that joins it to the gripper


@dataclass(frozen=True)
class LFinger:
    """Dimensions of one finger of the pair; the other is its mirror image.

    Attributes:
        leg_m: From the gripper's axis to the tip.
        slim_m: The last part of the leg, thin enough to enter a slot behind a block.
        nose_width_m: Of the slim part, across the leg; a flat nose keeps a pushed block from turning.
        nose_thickness_m: Of one finger's slim part along the pinch; closed, the pair is twice as thick.
        root_width_m: Of the strong part of the leg, across the leg.
        root_thickness_m: Of one finger's strong part along the pinch.
        max_opening_m: Between the noses, fully open.
    """

    leg_m: float = 0.100
    slim_m: float = 0.060
    nose_width_m: float = 0.010
    nose_thickness_m: float = 0.004
    root_width_m: float = 0.014
    root_thickness_m: float = 0.008
    max_opening_m: float = 0.060

    def T_flange_tool(self) -> Array:
        """Pose (4, 4) of the tool: origin at the tip of the closed noses, x along the legs, z along the pinch."""
        return pose(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), [0.0, 0.0, self.leg_m])
