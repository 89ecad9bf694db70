"""What the rest of the program asks of an arm, a force sensor, a camera, a clock, a stop, kinematics and collisions.

Implementations stand in `sim/` and `hardware/`; `steadyhand/wiring.py` chooses. Joint angles are in radians in the
order of `Arm.joint_names`; poses are (4, 4) `T_parent_child`; images are (height, width, 3) uint8 in BGR order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from robot.camera_model import CameraModel
from robot.frames import Array

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Frame:
    """One picture (height, width, 3), BGR, and when it was exposed."""

    image: Image
    t_s: float
    camera: str


@dataclass(frozen=True)
class ArmState:
    """What the arm measured of itself at one moment: angles (n,), rates (n,) and the gripper's opening."""

    q_rad: Array
    dq_rad_s: Array
    opening_m: float
    t_s: float


@dataclass(frozen=True)
class ForceReading:
    """Force along the tool's x, positive when the tip is pushed back, and when it was measured."""

    force_n: float
    t_s: float


class Clock(Protocol):
    """Time that never runs backwards; in simulation, waiting is what makes the world move."""

    def now_s(self) -> float:
        """Seconds since some fixed moment."""
        ...

    def sleep_until(self, t_s: float) -> None:
        """Return at `t_s` or, where that is past, at once."""
        ...


class StopSignal(Protocol):
    """Whether a person has asked for a stop."""

    def is_set(self) -> bool:
        """True from the moment of the stop on."""
        ...


class Arm(Protocol):
    """An arm with a two-finger gripper. Every implementation enforces `robot.limits` before it sends anything."""

    @property
    def step_rad(self) -> float:
        """The smallest step of a joint that it can make and tell, 0 where it is too small to matter."""
        ...

    @property
    def joint_names(self) -> Sequence[str]:
        """The joints' names, in the order of the angles."""
        ...

    def state(self) -> ArmState:
        """The newest measured state.

        Raises:
            DeviceError: It could not be read; a failed read is never a number.
        """
        ...

    def command(self, q_rad: Array, dq_rad_s: Array) -> None:
        """Go to `q_rad` (n,) now, moving at `dq_rad_s` (n,) there.

        Raises:
            LimitError: Outside the limits; nothing was sent.
        """
        ...

    def command_opening(self, opening_m: float) -> None:
        """Open or close the fingers to this distance, with no more than the gripper's set force."""
        ...

    def be_gentle(self, gentle: bool) -> None:
        """Whether what follows is a guarded push: no single step may hit what the tip touches. Sends nothing."""
        ...

    def stop(self) -> None:
        """Stand still where it is and forget every earlier command; may be called at any time, more than once."""
        ...


class ForceSensor(Protocol):
    """The reading of the fingertip's beam.

    Attributes:
        noise_n: Standard deviation of one sample at rest.
        delay_s: From the force to the reading.
        rate_hz: Samples a second.
    """

    noise_n: float
    delay_s: float
    rate_hz: float

    def read(self) -> ForceReading:
        """The newest reading.

        Raises:
            DeviceError: There is none, or it is too old.
        """
        ...


class Camera(Protocol):
    """One camera whose calibration is known."""

    model: CameraModel

    def capture(self) -> Frame:
        """A picture exposed after this call began.

        Raises:
            DeviceError: None came in time.
        """
        ...


class Kinematics(Protocol):
    """Forward and inverse kinematics from the arm's base to the tool at the tip of the closed fingers."""

    joint_names: Sequence[str]
    q_min_rad: Array
    q_max_rad: Array

    def forward(self, q_rad: Array) -> Array:
        """`T_base_tool` (4, 4)."""
        ...

    def inverse(self, T_base_tool: Array, seed_rad: Array) -> Array | None:
        """Joint angles (n,) near `seed_rad` that reach the pose to 0.05 mm and 0.05 degrees, or None."""
        ...

    def branches(self, T_base_tool: Array) -> list[Array]:
        """Every posture (n,) within the limits that reaches the pose."""
        ...

    def jacobian(self, q_rad: Array) -> Array:
        """Geometric Jacobian (6, n) of the tool in the base frame: linear rows first, then angular ones."""
        ...


@dataclass(frozen=True)
class Held:
    """A block between the fingers: its pose in the tool frame (4, 4) and its size (3,)."""

    T_tool_block: Array
    size_m: Array


class CollisionChecker(Protocol):
    """Whether the arm would touch anything, by geometry alone."""

    def set_tower(self, boxes: Sequence[tuple[Array, Array]]) -> None:
        """The blocks that stand: poses (4, 4) in the world and sizes (3,)."""
        ...

    def hit(
        self, q_rad: Array, opening_m: float, held: Held | None = None, room_m: float = 0.0
    ) -> str | None:
        """What comes nearer to what than `room_m` more than a touch (names), or None where all is clear."""
        ...

    def outline(self, q_rad: Array, opening_m: float) -> list[Array]:
        """Points (n, 3) of each part of the arm, world frame; the part lies within their convex hull."""
        ...
