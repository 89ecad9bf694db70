from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.clock import ManualClock
from robot.errors import DeviceError, LimitError
from robot.fakes import FakeForce, InstantArm
from robot.frames import Array
from robot.limits import FORCE_CEILING_N, ArmLimits

LOW, HIGH = np.array([-1.0, -2.0]), np.array([1.0, 0.5])
LIMITS = ArmLimits(LOW, HIGH, np.array([1.0, 2.0]), np.full(2, 5.0), np.full(2, 50.0), opening_max_m=0.06)
STILL = np.zeros(2)


def arm(q: tuple[float, float] = (0.0, 0.0), force: FakeForce | None = None) -> InstantArm:
    return InstantArm(("waist", "elbow"), LIMITS, ManualClock(), np.array(q), force)


def pushed(force_n: float) -> FakeForce:
    return FakeForce(lambda: force_n, ManualClock(), noise_n=0.0)


def test_command_within_every_limit_is_sent_as_it_is() -> None:
    it = arm()
    it.command(np.array([0.2, -0.2]), np.array([-1.0, 2.0]))
    (sent,) = it.sent
    assert sent[0].tolist() == [0.2, -0.2]
    assert sent[1].tolist() == [-1.0, 2.0]


REFUSED = {
    "angle above": (
        (0.9, 0.0),
        (1.01, 0.0),
        (0, 0),
        r"joint waist: angle 1\.0100 rad refused, allowed -1\.0000",
    ),
    "angle below": ((0.0, -1.9), (0.0, -2.01), (0, 0), r"joint elbow: angle -2\.0100 rad refused"),
    "angle not a number": ((0, 0), (np.nan, 0.0), (0, 0), r"joint waist: angle nan rad refused"),
    "angle infinite": ((0, 0), (0.0, np.inf), (0, 0), r"joint elbow: angle inf rad refused"),
    "rate above": (
        (0, 0),
        (0, 0),
        (1.01, 0.0),
        r"joint waist: rate 1\.0100 rad/s refused, allowed -1\.0000 to 1",
    ),
    "rate below": ((0, 0), (0, 0), (0.0, -2.01), r"joint elbow: rate -2\.0100 rad/s refused"),
    "rate not a number": ((0, 0), (0, 0), (0.0, np.nan), r"joint elbow: rate nan"),
    "jump up": (
        (0, 0),
        (0.26, 0.0),
        (0, 0),
        r"joint waist: angle 0\.2600 rad refused, allowed -0\.2500 to 0\.2500",
    ),
    "jump down": ((0, 0), (0.0, -0.26), (0, 0), r"joint elbow: angle -0\.2600 rad refused"),
    "too few joints": ((0, 0), (0.0,), (0, 0), r"\(1,\) angles and \(2,\) rates for 2 joints"),
    "too many rates": ((0, 0), (0, 0), (0, 0, 0), r"\(2,\) angles and \(3,\) rates for 2 joints"),
}


@pytest.mark.parametrize(("at", "q", "dq", "text"), REFUSED.values(), ids=REFUSED.keys())
def test_command_outside_a_limit_is_refused_and_nothing_is_sent(
    at: tuple[float, float], q: tuple[float, ...], dq: tuple[float, ...], text: str
) -> None:
    it = arm(at)
    with pytest.raises(LimitError, match=text + r".*nothing was sent"):
        it.command(np.array(q, dtype=float), np.array(dq, dtype=float))
    assert it.sent == []
    assert it.state().q_rad.tolist() == list(at)


@given(
    st.lists(st.floats(-0.3, 0.3) | st.just(np.nan), min_size=2, max_size=2),
    st.lists(st.floats(-3, 3) | st.just(np.inf), min_size=2, max_size=2),
    st.tuples(st.floats(-1, 1), st.floats(-2, 0.5)),
)
def test_whatever_is_asked_only_what_is_within_all_limits_is_sent(
    by: list[float], dq: list[float], at: tuple[float, float]
) -> None:
    it = arm(at)
    wish, rate = np.array(at) + by, np.array(dq)
    within = (
        (wish >= LOW).all() and (wish <= HIGH).all() and (np.abs(rate) <= LIMITS.dq_max_rad_s).all()
        and (np.abs(np.array(by)) <= 0.25).all()
    )  # fmt: skip
    try:
        it.command(wish, rate)
    except LimitError:
        assert not within or _on_the_edge(wish, np.array(by), rate)
        assert it.sent == []
    else:
        assert within or _on_the_edge(wish, np.array(by), rate)
        assert len(it.sent) == 1


def _on_the_edge(wish: Array, by: Array, rate: Array) -> bool:
    """Within the tolerance of a nanoradian on either side of a limit."""
    off = np.concatenate([wish - LOW, wish - HIGH, np.abs(by) - 0.25, np.abs(rate) - LIMITS.dq_max_rad_s])
    return bool((np.abs(off) < 2e-9).any())


@pytest.mark.parametrize("opening", [-0.001, 0.0601, np.nan, np.inf])
def test_opening_outside_the_grippers_is_refused(opening: float) -> None:
    it = arm()
    with pytest.raises(
        LimitError, match=r"gripper: opening .* mm refused, allowed 0 to 60 mm; nothing was sent"
    ):
        it.command_opening(opening)
    assert it.state().opening_m == 0.0


@pytest.mark.parametrize("opening", [0.0, 0.03, 0.06])
def test_opening_within_the_grippers_is_reached(opening: float) -> None:
    it = arm()
    it.command_opening(opening)
    assert it.state().opening_m == opening


@pytest.mark.parametrize("force_n", [3.01, -3.01])
def test_force_above_the_ceiling_stops_the_arm_and_sends_nothing(force_n: float) -> None:
    it = arm(force=pushed(force_n))
    with pytest.raises(
        DeviceError, match=r"fingertip: -?3\.01 N, ceiling 3\.00 N; the arm was stopped.*sensor drifts"
    ):
        it.command(STILL, STILL)
    assert (it.sent, it.stops) == ([], 1)


@pytest.mark.parametrize("force_n", [2.99, -2.99])
def test_force_below_the_ceiling_hinders_nothing(force_n: float) -> None:
    it = arm(force=pushed(force_n))
    it.command(STILL, STILL)
    assert (len(it.sent), it.stops) == (1, 0)


def test_a_force_that_cannot_be_read_is_no_leave_to_move() -> None:
    force = pushed(0.0)
    force.broken = True
    it = arm(force=force)
    with pytest.raises(DeviceError, match="force sensor: no answer"):
        it.command(STILL, STILL)
    assert it.sent == []


def test_an_arm_that_cannot_be_read_is_not_commanded() -> None:
    it = arm()
    it.unreadable = True
    with pytest.raises(DeviceError, match="arm: no answer"):
        it.command(STILL, STILL)
    assert it.sent == []


def test_ceiling_stands_at_three_newtons_unless_lowered() -> None:
    assert FORCE_CEILING_N == LIMITS.force_ceiling_n == 3.0


def test_single_spike_stops_nothing_and_a_load_that_stays_does() -> None:
    clock, force_n = ManualClock(), [0.0]
    force = FakeForce(lambda: force_n[0], clock, noise_n=0.0, delay_s=0.0)
    it = InstantArm(("waist", "elbow"), LIMITS, clock, np.zeros(2), force)

    def step(felt_n: float) -> None:
        force_n[0] = felt_n
        clock.sleep_until(clock.now_s() + 0.0126)
        it.command(np.zeros(2), np.zeros(2))

    for felt_n in (0.0, 7.0, 0.0, 0.0, 7.0, 0.0, 0.0):
        step(felt_n)
    step(7.0)
    with pytest.raises(DeviceError, match=r"fingertip: 7\.00 N, ceiling"):
        step(7.0)


def test_tool_that_would_go_too_fast_is_refused_though_each_joint_may() -> None:
    """A metre long: with both joints at their rates its end goes at three metres a second."""
    long = replace(
        LIMITS, tool_max_m_s=1.0, jacobian=lambda _q: np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    )
    it = InstantArm(("waist", "elbow"), long, ManualClock(), np.zeros(2))
    it.command(STILL, np.array([0.5, 0.5]))
    with pytest.raises(LimitError, match=r"tool: 3\.00 m/s refused, allowed 1\.00 m/s; nothing was sent"):
        it.command(STILL, np.array([1.0, 2.0]))
    assert len(it.sent) == 1
