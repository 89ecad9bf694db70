from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robot.clock import ManualClock
from robot.errors import LimitError, MotionError, StoppedError
from robot.fakes import Button, InstantArm
from robot.follow import PERIOD_S, Mover
from robot.limits import ArmLimits
from robot.ports import ArmState
from robot.trajectory import Transit

LIMITS = ArmLimits(
    np.full(2, -2.0), np.full(2, 2.0), np.full(2, 1.0), np.full(2, 5.0), np.full(2, 50.0), 0.06
)
GOAL = np.array([1.0, -0.5])


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(10.0)


@pytest.fixture
def arm(clock: ManualClock) -> InstantArm:
    return InstantArm(("a", "b"), LIMITS, clock, np.zeros(2))


def transit() -> Transit:
    return Transit(np.array([np.zeros(2), GOAL]), LIMITS)


def test_trajectory_is_followed_to_its_end_in_its_own_time(arm: InstantArm, clock: ManualClock) -> None:
    Mover(arm, clock, Button()).follow(transit())
    assert arm.state().q_rad == pytest.approx(GOAL)
    assert arm.state().dq_rad_s == pytest.approx(0)
    assert clock.now_s() - 10.0 == pytest.approx(transit().duration_s, abs=3 * PERIOD_S)
    assert arm.stops == 0


def test_commands_come_every_period_and_carry_the_trajectorys_rates(
    arm: InstantArm, clock: ManualClock
) -> None:
    moved = transit()
    Mover(arm, clock, Button()).follow(moved)
    for k, (q, dq) in enumerate(arm.sent[:-2], start=1):
        assert q == pytest.approx(moved.at(k * PERIOD_S)[0])
        assert dq == pytest.approx(moved.at(k * PERIOD_S)[1])


def test_each_step_is_seen_and_may_end_the_motion(arm: InstantArm, clock: ManualClock) -> None:
    seen: list[float] = []

    def look() -> None:
        seen.append(clock.now_s())
        if len(seen) == 20:
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        Mover(arm, clock, Button()).follow(transit(), look)
    assert len(arm.sent) == 20
    assert arm.stops == 1, "an arm whose motion ended early stands still"


@pytest.mark.parametrize("polls", [0, 1, 25, 60])
def test_stop_on_the_way_leaves_the_arm_still_and_raises(
    arm: InstantArm, clock: ManualClock, polls: int
) -> None:
    with pytest.raises(StoppedError, match="stopped by a person; the arm stands still"):
        Mover(arm, clock, Button(after=polls)).follow(transit())
    assert len(arm.sent) == polls, "nothing is sent after the stop"
    assert arm.stops >= 1
    assert arm.state().dq_rad_s == pytest.approx(0)


def test_arm_that_does_not_arrive_is_reported_by_its_joint_and_stopped(
    arm: InstantArm, clock: ManualClock
) -> None:
    arm.limits = ArmLimits(**{**vars(LIMITS), "max_jump_rad": 9.0})
    arm.jammed.add(1)
    with pytest.raises(
        MotionError, match=r"joint b: 0\.5000 rad from its goal after 1 s.*something holds the arm"
    ):
        Mover(arm, clock, Button()).follow(transit())
    assert arm.stops == 1
    assert clock.now_s() - 10.0 < transit().duration_s + 1.1


def test_refused_command_ends_the_motion_with_the_arm_stopped(arm: InstantArm, clock: ManualClock) -> None:
    arm.jammed.add(0)  # the commands run away from it until the jump is too large
    with pytest.raises(LimitError, match="joint a: angle"):
        Mover(arm, clock, Button()).follow(transit())
    assert arm.stops == 1
    assert np.abs(arm.sent[-1][0][0]) <= LIMITS.max_jump_rad + 1e-9


def test_wait_lets_exactly_that_time_pass(arm: InstantArm, clock: ManualClock) -> None:
    Mover(arm, clock, Button()).wait(1.234)
    assert clock.now_s() == pytest.approx(11.234)
    assert arm.sent == []


def test_wait_is_ended_by_a_stop_within_a_tenth_of_a_second(arm: InstantArm, clock: ManualClock) -> None:
    with pytest.raises(StoppedError):
        Mover(arm, clock, Button(after=3)).wait(10.0)
    assert clock.now_s() - 10.0 <= 3 * 0.1
    assert arm.stops == 1


def test_opening_is_set_waited_for_and_told(arm: InstantArm, clock: ManualClock) -> None:
    assert Mover(arm, clock, Button()).set_opening(0.026, seconds=0.5) == pytest.approx(0.026)
    assert clock.now_s() == pytest.approx(10.5)


def test_opening_is_not_changed_after_a_stop(arm: InstantArm, clock: ManualClock) -> None:
    with pytest.raises(StoppedError):
        Mover(arm, clock, Button(after=0)).set_opening(0.026)
    assert arm.state().opening_m == 0.0


class Closing(InstantArm):
    """Fingers between which something lies; every opening they were sent to is kept."""

    between_m = 0.0

    def _send_opening(self, opening_m: float) -> None:
        self.openings = [*getattr(self, "openings", []), opening_m]
        super()._send_opening(max(opening_m, self.between_m))


@pytest.mark.parametrize("between_m", [0.015, 0.0])
def test_fingers_close_slowly_until_they_meet_something(clock: ManualClock, between_m: float) -> None:
    one = np.ones(1)
    arm = Closing(["waist"], ArmLimits(-one, one, one, one, one, opening_max_m=0.06), clock, np.zeros(1))
    mover = Mover(arm, clock, Button())
    mover.set_opening(0.026)
    arm.between_m, arm.openings, began_s = between_m, [], clock.now_s()
    mover.close_gently()
    steps = -np.diff([0.026, *arm.openings])
    assert steps.max() / PERIOD_S <= 0.012 + 1e-9, "a finger that hits fast kicks what it meets"
    assert arm.openings[-1] == pytest.approx(max(between_m - 0.002, 0.0), abs=2e-4)
    assert clock.now_s() - began_s == pytest.approx((0.026 - arm.openings[-1]) / 0.012, abs=0.02)


class Sagging(InstantArm):
    """Sinks by so much below every command."""

    sag_rad = np.array([0.004, 0.0005])

    def state(self) -> ArmState:
        state = super().state()
        return replace(state, q_rad=state.q_rad - self.sag_rad)


@pytest.fixture
def sagging(clock: ManualClock) -> Sagging:
    return Sagging(("a", "b"), LIMITS, clock, np.zeros(2))


def test_arm_that_sags_is_held_up_until_it_arrives(sagging: Sagging, clock: ManualClock) -> None:
    mover = Mover(sagging, clock, Button())
    mover.follow(transit())
    assert np.abs(sagging.state().q_rad - GOAL).max() < 2e-3
    assert mover.sent_rad == pytest.approx(GOAL)


def test_sag_is_taken_out_and_stays_taken_out(sagging: Sagging, clock: ManualClock) -> None:
    mover = Mover(sagging, clock, Button())
    mover.follow(transit())
    mover.level()
    assert np.abs(sagging.state().q_rad - GOAL).max() < 2e-4
    mover.step(GOAL - 0.1, np.zeros(2), clock.now_s() + PERIOD_S)
    assert np.abs(sagging.state().q_rad - (GOAL - 0.1)).max() < 2e-4


def test_arm_that_something_holds_is_not_pushed_on_afterwards(arm: InstantArm, clock: ManualClock) -> None:
    mover = Mover(arm, clock, Button())
    arm.jammed = {0}
    near = Transit(np.array([np.zeros(2), [0.2, -0.1]]), LIMITS)
    with pytest.raises(MotionError, match=r"joint a: 0\.2000 rad from its goal"):
        mover.follow(near)
    mover.step(np.array([0.0, -0.1]), np.zeros(2), clock.now_s() + PERIOD_S)
    assert arm.sent[-1][0] == pytest.approx([0.0, -0.1])


def test_arm_that_arrives_by_itself_is_sent_what_was_asked(arm: InstantArm, clock: ManualClock) -> None:
    mover = Mover(arm, clock, Button())
    mover.follow(transit())
    mover.level()
    assert arm.sent[-1][0] == pytest.approx(GOAL, abs=1e-12)
