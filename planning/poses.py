"""Where the tool must be to push, pinch or lay down a block.

The tool's x runs along the legs, out of the tips; its z along the pinch, which is the block's thickness. A block has
two ends: +1 where its own x points, -1 the other. The tool can be turned by half a turn about its x without changing
what it does, so each pose comes twice; reach decides.
"""

from __future__ import annotations

import numpy as np

from robot.frames import Array, inverse, pose, unit
from robot.hand import Aim

APPROACH_M = 0.060


def end_point(T_world_block: Array, length_m: float, end: int) -> Array:
    """Middle (3,) of a block's end face, world frame."""
    return np.asarray(T_world_block[:3, 3] + end * length_m / 2 * T_world_block[:3, 0])


def tool_rotations(along: Array, up: Array) -> list[Array]:
    """The two rotations (3, 3) of a tool whose x is `along` (3,) and whose pinch runs as near to `up` as it can."""
    x = unit(along)
    z = unit(up - (up @ x) * x)
    return [np.stack([x, np.cross(sign * z, x), sign * z], axis=1) for sign in (1.0, -1.0)]


def aim_at(p_world_m: Array, along: Array, up: Array, work_m: float, approach_m: float = APPROACH_M) -> Aim:
    """Straight at a point (3,) in a direction (3,), `work_m` past the touch, the pinch as near to `up` as it can be."""
    start = p_world_m - approach_m * along
    starts = [pose(R, start) for R in tool_rotations(along, up)]
    return Aim(starts, unit(along), approach_m + work_m, free_m=approach_m - 0.003)


def push_aim(T_world_block: Array, length_m: float, end: int, work_m: float) -> Aim:
    """Straight at the middle of an end, along the block's own axis in three dimensions, `work_m` past the touch."""
    T = T_world_block
    return aim_at(end_point(T, length_m, end), -end * T[:3, 0], T[:3, 2], work_m)


def pushed_out(T_world_block: Array, end: int, out_m: float) -> Array:
    """Pose (4, 4) of a block that was pushed from an end by so much."""
    T = T_world_block.copy()
    T[:3, 3] -= end * out_m * T[:3, 0]
    return T


def lay_aim(T_world_block: Array, T_tool_block: Array, height_m: float, past_m: float) -> Aim:
    """From `height_m` above straight down to where a held block should lie.

    Args:
        T_world_block: Where the block should lie (4, 4).
        T_tool_block: How it is held (4, 4).
        height_m: Length of the way down to there.
        past_m: How much farther the line goes on.
    """
    start = T_world_block @ inverse(T_tool_block)
    start[2, 3] += height_m
    return Aim([start], np.array([0.0, 0.0, -1.0]), height_m + past_m, free_m=height_m - 0.006)
