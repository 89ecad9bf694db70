from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from planning.blockset import built_in_names
from robot.frames import Array, from_quaternion, pose
from sim.simulation import Simulation
from sim.world import World
from support import bench

SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)


def positions(world: World) -> Array:
    return np.array([world.T_world_block(block.name)[:3, 3] for block in world.blocks])


def wake(world: World) -> None:
    world.model.opt.enableflags &= ~SLEEP


@pytest.fixture(scope="module", params=["standard", "slick"])
def awake(request: pytest.FixtureRequest) -> Iterator[Simulation]:
    """A full tower whose physics never falls asleep: creep must not hide behind it."""
    it = bench.simulation(seed=2, blocks=request.param)
    wake(it.world)
    yield it
    it.close()


def test_tower_creeps_less_than_a_tenth_of_a_millimetre_in_ten_seconds(awake: Simulation) -> None:
    world = awake.world
    world.sleep_until(world.now_s() + 1.0)
    before = positions(world)
    world.sleep_until(world.now_s() + 10.0)
    assert np.linalg.norm(positions(world) - before, axis=1).max() < 1e-4


def test_blocks_hardly_enter_each_other(awake: Simulation) -> None:
    blocks = {awake.world.model.body(b.name).id for b in awake.world.blocks}
    contact = awake.world.data.contact
    bodies = awake.world.model.geom_bodyid[contact.geom]
    deep = -contact.dist[np.isin(bodies, list(blocks)).any(axis=1)]
    assert deep.max() < 1e-4


def test_plinth_carries_the_towers_weight(awake: Simulation) -> None:
    model, data = awake.world.model, awake.world.data
    plinth, wrench, carried = model.geom("plinth").id, np.zeros(6), 0.0
    for k in range(data.ncon):
        if plinth in data.contact.geom[k]:
            mujoco.mj_contactForce(model, data, k, wrench)
            carried += float(wrench[0])
    weight = 9.81 * sum(block.mass_kg for block in awake.world.blocks)
    assert carried == pytest.approx(weight, rel=0.02)


@pytest.mark.parametrize("blocks", built_in_names())
def test_every_block_set_stands_where_it_was_stacked(blocks: str) -> None:
    table = bench.simulation(seed=5, blocks=blocks)
    T_world_tower = table.world.room.T_world_tower
    for block in table.world.blocks:
        T = T_world_tower @ block.T_tower_block
        away = table.world.T_world_block(block.name)[:3, 3] - T[:3, 3]
        assert np.linalg.norm(away[:2]) < 0.003
        assert -0.005 < away[2] < 0.0005, "it settles downwards, and not by much"


def test_idle_tower_falls_asleep_and_wakes_when_touched() -> None:
    world = bench.simulation("111*3", seed=1).world
    world.sleep_until(world.now_s() + 3.0)
    body = world.model.body("b09").id
    assert not world.data.body_awake[body]
    before = positions(world)
    world.sleep_until(world.now_s() + 5.0)
    assert np.array_equal(positions(world), before)
    world.data.xfrc_applied[body, :3] = [0.0, 0.0, 1.0]
    world.sleep_until(world.now_s() + 0.2)
    assert world.data.body_awake[body]
    assert positions(world)[8, 2] > before[8, 2] + 0.005


def test_same_seed_gives_the_same_world_to_the_last_bit() -> None:
    def run() -> list[bytes]:
        table = bench.simulation("111*4", seed=9)
        goal = bench.body().park_rad + 0.1
        table.arm.command(goal, np.zeros(6))
        table.world.sleep_until(table.world.now_s() + 0.5)
        return [
            table.world.data.qpos.tobytes(),
            table.world.data.qvel.tobytes(),
            str(table.force.read()).encode(),
        ]

    assert run() == run()


def test_time_starts_when_the_tower_stands_and_goes_by_steps() -> None:
    table = bench.simulation("111", seed=1)
    assert table.world.now_s() == pytest.approx(0.2), "the first force readings are waited for"
    table.world.step()
    assert table.world.now_s() == pytest.approx(0.2 + table.world.step_s)


def test_observers_see_every_step() -> None:
    world, seen = bench.simulation("111", seed=1).world, []
    world.watch(lambda it: seen.append(it.now_s()))
    world.sleep_until(world.now_s() + 0.04)
    assert np.diff(seen) == pytest.approx(world.step_s)
    assert len(seen) == 10


def test_poses_are_position_and_quaternion_of_every_block(drawn: Simulation) -> None:
    poses = drawn.world.poses()
    assert list(poses) == [block.name for block in drawn.world.blocks]
    for name, numbers in poses.items():
        T = drawn.world.T_world_block(name)
        assert numbers[:3] == pytest.approx(T[:3, 3])
        assert np.allclose(from_quaternion(numbers[3:]), T[:3, :3], atol=1e-9)
        assert numbers[3] >= 0
        assert all(type(number) is float for number in numbers)


def test_blocks_frames_have_x_along_the_length_and_z_up(drawn: Simulation) -> None:
    T_tower = drawn.world.room.T_world_tower
    for block in drawn.world.blocks:
        T = drawn.world.T_world_block(block.name)
        assert T[2, 2] > 0.9995
        axis = T_tower[:3, 0] if block.slot[0] % 2 else T_tower[:3, 1]
        assert T[:3, 0] @ axis > 0.999


def test_block_laid_elsewhere_is_back_as_it_was_afterwards() -> None:
    world = bench.simulation("111*3", seed=1).world
    before, now = positions(world), world.now_s()
    T = world.T_world_block("b05") @ pose(None, [0.02, 0.0, 0.3])
    with world.laid({"b05": T}):
        assert world.T_world_block("b05") == pytest.approx(T, abs=1e-9)
        others = np.delete(np.arange(9), 4)
        assert np.array_equal(positions(world)[others], before[others])
    assert positions(world) == pytest.approx(before, abs=1e-12)
    assert world.now_s() == now


def test_sleeping_block_can_be_laid_elsewhere_and_the_tower_stands_on() -> None:
    world = bench.simulation("111*3", seed=1).world
    world.sleep_until(world.now_s() + 3.0)
    before = positions(world)
    with world.laid({"b09": pose(None, [0.5, 0.0, 0.5])}):
        assert world.T_world_block("b09")[:3, 3] == pytest.approx([0.5, 0.0, 0.5])
    world.sleep_until(world.now_s() + 3.0)
    assert positions(world) == pytest.approx(before, abs=1e-7)
