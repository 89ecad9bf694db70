from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.errors import MotionError
from robot.frames import Array
from robot.limits import ArmLimits
from robot.trajectory import AlongLine, Line, Trajectory, Transit

V, A, J = np.array([1.0, 2.0, 0.5]), np.array([4.0, 3.0, 6.0]), np.array([40.0, 60.0, 30.0])
LIMITS = ArmLimits(np.full(3, -9.0), np.full(3, 9.0), V, A, J, opening_max_m=0.06)
STEP_S = 1e-3

posture = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)


def sampled(trajectory: Trajectory) -> tuple[Array, Array]:
    """Angles and rates (k, n) every millisecond, and once after the end."""
    times = np.arange(0.0, trajectory.duration_s + 2 * STEP_S, STEP_S)
    at = [trajectory.at(float(t)) for t in times]
    return np.array([q for q, _ in at]), np.array([dq for _, dq in at])


def assert_smooth(q: Array, dq: Array, v: Array, a: Array, j: Array) -> None:
    """Rates are the angles' derivative, and no limit is passed; differences of samples average, so they may not be."""
    between = (dq[1:] + dq[:-1]) / 2
    slack = j * STEP_S**2
    assert (np.abs(np.diff(q, axis=0) / STEP_S - between) <= slack + 1e-6).all(), (
        "continuous, and rates tell the truth"
    )
    assert (np.abs(dq) <= v * 1.001 + 1e-9).all()
    accel = np.diff(dq, axis=0) / STEP_S
    assert (np.abs(accel) <= a * 1.001 + 1e-6).all()
    assert (np.abs(np.diff(accel, axis=0)) / STEP_S <= j * 1.01 + 1e-3).all()


@settings(max_examples=25)
@given(st.lists(posture, min_size=2, max_size=4), st.sampled_from([1.0, 0.4]))
def test_transit_keeps_speed_acceleration_and_jerk_and_rests_at_both_ends(
    way: list[Array], pace: float
) -> None:
    transit = Transit(np.array(way), LIMITS, pace)
    q, dq = sampled(transit)
    assert_smooth(q, dq, V * pace, A * pace, J * pace)
    assert q[0] == pytest.approx(way[0], abs=1e-6)
    assert q[-1] == pytest.approx(way[-1], abs=1e-6)
    assert dq[0] == pytest.approx(0, abs=1e-6)
    assert dq[-1] == pytest.approx(0, abs=1e-6)


@settings(max_examples=25)
@given(posture, posture)
def test_transit_is_straight_between_its_waypoints(a: Array, b: Array) -> None:
    q, _ = sampled(Transit(np.array([a, b]), LIMITS))
    along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-12)
    off = (q - a) - np.outer((q - a) @ along, along)
    assert np.linalg.norm(off, axis=1).max() < 1e-6


def test_transit_uses_the_speed_it_may() -> None:
    transit = Transit(np.array([[0, 0, 0], [3.0, 0, 0]]), LIMITS)
    _, dq = sampled(transit)
    assert np.abs(dq[:, 0]).max() == pytest.approx(V[0])
    slow = Transit(np.array([[0, 0, 0], [3.0, 0, 0]]), LIMITS, pace=0.5)
    assert slow.duration_s > 1.8 * transit.duration_s


def test_transit_passes_through_every_waypoint() -> None:
    way = np.array([[0, 0, 0], [1.0, -1, 0.2], [0.5, 0.5, 0.5]])
    q, _ = sampled(Transit(way, LIMITS))
    for point in way:
        assert np.abs(q - point).max(axis=1).min() < 1e-4


def test_transit_to_where_it_stands_takes_no_time() -> None:
    transit = Transit(np.zeros((2, 3)), LIMITS)
    assert transit.duration_s == 0.0
    assert transit.at(0.0)[0].tolist() == [0, 0, 0]


def test_timing_that_cannot_be_is_an_error_of_ours() -> None:
    with pytest.raises(MotionError, match="no timing for a motion from"):
        Transit(np.array([[0, 0, 0], [np.nan, 0, 0]]), LIMITS)
    with pytest.raises(MotionError, match=r"no timing for a motion from 0\.0000 to nan"):
        AlongLine(bent(), 0.0, np.nan, 0.05, LIMITS)


def bent() -> Line:
    """A line along which the joints turn by different amounts, one of them ever faster."""
    s = np.linspace(0, 0.1, 51)
    return Line(s, np.stack([3 * s, -8 * s, 100 * s**2], axis=1))


@pytest.mark.parametrize("speed", [0.002, 0.05, 0.25])
@pytest.mark.parametrize(("start", "end"), [(0.0, 0.1), (0.1, 0.0), (0.02, 0.06)])
def test_along_line_keeps_the_tools_speed_and_the_joints_limits(
    start: float, end: float, speed: float
) -> None:
    line = bent()
    motion = AlongLine(line, start, end, speed, LIMITS)
    q, dq = sampled(motion)
    assert_smooth(q, dq, V, A, J)
    assert q[0] == pytest.approx(line.q(start))
    assert q[-1] == pytest.approx(line.q(end))
    assert np.abs(dq[[0, -1]]).max() < 1e-9
    places = np.array([motion.place(t) for t in np.arange(0, motion.duration_s, STEP_S)])
    assert np.abs(np.diff(places)).max() / STEP_S <= speed + 1e-9
    assert (np.diff(places) * np.sign(end - start) >= -1e-9).all(), "never backwards"


def test_along_line_is_slowed_down_by_the_joint_that_would_be_too_fast() -> None:
    s = np.linspace(0, 0.1, 11)
    steep = Line(s, np.stack([50 * s, 0 * s, 0 * s], axis=1))  # 1 rad/s at 20 mm/s
    _, dq = sampled(AlongLine(steep, 0.0, 0.1, 0.2, LIMITS))
    assert 0.5 < np.abs(dq[:, 0]).max() <= V[0]


def test_distance_at_which_the_acceleration_is_just_reached_has_a_timing_wherever_it_begins() -> None:
    """12 mm at 0.6 m/s2 and 6 m/s3: rounding decides whether Ruckig finds one at the first attempt."""
    long = Line(np.linspace(0, 0.1, 11), np.zeros((11, 3)))
    for start_mm in range(88):
        motion = AlongLine(long, start_mm * 1e-3, start_mm * 1e-3 + 0.012, 0.12, LIMITS)
        assert 0.2 < motion.duration_s < 0.5


def test_line_holds_its_ends() -> None:
    line = bent()
    assert line.length_m == pytest.approx(0.1)
    assert line.q(-1.0).tolist() == line.q(0.0).tolist()
    assert line.q(9.0).tolist() == line.q(0.1).tolist()


@given(st.floats(0.001, 0.099))
def test_lines_slope_is_the_derivative_of_its_angles(s_m: float) -> None:
    line, h = bent(), 1e-6
    slope = (line.q(s_m + h) - line.q(s_m - h)) / (2 * h)
    assert line.dq_ds(s_m) == pytest.approx(slope, rel=1e-5, abs=1e-6)
    assert (np.abs(line.dq_ds(s_m)) <= line.largest_rates() + 1e-9).all()


def arm_of_rods(q_rad: Array) -> Array:
    """Jacobian (3, 3) of the end of three rods of half a metre that bend in a plane."""
    bends = np.cumsum(q_rad)
    ends = 0.5 * np.array([np.cos(bends), np.sin(bends), np.zeros(3)])
    after = np.array([ends[:, k:].sum(axis=1) for k in range(3)]).T
    return np.array([-after[1], after[0], np.zeros(3)])


@settings(max_examples=12)
@given(st.lists(posture, min_size=2, max_size=4), st.sampled_from([0.2, 0.6]), st.sampled_from([1.0, 0.4]))
def test_tool_goes_no_faster_than_it_may_on_its_way(way: list[Array], most_m_s: float, pace: float) -> None:
    limits = replace(LIMITS, jacobian=arm_of_rods, tool_max_m_s=most_m_s)
    transit = Transit(np.array(way), limits, pace)
    times = np.linspace(0.0, transit.duration_s, 200)
    fastest = max(limits.tool_m_s(*transit.at(float(t))) for t in times)
    assert fastest <= 1.01 * pace * most_m_s
    assert transit.at(transit.duration_s)[0] == pytest.approx(way[-1], abs=1e-6)


def test_limit_of_the_tool_that_is_not_reached_slows_nothing() -> None:
    way = np.array([[0.0, 0.0, 0.0], [0.3, -0.2, 0.1]])
    loose = replace(LIMITS, jacobian=arm_of_rods, tool_max_m_s=9.0)
    assert Transit(way, loose).duration_s == Transit(way, LIMITS).duration_s
    tight = replace(loose, tool_max_m_s=0.05)
    assert Transit(way, tight).duration_s > 2 * Transit(way, LIMITS).duration_s
