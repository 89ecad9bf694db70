"""An arm whose joints a GRBL-like controller drives by G-code, such as a Mirobot in joint mode.

What it cannot do: it tells no force, so a push needs a sensor of its own at the fingertip (`NoForce` refuses
without). It tells its place ten times a second at best, as commanded and not as measured, so a jammed joint is not
noticed. It has no watchdog: what is queued is done even if this program dies, so hardly anything is queued. And it
stops by a feed hold, which takes as long as its own deceleration does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hardware.force_stream import BytePort
from hardware.grbl import EMPTY, HOLD, LOCKED, RESET, STATUS, UNLOCK, Began, Flow, GrblDecoder, Status
from robot.errors import DeviceError
from robot.frames import Array
from robot.limits import ArmLimits, LimitedArm
from robot.ports import ArmState, Clock, ForceReading, ForceSensor

_POLL_S = 0.004
_ANSWER_S, _BOOT_S, _STOP_S, _HOME_S = 1.0, 6.0, 2.0, 90.0
_STALE_S, _ASK_S = 0.5, 0.1
_LATE_S = 0.3  # a report that was asked for before a hold and has not come by then was lost
_LINE_S, _QUEUED = 0.05, 2  # a goal so often, and so many not yet taken: what is queued cannot be called back
_SLOWING = ("Hold", 1)
MIROBOT_MODES = ("M21", "G90", "G94")  # joints, absolute, degrees a minute


class NoForce:
    """Implements `ForceSensor` for an arm that has none: every push is refused."""

    noise_n, delay_s, rate_hz = float("inf"), 0.0, 1.0

    def read(self) -> ForceReading:
        """Refuse.

        Raises:
            DeviceError: Always.
        """
        raise DeviceError(
            "force sensor: this arm tells no force over its wire, and no sensor is named: nothing can be pushed. Put a "
            "sensor into the fingertip and write force.port"
        )


class GrblArm(LimitedArm):
    """Implements `Arm`.

    Args:
        port: Of the controller; closed.
        letters: The axis letter of each joint, by its name, in the order of the kinematics.
        gripper: G-code for an opening in metres.
        limits: Of the joints.
        clock: Whose time it has.
        force: Sensor of the fingertip.
        modes: What it is told before it moves, so that goals are absolute angles; a Mirobot has a mode for that of its
            own, a plain GRBL has its axes turn the joints, and refuses to be told so.
    """

    def __init__(
        self,
        port: BytePort,
        letters: Mapping[str, str],
        gripper: Callable[[float], str],
        limits: ArmLimits,
        clock: Clock,
        force: ForceSensor | None = None,
        modes: Sequence[str] = MIROBOT_MODES,
    ) -> None:
        super().__init__(tuple(letters), limits, clock, force)
        self._modes = tuple(modes)
        self._port, self._letters, self._gripper = port, tuple(letters.values()), gripper
        self._decoder, self._flow = GrblDecoder(), Flow()
        self._status: Status | None = None
        self._told_s = self._asked_s = self._sent_s = -np.inf
        self._q_rad = np.zeros(len(self._letters))
        self._dq_rad_s = np.zeros(len(self._letters))
        self._opening_m, self._last, self._began = 0.0, "", False
        self._ready = self._restarted = (
            False  # whether it is not being started by us, and was by something else
        )
        self._owed = self._stale = 0  # reports asked for, and how many of those before the newest hold
        self._held_s, self._fresh = -np.inf, True  # when, and whether the newest report was asked for since
        self._unread = False  # whether a line was on its way as it told that

    def connect(self) -> None:
        """Open the port, wait for the controller, and choose joint mode; nothing moves.

        Raises:
            DeviceError: It does not answer, or is in an alarm: then a person has to home it.
        """
        self._ready = self._restarted = False
        self._port.open()
        self._decoder, self._flow, self._status = GrblDecoder(), Flow(), None  # what it said before is over
        try:
            self._port.flush_input()
            self._ask()
            self._until(
                lambda: self._status is not None, _BOOT_S, "told no status; is it a GRBL, at this baud rate?"
            )
            self._need_no_alarm()
            self._choose_modes()
            self._ready = True
        except BaseException:
            self.close()
            raise

    def home(self, command: str = "$H") -> None:
        """Unlock it and have it find its switches, which moves every joint: only at a person's word.

        Raises:
            DeviceError: It does not get there in time.
        """
        self._flow.alarm = self._flow.refused = self._status = None
        self._ready = self._restarted = False
        self._say(UNLOCK)
        self._say(command)
        self._until(lambda: self._flow.pending == 0, _HOME_S, "did not come home")
        self._status = None
        self._ask()
        self._until(lambda: self._status is not None, _ANSWER_S, "told no status")
        self._need_no_alarm()
        self._choose_modes()
        self._ready = True

    def close(self) -> None:
        """Give the port back; what is queued is done all the same. May be called twice."""
        self._port.close()

    def state(self) -> ArmState:
        """Where the controller says it has sent the joints; the rates are those between its reports."""
        self._listen()
        now_s = self._clock.now_s()
        if now_s - self._told_s > _STALE_S:
            self._ask()
            self._until(lambda: self._told_s >= now_s, _ANSWER_S, "told no status")
        elif now_s - self._asked_s >= _ASK_S:
            self._ask()
        return ArmState(self._q_rad.copy(), self._dq_rad_s.copy(), self._opening_m, self._told_s)

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        self._listen()
        self._need_no_alarm()
        now_s, words = self._clock.now_s(), self._words(q_rad)
        last = not np.any(dq_rad_s)
        if words == self._last or (now_s - self._sent_s < _LINE_S and not last):
            return
        if last:
            self._until(lambda: self._flow.pending <= _QUEUED, _ANSWER_S, "does not take a goal")
        elif self._flow.pending > _QUEUED:
            return  # a newer goal comes soon
        self._say(f"G1 {words} F{self._feed(q_rad, dq_rad_s):.0f}")
        self._last, self._sent_s = words, now_s

    def _send_opening(self, opening_m: float) -> None:
        self._need_no_alarm()
        self._say(self._gripper(opening_m))
        self._opening_m = opening_m

    def _send_stop(self) -> None:
        """Hold, and once it stands, forget what is queued; a reset in motion would cost it its place.

        A line that it refuses meanwhile is forgotten with the others.
        """
        self._port.write(HOLD)
        self._last, self._asked_s = "", -np.inf
        self._held_s, self._stale, self._fresh = self._clock.now_s(), self._owed, False
        self._until(self._stands, _STOP_S, "did not hold", self._hear)
        self._began = self._ready = False
        self._port.write(RESET)
        self._until(lambda: self._began, _STOP_S, "did not forget what is queued", self._hear)
        self._need_no_alarm()
        self._flow.refused = None
        self._choose_modes()
        self._ready = True

    def _stands(self) -> bool:
        """Whether a report since the hold says that it does not run, and no joint has moved since the one before."""
        now_s, status = self._clock.now_s(), self._status
        if now_s - self._asked_s >= _ASK_S:
            self._ask()
        if now_s - self._held_s > _LATE_S:
            self._stale = 0
        if not self._fresh or status is None or self._told_s < self._asked_s:
            return False
        if status.state == "Run":  # by a line that it had not read yet as it was told to hold
            self._port.write(HOLD)
            self._asked_s = -np.inf
            return False
        unread = status.state == "Idle" and self._unread
        return not unread and (status.state, status.stage) != _SLOWING and not np.any(self._dq_rad_s)

    def _words(self, q_rad: Sequence[float] | Array) -> str:
        return " ".join(
            f"{letter}{np.degrees(angle):.3f}" for letter, angle in zip(self._letters, q_rad, strict=True)
        )

    def _feed(self, q_rad: Array, dq_rad_s: Array) -> float:
        """Degrees a minute along the way in joint space; to where it stands already, no slower than a crawl."""
        rates = np.abs(dq_rad_s) if np.any(dq_rad_s) else np.abs(q_rad - self._q_rad) / _LINE_S
        rates = np.minimum(rates, self.limits.dq_max_rad_s)
        return max(float(np.degrees(np.linalg.norm(rates))) * 60.0, 1.0)

    def _choose_modes(self) -> None:
        for line in self._modes:
            self._say(line)
        self._until(lambda: self._flow.pending == 0, _ANSWER_S, "does not take joint mode")

    def _say(self, line: str) -> None:
        if self._flow.refused is not None:  # it repeats the error until it gets an empty line
            self._flow.refused = None
            self._port.write(self._flow.sends(EMPTY))
        self._until(lambda: self._flow.fits(line), _ANSWER_S, f"has no room for {line!r}")
        self._port.write(self._flow.sends(line))

    def _ask(self) -> None:
        self._asked_s = self._clock.now_s()
        self._owed += 1
        self._port.write(STATUS)

    def _hear(self) -> None:
        for event in self._decoder.feed(self._port.read_waiting()):
            self._flow.heard(event)
            if isinstance(event, Status):
                self._fresh, self._unread = self._stale == 0, self._flow.pending > 0
                self._owed, self._stale = max(self._owed - 1, 0), max(self._stale - 1, 0)
                self._place(event)
            if isinstance(event, Began):
                self._began, self._restarted = True, self._restarted or self._ready

    def _listen(self) -> None:
        self._hear()
        if self._flow.refused is not None and self._flow.refused != LOCKED:
            number, self._flow.refused = self._flow.refused, None
            self._port.write(self._flow.sends(EMPTY))
            raise self._error(
                f"refused a line (error:{number}); it was not done. Look it up in the firmware's list"
            )

    def _place(self, status: Status) -> None:
        if any(letter not in status.at for letter in self._letters):
            return  # a report without these joints tells no place
        now_s = self._clock.now_s()
        q_rad = np.radians([status.at[letter] for letter in self._letters])
        if self._status is not None and now_s > self._told_s:
            self._dq_rad_s = (q_rad - self._q_rad) / (now_s - self._told_s)
        self._status, self._q_rad, self._told_s = status, q_rad, now_s

    def _until(
        self,
        done: Callable[[], bool],
        within_s: float,
        failed: str,
        listen: Callable[[], None] | None = None,
    ) -> None:
        deadline_s = self._clock.now_s() + within_s
        while not done():
            if self._clock.now_s() > deadline_s:
                self._need_no_alarm()
                raise self._error(
                    f"{failed} within {within_s:g} s. Check its cable and power, and its emergency stop"
                )
            self._clock.sleep_until(self._clock.now_s() + _POLL_S)
            (listen or self._listen)()

    def _need_no_alarm(self) -> None:
        alarm, status = self._flow.alarm, self._status
        calm = (status is None or status.state != "Alarm") and self._flow.refused != LOCKED
        if alarm is None and calm and not self._restarted:
            return
        what = alarm.words if alarm else "an alarm" if not calm else "something else has started it anew"
        raise self._error(
            f"{what}: it moves no more. See to the cause, keep clear, and have it find home again"
        )

    def _error(self, what: str) -> DeviceError:
        return DeviceError(f"arm at {self._port.name!r}: {what}")
