from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from robot.errors import MotionError
from robot.frames import Array
from robot.transit import find_way

LOW, HIGH = np.full(2, -2.0), np.full(2, 2.0)
CORNER_RAD = (
    0.02  # half of what lies between two looks: so much of a corner may be cut, for which callers leave room
)
START, GOAL = np.array([-1.0, 0.0]), np.array([1.0, 0.0])
IN_ANOTHER_PROCESS = """
import numpy as np
from robot.transit import find_way
hit = lambda q: "wall" if abs(q[0]) < 0.2 and q[1] < 1.0 else None
way = find_way(np.array([-1.0, 0.0]), np.array([1.0, 0.0]), np.full(2, -2.0), np.full(2, 2.0), hit, {seed})
print(way.tolist())
"""


def free(_q: Array) -> str | None:
    return None


def wall(q: Array, inset: float = 0.0) -> str | None:
    """A wall between start and goal, with a way round above it."""
    return "the wall" if abs(q[0]) < 0.2 - inset and q[1] < 1.0 - inset else None


def between(way: Array, step: float = 0.01) -> Array:
    parts = [np.linspace(a, b, int(np.abs(b - a).max() / step) + 2) for a, b in pairwise(way)]
    return np.concatenate(parts)


def test_free_way_is_straight() -> None:
    assert find_way(START, GOAL, LOW, HIGH, free, 1).tolist() == [START.tolist(), GOAL.tolist()]


@pytest.mark.parametrize("seed", range(5))
def test_way_round_a_wall_touches_nothing_and_keeps_the_limits(seed: int) -> None:
    way = find_way(START, GOAL, LOW, HIGH, wall, seed)
    assert way[0] == pytest.approx(START)
    assert way[-1] == pytest.approx(GOAL)
    assert not any(wall(q, CORNER_RAD) for q in between(way))
    assert (way >= LOW).all()
    assert (way <= HIGH).all()


def test_way_round_is_shortened() -> None:
    way = find_way(START, GOAL, LOW, HIGH, wall, 3)
    shortest = 2 * np.hypot(0.8, 1.0) + 0.4
    assert len(way) <= 8
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).sum() < 1.5 * shortest


def test_thin_obstacle_is_not_jumped() -> None:
    def hit(q: Array) -> str | None:
        return "sheet" if abs(q[0] - 0.313) < 0.021 and q[1] < 1.0 else None

    way = between(find_way(START, GOAL, LOW, HIGH, hit, 1), 0.001)
    over = way[np.abs(way[:, 0] - 0.313) < 0.002]
    assert len(over) > 0
    assert (over[:, 1] > 1.0 - CORNER_RAD).all()


@pytest.mark.parametrize("start_y", [0.0, 1.0])
def test_start_measured_a_hair_beyond_a_limit_finds_its_way_from_the_limit(start_y: float) -> None:
    way = find_way(np.array([-2.0004, start_y]), GOAL, LOW, HIGH, wall, 1)
    assert way[0] == pytest.approx([-2.0, start_y], abs=1e-12)
    assert way[-1] == pytest.approx(GOAL)


@pytest.mark.parametrize(("start", "goal", "which"), [([0.0, 0], GOAL, "start"), (START, [0.1, 0.5], "goal")])
def test_posture_that_touches_is_named(start: Array, goal: Array, which: str) -> None:
    with pytest.raises(MotionError, match=f"transit: the {which} posture touches: the wall"):
        find_way(np.array(start), np.array(goal), LOW, HIGH, wall, 1)


def test_same_seed_finds_the_same_way_in_every_process() -> None:
    def told(seed: int) -> str:
        code = IN_ANOTHER_PROCESS.format(seed=seed)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert told(7) == told(7)
    assert told(7) != told(8)
