"""The guarded push: advance along a line until a force or a distance is reached, then stop and hold.

The speed never exceeds what the reading's delay allows. While a reading is under way the tip moves on, and against
something hard every metre of that adds the tip's stiffness to the force; so the force is taken to be the reading plus
stiffness times the way since it was measured, and the speed falls in proportion to what is then left to the limit.
The way back is the same line, followed backwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from robot.errors import DeviceError, LimitError
from robot.follow import PERIOD_S, Mover
from robot.frames import Array
from robot.limits import FORCE_CEILING_N, least_force_n
from robot.ports import ForceSensor, Kinematics
from robot.taring import at_rest, resting_n
from robot.trajectory import Line

_SLOWEST_M_S, FASTEST_M_S = 0.0003, 0.010
_ACCEL_M_S2 = 0.05
_EASE_S = 0.040  # time constant with which a hard push comes to its limit
_JOINT_SHARE = 0.7
_MEDIAN_OF = 3
_LATE_SAMPLES, _LATE_S = 3, 0.1  # so much later than the last one may a new reading come while the tip moves


class Ended(Enum):
    """Why a push ended."""

    TRAVEL = "travel"
    FORCE = "force"
    HOME = "home"


@dataclass(frozen=True)
class Sample:
    """One moment of a push: time, how far along the line the tool is, filtered force."""

    t_s: float
    tip_m: float
    force_n: float


@dataclass(frozen=True)
class PushResult:
    """What a push met.

    Attributes:
        ended: Why it ended.
        end_m: Where on the line the arm was sent last.
        contact_m: Where the tip touched, None where it never did.
        trace: One sample for every new force reading.
    """

    ended: Ended
    end_m: float
    contact_m: float | None
    trace: tuple[Sample, ...] = field(repr=False)

    @property
    def peak_n(self) -> float:
        """Largest filtered force, of either sign."""
        return max((abs(sample.force_n) for sample in self.trace), default=0.0)


Each = Callable[[Sample], None]


class Pusher:
    """Pushes and pulls along lines with the fingertip.

    Args:
        mover: Of the arm.
        kinematics: To tell where the tip is.
        sensor: Its noise and delay bound what can be promised.
        stiffness_n_m: Of the compliant tip.
        dq_max_rad_s: Rates (n,) that no joint may pass; near a wrist singularity they slow the tip down.
        fastest_m_s: Speed of the tip that no push and no pull passes, whatever is asked for.
        lag_s: How long after it was sent the arm is there.
    """

    def __init__(
        self,
        mover: Mover,
        kinematics: Kinematics,
        sensor: ForceSensor,
        stiffness_n_m: float,
        dq_max_rad_s: Array,
        fastest_m_s: float = FASTEST_M_S,
        lag_s: float = 0.0,
    ) -> None:
        self._mover, self._kinematics, self._sensor = mover, kinematics, sensor
        self.fastest_m_s, self._lag_s = fastest_m_s, lag_s
        self.dq_max_rad_s = dq_max_rad_s
        self.stiffness_n_m = stiffness_n_m
        self._zero_n = 0.0
        self._recent = at_rest(_MEDIAN_OF)
        self._last_t_s = -np.inf

    @property
    def smallest_force_n(self) -> float:
        """Force that stands out of the filtered reading's noise."""
        return least_force_n(self._sensor.noise_n)

    def tare(self) -> None:
        """Take the present force for nought; the tip must be free.

        Raises:
            StoppedError: A person asked for a stop.
            DeviceError: No new readings came, or they do not come to rest.
        """
        self._zero_n = resting_n(self._sensor, self._mover.wait, self.now_s)
        self._recent = at_rest(_MEDIAN_OF)

    def advance(
        self,
        line: Line,
        from_m: float,
        to_m: float,
        speed_m_s: float,
        limit_n: float,
        *,
        home_m: float = np.inf,
        each: Each | None = None,
    ) -> PushResult:
        """Move the tip between two distances along a line, until `limit_n` either way; then hold there.

        Args:
            line: Joint angles along the line.
            from_m: Where the arm stands on it now.
            to_m: Where to go at most; it may lie behind.
            speed_m_s: At most this, and never more than the sensor's delay allows.
            limit_n: Force at which to stop.
            home_m: Distance at which to stop too, as soon as the compressed tip itself is there.
            each: Called with every new sample; may raise to end the push.

        Raises:
            LimitError: The limit is above the ceiling or below what the sensor can tell from noise.
            DeviceError: No new readings come; the arm was stopped.
            StoppedError: A person asked for a stop.
        """
        self.check_limit(limit_n)
        run = _Run(self, line, from_m, to_m, speed_m_s, limit_n, home_m)
        with self._mover.still_on_error(), self._mover.gently():
            while run.ended is None:
                run.step(each)
            return run.result()

    def check_limit(self, limit_n: float) -> None:
        """Refuse a limit that the sensor's noise, as it is now, would hide, and one above the ceiling.

        Raises:
            LimitError: With the numbers.
        """
        if not self.smallest_force_n <= limit_n <= FORCE_CEILING_N:
            raise LimitError(
                f"push: force limit {limit_n:.3f} N refused, allowed {self.smallest_force_n:.3f} N (four standard "
                f"deviations of the filtered reading; one sample's is {self._sensor.noise_n:.3f} N) to "
                f"{FORCE_CEILING_N:.1f} N; nothing was pushed"
            )

    @property
    def latency_s(self) -> float:
        """From a step that is sent to the one that heeds its force.

        The arm's lag, the sensor's delay, two more samples until the median turns, one step.
        """
        return self._lag_s + self._sensor.delay_s + 2 / self._sensor.rate_hz + PERIOD_S

    def allowed_speed(self, force_n: float, under_way_m: float, limit_n: float) -> float:
        """Speed at which a push does not pass its limit even against something hard.

        Args:
            force_n: By the newest reading.
            under_way_m: How far the tip has moved since that was measured.
            limit_n: Force at which the push stops.
        """
        left_n = limit_n - abs(force_n) - self.stiffness_n_m * under_way_m
        return max(left_n / (self.stiffness_n_m * _EASE_S), _SLOWEST_M_S)

    def filtered(self) -> float | None:
        """Median of the three newest readings less the tare, or None where no new one has come.

        Until there are three since the tare, what is missing is the tare itself: a single reading out of line says
        nothing, as later on, and two that agree are believed at once.
        """
        reading = self._sensor.read()
        if reading.t_s <= self._last_t_s:
            return None
        self._last_t_s = reading.t_s
        self._recent.append(reading.force_n - self._zero_n)
        return float(np.median(self._recent))

    @property
    def patience_s(self) -> float:
        """How long a push goes on without a new reading."""
        return _LATE_SAMPLES / self._sensor.rate_hz + _LATE_S

    def place_on(self, line: Line) -> Callable[[], float]:
        """A function that tells how far along the line the tool is, by the measured joint angles."""
        start = self._kinematics.forward(line.q(0.0))[:3, 3]
        along = self._kinematics.forward(line.q(line.length_m))[:3, 3] - start
        along /= np.linalg.norm(along)
        return lambda: float((self._kinematics.forward(self._mover.arm.state().q_rad)[:3, 3] - start) @ along)

    def now_s(self) -> float:
        """Time on the arm's clock."""
        return self._mover.clock.now_s()

    def step(self, q_rad: Array, dq_rad_s: Array) -> float:
        """Send one command, wait one period and return the time."""
        self._mover.step(q_rad, dq_rad_s, self.now_s() + PERIOD_S)
        return self.now_s()


class _Run:
    """One push under way."""

    def __init__(
        self,
        pusher: Pusher,
        line: Line,
        from_m: float,
        to_m: float,
        speed_m_s: float,
        limit_n: float,
        home_m: float,
    ) -> None:
        self._pusher, self._line, self._to_m, self._limit_n, self._home_m = (
            pusher,
            line,
            to_m,
            limit_n,
            home_m,
        )
        self._at_m, self._sense = from_m, float(np.sign(to_m - from_m))
        self._path_m = deque([from_m], maxlen=int(np.ceil(pusher.latency_s / PERIOD_S)))
        self._wished_m_s = min(speed_m_s, pusher.fastest_m_s)
        self._speed_m_s, self._force_n = 0.0, 0.0
        self._contact_m: float | None = None
        self._trace: list[Sample] = []
        self._place = pusher.place_on(line)
        self._heard_s = pusher.now_s()
        self.ended: Ended | None = None if self._sense else Ended.TRAVEL

    def step(self, each: Each | None) -> None:
        """Advance by one period and look at the force."""
        under_way_m = abs(self._at_m - self._path_m[0])
        allowed = min(self._wished_m_s, self._pusher.allowed_speed(self._force_n, under_way_m, self._limit_n))
        joints = float(
            (self._pusher.dq_max_rad_s / np.maximum(np.abs(self._line.dq_ds(self._at_m)), 1e-6)).min()
        )
        self._speed_m_s = min(allowed, self._speed_m_s + _ACCEL_M_S2 * PERIOD_S, _JOINT_SHARE * joints)
        left = abs(self._to_m - self._at_m)
        step = min(self._speed_m_s * PERIOD_S, left)
        self._path_m.append(self._at_m)
        self._at_m += self._sense * step
        rate = self._line.dq_ds(self._at_m) * self._sense * step / PERIOD_S
        now_s = self._pusher.step(self._line.q(self._at_m), rate)
        if left - step < 1e-9:
            self.ended = Ended.TRAVEL
        force = self._pusher.filtered()
        if force is not None:
            self._heard_s = now_s
            self._note(now_s, force, each)
        elif now_s - self._heard_s > self._pusher.patience_s:
            raise DeviceError(
                f"force sensor: no new reading for {now_s - self._heard_s:.2f} s during a push, allowed "
                f"{self._pusher.patience_s:.2f} s; the arm was stopped. Check its cable and power"
            )

    def _note(self, now_s: float, force_n: float, each: Each | None) -> None:
        self._force_n = force_n
        self._trace.append(Sample(now_s, self._place(), force_n))
        if self._contact_m is None and force_n > self._pusher.smallest_force_n:
            # The spring has given by force over stiffness since the touch.
            self._contact_m = self._trace[-1].tip_m - force_n / self._pusher.stiffness_n_m
        if abs(force_n) >= self._limit_n:
            self.ended = Ended.FORCE
        elif self._trace[-1].tip_m - force_n / self._pusher.stiffness_n_m >= self._home_m:
            self.ended = Ended.HOME
        if each:
            each(self._trace[-1])

    def result(self) -> PushResult:
        """Hold, and say what happened."""
        q = self._line.q(self._at_m)
        self._pusher.step(q, np.zeros_like(q))
        assert self.ended is not None
        return PushResult(self.ended, self._at_m, self._contact_m, tuple(self._trace))
