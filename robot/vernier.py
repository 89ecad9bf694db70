"""Finer steps of the tip than those of any one joint, as a vernier has them.

A servo of 4096 steps a turn moves a tip 0.65 m away by 1 mm a step, which against something hard is 0.5 N at a finger
of 0.5 N/mm: as much as a probe is allowed. But every joint may be rounded up or down, and of all the ways to do that
one puts the tip almost exactly where it is to be along the tool's x, the way it pushes and feels.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from robot.frames import Array
from robot.ports import Kinematics

# Weight of being off to the side, beside being off along the way: forwards the tip pushes, and feels along its way;
# backwards it pulls what it holds, and off to the side would lift or turn that against what lies on it.
_ASIDE, _ASIDE_BACK = 0.15, 1.0
_STANDS_M = 1e-6
_OTHER_STEPS = (
    2.0  # so far from the last place, in steps, another motion begins: a push goes less than one a period
)
_MOVED = 0.1  # weight of what each joint that changes its step moves the tip by, were it alone for a moment


class Vernier:
    """Chooses the joints' steps.

    Args:
        kinematics: Of the arm, in whose angles the steps are.
    """

    def __init__(self, kinematics: Kinematics) -> None:
        self._kinematics = kinematics
        n = len(kinematics.joint_names)
        self._up = np.array(list(product((0.0, 1.0), repeat=n)))  # (2^n, n)
        self._last: Array | None = None
        self._exact: Array | None = None
        self._aside = _ASIDE

    def steps(self, q_rad: Array, steps: Array, rad_per_step: Array) -> Array:
        """Whole steps (n,), each the one below or the one above.

        Args:
            q_rad: Where the arm is to be (n,).
            steps: The same in steps, not yet whole (n,).
            rad_per_step: With its sign (n,).
        """
        R, J = self._kinematics.forward(q_rad)[:3, :3], self._kinematics.jacobian(q_rad)[:3]
        tip_m = R.T @ J * rad_per_step  # (3, n), along the tool's axes, of one step of each joint
        if self._last is not None and np.abs(steps - self._last).max() > _OTHER_STEPS:
            self._last = self._exact = None  # or the first steps lean to where the last push ended
        self._turn_to(tip_m[0], steps)
        choices = np.floor(steps) + self._up
        off_m = (choices - steps) @ (tip_m * np.array([[1.0], [self._aside], [self._aside]])).T
        cost = np.square(off_m).sum(axis=1)
        if self._last is not None:
            cost += np.square(_MOVED * (choices - self._last) * tip_m[0]).sum(axis=1)
        self._last = np.asarray(choices[int(np.argmin(cost))])
        return self._last

    def _turn_to(self, tip_x_m: Array, steps: Array) -> None:
        """See whether the tip goes forwards or backwards."""
        along_m = 0.0 if self._exact is None else float(tip_x_m @ (steps - self._exact))
        if abs(along_m) > _STANDS_M:
            self._aside = _ASIDE if along_m > 0 else _ASIDE_BACK
        self._exact = np.array(steps)
