"""A program that was held up: whatever the pause, goals are taken again, or the arm says why not."""

from __future__ import annotations

import numpy as np
import pytest

from robot.arm_models import VIPERX_300S
from support.servo_arms import emulated


@pytest.mark.parametrize("pause_s", [0.1, 0.16, 0.201, 0.22, 0.24, 0.5])
def test_goals_are_taken_after_a_pause_in_which_nobody_looked_at_the_arm(pause_s: float) -> None:
    with emulated(VIPERX_300S.park_rad) as far:
        far.arm.energise()
        goal = VIPERX_300S.park_rad + np.array([0.05, 0, 0, 0, 0, 0])
        far.arm.command(goal, np.zeros(6))
        far.clock.sleep_until(far.clock.now_s() + pause_s)  # the watchdog waits 0.2 s
        far.bus.tick(far.clock.now_s())
        goal[0] += 0.05
        far.arm.command(goal, np.zeros(6))
        far.wait(0.15)
        assert far.arm.state().q_rad == pytest.approx(goal, abs=2 * far.arm.step_rad)
