"""Offsets of the joints' zeros found from what the hand touched or showed, and postures that tell too little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import pytest

from perception.calibration_joints import JointOffsets, Posture, joint_offsets
from perception.hand_eye import moved
from robot.arm_models import JOINT_NAMES, VIPERX_300S
from robot.errors import BadInputError
from robot.frames import Array, inverse, pose, rot_x, rot_y, rot_z
from robot.kinematics import ArmKinematics
from robot.lfinger import LFinger

T_WORLD_BASE = pose(None, [-0.38, 0.0, 0.0])
T_TOOL_BOARD = pose(rot_x(0.3) @ rot_y(0.2), [0.05, 0.01, 0.02])
T_BASE_CAMERA = pose(rot_y(2.0) @ rot_z(0.5), [0.9, 0.1, 0.5])
OFF_RAD = np.radians([1.2, 0.8, -0.6, 0.5, -1.0, 0.0])
MIDDLE, SWING = np.array([0.0, -0.3, 0.3, 0.0, 0.4, 0.0]), np.array([0.5, 0.3, 0.3, 1.0, 0.5, 1.0])
NOISE_M = 3e-4


@lru_cache(maxsize=1)
def arm() -> ArmKinematics:
    return ArmKinematics(VIPERX_300S, LFinger().T_flange_tool())


def angles(count: int, swing: Array = SWING) -> list[Array]:
    draw = np.random.default_rng(3)
    return [MIDDLE + draw.uniform(-1, 1, 6) * swing for _ in range(count)]


def touched(
    count: int = 24, off_rad: Array = OFF_RAD, swing: Array = SWING, base: Array = T_WORLD_BASE
) -> list[Posture]:
    draw = np.random.default_rng(4)
    return [
        Posture(f"p{k}", q, (base @ arm().forward(q + off_rad))[:3, 3] + draw.normal(0, NOISE_M, 3))
        for k, q in enumerate(angles(count, swing))
    ]


def shown(count: int = 24, off_rad: Array = OFF_RAD) -> list[Posture]:
    draw = np.random.default_rng(4)
    true = [inverse(T_BASE_CAMERA) @ arm().forward(q + off_rad) @ T_TOOL_BOARD for q in angles(count)]
    return [
        Posture(f"p{k}", q, moved(T, draw.normal(0, NOISE_M, 6)))
        for k, (q, T) in enumerate(zip(angles(count), true, strict=True))
    ]


def found(postures: Sequence[Posture], joints: Sequence[str] | None = None, **more: object) -> JointOffsets:
    return joint_offsets(arm(), postures, T_WORLD_BASE, joints, **more)  # type: ignore[arg-type]


def assert_found(answer: JointOffsets, joints: slice, sigmas: float = 4.0) -> None:
    assert answer.refusal is None
    assert answer.offsets_rad is not None
    assert answer.sd_rad is not None
    off = np.abs(answer.offsets_rad - OFF_RAD)[joints]
    assert (off <= sigmas * answer.sd_rad[joints]).all()
    assert np.degrees(off).max() < 0.3


def test_offsets_are_found_by_touching_known_points() -> None:
    answer = found(touched())
    assert_found(answer, slice(0, 5))
    assert answer.held_out_mm is not None
    assert answer.without_mm is not None
    assert answer.held_out_mm < 1.0
    assert answer.without_mm > 5.0


def test_offsets_are_found_by_showing_a_board_to_a_camera_that_nobody_placed() -> None:
    answer = found(shown())
    assert_found(answer, slice(1, 5))
    assert answer.offsets_rad is not None
    assert answer.offsets_rad[[0, 5]].tolist() == [0.0, 0.0]


def test_base_that_stands_elsewhere_is_found_along_with_the_offsets() -> None:
    base = T_WORLD_BASE @ pose(rot_z(0.02), [0.004, -0.003, 0.002])
    postures = touched(off_rad=OFF_RAD * [0, 1, 1, 1, 1, 0], base=base)
    assert found(postures).refusal is not None or np.degrees(np.abs(found(postures).offsets_rad[0])) > 0.5  # type: ignore[index]
    answer = found(postures, loose_base=True)
    assert answer.refusal is None
    assert answer.offsets_rad is not None
    assert np.degrees(np.abs(answer.offsets_rad - OFF_RAD)[1:5]).max() < 0.4


@pytest.mark.parametrize("make", [shown, touched])
def test_joint_that_such_postures_cannot_tell_is_refused_by_name(make: Callable[[], list[Posture]]) -> None:
    postures = make()
    answer = found(postures, JOINT_NAMES, loose_base=True)
    assert answer.refusal is not None
    assert answer.refusal.reason == "not-told"
    assert "the offsets of waist" in answer.refusal.detail
    assert "leave them out (--joints shoulder,elbow," in answer.refusal.detail


@pytest.mark.parametrize("swing", [np.zeros(6), np.array([1.0, 0, 0, 0, 0, 0]), SWING * [0, 1, 1, 0, 1, 0]])
def test_board_shown_about_parallel_axes_alone_is_refused(swing: Array) -> None:
    true = [inverse(T_BASE_CAMERA) @ arm().forward(q + OFF_RAD) @ T_TOOL_BOARD for q in angles(15, swing)]
    postures = [Posture(f"p{k}", q, T) for k, (q, T) in enumerate(zip(angles(15, swing), true, strict=True))]
    answer = found(postures)
    assert answer.refusal is not None
    assert answer.refusal.reason == "parallel-axes"


def test_joints_that_hardly_turn_are_refused() -> None:
    answer = found(touched(swing=SWING * 0.03), JOINT_NAMES)
    assert answer.refusal is not None
    assert answer.refusal.reason == "not-told"
    assert "needed is 0.3" in answer.refusal.detail
    assert "turn far" in answer.refusal.detail


def test_arm_whose_zeros_are_right_gains_nothing_or_next_to_nothing() -> None:
    answer = found(touched(off_rad=np.zeros(6)))
    assert answer.offsets_rad is not None
    assert np.degrees(np.abs(answer.offsets_rad)).max() < 0.2
    assert answer.refusal is None or answer.refusal.reason == "no-gain"


def test_angles_in_the_wrong_order_are_refused() -> None:
    wrong = [Posture(p.name, p.q_rad[[0, 2, 1, 3, 4, 5]], p.seen) for p in touched()]
    answer = found(wrong)
    assert answer.refusal is not None
    assert answer.refusal.reason in {"too-large", "held-out", "no-gain"}


def test_error_beyond_the_callers_limit_is_refused() -> None:
    answer = found(touched(), most_mm=0.1)
    assert answer.refusal is not None
    assert answer.refusal.reason == "held-out"
    assert "allowed are 0.1 mm" in answer.refusal.detail


def test_few_postures_are_refused() -> None:
    answer = found(touched(11))
    assert answer.refusal is not None
    assert answer.refusal.reason == "too-few"


def test_touched_and_shown_postures_are_not_mixed() -> None:
    with pytest.raises(BadInputError, match="record and calibrate them apart"):
        found([*touched(12), *shown(12)])


def test_unknown_joint_is_named() -> None:
    with pytest.raises(BadInputError, match="joint 'hip' is not known: choose out of waist, shoulder"):
        found(touched(12), ["elbow", "hip"])
