"""The motors of the simulated arm, one for each servo, for those who simulate the servos themselves.

Motors of one joint pull together: its torque is the sum of theirs, and so is its ceiling. A joint whose motors are all
limp falls, held back by the friction of their gears alone. Until a motor holds it for the first time, a joint rests on
a stand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from statistics import fmean
from typing import NamedTuple

from robot.linkage import Linkage
from sim.arm_model import PREFIX
from sim.joints import ArmErrors, Joints
from sim.world import World

# What the gears of a limp servo hold back: the dead current of 0.11 A in ROBOTIS's points for an XM430-W350, at their
# 1.87 Nm/A. Of a driven servo's torque it is taken off by whoever turns current into torque.
_GEAR_NM = 0.21


class _Pull(NamedTuple):
    """What one motor was last told; no goal is limp, no limit is all that it has."""

    goal_rad: float | None = None
    velocity_rad_s: float = 0.0
    limit_nm: float | None = None


class Shaft(ABC):
    """What motors turn."""

    def __init__(self) -> None:
        self.pulls: list[_Pull] = []
        self._on_stand = True

    def motor(self) -> SimMotor:
        """One more motor on it."""
        return SimMotor(self)

    @property
    def active(self) -> list[_Pull]:
        """The pulls of the motors that are not limp."""
        return [pull for pull in self.pulls if pull.goal_rad is not None]

    def update(self) -> None:
        """Let the motors' pulls work."""
        active = self.active
        self._on_stand = self._on_stand and not active
        if self._on_stand:
            return
        if not active:
            self._limp(_GEAR_NM * len(self.pulls))
            return
        goal_rad = fmean(pull.goal_rad for pull in active if pull.goal_rad is not None)
        self._drive(goal_rad, fmean(pull.velocity_rad_s for pull in active))

    @abstractmethod
    def angle_rad(self) -> float:
        """By the encoder of its motors."""

    @abstractmethod
    def rate_rad_s(self) -> float:
        """How fast it turns."""

    @abstractmethod
    def torque_nm(self, pull: _Pull) -> float:
        """What one motor gives."""

    @abstractmethod
    def _drive(self, goal_rad: float, velocity_rad_s: float) -> None: ...

    @abstractmethod
    def _limp(self, friction_nm: float) -> None: ...


class SimMotor:
    """One motor, as the emulation of a servo asks for it. Angles count from the joint's own nought."""

    def __init__(self, shaft: Shaft) -> None:
        self._shaft, self._which, self._pull = shaft, len(shaft.pulls), _Pull()
        shaft.pulls.append(self._pull)

    def position_rad(self) -> float:
        """Angle by its encoder."""
        return self._shaft.angle_rad()

    def velocity_rad_s(self) -> float:
        """How fast it turns."""
        return self._shaft.rate_rad_s()

    def torque_nm(self) -> float:
        """What it gives."""
        return self._shaft.torque_nm(self._pull)

    def drive(self, goal_rad: float | None, velocity_rad_s: float, torque_limit_nm: float | None) -> None:
        """Go on towards an angle at a rate, with no more than a torque; None for the goal is limp."""
        told = _Pull(goal_rad, velocity_rad_s, torque_limit_nm)
        if told != self._pull or goal_rad is None:  # a limp joint is to be followed wherever it falls
            self._pull = self._shaft.pulls[self._which] = told
            self._shaft.update()


class _JointShaft(Shaft):
    def __init__(self, world: World, joints: Joints, which: int) -> None:
        super().__init__()
        self._world, self._joints, self._which = world, joints, which
        model, name = world.model, PREFIX + joints.names[which]
        self._id = model.joint(name).id
        self._stall_nm = float(model.jnt_actfrcrange[self._id, 1])
        self._stiffness_nm_rad = float(model.actuator(name).gainprm[0])
        # The servos bear the arm's weight, within their ceilings
        world.model.jnt_actgravcomp[self._id] = True

    def angle_rad(self) -> float:
        return float(self._joints.angles_rad(self._which))

    def rate_rad_s(self) -> float:
        return float(self._joints.rates_rad_s(self._which))

    def torque_nm(self, pull: _Pull) -> float:
        active = self.active
        if pull.goal_rad is None:
            return 0.0
        middle_rad = fmean(other.goal_rad for other in active if other.goal_rad is not None)
        share_nm = float(self._world.data.qfrc_actuator[self._joints.dof[self._which]]) / len(active)
        against_nm = self._stiffness_nm_rad / len(active) * (pull.goal_rad - middle_rad)
        return share_nm + against_nm

    def _drive(self, goal_rad: float, velocity_rad_s: float) -> None:
        each_nm = self._stall_nm / len(self.pulls)
        limits = [each_nm if pull.limit_nm is None else min(pull.limit_nm, each_nm) for pull in self.active]
        self._limit(sum(limits))
        self._joints.aim(goal_rad, velocity_rad_s, self._which)

    def _limp(self, friction_nm: float) -> None:
        self._limit(friction_nm)
        self._joints.aim(self.angle_rad(), 0.0, self._which)

    def _limit(self, torque_nm: float) -> None:
        self._world.model.jnt_actfrcrange[self._id] = [-torque_nm, torque_nm]


class _GripperShaft(Shaft):
    def __init__(self, world: World, joints: Joints, linkage: Linkage, stall_nm: float) -> None:
        super().__init__()
        self._world, self._joints, self._linkage, self._stall_nm = world, joints, linkage, stall_nm

    def angle_rad(self) -> float:
        return self._linkage.angle_rad(self._joints.opening_m())

    def rate_rad_s(self) -> float:
        return self._joints.opening_rate_m_s() / (2 * self._linkage.lever_m(self.angle_rad()))

    def torque_nm(self, pull: _Pull) -> float:
        if pull.goal_rad is None:
            return 0.0
        left_n, right_n = self._world.data.actuator_force[self._joints.grip]
        return float(left_n - right_n) * self._linkage.lever_m(self.angle_rad())

    def _drive(self, goal_rad: float, velocity_rad_s: float) -> None:  # noqa: ARG002 - the fingers are slow
        limits = [pull.limit_nm for pull in self.active if pull.limit_nm is not None]
        self._limit(min(limits, default=self._stall_nm) / (2 * self._linkage.lever_m(self.angle_rad())))
        self._joints.aim_opening(self._linkage.opening_m(goal_rad))

    def _limp(self, friction_nm: float) -> None:  # noqa: ARG002 - a finger's way through its gears
        self._limit(0.0)

    def _limit(self, each_n: float) -> None:
        self._world.model.actuator_forcerange[self._joints.grip] = [-each_n, each_n]


class ArmMotors:
    """What the servos of the simulated arm turn.

    Args:
        world: Where the arm is.
        errors: Of the arm.
        seed: For its offsets.
        linkage: From the gripper's servo to the fingers.
        gripper_nm: Stall torque of that servo.

    Attributes:
        joints: The joints' shafts, in the order of the kinematics.
        gripper: The fingers' shaft.
    """

    def __init__(
        self, world: World, errors: ArmErrors, seed: int, linkage: Linkage, gripper_nm: float
    ) -> None:
        joints = Joints(world, errors, seed)
        self.joints: list[Shaft] = [_JointShaft(world, joints, k) for k in range(len(joints.names))]
        self.gripper: Shaft = _GripperShaft(world, joints, linkage, gripper_nm)
