"""Motions with a clock: joint angles and rates over time, within speed, acceleration and jerk limits (by Ruckig)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from ruckig import InputParameter, Result, Ruckig, Synchronization
from ruckig import Trajectory as RuckigTrajectory
from scipy.interpolate import CubicSpline

from robot.errors import MotionError
from robot.frames import Array
from robot.limits import ArmLimits


class Trajectory(Protocol):
    """Something to follow."""

    duration_s: float

    def at(self, t_s: float) -> tuple[Array, Array]:
        """Angles (n,) and rates (n,) at a time from 0 to the duration."""
        ...


def _calculate(start: Array, end: Array, v: Array, a: Array, j: Array, *, straight: bool) -> RuckigTrajectory:
    n = len(start)
    wish = InputParameter(n)
    wish.current_position, wish.target_position = list(start), list(end)
    wish.max_velocity, wish.max_acceleration, wish.max_jerk = list(v), list(a), list(j)
    if straight:
        wish.synchronization = Synchronization.Phase
    trajectory = RuckigTrajectory(n)
    result = Ruckig(n).calculate(wish, trajectory)
    if result not in (Result.Working, Result.Finished):
        raise MotionError(f"no timing for a motion from {start.round(4)} to {end.round(4)}: {result}")
    return trajectory


class Transit:
    """From rest to rest along straight lines between joint configurations (k, n)."""

    def __init__(self, waypoints_rad: Array, limits: ArmLimits, pace: float = 1.0) -> None:
        limit = (limits.dq_max_rad_s * pace, limits.ddq_max_rad_s2 * pace, limits.dddq_max_rad_s3 * pace)
        self._parts = [_calculate(a, b, *limit, straight=True) for a, b in pairwise(waypoints_rad)]
        self._ends_s = np.cumsum([part.duration for part in self._parts])
        self.duration_s = float(self._ends_s[-1]) if self._parts else 0.0

    def at(self, t_s: float) -> tuple[Array, Array]:
        """Angles (n,) and rates (n,)."""
        k = min(int(np.searchsorted(self._ends_s, t_s)), len(self._parts) - 1)
        began_s = self._ends_s[k - 1] if k else 0.0
        q, dq, _ = self._parts[k].at_time(min(t_s - began_s, self._parts[k].duration))
        return np.array(q), np.array(dq)


@dataclass(frozen=True)
class Line:
    """Joint angles along a straight line of the tool, by distance: a spline through (k, n) angles at (k,) metres."""

    s_m: Array
    q_rad: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "_spline", CubicSpline(self.s_m, self.q_rad))

    @property
    def length_m(self) -> float:
        """Length of the line."""
        return float(self.s_m[-1])

    def q(self, s_m: float) -> Array:
        """Angles (n,) at a distance along the line, held to its ends."""
        return np.asarray(self._spline(min(max(s_m, 0.0), self.length_m)))  # type: ignore[attr-defined]

    def dq_ds(self, s_m: float) -> Array:
        """Change of the angles (n,) a metre."""
        return np.asarray(self._spline(min(max(s_m, 0.0), self.length_m), 1))  # type: ignore[attr-defined]

    def largest_rates(self) -> Array:
        """Largest |dq/ds| (n,) along the line."""
        return np.asarray(np.abs(self._spline(np.linspace(0, self.length_m, 256), 1)).max(axis=0))  # type: ignore[attr-defined]


class AlongLine:
    """From rest to rest along a `Line` at a speed of the tool, slower where a joint's limits ask for it."""

    def __init__(
        self,
        line: Line,
        from_m: float,
        to_m: float,
        speed_m_s: float,
        limits: ArmLimits,
        accel_m_s2: float = 0.6,
    ) -> None:
        rates = np.maximum(line.largest_rates(), 1e-6)
        v = min(speed_m_s, float((limits.dq_max_rad_s / rates).min()) * 0.9)
        a = min(accel_m_s2, float((limits.ddq_max_rad_s2 / rates).min()) * 0.5)
        j = min(accel_m_s2 * 10, float((limits.dddq_max_rad_s3 / rates).min()) * 0.5)
        self._line = line
        one = np.ones(1)
        self._profile = _calculate(from_m * one, to_m * one, v * one, a * one, j * one, straight=False)
        self.duration_s = float(self._profile.duration)

    def place(self, t_s: float) -> float:
        """Distance along the line at a time."""
        return float(self._profile.at_time(min(t_s, self.duration_s))[0][0])

    def at(self, t_s: float) -> tuple[Array, Array]:
        """Angles (n,) and rates (n,)."""
        s, v, _ = self._profile.at_time(min(t_s, self.duration_s))
        return self._line.q(s[0]), self._line.dq_ds(s[0]) * v[0]
