"""The ports without physics: instant, exact, and able to fail on demand. For tests and for trying planning out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from robot.camera_model import CameraModel
from robot.errors import DeviceError
from robot.frames import Array, pose, rotation_from_vector, rotation_vector
from robot.limits import ArmLimits, LimitedArm
from robot.ports import ArmState, Clock, ForceReading, ForceSensor, Frame, Held, Image
from robot.seeding import generator


class InstantArm(LimitedArm):
    """Stands where it was sent, at once.

    Attributes:
        sent: Every command that passed the limits: angles and rates.
        stops: How often it was stopped.
        jammed: Joints (by index) that do not follow any more.
        unreadable: Whether reading its state fails.
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        limits: ArmLimits,
        clock: Clock,
        q_rad: Array,
        force: ForceSensor | None = None,
    ) -> None:
        super().__init__(joint_names, limits, clock, force)
        self._q_rad, self._dq_rad_s = np.array(q_rad, dtype=np.float64), np.zeros(len(q_rad))
        self._opening_m = 0.0
        self.sent: list[tuple[Array, Array]] = []
        self.stops = 0
        self.jammed: set[int] = set()
        self.unreadable = False

    def state(self) -> ArmState:
        """Where it was sent last, but for jammed joints."""
        if self.unreadable:
            raise DeviceError("arm: no answer; check its cable and power")
        return ArmState(self._q_rad.copy(), self._dq_rad_s.copy(), self._opening_m, self._clock.now_s())

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        self.sent.append((np.array(q_rad), np.array(dq_rad_s)))
        free = [k for k in range(len(self._q_rad)) if k not in self.jammed]
        self._q_rad[free] = self.sent[-1][0][free]
        self._dq_rad_s[free] = self.sent[-1][1][free]

    def _send_opening(self, opening_m: float) -> None:
        self._opening_m = opening_m

    def _send_stop(self) -> None:
        self.stops += 1
        self._dq_rad_s[:] = 0.0


class FakeForce:
    """Samples a force on a clock and hands each sample out after a delay, like a beam cell.

    Args:
        force_n: The true force at the moment of the call.
        clock: Samples are taken when it is read, at most `rate_hz` a second.

    Attributes:
        dead: Whether samples have ceased to come; the newest one is handed out for ever.
        broken: Whether reading fails.
    """

    def __init__(
        self,
        force_n: Callable[[], float],
        clock: Clock,
        *,
        noise_n: float = 0.03,
        delay_s: float = 0.060,
        rate_hz: float = 80.0,
        seed: int = 1,
    ) -> None:
        self.noise_n, self.delay_s, self.rate_hz = noise_n, delay_s, rate_hz
        self._force_n, self._clock = force_n, clock
        self._rng = generator(seed, "fake force")
        self._newest = ForceReading(self._noisy(), clock.now_s())
        self._next_s = clock.now_s()
        self._waiting: deque[ForceReading] = deque()
        self.dead = self.broken = False

    def read(self) -> ForceReading:
        """The newest sample that has arrived."""
        if self.broken:
            raise DeviceError("force sensor: no answer; check its cable and power")
        now_s = self._clock.now_s()
        if now_s >= self._next_s - 1e-9 and not self.dead:
            self._waiting.append(ForceReading(self._noisy(), now_s))
            self._next_s = max(self._next_s + 1.0 / self.rate_hz, now_s)
        while self._waiting and self._waiting[0].t_s + self.delay_s <= now_s + 1e-9:
            self._newest = self._waiting.popleft()
        return self._newest

    def _noisy(self) -> float:
        return self._force_n() + self.noise_n * float(self._rng.standard_normal())


class StillCamera:
    """Shows the same picture every time."""

    def __init__(self, model: CameraModel, image: Image, clock: Clock) -> None:
        self.model = model
        self._image, self._clock = image, clock
        self.dead = False

    def capture(self) -> Frame:
        """The picture, exposed now."""
        if self.dead:
            raise DeviceError(f"camera {self.model.name!r}: no picture came; check its cable")
        return Frame(self._image.copy(), self._clock.now_s(), self.model.name)


class Button:
    """Implements `StopSignal`; `after` polls it presses itself."""

    def __init__(self, after: int | None = None) -> None:
        self._left = after
        self._pressed = False

    def press(self) -> None:
        """Ask for a stop."""
        self._pressed = True

    def is_set(self) -> bool:
        """Whether it was pressed."""
        if self._left is not None:
            self._left -= 1
            self._pressed = self._pressed or self._left < 0
        return self._pressed


class Gantry:
    """Kinematics of three straight axes: the joints' values are the tool's position in metres; it never turns."""

    joint_names: Sequence[str] = ("x", "y", "z")

    def __init__(self, reach_m: float = 1.0) -> None:
        self.q_min_rad, self.q_max_rad = np.full(3, -reach_m), np.full(3, reach_m)

    def forward(self, q_rad: Array) -> Array:
        """`T_base_tool` (4, 4)."""
        return pose(None, q_rad)

    def inverse(self, T_base_tool: Array, seed_rad: Array) -> Array | None:  # noqa: ARG002 - one answer only
        """The position, where it is in reach and the tool is not to turn."""
        q = np.array(T_base_tool[:3, 3])
        unturned = np.allclose(T_base_tool[:3, :3], np.eye(3), atol=1e-9)
        return q if unturned and (np.abs(q) <= self.q_max_rad).all() else None

    def branches(self, T_base_tool: Array) -> list[Array]:
        """The one posture."""
        q = self.inverse(T_base_tool, np.zeros(3))
        return [] if q is None else [q]

    def jacobian(self, q_rad: Array) -> Array:  # noqa: ARG002 - the same everywhere
        """Geometric Jacobian (6, 3)."""
        return np.vstack([np.eye(3), np.zeros((3, 3))])


class Flying:
    """Kinematics of a tool that goes anywhere: three joints are its position, three its rotation vector."""

    joint_names: Sequence[str] = ("x", "y", "z", "about x", "about y", "about z")

    def __init__(self, reach_m: float = 1.0) -> None:
        self.q_max_rad = np.array([reach_m] * 3 + [2 * np.pi] * 3)
        self.q_min_rad = -self.q_max_rad

    def forward(self, q_rad: Array) -> Array:
        """`T_base_tool` (4, 4)."""
        return pose(rotation_from_vector(q_rad[3:]), q_rad[:3])

    def inverse(self, T_base_tool: Array, seed_rad: Array) -> Array | None:
        """The posture, by the rotation vector that is nearer to the seed's; None where it is out of reach."""
        turn = rotation_vector(T_base_tool[:3, :3])
        angle = float(np.linalg.norm(turn))
        turns = [turn] if angle < 1e-9 else [turn, turn * (1 - 2 * np.pi / angle)]
        nearest = min(turns, key=lambda v: float(np.linalg.norm(v - seed_rad[3:])))
        q = np.concatenate([T_base_tool[:3, 3], nearest])
        return q if (np.abs(q) <= self.q_max_rad).all() else None

    def branches(self, T_base_tool: Array) -> list[Array]:
        """The posture with the shorter turn."""
        q = self.inverse(T_base_tool, np.zeros(6))
        return [] if q is None else [q]

    def jacobian(self, q_rad: Array) -> Array:
        """Geometric Jacobian (6, 6), by finite differences."""
        J, h, T = np.zeros((6, 6)), 1e-7, self.forward(q_rad)
        for k in range(6):
            ahead = self.forward(q_rad + h * np.eye(6)[k])
            J[:3, k] = (ahead[:3, 3] - T[:3, 3]) / h
            J[3:, k] = rotation_vector(ahead[:3, :3] @ T[:3, :3].T) / h
        return J


class Obstacles:
    """Implements `CollisionChecker`: whatever a function of the joint angles names stands in the way.

    Attributes:
        what: That function.
        asked: Opening, block in hand and room of every question.
        boxes: The tower that was set last.
    """

    def __init__(self, what: Callable[[Array], str | None] = lambda _q: None) -> None:
        self.what = what
        self.asked: list[tuple[float, Held | None, float]] = []
        self.boxes: Sequence[tuple[Array, Array]] = ()

    def set_tower(self, boxes: Sequence[tuple[Array, Array]]) -> None:
        """The blocks that stand."""
        self.boxes = boxes

    def hit(
        self, q_rad: Array, opening_m: float, held: Held | None = None, room_m: float = 0.0
    ) -> str | None:
        """What the function says."""
        self.asked.append((opening_m, held, room_m))
        return self.what(q_rad)

    def outline(self, q_rad: Array, opening_m: float) -> list[Array]:  # noqa: ARG002 - as the protocol has it
        """An arm without a body."""
        return []
