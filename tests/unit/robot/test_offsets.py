from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.errors import MotionError
from robot.frames import rotation_vector
from robot.offsets import JointOffsets
from support import bench

KINEMATICS = bench.body().kinematics
SEEN = np.diag([2e-4] * 3 + [2e-3] * 3) ** 2
LOOKS = np.array(
    [
        [-0.3, -0.2, 0.4, 0.6, -0.7, -0.5],
        [0.5, 0.1, -0.2, -0.8, 0.6, 0.9],
        [0.1, -0.6, 0.7, 1.1, 0.4, -1.2],
        [-0.6, 0.2, 0.1, -0.4, -0.9, 0.3],
    ]
)


def off(q_measured: np.ndarray, offsets: JointOffsets, true_rad: np.ndarray) -> np.ndarray:
    """From where the joints say the tool is to where it is."""
    said = KINEMATICS.forward(q_measured + offsets.mean_rad)
    true = KINEMATICS.forward(q_measured + true_rad)
    turn = rotation_vector(true[:3, :3] @ said[:3, :3].T)
    return np.concatenate([true[:3, 3] - said[:3, 3], turn])


def look(offsets: JointOffsets, q: np.ndarray, true_rad: np.ndarray) -> None:
    offsets.learn(KINEMATICS.jacobian(q + offsets.mean_rad), off(q, offsets, true_rad), SEEN)


@given(st.lists(st.floats(-0.6, 0.6), min_size=6, max_size=6))
def test_one_look_tells_where_the_tool_is_in_that_posture(off_deg: list[float]) -> None:
    offsets, true_rad = JointOffsets(KINEMATICS.joint_names), np.radians(off_deg)
    look(offsets, LOOKS[0], true_rad)
    assert np.linalg.norm(off(LOOKS[0], offsets, true_rad)[:3]) < 4e-4


def test_looks_in_several_postures_tell_each_joint() -> None:
    offsets, true_rad = JointOffsets(KINEMATICS.joint_names), np.radians([0.5, -0.3, 0.6, -0.2, 0.4, -0.4])
    for q in LOOKS:
        look(offsets, q, true_rad)
    assert np.degrees(np.abs(offsets.mean_rad - true_rad)).max() < 0.06


def test_doubt_falls_with_a_look_and_keeps_what_play_can_do() -> None:
    offsets = JointOffsets(KINEMATICS.joint_names)
    J = KINEMATICS.jacobian(LOOKS[0])
    before_m = offsets.doubt_m(J)
    look(offsets, LOOKS[0], np.zeros(6))
    assert before_m > 3e-3
    assert 2e-4 < offsets.doubt_m(J) < 8e-4


def test_joint_that_would_be_off_too_far_is_refused_by_name_and_nothing_is_learnt() -> None:
    offsets = JointOffsets(KINEMATICS.joint_names)
    with pytest.raises(MotionError, match=r"joint waist: .*off by -?[4-9]\.\d degrees, allowed 2: calibrate"):
        look(offsets, LOOKS[0], np.radians([6.0, 0, 0, 0, 0, 0]))
    assert (offsets.mean_rad == 0).all()
