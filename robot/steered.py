"""An arm in the terms of its true joint angles: its encoders' readings, corrected by what its joints are off by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from robot.frames import Array
from robot.offsets import JointOffsets
from robot.ports import Arm, ArmState


class SteeredArm:
    """Implements `Arm` on another one, whose own limits hold.

    Args:
        arm: The one with the encoders.
        offsets: By how much its true angles exceed the measured ones; they may be learnt while it stands.
    """

    def __init__(self, arm: Arm, offsets: JointOffsets) -> None:
        self._arm, self._offsets = arm, offsets

    @property
    def step_rad(self) -> float:
        """The smallest step of a joint."""
        return self._arm.step_rad

    @property
    def joint_names(self) -> Sequence[str]:
        """The joints' names."""
        return self._arm.joint_names

    def state(self) -> ArmState:
        """The newest measured state, angles corrected."""
        state = self._arm.state()
        return replace(state, q_rad=state.q_rad + self._offsets.mean_rad)

    def command(self, q_rad: Array, dq_rad_s: Array) -> None:
        """Go to true angles (n,), moving at (n,) there.

        Raises:
            LimitError: Outside the arm's limits; nothing was sent.
        """
        fits = np.shape(q_rad) == self._offsets.mean_rad.shape  # the arm itself refuses what does not
        self._arm.command(q_rad - self._offsets.mean_rad if fits else q_rad, dq_rad_s)

    def command_opening(self, opening_m: float) -> None:
        """Open or close the fingers."""
        self._arm.command_opening(opening_m)

    def be_gentle(self, gentle: bool) -> None:
        """Whether what follows is a guarded push."""
        self._arm.be_gentle(gentle)

    def stop(self) -> None:
        """Stand still."""
        self._arm.stop()
