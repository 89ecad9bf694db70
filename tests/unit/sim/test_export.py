from __future__ import annotations

import shutil
from pathlib import Path

import mujoco
import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.tower import Tower
from robot.arm_models import VIPERX_300S
from robot.frames import from_quaternion
from sim.export import MESHES, scene_xml
from sim.simulation import SimulationPlan
from steadyhand import wiring
from steadyhand.settings import Settings
from support import bench

PARK = VIPERX_300S.park_rad


def plan(tower: str = bench.FULL, seed: int = 1, blocks: str = "standard") -> SimulationPlan:
    return wiring.plan_of(Settings(), load_blockset(blocks), Tower.parse(tower), seed, looks=False)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "scene.xml"
    path.write_text(scene_xml(plan(), PARK, None))
    return path


@pytest.fixture(scope="module")
def with_arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export-arm") / "scene.xml"
    path.write_text(scene_xml(plan("111*3"), PARK, path.parent))
    return path


def test_scene_is_loaded_by_mujoco_alone_with_54_blocks(bare: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(bare))
    names = [model.body(k).name for k in range(1, model.nbody)]
    assert names == [f"b{k:02d}" for k in range(1, 55)]
    for name in names:
        geom = model.geom(int(model.body(name).geomadr[0]))
        assert geom.contype[0] & 1, name
        assert geom.conaffinity[0] & 1, name


def test_blocks_stand_where_they_stand_when_play_begins(bare: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(bare))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    world = bench.simulation(seed=1, settings=Settings()).world
    for block in world.blocks:
        T = world.T_world_block(block.name)
        body = data.body(block.name)
        assert body.xpos == pytest.approx(T[:3, 3], abs=2e-6)
        assert np.allclose(body.xmat.reshape(3, 3), T[:3, :3], atol=1e-4)
        assert np.allclose(from_quaternion(body.xquat), T[:3, :3], atol=1e-4)
        assert model.body(block.name).mass[0] == pytest.approx(block.mass_kg, rel=1e-4)


def test_exported_tower_goes_on_standing(bare: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(bare))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    before = data.xpos.copy()
    mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
    assert np.linalg.norm(data.xpos - before, axis=1).max() < 1e-3
    assert model.opt.timestep == 0.004
    assert model.opt.impratio == 300


def test_without_the_arm_nothing_lies_beside_the_file(bare: Path) -> None:
    assert [path.name for path in bare.parent.iterdir()] == ["scene.xml"]


def test_arm_comes_with_its_meshes_beside_the_file(with_arm: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(with_arm))
    names = {model.body(k).name for k in range(model.nbody)}
    assert {"b01", "b09", "arm/gripper_link", "arm/left_nose"} <= names
    assert {path.suffix for path in (with_arm.parent / MESHES).iterdir()} == {".stl"}
    assert 'file="/' not in with_arm.read_text(), "no path of this machine"


def test_folder_taken_elsewhere_still_loads(with_arm: Path, tmp_path: Path) -> None:
    elsewhere = shutil.copytree(with_arm.parent, tmp_path / "taken" / "far away")
    hidden = with_arm.parent.rename(with_arm.parent.with_name("hidden"))
    try:
        model = mujoco.MjModel.from_xml_path(str(elsewhere / "scene.xml"))
    finally:
        hidden.rename(with_arm.parent)
    assert model.body("arm/gripper_link").id > 0


def test_arm_stands_where_play_parks_it(with_arm: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(with_arm))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    angles = [data.joint(f"arm/{name}").qpos[0] for name in bench.body().kinematics.joint_names]
    assert angles == pytest.approx(PARK)


def test_same_arguments_give_the_same_file_and_another_seed_another() -> None:
    first, again, other = (scene_xml(plan("111/111", seed), PARK, None) for seed in (3, 3, 4))
    assert first == again
    assert first != other
