"""The simulated arm behind the `Arm` port, with the errors that a real one has where the lever is on."""

from __future__ import annotations

import mujoco
import numpy as np

from robot.arm_models import ArmModel
from robot.frames import Array, pose, quaternion
from robot.lfinger import LFinger
from robot.limits import ArmLimits, LimitedArm
from robot.ports import ArmState, ForceSensor
from sim.arm_model import FINGERS, FLANGE, PREFIX, FingerMechanics, arm_spec, closed_m, joints_of
from sim.joints import ArmErrors, Joints
from sim.world import World

REAL_ERRORS = ArmErrors(offset_sd_rad=np.radians(0.3), backlash_rad=np.radians(0.1), sag=0.1)


def arm_with_errors(
    model: ArmModel, finger: LFinger, mechanics: FingerMechanics, errors: ArmErrors
) -> mujoco.MjSpec:
    """The arm, sagging as far as its errors say."""
    arm = arm_spec(model, finger, mechanics)
    for body in arm.bodies:
        body.gravcomp = body.gravcomp * (1.0 - errors.sag)
    return arm


def add_arm(spec: mujoco.MjSpec, T_world_base: Array, arm: mujoco.MjSpec) -> mujoco.MjSpec:
    """Attach the arm to a scene; the caller keeps the returned part alive as long as the scene's specification."""
    frame = spec.worldbody.add_frame(pos=T_world_base[:3, 3], quat=quaternion(T_world_base[:3, :3]))
    spec.attach(arm, prefix=PREFIX, frame=frame)
    return arm


def put_arm(data: mujoco.MjData, q_rad: Array, opening_m: float) -> None:
    """Set the arm's pose at once, before the world starts."""
    shut_m = closed_m(data.model)
    for name, angle in zip(joints_of(data.model), q_rad, strict=True):
        data.joint(PREFIX + name).qpos[0] = angle
        data.actuator(PREFIX + name).ctrl[0] = angle
    for side, sign in zip(FINGERS, (1.0, -1.0), strict=True):
        at = sign * (shut_m + opening_m / 2)
        data.joint(f"{PREFIX}{side}_finger").qpos[0] = at
        data.actuator(f"{PREFIX}{side}_finger").ctrl[0] = at


class SimArm(LimitedArm):
    """Position servos with velocity feed-forward and a gripper."""

    def __init__(
        self,
        world: World,
        limits: ArmLimits,
        errors: ArmErrors,
        seed: int,
        force: ForceSensor | None = None,
    ) -> None:
        super().__init__(joints_of(world.model), limits, world, force)
        self._world = world
        self._joints = Joints(world, errors, seed)

    def state(self) -> ArmState:
        """What the encoders say: the true angles without offset and play."""
        joints = self._joints
        return ArmState(
            joints.angles_rad(), joints.rates_rad_s(), max(joints.opening_m(), 0.0), self._world.now_s()
        )

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        self._joints.aim(q_rad, dq_rad_s)

    def _send_opening(self, opening_m: float) -> None:
        self._joints.aim_opening(opening_m)

    def _send_stop(self) -> None:
        self._send(self.state().q_rad, np.zeros(len(self.joint_names)))
        self._joints.keep_grip()


def T_world_flange(world: World) -> Array:
    """True pose (4, 4) of the flange: a second opinion on the kinematics."""
    flange = world.data.site(PREFIX + FLANGE)
    return pose(flange.xmat.reshape(3, 3), flange.xpos)
