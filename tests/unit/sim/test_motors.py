"""Motors that share the simulated arm's joints, driven as the emulation of servos drives them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.tower import Tower
from robot.arm_models import VIPERX_300S
from robot.linkage import Linkage
from sim.joints import ArmErrors
from sim.motors import ArmMotors, SimMotor
from sim.simulation import Simulation
from sim.world import World
from steadyhand import wiring
from steadyhand.settings import Settings
from support import bench

LINKAGE = Linkage(0.022, 0.036, 0.021)
SHOULDER, ELBOW = 1, 2


@dataclass
class Driven:
    """The arm with a motor on each joint and two on the shoulder, which carries most of the weight."""

    world: World
    joints: list[SimMotor]
    shadow: SimMotor
    gripper: SimMotor

    def wait(self, seconds: float) -> None:
        self.world.sleep_until(self.world.now_s() + seconds)

    def hold_all(self, *, but: int | None = None) -> None:
        for k, motor in enumerate(self.joints):
            if k != but:
                motor.drive(float(VIPERX_300S.park_rad[k]), 0.0, None)


def driven(errors: ArmErrors | None = None) -> Driven:
    plan = wiring.plan_of(Settings(), load_blockset("standard"), Tower.parse("111"), 3, looks=False)
    errors = errors or ArmErrors()
    table = Simulation(replace(plan, errors=errors), bench.body().limits, VIPERX_300S.park_rad)
    motors = ArmMotors(table.world, errors, 3, LINKAGE, 4.1)
    joints = [shaft.motor() for shaft in motors.joints]
    return Driven(table.world, joints, motors.joints[SHOULDER].motor(), motors.gripper.motor())


def test_arm_rests_on_its_stand_until_its_motors_first_hold_it() -> None:
    arm = driven()
    for motor in arm.joints:
        motor.drive(None, 0.0, None)
    arm.wait(1.0)
    assert [m.position_rad() for m in arm.joints] == pytest.approx(VIPERX_300S.park_rad, abs=1e-4)


def test_goal_is_reached_and_held() -> None:
    arm = driven()
    arm.hold_all()
    arm.joints[0].drive(0.2, 0.0, None)
    arm.wait(2.0)
    assert arm.joints[0].position_rad() == pytest.approx(0.2, abs=1e-3)
    assert arm.joints[0].velocity_rad_s() == pytest.approx(0.0, abs=1e-3)


def test_limp_joint_falls_and_the_others_hold() -> None:
    arm = driven()
    arm.hold_all()
    arm.wait(0.5)
    arm.joints[ELBOW].drive(None, 0.0, None)
    arm.wait(1.0)
    assert abs(arm.joints[ELBOW].position_rad() - VIPERX_300S.park_rad[ELBOW]) > 0.3
    assert arm.joints[ELBOW].torque_nm() == 0.0
    assert arm.joints[0].position_rad() == pytest.approx(0.0, abs=0.02)


def test_pair_shares_the_weight_and_one_alone_bears_it_all() -> None:
    arm = driven()
    arm.hold_all()
    shoulder = arm.joints[SHOULDER]
    arm.shadow.drive(float(VIPERX_300S.park_rad[SHOULDER]), 0.0, None)
    arm.wait(1.0)
    both = shoulder.torque_nm(), arm.shadow.torque_nm()
    assert both[0] == pytest.approx(both[1], rel=0.02)
    arm.shadow.drive(None, 0.0, None)
    arm.wait(1.0)
    assert shoulder.torque_nm() == pytest.approx(sum(both), rel=0.05)
    assert abs(sum(both)) > 5.0, "the arm's weight is felt"


def test_pair_that_disagrees_fights_by_opposite_torques_and_stands_in_the_middle() -> None:
    arm = driven()
    arm.hold_all()
    park = float(VIPERX_300S.park_rad[SHOULDER])
    arm.joints[SHOULDER].drive(park + 0.02, 0.0, None)
    arm.shadow.drive(park - 0.02, 0.0, None)
    arm.wait(1.0)
    assert arm.joints[SHOULDER].position_rad() == pytest.approx(park, abs=2e-3)
    assert arm.joints[SHOULDER].torque_nm() - arm.shadow.torque_nm() > 4.0


def test_ceiling_below_the_weight_lets_the_joint_sink_above_it_holds() -> None:
    arm = driven()
    arm.hold_all()
    shoulder, park = arm.joints[SHOULDER], float(VIPERX_300S.park_rad[SHOULDER])
    shoulder.drive(park, 0.0, 9.0)
    arm.wait(1.0)
    assert shoulder.position_rad() == pytest.approx(park, abs=2e-3)
    shoulder.drive(park, 0.0, 3.0)
    arm.wait(0.5)
    assert abs(shoulder.position_rad() - park) > 0.1
    assert abs(shoulder.torque_nm()) <= 3.0 + 1e-6


@pytest.mark.parametrize("opening_m", [0.0, 0.026, 0.060])
def test_gripper_opens_by_its_linkage(opening_m: float) -> None:
    arm = driven()
    arm.hold_all()
    angle = LINKAGE.angle_rad(opening_m)
    arm.gripper.drive(angle, 0.0, None)
    arm.wait(1.5)
    assert arm.gripper.position_rad() == pytest.approx(angle, abs=0.01)
    left = arm.world.data.joint("arm/left_finger").qpos[0]
    right = arm.world.data.joint("arm/right_finger").qpos[0]
    assert left - right - 0.042 == pytest.approx(opening_m, abs=1e-3)


@pytest.mark.parametrize("pinch_n", [1.0, 3.0])
def test_gripper_presses_no_harder_than_its_ceiling(pinch_n: float) -> None:
    arm = driven()
    arm.hold_all()
    arm.gripper.drive(LINKAGE.angle_rad(0.0), 0.0, None)
    arm.wait(1.0)
    lever = LINKAGE.lever_m(arm.gripper.position_rad())
    arm.gripper.drive(LINKAGE.angle_rad(0.0) - 0.5, 0.0, 2 * pinch_n * lever)
    arm.wait(0.5)
    force = abs(arm.world.data.actuator("arm/left_finger").force[0])
    assert force == pytest.approx(pinch_n, rel=0.02)


def test_encoder_hides_offset_and_play() -> None:
    arm = driven(ArmErrors(offset_sd_rad=0.01, backlash_rad=math.radians(0.1)))
    arm.hold_all()
    arm.wait(1.0)
    encoders = np.array([m.position_rad() for m in arm.joints])
    true = np.array(
        [arm.world.data.joint(f"arm/{name}").qpos[0] for name in bench.body().kinematics.joint_names]
    )
    assert encoders == pytest.approx(VIPERX_300S.park_rad, abs=2e-3)
    assert np.abs(true - encoders).max() > 0.005
