from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.arm_models import ARM_MODELS, WIDOWX_250S, arm_model
from robot.errors import BadInputError
from robot.frames import Array, pose, rot_z, rotation_vector
from robot.kinematics import ANGLE_TOLERANCE_RAD, POSITION_TOLERANCE_M, ArmKinematics

EACH = pytest.mark.parametrize("arm_kinematics", ARM_MODELS, indirect=True)
SHARE = st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6).map(np.array)


def within(arm: ArmKinematics, share: Array) -> Array:
    return np.asarray(arm.q_min_rad + share * (arm.q_max_rad - arm.q_min_rad))


def off(arm: ArmKinematics, q: Array, T: Array) -> tuple[float, float]:
    """How far [m] and how much turned [rad] the tool is from a pose."""
    reached = arm.forward(q)
    turned = rotation_vector(reached[:3, :3].T @ T[:3, :3])
    return float(np.linalg.norm(reached[:3, 3] - T[:3, 3])), float(np.linalg.norm(turned))


@EACH
@settings(max_examples=150)
@given(SHARE, SHARE)
def test_inverse_reaches_the_pose_within_limits_or_says_no(
    arm_kinematics: ArmKinematics, share: Array, seed: Array
) -> None:
    T = arm_kinematics.forward(within(arm_kinematics, share))
    q = arm_kinematics.inverse(T, within(arm_kinematics, seed))
    if q is None:
        return
    away_m, turned_rad = off(arm_kinematics, q, T)
    assert away_m <= POSITION_TOLERANCE_M
    assert turned_rad <= ANGLE_TOLERANCE_RAD
    assert (q >= arm_kinematics.q_min_rad - 1e-9).all()
    assert (q <= arm_kinematics.q_max_rad + 1e-9).all()


@EACH
@settings(max_examples=150)
@given(SHARE, st.lists(st.floats(-0.05, 0.05), min_size=6, max_size=6).map(np.array))
def test_inverse_from_nearby_finds_the_posture_nearby(
    arm_kinematics: ArmKinematics, share: Array, nudge: Array
) -> None:
    q = within(arm_kinematics, 0.05 + 0.9 * share)
    J = arm_kinematics.jacobian(q)
    if np.linalg.cond(J) > 100:  # near a singularity other postures are as near
        return
    found = arm_kinematics.inverse(arm_kinematics.forward(q), q + nudge)
    assert found is not None
    assert np.abs(found - q).max() < 1e-3


@EACH
@settings(max_examples=100)
@given(SHARE)
def test_branches_reach_within_limits_and_hold_the_posture_itself(
    arm_kinematics: ArmKinematics, share: Array
) -> None:
    q = within(arm_kinematics, 0.01 + 0.98 * share)
    T = arm_kinematics.forward(q)
    found = arm_kinematics.branches(T)
    for other in found:
        assert off(arm_kinematics, other, T)[0] <= POSITION_TOLERANCE_M
        assert (other >= arm_kinematics.q_min_rad - 1e-9).all()
        assert (other <= arm_kinematics.q_max_rad + 1e-9).all()
    if np.linalg.cond(arm_kinematics.jacobian(q)) < 100:
        assert min(np.abs(np.angle(np.exp(1j * (other - q)))).max() for other in found) < 1e-3


@EACH
@settings(max_examples=100)
@given(SHARE)
def test_jacobian_is_the_derivative_of_the_forward_kinematics(
    arm_kinematics: ArmKinematics, share: Array
) -> None:
    q, h = within(arm_kinematics, share), 1e-6
    numeric = np.zeros((6, 6))
    for k in range(6):
        step = h * np.eye(6)[k]
        ahead, behind = arm_kinematics.forward(q + step), arm_kinematics.forward(q - step)
        numeric[:3, k] = (ahead[:3, 3] - behind[:3, 3]) / (2 * h)
        numeric[3:, k] = rotation_vector(ahead[:3, :3] @ behind[:3, :3].T) / (2 * h)
    assert np.allclose(arm_kinematics.jacobian(q), numeric, atol=1e-6)


@EACH
def test_tool_stands_where_the_fingers_put_it(arm_kinematics: ArmKinematics) -> None:
    q = np.array([0.2, -0.5, 0.4, 0.1, 0.6, -0.3])
    T_base_flange = ArmKinematics(arm_kinematics.model, np.eye(4)).forward(q)
    T_base_tool = arm_kinematics.forward(q)
    assert np.allclose(T_base_tool[:3, 0], T_base_flange[:3, 2]), "the legs run along the flange's z"
    assert np.allclose(T_base_tool[:3, 2], T_base_flange[:3, 1]), "the pinch runs along the flange's y"
    assert np.allclose(T_base_tool[:3, 3], T_base_flange[:3, 3] + 0.1 * T_base_flange[:3, 2])


@EACH
def test_waist_turns_the_whole_arm(arm_kinematics: ArmKinematics) -> None:
    q = np.array([0.0, -0.5, 0.4, 0.1, 0.6, -0.3])
    turned = q.copy()
    turned[0] = 0.7
    expected = pose(rot_z(0.7)) @ arm_kinematics.forward(q)
    assert np.allclose(arm_kinematics.forward(turned), expected, atol=1e-9)


@EACH
@pytest.mark.parametrize(
    "T",
    [
        pose(None, [2.0, 0.0, 0.3]),
        pose(None, [0.0, 0.0, -0.5]),
        pose(None, [np.nan, 0.0, 0.3]),
    ],
)
def test_pose_out_of_reach_or_nonsense_has_no_posture(arm_kinematics: ArmKinematics, T: Array) -> None:
    assert arm_kinematics.inverse(T, np.zeros(6)) is None
    assert arm_kinematics.branches(T) == []


def test_shoulder_is_limited_to_the_narrowest_of_all_sources(arm_kinematics: ArmKinematics) -> None:
    assert np.degrees(arm_kinematics.q_min_rad[1]) == pytest.approx(-101)
    assert np.degrees(arm_kinematics.q_max_rad[1]) == pytest.approx(72)
    beyond = arm_kinematics.forward(np.array([0.0, np.radians(80), -0.3, 0.2, 0.3, 0.1]))
    for q in arm_kinematics.branches(beyond):
        assert q[1] <= np.radians(72)


def test_wrist_is_limited_to_the_makers_newest_description(arm_kinematics: ArmKinematics) -> None:
    assert np.degrees(arm_kinematics.q_min_rad[4]) == pytest.approx(-128)
    assert np.degrees(arm_kinematics.q_max_rad[4]) == pytest.approx(107)
    beyond = np.array([0.0, -0.4, 0.5, 0.2, np.radians(-129.5), 0.1])
    assert arm_kinematics.inverse(arm_kinematics.forward(beyond), beyond) is None


def test_limits_of_the_widowx_are_those_that_all_sources_agree_on() -> None:
    arm = ArmKinematics(WIDOWX_250S, np.eye(4))
    assert np.degrees(arm.q_min_rad[1:5]) == pytest.approx([-108, -92, -180, -123], abs=1e-2)
    assert np.degrees(arm.q_max_rad[1:5]) == pytest.approx([114, 123, 180, 100], abs=1e-2)


def test_unknown_model_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInputError, match="'r2d2' is not known: choose one of viperx-300s, widowx-250s"):
        arm_model("r2d2")


def test_forward_takes_angles_in_any_memory_order(arm_kinematics: ArmKinematics) -> None:
    q = np.array([0.2, -0.5, 0.4, 0.1, 0.6, -0.3])
    strided = np.repeat(q, 2)[::2]
    assert np.array_equal(arm_kinematics.forward(strided), arm_kinematics.forward(q))
    assert np.array_equal(arm_kinematics.jacobian(strided), arm_kinematics.jacobian(q))
