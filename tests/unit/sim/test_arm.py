from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.tower import Tower
from robot.arm_models import ARM_MODELS, VIPERX_300S, ArmModel
from robot.body import Body
from robot.fakes import Button
from robot.follow import Mover
from robot.frames import Array, apply
from robot.lfinger import LFinger
from robot.trajectory import Transit
from sim.arm import T_world_flange, put_arm
from sim.arm_model import FINGERS, PREFIX, FingerMechanics, arm_spec, joints_of
from sim.joints import ArmErrors
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.settings import Settings
from support import bench

PARK = VIPERX_300S.park_rad
GOAL = np.array([0.6, -0.6, 0.9, 0.5, 0.7, -0.8])


def arm_with(errors: ArmErrors, seed: int = 4) -> Simulation:
    plan = wiring.plan_of(Settings(), load_blockset("standard"), Tower.parse("111"), seed, looks=False)
    return Simulation(replace(plan, errors=errors), bench.body().limits, PARK)


def true_q(table: Simulation) -> Array:
    return np.array([table.world.data.joint(PREFIX + name).qpos[0] for name in joints_of(table.world.model)])


def hold(table: Simulation, q: Array, seconds: float = 1.5) -> None:
    table.arm.command(q, np.zeros(6))
    table.world.sleep_until(table.world.now_s() + seconds)


@pytest.mark.parametrize("name", ARM_MODELS)
def test_model_bends_as_the_kinematics_say(name: str) -> None:
    """The simulated arm is a second opinion on roboticstoolbox's and on the fingers' dimensions."""
    settings = Settings.of_arm(name)
    body = wiring.body_of(settings)
    plan = wiring.plan_of(settings, load_blockset("standard"), Tower.parse("111"), 4, looks=False)
    table = Simulation(replace(plan, errors=ArmErrors()), body.limits, body.park_rad)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        put_arm(table.world.data, rng.uniform(body.kinematics.q_min_rad, body.kinematics.q_max_rad), 0.0)
        _assert_bends_alike(table, body, settings.finger.fingers().T_flange_tool())


def _assert_bends_alike(table: Simulation, body: Body, T_flange_tool: Array) -> None:
    mujoco.mj_forward(table.world.model, table.world.data)
    T_world_tool = body.T_world_base @ body.kinematics.forward(true_q(table))
    assert np.allclose(T_world_flange(table.world) @ T_flange_tool, T_world_tool, atol=1e-6)
    tips = np.concatenate([_nose_corners(table, side) for side in FINGERS])
    in_tool = apply(np.linalg.inv(T_world_tool), tips)
    assert in_tool[:, 0].max() == pytest.approx(0.0, abs=1e-6), "the tips end at the tool's origin"
    assert in_tool[:, 2].min() == pytest.approx(-0.004, abs=1e-6), "one nose below the middle"
    assert in_tool[:, 2].max() == pytest.approx(0.004, abs=1e-6), "and one above"


def _nose_corners(table: Simulation, side: str) -> Array:
    geom = table.world.data.geom(f"{PREFIX}{side}_nose")
    half = table.world.model.geom(f"{PREFIX}{side}_nose").size
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    return np.asarray(geom.xpos + corners @ geom.xmat.reshape(3, 3).T)


@pytest.mark.parametrize("model", ARM_MODELS.values(), ids=lambda model: model.name)
def test_gripper_closes_and_opens_as_far_as_its_model_says(model: ArmModel) -> None:
    """Beyond what is opened in play, the description of the arm has its fingers stop."""
    compiled = arm_spec(model, LFinger(), FingerMechanics()).compile()
    for side, (low, high) in (("left", model.travel_m), ("right", [-at for at in reversed(model.travel_m)])):
        assert compiled.joint(f"{side}_finger").range == pytest.approx([low, high])
    assert model.opening_m <= model.opening_max_m


def test_arm_tracks_a_transit_closely() -> None:
    table = arm_with(ArmErrors())
    mover = Mover(table.arm, table.world, Button())
    transit = Transit(np.stack([PARK, GOAL]), bench.body().limits)
    began_s, off = table.world.now_s(), [0.0]

    def look() -> None:
        t_s = min(table.world.now_s() - began_s, transit.duration_s)
        off.append(float(np.abs(table.arm.state().q_rad - transit.at(t_s)[0]).max()))

    mover.follow(transit, look)
    assert max(off) < 0.03, "the feed-forward of the rates keeps the lag small"
    assert np.abs(true_q(table) - GOAL).max() < 2e-3


def test_perfect_arm_says_where_it_is() -> None:
    table = arm_with(ArmErrors())
    hold(table, PARK)
    assert table.arm.state().q_rad == pytest.approx(true_q(table), abs=1e-12)


def test_offsets_hide_from_the_encoders() -> None:
    table = arm_with(ArmErrors(offset_sd_rad=0.01))
    hold(table, PARK)
    hidden = true_q(table) - table.arm.state().q_rad
    assert table.arm.state().q_rad == pytest.approx(PARK, abs=2e-3)
    assert np.abs(hidden).max() > 0.005
    hold(table, PARK + 0.1)
    assert true_q(table) - table.arm.state().q_rad == pytest.approx(hidden, abs=1e-9), "they are constant"
    assert np.abs(hidden) == pytest.approx(np.abs(_offsets_of_another_run()), abs=1e-9), "and the seed's"


def _offsets_of_another_run() -> Array:
    table = arm_with(ArmErrors(offset_sd_rad=0.01))
    hold(table, PARK + 0.05)
    return true_q(table) - table.arm.state().q_rad


def test_backlash_is_the_play_between_coming_from_either_side() -> None:
    play = 0.01
    table = arm_with(ArmErrors(backlash_rad=play))
    reached = []
    for detour in (-0.1, 0.1):
        hold(table, PARK + detour)
        hold(table, PARK)
        assert table.arm.state().q_rad == pytest.approx(PARK, abs=2e-3), "the encoders do not see it"
        reached.append(true_q(table))
    assert reached[1] - reached[0] == pytest.approx(play, abs=2e-3)


def test_small_motion_within_the_play_moves_no_joint() -> None:
    table = arm_with(ArmErrors(backlash_rad=0.02))
    hold(table, PARK + 0.1)
    at = true_q(table)
    hold(table, PARK + 0.1 - 0.015)
    assert true_q(table) == pytest.approx(at, abs=1e-3)


def test_sagging_arm_hangs_lower() -> None:
    heights = []
    for sag in (0.0, 0.3):
        table = arm_with(ArmErrors(sag=sag))
        stretched = np.array([0.0, 0.2, 0.1, 0.0, 0.0, 0.0])
        for share in np.linspace(0.1, 1.0, 10):
            hold(table, PARK + share * (stretched - PARK), 0.3)
        hold(table, stretched, 1.5)
        heights.append(float(T_world_flange(table.world)[2, 3]))
    assert 0.002 < heights[0] - heights[1] < 0.05


def test_fingers_close_on_a_block_with_no_more_than_the_set_force() -> None:
    table = arm_with(ArmErrors())
    table.arm.command_opening(0.0)
    table.world.sleep_until(table.world.now_s() + 1.0)
    servos = [table.world.data.actuator(f"{PREFIX}{side}_finger").force[0] for side in FINGERS]
    assert np.abs(servos).max() <= Settings().finger.pinch_n + 1e-9


def test_stopped_gripper_keeps_what_it_holds_and_opens_no_further() -> None:
    table = arm_with(ArmErrors())
    table.arm.command_opening(0.060)
    table.world.sleep_until(table.world.now_s() + 0.1)
    table.arm.stop()
    table.world.sleep_until(table.world.now_s() + 0.5)
    opening = table.arm.state().opening_m
    assert opening < 0.05
    table.arm.command_opening(0.0)
    table.world.sleep_until(table.world.now_s() + 0.02)
    table.arm.stop()
    table.world.sleep_until(table.world.now_s() + 1.0)
    assert table.arm.state().opening_m < 0.002, "a stop while closing does not let go"
