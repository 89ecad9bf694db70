from __future__ import annotations

import numpy as np
import pytest

from robot.frames import is_pose
from robot.lfinger import LFinger


@pytest.mark.parametrize("leg_m", [0.08, 0.1, 0.12])
def test_tool_stands_at_the_tip_of_the_legs_with_its_x_along_them(leg_m: float) -> None:
    T = LFinger(leg_m=leg_m).T_flange_tool()
    assert is_pose(T)
    assert T[:3, 3] == pytest.approx([0, 0, leg_m])
    assert T[:3, 0] == pytest.approx([0, 0, 1]), "the legs run along the flange's z"
    assert T[:3, 2] == pytest.approx([0, 1, 0]), "the pinch runs along the flange's y"


def test_closed_pair_enters_a_slot_and_its_slim_part_is_long_enough_to_push_a_block_out() -> None:
    finger = LFinger()
    slot = np.array([0.025, 0.015])
    assert finger.nose_width_m < slot[0] - 0.01
    assert 2 * finger.nose_thickness_m < slot[1] - 0.005
    assert finger.slim_m >= 0.035 + 0.012
    assert finger.slim_m < finger.leg_m
