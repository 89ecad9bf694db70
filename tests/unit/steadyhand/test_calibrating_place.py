from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.calibration_hand_eye import BESIDE, IN_HAND, HandEye
from robot.frames import inverse, pose, rot_x, rot_y, rot_z
from steadyhand.calibrating_place import arm_place, place_of
from steadyhand.settings import Settings


@given(st.floats(-1.4, 1.4), st.floats(-1.4, 1.4), st.floats(-0.4, 0.9), st.floats(-179.0, 179.0))
def test_place_is_what_the_settings_make_of_it(x: float, y: float, z: float, yaw_deg: float) -> None:
    T = pose(rot_z(np.radians(yaw_deg)), [x, y, z])
    place = place_of(T)
    values = {name: value for name, value in vars(place).items() if name != "leans_deg"}
    settings = Settings.model_validate({"arm": values})
    assert settings.arm.T_world_base() == pytest.approx(T, abs=1e-9)
    assert place.leans_deg == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("R", [rot_x(np.radians(1.2)), rot_y(np.radians(-1.2))])
def test_base_that_leans_is_told_with_what_to_do(R: np.ndarray) -> None:
    place = place_of(pose(rot_z(0.3) @ R, [0.0, 0.0, 0.0]))
    assert place.leans_deg == pytest.approx(1.2, abs=1e-6)
    assert "leans by 1.2 degrees, allowed 0.5: level its foot" in place.in_words()[-1]


def test_base_that_stands_upright_is_not_said_to_lean() -> None:
    assert not any("leans" in line for line in place_of(np.eye(4)).in_words())


def test_camera_in_the_hand_and_one_of_no_known_place_tell_nothing() -> None:
    found = HandEye(None, None, T_hand=np.eye(4), T_base=inverse(np.eye(4)))
    assert arm_place(found, IN_HAND, None) is None
    assert arm_place(found, BESIDE, None) is None
