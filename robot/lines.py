"""Straight lines of the tool: joint angles along them, checked for reach, continuity and collisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from robot.frames import Array
from robot.ports import Kinematics
from robot.trajectory import Line

SPACING_M, _FINEST_M = 0.002, 0.00012
_MAX_STEP_RAD = 0.06
Hit = Callable[[Array], str | None]


def follow_line(
    kinematics: Kinematics, T_base_start: Array, direction_base: Array, length_m: float, seed_rad: Array
) -> Line | None:
    """Joint angles along a straight line without turning the tool, or None where it cannot be reached smoothly.

    Args:
        kinematics: Of the arm.
        T_base_start: Pose (4, 4) of the tool at the start.
        direction_base: Unit vector (3,) of the line.
        length_m: Of the line; more than 0.
        seed_rad: Joint angles (n,) that reach the start, or are near those.
    """
    T = np.array(T_base_start)

    def solve(at_m: float, near: Array) -> Array | None:
        T[:3, 3] = T_base_start[:3, 3] + at_m * direction_base
        found = kinematics.inverse(T, near)
        return None if found is None or np.abs(found - near).max() > _MAX_STEP_RAD else found

    first = kinematics.inverse(T, np.asarray(seed_rad))
    if first is None:
        return None
    s, q, step = [0.0], [first], SPACING_M
    while s[-1] < length_m - 1e-9:
        step = min(step, length_m - s[-1])
        found = solve(s[-1] + step, q[-1])
        if found is None:
            step /= 2  # near a wrist singularity the rolls turn fast: go through it in small steps
            if step < _FINEST_M:
                return None
            continue
        s.append(s[-1] + step)
        q.append(found)
        step = min(2 * step, SPACING_M)
    return Line(np.array(s), np.array(q))


def first_hit(line: Line, hit: Hit, spacing_m: float = 0.004, upto_m: float | None = None) -> str | None:
    """What the arm would touch first along a line, or None."""
    end = line.length_m if upto_m is None else upto_m
    for at in np.linspace(0.0, end, max(int(np.ceil(end / spacing_m)), 1) + 1):
        what = hit(line.q(float(at)))
        if what:
            return what
    return None


def lines_from_branches(
    kinematics: Kinematics,
    branches: list[Array],
    T_base_start: Array,
    direction_base: Array,
    length_m: float,
    near_rad: Array,
) -> Iterator[Line]:
    """The lines that each posture at the start allows, the one nearest to `near_rad` (n,) first."""
    for seed in sorted(branches, key=lambda q: float(np.abs(q - near_rad).max())):
        line = follow_line(kinematics, T_base_start, direction_base, length_m, seed)
        if line is not None:
            yield line
