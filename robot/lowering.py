"""Down along a line until something bears: told by how far the tool falls behind its command."""

from __future__ import annotations

from collections import deque
from statistics import fmean

import numpy as np

from robot.follow import PERIOD_S, Mover
from robot.frames import Array, unit
from robot.ports import Kinematics
from robot.trajectory import AlongLine, Line

LOWER_ACCEL_M_S2 = 0.15
_FREE_S = 0.3  # the first moments, in which the arm still swings
_SMOOTH = 12  # periods over which the lag of an arm of coarse steps is averaged


def lowered(mover: Mover, kinematics: Kinematics, line: Line, trajectory: AlongLine, lag_m: float) -> float:
    """Follow a trajectory on a line until the tool lags `lag_m` more than it did at best.

    Only lag along the line counts: what bears the tool holds it back; sag and swinging aside do not.

    Returns:
        Where on the line it bore, or the trajectory's end where nothing did. The arm then holds that place.

    Raises:
        StoppedError: A person asked for a stop.
        DeviceError: The arm cannot be read or commanded; it was told to stand still.
    """
    way = _direction(kinematics, line)
    with mover.still_on_error():
        at_m = trajectory.place(_bore_s(mover, kinematics, trajectory, way, lag_m))
        q = line.q(at_m)
        mover.step(q, np.zeros_like(q), mover.clock.now_s() + PERIOD_S)
    return at_m


def _bore_s(mover: Mover, kinematics: Kinematics, trajectory: AlongLine, way: Array, lag_m: float) -> float:
    """When on the trajectory something bore."""
    began_s, t_s, free_m = mover.clock.now_s(), 0.0, np.inf
    recent = deque[float](maxlen=_SMOOTH if mover.arm.step_rad else 1)
    while t_s < trajectory.duration_s:
        t_s = min(t_s + PERIOD_S, trajectory.duration_s)
        q, dq = trajectory.at(t_s)
        mover.step(q, dq, began_s + t_s)
        recent.append(_behind_m(kinematics, q, mover.arm.state().q_rad, way))
        if t_s > _FREE_S:
            free_m = min(free_m, fmean(recent))
            if fmean(recent) > free_m + lag_m:
                break
    return t_s


def _direction(kinematics: Kinematics, line: Line) -> Array:
    """Of a line (3,), in the base frame."""
    first, last = (kinematics.forward(line.q(at_m))[:3, 3] for at_m in (0.0, line.length_m))
    return unit(last - first)


def _behind_m(kinematics: Kinematics, q_sent_rad: Array, q_rad: Array, way: Array) -> float:
    """How far the tool is behind its command along a direction (3,)."""
    sent, measured = (kinematics.forward(q)[:3, 3] for q in (q_sent_rad, q_rad))
    return float((sent - measured) @ way)
