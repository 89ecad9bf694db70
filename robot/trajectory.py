"""Motions with a clock: joint angles and rates over time, within speed, acceleration and jerk limits (by Ruckig)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from ruckig import InputParameter, Result, Ruckig, RuckigError
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


_SPACING_RAD = 0.05  # between places of a way at which the tool's speed is looked at
# Shares of the acceleration that are tried: where a motion just reaches its limit, rounding may leave Ruckig no answer
_GENTLER = (1.0, 0.99, 0.97)


def _profile(start: float, end: float, speed: float, accel: float, jerk: float) -> RuckigTrajectory:
    """The timing of one number from rest to rest.

    Raises:
        MotionError: There is none.
    """
    for share in _GENTLER:
        profile, result = _calculated(start, end, speed, share * accel, jerk)
        if result in (Result.Working, Result.Finished):
            return profile
    raise MotionError(f"no timing for a motion from {start:.4f} to {end:.4f}: {result}")


def _calculated(
    start: float, end: float, speed: float, accel: float, jerk: float
) -> tuple[RuckigTrajectory, object]:
    wish = InputParameter(1)
    wish.current_position, wish.target_position = [start], [end]
    wish.max_velocity, wish.max_acceleration, wish.max_jerk = [speed], [accel], [jerk]
    profile = RuckigTrajectory(1)
    try:
        return profile, Ruckig(1).calculate(wish, profile)
    except RuckigError as error:
        return profile, error


class _Straight:
    """From rest to rest along the straight line between two joint configurations (n,), every joint in step."""

    def __init__(self, start_rad: Array, end_rad: Array, limits: ArmLimits, pace: float) -> None:
        self._start_rad, self._way_rad = start_rad, end_rad - start_rad
        far = np.maximum(np.abs(self._way_rad), 1e-9)
        bounds = (limits.dq_max_rad_s, limits.ddq_max_rad_s2, limits.dddq_max_rad_s3)
        v, a, j = (float((pace * limit / far).min()) for limit in bounds)
        tool_m = self._tool_m(limits)
        self._share = _profile(0.0, 1.0, min(v, pace * limits.tool_max_m_s / max(tool_m, 1e-9)), a, j)
        self.duration_s = float(self._share.duration) if np.abs(self._way_rad).max() > 1e-9 else 0.0

    def _tool_m(self, limits: ArmLimits) -> float:
        """How fast the tool goes at most, in metres for the whole way."""
        if limits.jacobian is None or not np.isfinite(self._way_rad).all():
            return 0.0
        count = int(np.ceil(np.abs(self._way_rad).max() / _SPACING_RAD)) + 1
        places = self._start_rad + np.linspace(0.0, 1.0, count + 1)[:, None] * self._way_rad  # (k, n)
        return max(limits.tool_m_s(q_rad, self._way_rad) for q_rad in places)

    def at(self, t_s: float) -> tuple[Array, Array]:
        """Angles (n,) and rates (n,)."""
        if t_s >= self.duration_s:
            return self._start_rad + self._way_rad, np.zeros_like(self._way_rad)
        (share,), (rate,), _ = self._share.at_time(t_s)
        return self._start_rad + share * self._way_rad, rate * self._way_rad


class Transit:
    """From rest to rest along straight lines between joint configurations (k, n), at least two of them."""

    def __init__(self, waypoints_rad: Array, limits: ArmLimits, pace: float = 1.0) -> None:
        waypoints_rad = np.asarray(waypoints_rad, dtype=np.float64)
        self._parts = [_Straight(a, b, limits, pace) for a, b in pairwise(waypoints_rad)]
        self._ends_s = np.cumsum([part.duration_s for part in self._parts])
        self.duration_s = float(self._ends_s[-1])

    def at(self, t_s: float) -> tuple[Array, Array]:
        """Angles (n,) and rates (n,)."""
        k = min(int(np.searchsorted(self._ends_s, t_s)), len(self._parts) - 1)
        began_s = float(self._ends_s[k - 1]) if k else 0.0
        return self._parts[k].at(t_s - began_s)


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
        self._profile = _profile(from_m, to_m, v, a, j)
        self.duration_s = float(self._profile.duration)

    def place(self, t_s: float) -> float:
        """Distance along the line at a time."""
        return float(self._profile.at_time(min(t_s, self.duration_s))[0][0])

    def at(self, t_s: float) -> tuple[Array, Array]:
        """Angles (n,) and rates (n,)."""
        s, v, _ = self._profile.at_time(min(t_s, self.duration_s))
        return self._line.q(s[0]), self._line.dq_ds(s[0]) * v[0]
