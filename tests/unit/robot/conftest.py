from __future__ import annotations

import numpy as np
import pytest

from robot.arm_models import ARM_MODELS, VIPERX_300S
from robot.kinematics import ArmKinematics
from robot.lfinger import LFinger
from robot.limits import ArmLimits


@pytest.fixture(scope="session")
def arm_kinematics(request: pytest.FixtureRequest) -> ArmKinematics:
    """The ViperX-300s, or the model that a test names."""
    name = getattr(request, "param", VIPERX_300S.name)
    return ArmKinematics(ARM_MODELS[name], LFinger().T_flange_tool())


@pytest.fixture(scope="session")
def arm_limits(arm_kinematics: ArmKinematics) -> ArmLimits:
    one = np.ones(6)
    low, high = arm_kinematics.q_min_rad, arm_kinematics.q_max_rad
    return ArmLimits(low, high, 2.0 * one, 6.0 * one, 60.0 * one, opening_max_m=0.06)
