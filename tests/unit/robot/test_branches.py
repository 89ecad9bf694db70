from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.arm_models import ARM_MODELS, VIPERX_300S, Lengths
from robot.branches import postures
from robot.frames import Array, pose, rot_y
from robot.kinematics import ArmKinematics

ANY = st.lists(st.floats(-np.pi, np.pi), min_size=6, max_size=6).map(np.array)


@pytest.fixture(scope="session", params=ARM_MODELS)
def to_flange(request: pytest.FixtureRequest) -> ArmKinematics:
    """Each arm without fingers: its tool is the flange."""
    return ArmKinematics(ARM_MODELS[request.param], np.eye(4))


def lengths_of(arm: ArmKinematics) -> Lengths:
    assert arm.model.lengths is not None
    return arm.model.lengths


@settings(max_examples=200)
@given(ANY)
def test_every_posture_reaches_the_pose(to_flange: ArmKinematics, q: Array) -> None:
    T = to_flange.forward(q)
    found = postures(lengths_of(to_flange), T)
    assert 1 <= len(found) <= 8
    for other in found:
        assert np.allclose(to_flange.forward(other), T, atol=1e-7)
        assert (np.abs(other) <= np.pi).all()


@settings(max_examples=200)
@given(ANY)
def test_the_posture_itself_is_among_them(to_flange: ArmKinematics, q: Array) -> None:
    """Away from singular postures, where there are infinitely many."""
    T = to_flange.forward(q)
    singular = (
        abs(np.sin(q[4])) < 0.02 or np.hypot(*(T[:2, 3] - lengths_of(to_flange).wrist_m * T[:2, 0])) < 0.01
    )
    off = [np.abs(np.angle(np.exp(1j * (other - q)))).max() for other in postures(lengths_of(to_flange), T)]
    assert singular or min(off) < 1e-5


@given(st.lists(st.floats(-1.2, 1.2), min_size=6, max_size=6).map(np.array))
def test_straight_wrist_is_reached_too(to_flange: ArmKinematics, q: Array) -> None:
    q[4] = 0.0
    T = to_flange.forward(q)
    for other in postures(lengths_of(to_flange), T):
        assert np.allclose(to_flange.forward(other), T, atol=1e-6)


def test_two_ways_of_waist_elbow_and_wrist_make_eight(to_flange: ArmKinematics) -> None:
    found = postures(lengths_of(to_flange), to_flange.forward(np.array([0.3, -0.4, 0.5, 0.6, 0.7, 0.8])))
    apart = [np.abs(a - b).max() for k, a in enumerate(found) for b in found[:k]]
    assert len(found) == 8
    assert min(apart) > 0.1


@pytest.mark.parametrize("far_m", [0.9, 5.0])
def test_out_of_reach_there_is_none(far_m: float) -> None:
    assert VIPERX_300S.lengths is not None
    assert postures(VIPERX_300S.lengths, pose(rot_y(0.2), [far_m, 0.0, 0.2])) == []
