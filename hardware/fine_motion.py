"""Slow motions of a servo arm: in steps of the tip finer than a servo's own, and each taken gently.

A servo that jumps by one step in a hundredth of a second hits what the tip touches: the finger's damping alone makes
that a tenth of a newton and more. So in a slow motion the servos take their time, and are told the steps that put the
tip where it belongs.
"""

from __future__ import annotations

import math

import numpy as np

from hardware.arm_file import TICKS, ArmParts
from robot.frames import Array
from robot.vernier import Vernier

_SLOW_RAD_S = 0.05  # as in a guarded push
_CALM_S = 0.3  # the end of a quick motion is slow, too, but not for long


class FineMotion:
    """Says when a motion is slow, and which steps then to take.

    Args:
        parts: Of the arm.
        vernier: Chooses the steps; None where the nearest ones do, and no motion is slow.
    """

    def __init__(self, parts: ArmParts, vernier: Vernier | None) -> None:
        self._joints, self._vernier = parts.joints, vernier
        self._rad_per_tick = np.array([joint.sign * math.tau / TICKS for joint in parts.joints])
        self._fast_s = -math.inf

    def is_slow(self, dq_rad_s: Array, now_s: float) -> bool:
        """Whether the arm has been told rates (n,) as of a guarded push for a while."""
        if self._vernier is None or np.abs(dq_rad_s).max() > _SLOW_RAD_S:
            self._fast_s = now_s
        return now_s - self._fast_s > _CALM_S

    def ticks(self, q_rad: Array, *, slow: bool) -> list[int]:
        """The joints' goals in whole ticks, without whole turns."""
        ticks = np.array(
            [joint.ticks(float(angle)) for joint, angle in zip(self._joints, q_rad, strict=True)]
        )
        if slow and self._vernier is not None:
            ticks = self._vernier.steps(q_rad, ticks, self._rad_per_tick)
        return [round(float(at)) for at in ticks]
