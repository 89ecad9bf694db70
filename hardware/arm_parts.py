"""An arm of smart servos, taken apart: its joints, and the servos that turn each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hardware.tables import TICKS
from hardware.urdf_section import UrdfSection
from robot.linkage import Gripping


@dataclass(frozen=True)
class ServoPart:
    """One servo of an arm.

    Attributes:
        servo: Its number on the bus.
        model: The model number that it must have.
        reverse: Whether its drive must be set to count the other way.
        ceiling_a: Most current, where its model knows current.
        ceiling_share: Most torque or PWM as a share of all, where it does not.
    """

    servo: int
    model: int
    reverse: bool
    ceiling_a: float | None
    ceiling_share: float | None


@dataclass(frozen=True)
class JointParts:
    """What turns one joint: a servo, and perhaps its shadow. Angle 0 is at `zero_ticks`, `sign` is its sense."""

    name: str
    servos: tuple[ServoPart, ...]
    sign: int
    zero_ticks: int

    @property
    def lead(self) -> ServoPart:
        """The one that is spoken to; a shadow obeys what the lead is told."""
        return self.servos[0]

    @property
    def shadows(self) -> Sequence[ServoPart]:
        """The others."""
        return self.servos[1:]

    def ticks(self, angle_rad: float) -> float:
        """What the servo's position register says at an angle, not yet rounded."""
        return self.zero_ticks + self.sign * angle_rad * TICKS / math.tau

    def angle_rad(self, ticks: float) -> float:
        """The angle at which the register says so."""
        return self.sign * (ticks - self.zero_ticks) * math.tau / TICKS


@dataclass(frozen=True)
class ArmParts:
    """An arm of smart servos, as its file describes it.

    Attributes:
        body: Model whose joints and lengths it has, by its name; of an arm with a URDF of its own its file; empty where
            the program does not know them.
        cannot_play: Why it cannot play then, where the file says so.
        joints: In the order of the kinematics.
        gripper: The fingers' servo as a joint; its angle is that of `gripping`.
        profile_s: So long after a goal was sent it is reached.
        gentle_profile_s: The same in a push, in which no single step of a servo is to hit what the tip touches.
        watchdog_s: So long without a word, and the servos stop by themselves; 0 where they cannot.
    """

    name: str
    body: str
    cannot_play: str
    protocol: Literal["dynamixel", "feetech"]
    baud: int
    joints: tuple[JointParts, ...]
    gripper: JointParts
    gripping: Gripping
    profile_s: float
    gentle_profile_s: float
    watchdog_s: float
    least_volts: float
    most_volts: float
    most_celsius: float
    urdf: UrdfSection | None = None

    @property
    def all_joints(self) -> tuple[JointParts, ...]:
        """The joints, then the gripper."""
        return (*self.joints, self.gripper)

    @property
    def servos(self) -> dict[int, tuple[JointParts, ServoPart]]:
        """Every servo by number, and what it turns."""
        return {part.servo: (joint, part) for joint in self.all_joints for part in joint.servos}
