"""What an arm's joints are off by, learnt from where its tool is seen: a Kalman filter over the joints' offsets.

Gears and mountings turn every joint a little from where its encoder says, and play moves it on from there. One look at
the tool tells of the offsets what matters in that posture; looks in several postures tell each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot.errors import MotionError
from robot.frames import Array

UNCALIBRATED_SD_RAD = np.radians(0.5)  # of a joint that nobody has looked at yet
_PLAY_SD_RAD = np.radians(0.05)  # by which a joint's play may have changed since the last look
_MOST_RAD = np.radians(2.0)  # a joint that is off farther from its calibration is not worn, but wrong


class JointOffsets:
    """By how much the true joint angles exceed the measured ones.

    Args:
        joint_names: The joints, in order.
        mean_rad: What a calibration says (n,); 0 where there was none.
        sd_rad: How well it says so (n,).

    Attributes:
        mean_rad: Best estimate (n,).
    """

    def __init__(
        self, joint_names: Sequence[str], mean_rad: Array | None = None, sd_rad: Array | None = None
    ) -> None:
        self._names = tuple(joint_names)
        n = len(self._names)
        self.mean_rad = np.zeros(n) if mean_rad is None else np.array(mean_rad, dtype=np.float64)
        self._calibrated_rad = self.mean_rad
        self._covariance = np.diag(np.full(n, UNCALIBRATED_SD_RAD) if sd_rad is None else sd_rad) ** 2

    def doubt_m(self, jacobian: Array) -> float:
        """Standard deviation of the tool's place in the worst direction, by a Jacobian (6, n)."""
        J = jacobian[:3]
        spread = J @ (self._covariance + _PLAY_SD_RAD**2 * np.eye(len(self._names))) @ J.T
        return float(np.sqrt(np.linalg.eigvalsh(spread)[-1]))

    def learn(self, jacobian: Array, off: Array, covariance: Array) -> Array:
        """Take in one look at the tool.

        Args:
            jacobian: Geometric Jacobian (6, n) in the posture of the look.
            off: Shift (3) and turn (3) from where the joints, corrected so far, say the tool is to where it is seen.
            covariance: Of `off` (6, 6).

        Returns:
            By how much the offsets changed (n,).

        Raises:
            MotionError: A joint would be off by more than it can be; nothing was learnt.
        """
        P = self._covariance + _PLAY_SD_RAD**2 * np.eye(len(self._names))
        gain = np.linalg.solve(jacobian @ P @ jacobian.T + covariance, jacobian @ P).T
        change = np.asarray(gain @ off)
        self._check(self.mean_rad + change)
        self.mean_rad = self.mean_rad + change
        keep = np.eye(len(self._names)) - gain @ jacobian
        self._covariance = keep @ P @ keep.T + gain @ covariance @ gain.T  # Joseph's form stays symmetric
        return change

    def _check(self, offsets_rad: Array) -> None:
        off_rad = offsets_rad - self._calibrated_rad
        k = int(np.argmax(np.abs(off_rad)))
        if abs(off_rad[k]) > _MOST_RAD:
            raise MotionError(
                f"joint {self._names[k]}: by where the tool is seen it is off by {np.degrees(off_rad[k]):.1f} "
                f"degrees, allowed {np.degrees(_MOST_RAD):.0f}: calibrate the joints and the cameras, and see that the "
                "fingers sit as they should"
            )
