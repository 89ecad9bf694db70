"""The lowest layer that every arm calls: what a command may ask for. On by default; nothing goes around it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from robot.errors import DeviceError, LimitError
from robot.frames import Array
from robot.ports import ArmState, Clock, ForceReading, ForceSensor

FORCE_CEILING_N = 3.0
_MEDIAN_OF, _MEDIAN_SD = (
    3,
    0.67,
)  # how many readings, and the standard deviation of their median as a share of one's
_TOOL_SLACK = 1.05  # motions are planned to the limit, and by joints that are off by a degree
_FRESH_S = 0.1  # readings so far apart tell nothing of each other


def least_force_n(noise_n: float) -> float:
    """Force that stands out of the noise by four standard deviations, where readings are medians of three samples."""
    return 4.0 * _MEDIAN_SD * noise_n


@dataclass(frozen=True)
class ArmLimits:
    """Angles (n,), rates, accelerations and jerks (n,) that an arm may be asked for, and the gripper's opening.

    Attributes:
        force_ceiling_n: Fingertip force above which every arm stops, whatever the motion's own limit is.
        max_jump_rad: Largest distance between a command and the measured angle.
        tool_max_m_s: Fastest that the tool may go, through free space too.
        jacobian: Of the tool's place (at least 3, n) at angles (n,); without it the tool's speed is not known, as of an
            arm whose kinematics nobody has.
    """

    q_min_rad: Array
    q_max_rad: Array
    dq_max_rad_s: Array
    ddq_max_rad_s2: Array
    dddq_max_rad_s3: Array
    opening_max_m: float
    force_ceiling_n: float = FORCE_CEILING_N
    max_jump_rad: float = 0.25
    tool_max_m_s: float = 1.0
    jacobian: Callable[[Array], Array] | None = None

    def tool_m_s(self, q_rad: Array, dq_rad_s: Array) -> float:
        """How fast the tool goes at angles and rates (n,); 0 where that is not known."""
        return 0.0 if self.jacobian is None else float(np.linalg.norm(self.jacobian(q_rad)[:3] @ dq_rad_s))


class LimitedArm(ABC):
    """Base of every arm: checks each command against the limits, then lets the subclass send it.

    Subclasses fill in `state`, `_send`, `_send_opening` and `_send_stop`.

    Attributes:
        step_rad: The smallest step of a joint that it can make and tell, 0 where it is too small to matter.
    """

    step_rad: float = 0.0

    def __init__(
        self, joint_names: Sequence[str], limits: ArmLimits, clock: Clock, force: ForceSensor | None = None
    ) -> None:
        self._joint_names = tuple(joint_names)
        self.limits = limits
        self._clock, self._force = clock, force
        self._gentle = False
        self._felt: deque[ForceReading] = deque(maxlen=_MEDIAN_OF)

    @property
    def joint_names(self) -> Sequence[str]:
        """The joints' names, in the order of the angles."""
        return self._joint_names

    @abstractmethod
    def state(self) -> ArmState:
        """The newest measured state."""

    @abstractmethod
    def _send(self, q_rad: Array, dq_rad_s: Array) -> None: ...

    @abstractmethod
    def _send_opening(self, opening_m: float) -> None: ...

    @abstractmethod
    def _send_stop(self) -> None: ...

    def command(self, q_rad: Array, dq_rad_s: Array) -> None:
        """Send angles and rates (n,) that are within all limits.

        Raises:
            LimitError: One of them is not; nothing was sent.
            DeviceError: The fingertip's force is above the ceiling; the arm was stopped.
        """
        self._check(np.asarray(q_rad, dtype=np.float64), np.asarray(dq_rad_s, dtype=np.float64))
        self._check_force()
        self._send(q_rad, dq_rad_s)

    def command_opening(self, opening_m: float) -> None:
        """Open or close the fingers.

        Raises:
            LimitError: The opening is outside what the gripper can do.
        """
        if not (np.isfinite(opening_m) and -1e-9 <= opening_m <= self.limits.opening_max_m):
            allowed = f"0 to {self.limits.opening_max_m * 1e3:.0f} mm"
            raise LimitError(
                f"gripper: opening {opening_m * 1e3:.1f} mm refused, allowed {allowed}; nothing was sent"
            )
        self._send_opening(float(opening_m))

    def be_gentle(self, gentle: bool) -> None:
        """Whether what follows is a guarded push; heeded by arms whose joints go in steps."""
        self._gentle = gentle

    def stop(self) -> None:
        """Stand still and forget every earlier command."""
        self._send_stop()

    def _check(self, q_rad: Array, dq_rad_s: Array) -> None:
        n = len(self._joint_names)
        if q_rad.shape != (n,) or dq_rad_s.shape != (n,):
            raise LimitError(
                f"arm: {q_rad.shape} angles and {dq_rad_s.shape} rates for {n} joints; nothing was sent"
            )
        limits = self.limits
        self._within("angle", "rad", q_rad, limits.q_min_rad, limits.q_max_rad)
        self._within("rate", "rad/s", dq_rad_s, -limits.dq_max_rad_s, limits.dq_max_rad_s)
        tool_m_s = limits.tool_m_s(q_rad, dq_rad_s)
        if tool_m_s > _TOOL_SLACK * limits.tool_max_m_s:
            raise LimitError(
                f"tool: {tool_m_s:.2f} m/s refused, allowed {limits.tool_max_m_s:.2f} m/s; nothing was sent"
            )
        measured = self.state().q_rad
        self._within("angle", "rad", q_rad, measured - limits.max_jump_rad, measured + limits.max_jump_rad)

    def _within(self, what: str, unit: str, value: Array, low: Array, high: Array) -> None:
        bad = ~((value >= low - 1e-9) & (value <= high + 1e-9))  # NaN is bad too
        if bad.any():
            k = int(np.argmax(bad))
            raise LimitError(
                f"joint {self._joint_names[k]}: {what} {value[k]:.4f} {unit} refused, allowed {low[k]:.4f} to "
                f"{high[k]:.4f}; nothing was sent"
            )

    def _check_force(self) -> None:
        if self._force is None:
            return
        reading = self._force.read()
        if self._is_too_much(reading):
            self._send_stop()
            raise DeviceError(
                f"fingertip: {reading.force_n:.2f} N, ceiling {self.limits.force_ceiling_n:.2f} N; the arm was "
                "stopped. Look what it touches before it moves again; if nothing does, the force sensor drifts: let it "
                "warm up, and calibrate it anew"
            )

    def _is_too_much(self, reading: ForceReading) -> bool:
        """Whether most of the newest readings are above the ceiling: amplifiers put out single samples of any size."""
        felt = self._felt
        if felt and reading.t_s - felt[-1].t_s > _FRESH_S:
            felt.clear()
        if not felt or reading.t_s > felt[-1].t_s:
            felt.append(reading)
        above = [abs(one.force_n) > self.limits.force_ceiling_n for one in felt]
        return 2 * sum(above) > len(above)
