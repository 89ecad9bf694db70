"""Guarded pushes of a servo arm, by what its servos are told."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from robot.arm_models import VIPERX_300S
from robot.errors import DeviceError
from robot.frames import Array
from robot.vernier import Vernier
from support import bench
from support.servo_arms import Emulated, emulated

Q0 = VIPERX_300S.park_rad
LEADS = (1, 2, 4, 6, 7, 8)
SLOW, QUICK = np.full(6, 0.01), np.full(6, 0.2)
PROFILE = 112


@pytest.fixture
def on() -> Iterator[Emulated]:
    with emulated(Q0, vernier=Vernier(bench.body().kinematics)) as far:
        far.arm.energise()
        yield far


def told(far: Emulated, dq_rad_s: Array, seconds: float) -> None:
    """Goals each 8 ms at these rates."""
    for _ in range(int(seconds / 0.008)):
        far.arm.command(Q0, dq_rad_s)
        far.wait(0.008)


def profiles_ms(far: Emulated) -> set[int]:
    return {far.servo(number).get("profile_velocity") for number in LEADS}


def test_push_takes_its_time_until_the_arm_moves_away_at_speed(on: Emulated) -> None:
    told(on, SLOW, 0.1)
    assert profiles_ms(on) == {20}
    on.arm.be_gentle(True)
    told(on, SLOW, 0.1)
    assert profiles_ms(on) == {100}
    on.arm.be_gentle(False)
    told(on, SLOW, 0.5)
    assert profiles_ms(on) == {100}, "it may still touch something"
    on.arm.command(Q0, QUICK)
    told(on, SLOW, 0.1)
    assert profiles_ms(on) == {20}


def test_asking_alone_writes_nothing(on: Emulated) -> None:
    on.forget()
    on.arm.be_gentle(True)
    on.arm.be_gentle(False)
    told(on, SLOW, 0.1)
    assert not [t for t in on.writes() if int.from_bytes(t.params[:2], "little") == PROFILE]


def test_profile_of_a_push_is_read_back_like_the_other_one(on: Emulated) -> None:
    on.arm.be_gentle(True)
    told(on, SLOW, 0.1)
    on.servo(4).put("profile_velocity", 20)
    on.wait(0.5)
    with pytest.raises(DeviceError, match=r"elbow.*profile_velocity 20, set was 100"):
        on.arm.command(Q0, SLOW)


def test_push_is_told_the_steps_of_the_vernier(on: Emulated) -> None:
    goal = Q0 + np.array([0.0004, 0.0004, -0.0004, 0.0, 0.0004, 0.0])
    kinematics = bench.body().kinematics

    def off_m() -> float:
        on.wait(1.0)
        here, there = kinematics.forward(goal), kinematics.forward(on.arm.state().q_rad)
        return abs(float((there[:3, 3] - here[:3, 3]) @ here[:3, 0]))

    told(on, QUICK, 0.1)
    on.arm.command(goal, QUICK)
    quick_m = off_m()
    on.arm.be_gentle(True)
    on.arm.command(goal, SLOW)
    assert off_m() < min(quick_m, 1e-4)


def test_stop_in_a_push_leaves_the_arm_where_it_is(on: Emulated) -> None:
    on.arm.be_gentle(True)
    on.arm.command(Q0 + 0.01, SLOW)
    on.wait(0.03)
    on.arm.stop()
    before = on.arm.state().q_rad
    on.wait(1.0)
    assert on.arm.state().q_rad == pytest.approx(before, abs=1e-9)


def test_arm_without_a_vernier_never_changes_its_profile() -> None:
    with emulated(Q0) as far:
        far.arm.energise()
        far.arm.be_gentle(True)
        told(far, SLOW, 0.5)
        assert profiles_ms(far) == {20}
