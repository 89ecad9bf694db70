"""Ways from one posture to another through free space: OMPL's RRT-Connect over a collision checker."""

from __future__ import annotations

import numpy as np
from ompl import base as ob
from ompl import geometric as og
from ompl import util as ou

from robot.errors import MotionError
from robot.frames import Array
from robot.lines import Hit

_STEP_RAD = 0.04
_DEADLINE_S = 5.0
_seeded: list[int] = []


def find_way(
    start_rad: Array, goal_rad: Array, low_rad: Array, high_rad: Array, hit: Hit, seed: int
) -> Array:
    """Waypoints (k, n) from start to goal, straight between them, free of collisions; the same for the same seed.

    A measured start may lie a hair beyond a joint's limit; the way then begins at the limit.

    Raises:
        MotionError: The start or the goal touches something, or no way was found in time.
    """
    start_rad = np.clip(start_rad, low_rad, high_rad)
    for name, q in (("start", start_rad), ("goal", goal_rad)):
        what = hit(q)
        if what:
            raise MotionError(f"transit: the {name} posture touches: {what}")
    if _straight_is_free(start_rad, goal_rad, hit):
        return np.stack([start_rad, goal_rad])
    return _rrt_connect(start_rad, goal_rad, low_rad, high_rad, hit, seed)


def _straight_is_free(a: Array, b: Array, hit: Hit) -> bool:
    count = max(int(np.ceil(np.abs(b - a).max() / _STEP_RAD)), 1)
    return all(hit(a + (b - a) * k / count) is None for k in range(count + 1))


def _rrt_connect(start: Array, goal: Array, low: Array, high: Array, hit: Hit, seed: int) -> Array:
    _seed_once(seed)
    n = len(start)
    space = ob.RealVectorStateSpace(n)
    bounds = ob.RealVectorBounds(n)
    for k in range(n):
        bounds.setLow(k, float(low[k]))
        bounds.setHigh(k, float(high[k]))
    space.setBounds(bounds)
    setup = og.SimpleSetup(space)
    setup.setStateValidityChecker(lambda state: hit(np.array([state[k] for k in range(n)])) is None)
    setup.getSpaceInformation().setStateValidityCheckingResolution(_STEP_RAD / space.getMaximumExtent())
    setup.setStartAndGoalStates(_state(space, start), _state(space, goal))
    planner = og.RRTConnect(setup.getSpaceInformation())
    planner.setRange(0.6)
    setup.setPlanner(planner)
    if not setup.solve(_DEADLINE_S) or not setup.haveExactSolutionPath():
        raise MotionError(
            f"transit: no way found within {_DEADLINE_S:.0f} s from {start.round(2).tolist()} "
            f"to {goal.round(2).tolist()}"
        )
    return _shortened(setup, n)


def _seed_once(seed: int) -> None:
    """OMPL takes one seed a process, and only before its first number."""
    ou.setLogLevel(ou.LOG_ERROR)
    if not _seeded:
        ou.RNG.setSeed(seed % (2**31 - 1) + 1)
        _seeded.append(seed)


def _state(space: ob.RealVectorStateSpace, q: Array) -> ob.State:
    state = space.allocState()
    for k, angle in enumerate(q):
        state[k] = float(angle)
    return state


def _shortened(setup: og.SimpleSetup, n: int) -> Array:
    """Fewer and shorter segments, by a counted number of steps, so that time does not change the result."""
    path = setup.getSolutionPath()
    simplifier = og.PathSimplifier(setup.getSpaceInformation())
    for _ in range(4):
        simplifier.partialShortcutPath(path, 60, 30)
        simplifier.reduceVertices(path, 60, 30)
    return np.array([[state[k] for k in range(n)] for state in path.getStates()])
