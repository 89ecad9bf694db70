from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from planning.tower import Slot
from robot.errors import StoppedError
from robot.fakes import Button
from robot.frames import Array, apply, inverse
from sim.person import SimPerson
from sim.simulation import Simulation
from sim.standing import standing
from support import bench

TIGHT, TOP = Slot(7, 2), Slot(19, 1)  # of the first full tower


def hand(it: Simulation, button: Button | None = None) -> SimPerson:
    return SimPerson(it.world, bench.body().T_world_base[:3, 3], button or Button(), 1)


def in_tower(it: Simulation, name: str) -> Array:
    """Centre (3,) of a block in the tower's frame."""
    world = it.world
    return apply(inverse(world.room.T_world_tower), world.T_world_block(name)[:3, 3])


def positions(it: Simulation) -> dict[str, Array]:
    return {block.name: in_tower(it, block.name) for block in it.world.blocks}


def farthest_m(it: Simulation, before: dict[str, Array], *but: str) -> float:
    return max(float(np.linalg.norm(in_tower(it, n) - was)) for n, was in before.items() if n not in but)


@pytest.fixture(scope="module")
def full() -> Iterator[Simulation]:
    it = bench.simulation(seed=1)
    yield it
    it.close()


@pytest.fixture
def low() -> Iterator[Simulation]:
    it = bench.simulation("111*4/100", seed=1)
    yield it
    it.close()


def test_every_block_is_known_to_stand_in_its_slot(full: Simulation) -> None:
    assert standing(full.world) == {Slot(*b.slot): b.name for b in full.world.blocks if b.slot is not None}


def test_loose_block_is_drawn_out_and_laid_on_top_and_the_rest_stays() -> None:
    it = bench.simulation("111*5", seed=1)
    name, before, posture = standing(it.world)[Slot(2, 2)], positions(it), it.arm.state().q_rad
    assert hand(it).take(Slot(2, 2), Slot(6, 1))
    stands = standing(it.world)
    assert stands[Slot(6, 1)] == name
    assert Slot(2, 2) not in stands
    assert farthest_m(it, before, name) < 0.001
    assert in_tower(it, name)[:2] == pytest.approx([-0.025, 0.0], abs=0.003), (
        "positions run along +x, lengths along y"
    )
    assert it.arm.state().q_rad == pytest.approx(posture, abs=1e-3), "the arm stays"
    it.close()


def test_block_that_bears_much_holds_and_is_left(full: Simulation) -> None:
    before = positions(full)
    assert not hand(full).take(TIGHT, TOP)
    assert farthest_m(full, before) < 0.001


def test_tower_may_fall_where_a_block_is_pulled_hard() -> None:
    it = bench.simulation("111*4/010/111*2", seed=1)
    assert hand(it).take(Slot(5, 2), Slot(8, 1), hard=True), "what comes of it is to be looked at"
    assert len(standing(it.world)) < 19
    it.close()


def test_block_is_laid_beside_the_one_that_lies_there(low: Simulation) -> None:
    names = standing(low.world)
    neighbour, taken = names[Slot(5, 1)], names[Slot(2, 2)]
    assert hand(low).take(Slot(2, 2), Slot(5, 2))
    assert standing(low.world)[Slot(5, 2)] == taken
    apart_m = abs(in_tower(low, taken) - in_tower(low, neighbour))[1]
    assert 0.024 < apart_m < 0.028
    assert in_tower(low, taken)[2] == pytest.approx(in_tower(low, neighbour)[2], abs=0.001), (
        "flat, not on its edge"
    )


def test_pushed_block_stands_out_and_is_put_back(low: Simulation) -> None:
    name, before, person = standing(low.world)[Slot(2, 2)], positions(low), hand(low)
    person.push(Slot(2, 2), -0.004)
    assert (in_tower(low, name) - before[name])[1] == pytest.approx(-0.004, abs=0.001), (
        "even layers lie along y"
    )
    person.restore(Slot(2, 2))
    assert farthest_m(low, before) < 0.001


def test_block_beside_the_tower_is_picked_up_and_laid() -> None:
    plan_table = bench.simulation("111*3", seed=1)
    world = plan_table.world
    world.data.joint("b09").qpos[:3] = [0.25, -0.1, 0.02]  # it has fallen, out of the arm's way
    world.sleep_until(world.now_s() + 1.0)
    assert Slot(3, 3) not in standing(world)
    hand(plan_table).lay(Slot(3, 3))
    assert standing(world)[Slot(3, 3)] == "b09"
    plan_table.close()


def test_nothing_moves_where_no_block_stands(low: Simulation) -> None:
    before, person = positions(low), hand(low)
    assert person.take(Slot(9, 1), Slot(5, 2))
    person.push(Slot(9, 1), 0.003)
    person.restore(Slot(2, 1))
    person.lay(Slot(5, 2))
    assert farthest_m(low, before) < 1e-5


def test_stop_ends_the_motion_and_the_hand_lets_go(low: Simulation) -> None:
    with pytest.raises(StoppedError, match="stopped by a person"):
        hand(low, Button(after=100)).take(Slot(2, 2), Slot(5, 2))
    assert not low.world.data.xfrc_applied.any()
