"""Guarded pushes of a servo arm: in steps of the tip finer than a servo's own, and each taken gently.

A servo that jumps by one step in a hundredth of a second hits what the tip touches: the finger's damping alone makes
that a tenth of a newton and more. So in a push the servos take their time, and are told the steps that put the tip
where it belongs. That lasts until the arm moves away at speed: going back to the nearest steps is a jump, too.
"""

from __future__ import annotations

import math

import numpy as np

from hardware.arm_parts import ArmParts
from hardware.tables import TICKS
from robot.frames import Array
from robot.vernier import Vernier

_SLOW_RAD_S = 0.05


class FineMotion:
    """Says whether a motion is to be gentle, and which steps to take.

    Args:
        parts: Of the arm.
        vernier: Chooses the steps; None where the nearest ones do, and no motion is gentle.
    """

    def __init__(self, parts: ArmParts, vernier: Vernier | None) -> None:
        self._joints, self._vernier = parts.joints, vernier
        self._rad_per_tick = np.array([joint.sign * math.tau / TICKS for joint in parts.joints])
        self._gentle = False

    def is_gentle(self, dq_rad_s: Array, *, asked: bool) -> bool:
        """Whether the motion to come, at rates (n,), is: in a push, and after it for as long as the arm is slow.

        Args:
            dq_rad_s: The rates.
            asked: Whether a push goes on.
        """
        slow = bool(np.abs(dq_rad_s).max() <= _SLOW_RAD_S)
        self._gentle = self._vernier is not None and (asked or (self._gentle and slow))
        return self._gentle

    def ticks(self, q_rad: Array) -> list[int]:
        """The joints' goals in whole ticks, without whole turns."""
        ticks = np.array(
            [joint.ticks(float(angle)) for joint, angle in zip(self._joints, q_rad, strict=True)]
        )
        if self._gentle and self._vernier is not None:
            ticks = self._vernier.steps(q_rad, ticks, self._rad_per_tick)
        return [round(float(at)) for at in ticks]
