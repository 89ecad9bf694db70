"""Following a trajectory in small steps, each one checked by the arm's limits and by the stop signal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from robot.errors import MotionError, StoppedError
from robot.frames import Array
from robot.ports import Arm, Clock, StopSignal
from robot.trajectory import Trajectory

PERIOD_S = 0.008
_ARRIVED_RAD = 2e-3
_ARRIVAL_S = 1.0
# Against sag: how closely it is taken out, what share of it a step, how much at most, and when the arm has come to rest
_LEVEL_RAD, _TRIM_SHARE, _MOST_TRIM_RAD, _AT_REST_S = 2e-4, 0.05, 0.008, 0.25
_LEVEL_STEPS = 0.55  # of an arm's smallest step: nearer than half of one it cannot tell
_CLOSING_M_S, _MET_M = 0.012, 0.002  # a finger that hits fast kicks what it meets


class Mover:
    """Drives one arm; every motion of the program goes through here, and none outlives a stop.

    Args:
        arm: What moves.
        clock: Its waits are what makes a simulated world move.
        stop: Asked before each step.
    """

    def __init__(self, arm: Arm, clock: Clock, stop: StopSignal) -> None:
        self.arm, self.clock, self.stop = arm, clock, stop
        self.sent_rad: Array | None = None  # the newest command
        self._trim_rad: Array | float = (
            0.0  # sent on top of every command: a weak servo sags under the arm's weight
        )

    def check_stop(self) -> None:
        """Stand still and raise where a stop was asked for.

        Raises:
            StoppedError: It was.
        """
        if self.stop.is_set():
            self.arm.stop()
            raise StoppedError("stopped by a person; the arm stands still")

    @contextmanager
    def still_on_error(self) -> Iterator[None]:
        """Leave the arm standing still where the motion in this block ends by an exception of any kind."""
        try:
            yield
        except BaseException:
            self.arm.stop()
            raise

    @contextmanager
    def gently(self) -> Iterator[None]:
        """Have the arm take the steps of the motion in this block as those of a guarded push."""
        self.arm.be_gentle(True)
        try:
            yield
        finally:
            self.arm.be_gentle(False)

    def step(self, q_rad: Array, dq_rad_s: Array, at_s: float) -> None:
        """Send one command and wait until `at_s`."""
        self.check_stop()
        self.arm.command(q_rad + self._trim_rad, dq_rad_s)
        self.sent_rad = np.array(q_rad)
        self.clock.sleep_until(at_s)

    def follow(self, trajectory: Trajectory, each: Callable[[], None] | None = None) -> None:
        """Follow a trajectory to its end and arrive; `each` is called at every step and may raise to end it.

        Raises:
            StoppedError: A person asked for a stop.
            LimitError: A command was refused by the arm.
            MotionError: The arm did not arrive within a second after the last command.
        """
        began_s = self.clock.now_s()
        count = max(int(np.ceil(trajectory.duration_s / PERIOD_S)), 1)
        with self.still_on_error():
            for k in range(1, count + 1):
                q, dq = trajectory.at(min(k * PERIOD_S, trajectory.duration_s))
                self.step(q, dq, began_s + k * PERIOD_S)
                if each:
                    each()
            self._arrive(trajectory.at(trajectory.duration_s)[0])

    def _arrive(self, q_rad: Array) -> None:
        trim_rad = self._trim_rad
        off = self._trimmed(q_rad, _ARRIVED_RAD)
        if off.max() >= _ARRIVED_RAD:
            self._trim_rad = trim_rad  # it is not sag that keeps the arm away
            k = int(np.argmax(off))
            raise MotionError(
                f"joint {self.arm.joint_names[k]}: {off[k]:.4f} rad from its goal after {_ARRIVAL_S:.0f} s, "
                f"allowed {_ARRIVED_RAD} rad: something holds the arm, or the servo is too weak"
            )

    def level(self) -> None:
        """Take out what the arm sags by where it stands, in free space; it then stays taken out."""
        if self.sent_rad is not None:
            self._trimmed(self.sent_rad, max(_LEVEL_RAD, _LEVEL_STEPS * self.arm.step_rad))

    def _trimmed(self, q_rad: Array, within_rad: float) -> Array:
        """Hold angles (n,) and trim until they are measured so closely, a second at most; how far off they are then."""
        began_s, still = self.clock.now_s(), np.zeros_like(q_rad)
        while True:
            self.step(q_rad, still, self.clock.now_s() + PERIOD_S)
            off = self.arm.state().q_rad - q_rad
            waited_s = self.clock.now_s() - began_s
            if np.abs(off).max() < within_rad or waited_s > _ARRIVAL_S:
                return np.asarray(np.abs(off))
            if waited_s > _AT_REST_S:
                self._trim_rad = _within(self._trim_rad - _TRIM_SHARE * off)

    def wait(self, seconds: float) -> None:
        """Let time pass with the arm at rest where it was sent; a stop ends it."""
        end_s = self.clock.now_s() + seconds
        while self.clock.now_s() < end_s - 1e-9:
            self.check_stop()
            self.clock.sleep_until(min(end_s, self.clock.now_s() + 0.05))

    def close_gently(self) -> None:
        """Close the fingers slowly until they lag behind their command, because they met something, or are closed."""
        opening_m = self.arm.state().opening_m
        while opening_m > 0.0 and self.arm.state().opening_m < opening_m + _MET_M:
            opening_m = max(opening_m - _CLOSING_M_S * PERIOD_S, 0.0)
            self.set_opening(opening_m, PERIOD_S)

    def set_opening(self, opening_m: float, seconds: float = 0.8) -> float:
        """Open or close the fingers, wait for them, and return the opening reached."""
        self.check_stop()
        self.arm.command_opening(opening_m)
        self.wait(seconds)
        return self.arm.state().opening_m


def _within(trim_rad: Array) -> Array:
    return np.asarray(np.clip(trim_rad, -_MOST_TRIM_RAD, _MOST_TRIM_RAD))
