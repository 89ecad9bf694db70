"""An arm of one's own, described by two files: what a person can do with it by hand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.tower import Tower
from robot.clock import ManualClock
from robot.errors import LimitError
from robot.fakes import Button, InstantArm
from robot.follow import Mover
from robot.trajectory import Transit
from sim.arm import T_world_flange
from sim.joints import ArmErrors
from sim.simulation import Simulation
from steadyhand import doctor_arm, wiring
from steadyhand.arm_motions import Request, park, run
from steadyhand.findings import Level
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from steadyhand.wired import over_the_wire
from support.arm_ports import ArmPort, arm_port
from support.own_arm import PARK_DEG, SIX, own_arm

ASIDE = np.radians(PARK_DEG) + np.array([0.3, 0.1, -0.1, 0.2, 0.0, 0.3])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("heron")
    own_arm(folder)
    return folder


@pytest.fixture(scope="module")
def settings(folder: Path) -> Settings:
    file = folder / "s.toml"
    file.write_text('[arm]\nmodel = "heron.toml"\n')
    return load_settings(file)


@pytest.fixture
def port(folder: Path) -> Iterator[ArmPort]:
    with arm_port(np.radians(PARK_DEG), str(folder / "heron.toml")) as it:
        yield it


def test_doctor_finds_its_servos_in_order(port: ArmPort, folder: Path) -> None:
    file = port.settings(folder, 'model = "heron.toml"\n')
    chapter = doctor_arm.arm_chapter(load_settings(file))
    told = [finding.what for finding in chapter.findings]
    assert any("7 servos of Heron, every one of its model and in order" in text for text in told)
    assert not [finding for finding in chapter.findings if finding.level is Level.FAULT]


def test_it_holds_and_opens_and_is_let_go(port: ArmPort, folder: Path) -> None:
    file = port.settings(folder, 'model = "heron.toml"\n')
    for motion, torque in (("hold", {1}), ("open", {1}), ("relax", {0})):
        assert run(Request(motion, file, yes=2), io.StringIO(), lambda _line: None) == 0
        assert {servo.get("torque_enable") for servo in port.bus.servos} == torque


def test_it_parks_round_the_place_of_the_tower(settings: Settings) -> None:
    body = wiring.body_of(settings)
    clock = ManualClock()
    arm = InstantArm(body.kinematics.joint_names, body.limits, clock, ASIDE)
    park(settings, body, Mover(arm, clock, Button()))
    assert arm.state().q_rad == pytest.approx(np.radians(PARK_DEG), abs=2e-3)


def test_it_moves_in_simulation_through_the_real_driver(settings: Settings) -> None:
    body, tower = wiring.body_of(settings), Tower.parse("111")
    plan = wiring.plan_of(settings, load_blockset("standard"), tower, 1, looks=False)
    table = Simulation(replace(plan, errors=ArmErrors()), body.limits, body.park_rad)
    with closing(over_the_wire(table, body.limits, 4.0)) as devices:
        mover = Mover(devices.arm, devices.clock, Button())
        mover.follow(Transit(np.stack([body.park_rad, ASIDE]), body.limits))
        assert devices.arm.state().q_rad == pytest.approx(ASIDE, abs=5e-3)
        T_world_tool = body.T_world_base @ body.kinematics.forward(ASIDE)
        T_flange_tool = settings.finger.fingers().T_flange_tool()
        assert np.allclose(T_world_flange(table.world) @ T_flange_tool, T_world_tool, atol=5e-3)


def test_it_is_not_sent_past_what_its_urdf_allows(settings: Settings) -> None:
    body, clock = wiring.body_of(settings), ManualClock()
    high = np.array([bone.limits_rad[1] for bone in SIX])
    arm = InstantArm(body.kinematics.joint_names, body.limits, clock, high - 0.01)
    with pytest.raises(LimitError, match=r"joint nod: angle 2\.11.* refused"):
        arm.command(high + np.array([-0.01, -0.01, -0.01, -0.01, 0.01, -0.01]), np.zeros(6))
