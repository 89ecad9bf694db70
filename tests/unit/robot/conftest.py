from __future__ import annotations

import numpy as np
import pytest

from robot.kinematics import Vx300sKinematics
from robot.lfinger import LFinger
from robot.limits import ArmLimits


@pytest.fixture(scope="session")
def arm_kinematics() -> Vx300sKinematics:
    return Vx300sKinematics(LFinger().T_flange_tool())


@pytest.fixture(scope="session")
def arm_limits(arm_kinematics: Vx300sKinematics) -> ArmLimits:
    one = np.ones(6)
    low, high = arm_kinematics.q_min_rad, arm_kinematics.q_max_rad
    return ArmLimits(low, high, 2.0 * one, 6.0 * one, 60.0 * one, opening_max_m=0.06)
