from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest

from planning.poses import push_aim
from robot.frames import Array, inverse, pose, rot_x, rot_z
from robot.lines import follow_line
from robot.ports import Held
from robot.transit import find_way
from sim.collision import TowerCollisions
from sim.simulation import Simulation
from support import bench

BLOCK_M = np.array([0.075, 0.025, 0.015])
PARK = bench.body().park_rad
Boxes = list[tuple[Array, Array]]


@pytest.fixture(scope="module")
def standing(drawn: Simulation) -> Boxes:
    return [(drawn.world.T_world_block(b.name), np.array(b.size_m)) for b in drawn.world.blocks]


@pytest.fixture(autouse=True)
def _around_the_tower(checker: TowerCollisions, standing: Boxes) -> Iterator[None]:
    checker.set_tower(standing)
    yield
    checker.set_tower([])


@pytest.fixture(scope="module")
def at_block(checker: TowerCollisions, standing: Boxes) -> Callable[[float], Array]:
    """Joint angles with the tip so far [m] before the middle of an outer face, the tower standing at its place."""
    T, size = standing[31]
    aim = push_aim(T, float(size[0]), 1, 0.03)
    checker.set_tower(standing)
    for start in aim.starts:
        T_base = bench.body().T_base_world @ start
        way = bench.body().T_base_world[:3, :3] @ aim.direction
        for q in bench.body().kinematics.branches(T_base):
            line = follow_line(bench.body().kinematics, T_base, way, aim.length_m, q)
            if line is not None and checker.hit(line.q(0.0), 0.0) is None:
                return lambda before_m, line=line: line.q(0.060 - before_m)  # type: ignore[misc]
    raise AssertionError("this block cannot be reached")


def test_parked_arm_touches_nothing(checker: TowerCollisions) -> None:
    assert checker.hit(PARK, 0.0) is None
    assert checker.hit(PARK, 0.060) is None


def test_tip_before_the_tower_is_clear_and_in_it_is_not(
    checker: TowerCollisions, at_block: Callable[[float], Array]
) -> None:
    assert checker.hit(at_block(0.010), 0.0) is None
    assert checker.hit(at_block(0.002), 0.0) is None
    touched = checker.hit(at_block(-0.005), 0.0)
    assert touched is not None
    assert "nose" in touched
    assert "block" in touched


@pytest.mark.parametrize("room_m", [0.004, 0.008, 0.012])
def test_room_is_kept_when_it_is_asked_for(
    checker: TowerCollisions, at_block: Callable[[float], Array], room_m: float
) -> None:
    assert checker.hit(at_block(room_m - 0.002), 0.0, None, room_m) is not None
    assert checker.hit(at_block(room_m + 0.003), 0.0, None, room_m) is None
    assert checker.hit(at_block(room_m - 0.002), 0.0) is None


def test_without_the_tower_its_place_is_free(
    checker: TowerCollisions, at_block: Callable[[float], Array]
) -> None:
    checker.set_tower([])
    assert checker.hit(at_block(-0.005), 0.0) is None


def test_block_stands_where_it_was_set(checker: TowerCollisions, at_block: Callable[[float], Array]) -> None:
    q = at_block(0.030)
    T_tip = bench.body().T_world_base @ bench.body().kinematics.forward(q)
    checker.set_tower([(pose(rot_z(0.7), T_tip[:3, 3]), BLOCK_M)])
    assert "block0" in (checker.hit(q, 0.0) or "")
    checker.set_tower([(pose(rot_z(0.7), T_tip[:3, 3] + [0, 0, 0.06]), BLOCK_M)])
    assert checker.hit(q, 0.0) is None


def test_open_fingers_need_more_room_than_closed_ones(
    checker: TowerCollisions, at_block: Callable[[float], Array]
) -> None:
    q = at_block(0.030)
    T_tip = bench.body().T_world_base @ bench.body().kinematics.forward(q)
    # 6 mm from the closed nose, along the pinch
    beside = T_tip @ pose(None, [0.0, 0.0, 0.004 + 0.0075 + 0.006])
    checker.set_tower([(beside, BLOCK_M)])
    assert checker.hit(q, 0.0) is None
    assert checker.hit(q, 0.026) is not None


def test_held_block_is_carried_along(checker: TowerCollisions, at_block: Callable[[float], Array]) -> None:
    q = at_block(0.055)
    ahead = Held(pose(None, [0.0225, 0.0, 0.0]), BLOCK_M)  # stands out 60 mm beyond the tip
    beside = Held(pose(rot_x(0.0), [-0.015, 0.0, 0.0]), BLOCK_M)
    assert checker.hit(q, float(BLOCK_M[2]), ahead) is not None
    assert checker.hit(q, float(BLOCK_M[2]), beside) is None
    assert checker.hit(q, 0.0) is None, "the block is put away again"


@pytest.mark.parametrize(("wider_m", "passes"), [(0.0, True), (0.0004, False)])
def test_block_passes_between_neighbours_that_leave_it_seven_tenths_of_a_millimetre(
    wider_m: float, passes: bool, checker: TowerCollisions, at_block: Callable[[float], Array]
) -> None:
    """Blocks are as wide as they were seen, not as wide as any may be."""
    body, q = bench.body(), at_block(0.080)
    held = Held(pose(None, [0.0225, 0.0, 0.0]), BLOCK_M + np.array([0.0, wider_m, 0.0]))
    T_world_held = body.T_world_base @ body.kinematics.forward(q) @ held.T_tool_block
    neighbours = [T_world_held @ pose(None, [0.0, side * (BLOCK_M[1] + 0.0007), 0.0]) for side in (-1.0, 1.0)]
    checker.set_tower([(T, BLOCK_M) for T in neighbours])
    touched = checker.hit(q, float(BLOCK_M[2]), held)
    assert (touched is None) == passes, touched


def test_held_block_does_not_touch_the_fingers_that_hold_it(checker: TowerCollisions) -> None:
    checker.set_tower([])
    held = Held(pose(None, [0.0225, 0.0, 0.0]), BLOCK_M)
    q = PARK + np.array([0.0, 0.2, -0.2, 0.0, 0.5, 0.0])
    assert checker.hit(q, float(BLOCK_M[2]), held) is None


@pytest.mark.parametrize(
    ("q", "touched"),
    [
        ([-1.89, 1.08, -0.38, -2.48, 0.33, 2.68], "table and lower_forearm_link"),
        ([-0.2, 1.17, 0.32, -0.59, -1.88, -1.93], "plinth and upper_forearm_link"),
        ([0.86, -0.95, -1.47, -3.04, 1.1, 2.59], "base_link and gripper_bar_link"),
        ([2.18, -0.02, -1.16, -0.42, -2.0, 2.93], "upper_arm_link and gripper_bar_link"),
    ],
)
def test_arm_bent_into_the_room_or_into_itself_is_found_and_both_are_named(
    checker: TowerCollisions, q: list[float], touched: str
) -> None:
    checker.set_tower([])
    assert checker.hit(np.array(q), 0.0) == touched


def test_plinth_is_in_the_way_too(checker: TowerCollisions) -> None:
    checker.set_tower([])
    kinematics, T_base_world = bench.body().kinematics, bench.body().T_base_world
    x = np.array([1.0, 0.0, 0.0])
    R = np.stack([x, np.cross([0, 0, 1.0], x), [0, 0, 1.0]], axis=1)
    for q in kinematics.branches(T_base_world @ pose(R, [0.0, 0.0, 0.08])):
        assert checker.hit(q, 0.0) is not None


def test_answer_does_not_depend_on_what_was_asked_before(
    checker: TowerCollisions, at_block: Callable[[float], Array]
) -> None:
    questions = [(at_block(0.01), None), (at_block(-0.005), None), (PARK, Held(np.eye(4), BLOCK_M))]
    alone = [checker.hit(q, 0.0, held) for q, held in questions]
    assert [checker.hit(q, 0.0, held) for q, held in reversed(questions)] == alone[::-1]


def test_too_many_blocks_are_refused(checker: TowerCollisions) -> None:
    with pytest.raises(ValueError, match="61 blocks, room for 60"):
        checker.set_tower([(np.eye(4), BLOCK_M)] * 61)


@pytest.mark.parametrize("seed", range(6))
def test_ways_round_the_tower_keep_their_distance_between_the_looks(
    checker: TowerCollisions, standing: Boxes, seed: int
) -> None:
    """The search looks every 0.04 rad with 8 mm of room; at a tenth of that nothing comes nearer than 3 mm."""
    rng, goals = np.random.default_rng(seed), []
    while len(goals) < 2:
        T, size = standing[rng.integers(len(standing))]
        start = push_aim(T, float(size[0]), int(rng.choice([-1, 1])), 0.02).starts[int(rng.integers(2))]
        branches = bench.body().kinematics.branches(bench.body().T_base_world @ start)
        goals += [q for q in branches if checker.hit(q, 0.0, None, 0.008) is None][:1]
    low, high = bench.body().kinematics.q_min_rad, bench.body().kinematics.q_max_rad
    way = find_way(goals[0], goals[1], low, high, lambda q: checker.hit(q, 0.0, None, 0.008), seed)
    for a, b in pairwise(way):
        for share in np.linspace(0, 1, int(np.abs(b - a).max() / 0.004) + 2):
            assert checker.hit(a + share * (b - a), 0.0, None, 0.003) is None


def test_true_contact_is_a_hit_and_the_true_arm_agrees(
    drawn: Simulation, checker: TowerCollisions, at_block: Callable[[float], Array]
) -> None:
    """What the checker calls the tip is where the kinematics say it is."""
    q = at_block(0.0)
    T_world_tool = bench.body().T_world_base @ bench.body().kinematics.forward(q)
    checker.set_tower([(T_world_tool @ pose(None, [0.0375 + 0.0005, 0, 0]), BLOCK_M)])
    assert checker.hit(q, 0.0) is not None
    checker.set_tower([(T_world_tool @ pose(None, [0.0375 + 0.003, 0, 0]), BLOCK_M)])
    assert checker.hit(q, 0.0) is None
    assert np.allclose(inverse(T_world_tool) @ T_world_tool, np.eye(4))
