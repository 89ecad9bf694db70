"""Pictures of a moment while the world goes on, and since when nothing moves."""

from __future__ import annotations

import numpy as np
import pytest

from sim.camera import SharedRenderer, SimCamera
from sim.simulation import Simulation
from sim.snapshot import Snapshot
from sim.stillness import Stillness
from sim.thrifty import ThriftyRenderer
from sim.world import World
from support import bench


@pytest.fixture(scope="module")
def table() -> Simulation:
    return bench.simulation("111/111", seed=1, looks=True)


def shift(world: World, name: str, by_m: float) -> None:
    """A block up in the air, and the world told of it."""
    world.data.joint(name).qpos[2] += by_m
    world.data.xfrc_applied[world.model.body(name).id, 2] = 1e-3  # or it would sleep on
    world.step()


def picture(seen: Snapshot, renderer: SharedRenderer, table: Simulation, noise: float = 0.0) -> np.ndarray:
    return SimCamera(seen, table.places[0], renderer, noise, 1).capture().image


def test_snapshot_stays_as_the_world_goes_on(table: Simulation) -> None:
    seen, renderer, began_s = Snapshot(table.world), SharedRenderer(), table.world.now_s()
    before = picture(seen, renderer, table)
    shift(table.world, "b06", 0.02)
    table.world.sleep_until(table.world.now_s() + 0.02)
    assert np.array_equal(picture(seen, renderer, table), before)
    assert seen.now_s() == began_s
    seen.take(table.world)
    assert seen.now_s() == table.world.now_s()
    assert not np.array_equal(picture(seen, renderer, table), before)
    renderer.close()


def test_snapshot_is_drawn_as_the_world_itself(table: Simulation) -> None:
    renderer = SharedRenderer()
    direct = SimCamera(table.world, table.places[0], renderer, 0.0, 1).capture().image
    assert np.array_equal(picture(Snapshot(table.world), renderer, table), direct)
    renderer.close()


def test_thrifty_renderer_draws_anew_what_has_moved_and_nothing_else(table: Simulation) -> None:
    table.world.sleep_until(table.world.now_s() + 1.0)
    seen, thrifty, usual = Snapshot(table.world), ThriftyRenderer(), SharedRenderer()
    view = thrifty.render(seen, "left")
    assert thrifty.render(seen, "left") is view
    assert not np.array_equal(thrifty.render(seen, "right"), view)
    shift(table.world, "b06", 1e-4)
    seen.take(table.world)
    assert thrifty.render(seen, "left") is not view
    assert np.array_equal(thrifty.render(seen, "left"), usual.render(seen, "left"))
    thrifty.close()
    usual.close()


def test_grain_is_new_in_every_picture_of_the_same_view(table: Simulation) -> None:
    renderer = ThriftyRenderer()
    camera = SimCamera(Snapshot(table.world), table.places[0], renderer, 2.0, 1)
    assert not np.array_equal(camera.capture().image, camera.capture().image)
    renderer.close()


def test_stillness_sees_a_block_move_and_come_to_rest(table: Simulation) -> None:
    world = table.world
    world.sleep_until(world.now_s() + 2.0)
    blocks, everything = Stillness(world, ["b05", "b06"]), Stillness(world)
    other = Stillness(world, ["b01"])
    began_s = world.now_s()
    world.sleep_until(began_s + 0.3)
    assert blocks.moved_s == everything.moved_s == began_s, "nothing has moved since"
    shift(world, "b06", 0.005)
    moved_s = world.now_s()
    world.sleep_until(moved_s + 3.0)
    assert moved_s < blocks.moved_s < moved_s + 1.0
    assert everything.moved_s >= blocks.moved_s
    assert other.moved_s == began_s


def test_slow_creep_is_seen(table: Simulation) -> None:
    world = table.world
    watch, began_s = Stillness(world, ["b06"]), world.now_s()
    for _ in range(40):
        shift(world, "b06", 4e-6)
        world.data.joint("b06").qvel[:] = 0
        world.sleep_until(world.now_s() + 0.02)
    assert watch.moved_s > began_s
