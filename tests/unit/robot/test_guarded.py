from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.clock import ManualClock
from robot.errors import DeviceError, LimitError, StoppedError
from robot.fakes import Button, FakeForce, Gantry, InstantArm
from robot.follow import PERIOD_S, Mover
from robot.frames import Array
from robot.guarded import Ended, Pusher, PushResult, Sample
from robot.limits import ArmLimits
from robot.ports import ForceReading
from robot.trajectory import Line

STIFFNESS_N_M = 500.0
ALONG_X = Line(np.array([0.0, 0.05, 0.1]), np.array([[0.0, 0, 0], [0.05, 0, 0], [0.1, 0, 0]]))
WALL_M = 0.02


class Table:
    """A gantry whose fingertip pushes along x against something."""

    def __init__(
        self, force: Callable[[float], float], *, button: Button | None = None, seed: int = 1, **cell: float
    ) -> None:
        self.clock = ManualClock()
        limits = ArmLimits(
            np.full(3, -1.0), np.ones(3), np.full(3, 0.5), np.full(3, 5.0), np.full(3, 50.0), 0.06
        )
        self.arm = InstantArm(("x", "y", "z"), limits, self.clock, np.zeros(3))
        self.button = button or Button()
        self.felt_n: list[float] = []
        self.sensor = FakeForce(lambda: force(self.tip_m), self.clock, seed=seed, **cell)
        self.pusher = self.pusher_with(np.full(3, 0.5))
        self._force = force

    def pusher_with(self, dq_max: Array) -> Pusher:
        mover = Mover(self.arm, self.clock, self.button)
        return Pusher(mover, Gantry(), self.sensor, STIFFNESS_N_M, dq_max)

    @property
    def tip_m(self) -> float:
        return float(self.arm.state().q_rad[0])

    def advance(self, to_m: float, limit_n: float, speed_m_s: float = 0.002, **more: float) -> PushResult:
        return self.pusher.advance(ALONG_X, self.tip_m, to_m, speed_m_s, limit_n, **more)

    def speeds_m_s(self) -> Array:
        return np.array([dq[0] for _, dq in self.arm.sent])

    def peak_n(self) -> float:
        """The highest true force of the way, not what the sensor said."""
        return max(abs(self._force(float(q[0]))) for q, _ in self.arm.sent)


def wall(x_m: float) -> float:
    return STIFFNESS_N_M * max(0.0, x_m - WALL_M)


def nothing(_x_m: float) -> float:
    return 0.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("speed", [0.001, 0.002, 0.010])
@pytest.mark.parametrize(
    ("delay_s", "rate_hz", "noise_n"),
    [(0.060, 80, 0.03), (0.008, 125, 0.01), (0.100, 80, 0.03), (0.060, 20, 0.03)],
)
def test_push_against_a_wall_stops_at_the_limit_whatever_the_sensors_delay(
    delay_s: float, rate_hz: float, noise_n: float, speed: float, seed: int
) -> None:
    table = Table(wall, delay_s=delay_s, rate_hz=rate_hz, noise_n=noise_n, seed=seed)
    result = table.advance(0.05, 0.5, speed)
    assert result.ended is Ended.FORCE
    assert 0.35 < table.peak_n() <= 0.5 + 0.05 + noise_n


def test_speed_falls_as_the_force_nears_the_limit() -> None:
    table = Table(wall, noise_n=0.0)
    table.advance(0.05, 0.5, 0.006)
    speeds, forces = table.speeds_m_s()[:-1], np.array([wall(float(q[0])) for q, _ in table.arm.sent[:-1]])
    assert speeds.max() == pytest.approx(0.006)
    assert speeds[forces > 0.45].max() < 0.0025
    assert speeds[-5:].max() < 0.001
    assert speeds.min() > 0, "it never quite stands, or the limit would never be reached"


@given(st.floats(-3, 3), st.floats(0, 0.01), st.floats(0.1, 3))
def test_allowed_speed_falls_with_force_and_with_the_way_no_reading_tells_of(
    force_n: float, under_way_m: float, limit_n: float
) -> None:
    pusher = Table(nothing).pusher
    speed = pusher.allowed_speed(force_n, under_way_m, limit_n)
    assert 0 < speed <= pusher.allowed_speed(0.0, 0.0, limit_n)
    assert speed == pusher.allowed_speed(-force_n, under_way_m, limit_n)
    assert pusher.allowed_speed(abs(force_n) + 0.1, under_way_m, limit_n) <= speed
    assert pusher.allowed_speed(force_n, under_way_m + 1e-3, limit_n) <= speed


def test_push_that_meets_nothing_ends_at_its_travel_and_holds_there() -> None:
    table = Table(nothing)
    result = table.advance(0.03, 0.5)
    assert (result.ended, result.contact_m) == (Ended.TRAVEL, None)
    assert result.end_m == pytest.approx(0.03)
    assert table.tip_m == pytest.approx(0.03)
    assert table.arm.sent[-1][1] == pytest.approx(0)
    assert (np.diff([q[0] for q, _ in table.arm.sent]) >= -1e-12).all()


def test_push_keeps_the_speed_it_was_asked_for() -> None:
    table = Table(nothing, noise_n=0.0)
    table.advance(0.03, 0.5, 0.002)
    speeds = table.speeds_m_s()
    assert speeds.max() == pytest.approx(0.002)
    assert np.abs(np.diff(speeds[:-1])).max() <= 0.05 * PERIOD_S + 1e-9, "it is taken up gently"


def test_no_push_is_faster_than_a_centimetre_a_second() -> None:
    table = Table(nothing, noise_n=0.0)
    table.advance(0.05, 3.0, 1.0)
    assert table.speeds_m_s().max() <= 0.010 + 1e-12


def test_slow_joint_slows_the_tip_down() -> None:
    table = Table(nothing, noise_n=0.0)
    pusher = table.pusher_with(np.array([0.001, 1.0, 1.0]))
    pusher.advance(ALONG_X, 0.0, 0.005, 0.010, 0.5)
    assert table.speeds_m_s().max() == pytest.approx(0.0007)


def test_contact_is_placed_where_the_tip_touched() -> None:
    table = Table(wall, noise_n=0.01)
    result = table.advance(0.05, 0.5, 0.001)
    assert result.contact_m == pytest.approx(WALL_M, abs=2e-4)


def test_result_holds_where_the_arm_was_sent_last_and_what_it_felt() -> None:
    table = Table(wall, noise_n=0.0)
    result = table.advance(0.05, 0.5)
    assert result.end_m == pytest.approx(table.tip_m)
    assert result.peak_n == pytest.approx(max(s.force_n for s in result.trace))
    assert result.peak_n >= 0.5
    assert [s.t_s for s in result.trace] == sorted({s.t_s for s in result.trace})


def test_pull_back_ends_at_its_limit_too() -> None:
    gripped = [False]
    table = Table(lambda x: -STIFFNESS_N_M * max(0.0, 0.03 - x) if gripped[0] else 0.0, noise_n=0.0)
    table.advance(0.04, 0.5)
    gripped[0] = True
    result = table.advance(0.0, 0.5)
    assert result.ended is Ended.FORCE
    assert -0.55 <= -STIFFNESS_N_M * (0.03 - result.end_m) <= -0.5
    assert result.peak_n >= 0.5


def test_push_home_stops_when_the_compressed_tip_is_there() -> None:
    friction_n = 0.3  # a sliding block: the tip gives by force over stiffness
    table = Table(lambda x: min(STIFFNESS_N_M * max(0.0, x - WALL_M), friction_n), noise_n=0.0)
    result = table.advance(0.05, 0.6, 0.002, home_m=0.03)
    assert result.ended is Ended.HOME
    assert table.tip_m - friction_n / STIFFNESS_N_M == pytest.approx(0.03, abs=4e-4)


def test_push_to_where_it_stands_does_nothing() -> None:
    table = Table(nothing)
    result = table.pusher.advance(ALONG_X, 0.02, 0.02, 0.002, 0.5)
    assert (result.ended, result.end_m, result.trace, result.peak_n) == (Ended.TRAVEL, 0.02, (), 0.0)


@pytest.mark.parametrize("limit_n", [0.0, 0.05, 0.0803, 3.01, -1.0, np.nan])
def test_limit_below_the_noise_or_above_the_ceiling_is_refused(limit_n: float) -> None:
    table = Table(nothing, noise_n=0.03)
    with pytest.raises(
        LimitError, match=r"force limit .* N refused, allowed 0\.080 N .* to 3\.0 N; nothing was pushed"
    ):
        table.advance(0.05, limit_n)
    assert table.arm.sent == []


@pytest.mark.parametrize("limit_n", [0.0805, 3.0])
def test_limits_at_the_edges_are_taken(limit_n: float) -> None:
    assert Table(nothing, noise_n=0.03).advance(0.001, limit_n).end_m == pytest.approx(0.001)


@pytest.mark.parametrize("seed", range(8))
def test_noise_alone_neither_stops_a_push_nor_looks_like_contact(seed: int) -> None:
    table = Table(nothing, noise_n=0.03, seed=seed)
    table.pusher.tare()
    result = table.advance(0.03, 0.2)
    assert result.ended is Ended.TRAVEL


def test_tare_takes_the_present_force_for_nought() -> None:
    table = Table(lambda x: 0.4 + wall(x), noise_n=0.02)
    table.pusher.tare()
    result = table.advance(0.05, 0.5)
    assert result.ended is Ended.FORCE
    assert wall(table.tip_m) == pytest.approx(0.5, abs=0.12)
    assert result.contact_m == pytest.approx(WALL_M, abs=4e-4)


def test_tare_forgets_readings_from_before_it() -> None:
    bias = [2.0]
    table = Table(lambda _x: bias[0], noise_n=0.0)
    for _ in range(20):
        table.clock.sleep_until(table.clock.now_s() + 0.0125)
        table.pusher.filtered()
    bias[0] = 0.0
    table.clock.sleep_until(table.clock.now_s() + 0.2)
    table.sensor.read()
    table.clock.sleep_until(table.clock.now_s() + 0.2)
    table.pusher.tare()
    assert table.advance(0.01, 0.5).peak_n < 0.01


def shaken(force: Callable[[float], float]) -> Table:
    """A table whose free finger feels a force that depends on the time."""
    now: list[Callable[[], float]] = [lambda: 0.0]
    table = Table(lambda _x: force(now[0]()), noise_n=0.01)
    now[0] = table.clock.now_s
    return table


class Spiky:
    """A sensor whose readings are as given, one each millisecond, after it was tared at rest."""

    noise_n, delay_s, rate_hz = 0.0, 0.0, 1000.0

    def __init__(self, clock: ManualClock, after_n: list[float]) -> None:
        self._clock, self.after_n = clock, after_n
        self.begun = False

    def read(self) -> ForceReading:
        value = self.after_n.pop(0) if self.begun and self.after_n else 0.0
        return ForceReading(value, self._clock.now_s())


def pushed_with(after_n: list[float]) -> PushResult:
    """A push through free space of which the sensor says this at first."""
    table = Table(nothing)
    sensor = Spiky(table.clock, after_n)
    pusher = Pusher(Mover(table.arm, table.clock, Button()), Gantry(), sensor, STIFFNESS_N_M, np.full(3, 0.5))
    pusher.tare()
    sensor.begun = True
    return pusher.advance(ALONG_X, 0.0, 0.004, 0.002, 0.8)


@pytest.mark.parametrize("before", [0, 1, 2, 5])
def test_one_reading_out_of_line_ends_no_push_not_even_right_after_taring(before: int) -> None:
    result = pushed_with([0.0] * before + [9.0])
    assert result.ended is Ended.TRAVEL
    assert result.contact_m is None


@pytest.mark.parametrize("before", [0, 1, 2, 5])
def test_two_readings_of_a_real_force_end_a_push_from_the_first_on(before: int) -> None:
    result = pushed_with([0.0] * before + [2.0, 2.0])
    assert result.ended is Ended.FORCE
    assert len(result.trace) == before + 2


def test_tare_waits_until_the_finger_has_come_to_rest() -> None:
    table = shaken(lambda t_s: 0.3 * np.exp(-t_s / 0.2))
    table.pusher.tare()
    assert 0.5 < table.clock.now_s() < 2.0
    assert table.advance(0.01, 0.5).peak_n < 0.08


@pytest.mark.parametrize(
    ("force", "told"),
    [
        (lambda t_s: 0.4 * t_s, r"it drifts by \+0\.0\d+ N in 24 readings, allowed are 0\.0\d+ N"),
        (lambda t_s: 0.2 * np.sin(40.0 * t_s), r"readings spread by 0\.1\d+ N, allowed are 0\.0\d+ N"),
    ],
)
def test_sensor_that_does_not_come_to_rest_is_refused_with_the_numbers(
    force: Callable[[float], float], told: str
) -> None:
    table = shaken(force)
    with pytest.raises(DeviceError, match=rf"not calm for 5 s before a push: {told}; nothing was pushed"):
        table.pusher.tare()
    assert table.clock.now_s() < 7.0
    assert table.arm.sent == []


def test_dead_sensor_is_found_while_taring_within_its_deadline() -> None:
    table = Table(nothing)
    table.sensor.dead = True
    with pytest.raises(
        DeviceError, match=r"0 new readings in 5 s, 24 are needed to tare; nothing was pushed"
    ):
        table.pusher.tare()
    assert table.clock.now_s() < 5.2


def test_sensor_that_dies_during_a_push_stops_the_arm_at_once() -> None:
    table = Table(wall)
    died_s: list[float] = []

    def die(sample: Sample) -> None:
        if sample.tip_m > 0.01:
            table.sensor.dead = True
            died_s.append(sample.t_s)

    with pytest.raises(DeviceError, match=r"no new reading for 0\.\d+ s during a push, allowed 0\.14 s"):
        table.pusher.advance(ALONG_X, 0.0, 0.05, 0.002, 0.5, each=die)
    assert table.clock.now_s() - died_s[-1] < 0.2
    assert table.arm.stops == 1
    assert table.tip_m < 0.011


def test_sensor_that_cannot_be_read_stops_the_arm() -> None:
    table = Table(nothing)
    table.sensor.broken = True
    with pytest.raises(DeviceError, match="force sensor: no answer"):
        table.advance(0.05, 0.5)
    assert table.arm.stops == 1
    assert table.tip_m < 1e-4


@pytest.mark.parametrize("polls", [0, 7, 200])
def test_stop_during_a_push_leaves_the_arm_still(polls: int) -> None:
    table = Table(wall, button=Button(after=polls))
    with pytest.raises(StoppedError):
        table.advance(0.05, 0.5)
    assert len(table.arm.sent) == polls
    assert table.arm.stops >= 1
    assert table.arm.state().dq_rad_s == pytest.approx(0)


def test_whoever_watches_the_samples_may_end_the_push() -> None:
    table = Table(nothing)

    def enough(sample: Sample) -> None:
        if sample.tip_m > 0.005:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        table.pusher.advance(ALONG_X, 0.0, 0.05, 0.002, 0.5, each=enough)
    assert table.arm.stops == 1
    assert table.tip_m == pytest.approx(0.005, abs=3e-4)


def test_smallest_force_stands_out_of_the_filtered_noise_by_four_deviations() -> None:
    table = Table(nothing, noise_n=0.05, rate_hz=80)
    readings = []
    for _ in range(6000):
        table.clock.sleep_until(table.clock.now_s() + PERIOD_S)
        force = table.pusher.filtered()
        if force is not None:
            readings.append(force)
    assert table.pusher.smallest_force_n == pytest.approx(4 * float(np.std(readings)), rel=0.05)


def test_arm_is_told_of_a_push_for_as_long_as_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    table, gentle = Table(wall, noise_n=0.0), [False]
    monkeypatch.setattr(table.arm, "be_gentle", gentle.append)
    table.advance(0.001, 0.5, each=lambda _sample: gentle.append(None))  # type: ignore[arg-type]
    assert (gentle[1], gentle[-1]) == (True, False)
    assert gentle.count(None) > 10
    with pytest.raises(ValueError, match="on the way"):
        table.advance(0.002, 0.5, each=lambda _sample: (_ for _ in ()).throw(ValueError("on the way")))  # type: ignore[arg-type]
    assert gentle[-2:] == [True, False]
