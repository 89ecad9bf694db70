"""The simulated arm behind the `Arm` port, with the errors that a real one has where the lever is on."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from robot.frames import Array, pose, quaternion
from robot.lfinger import LFinger
from robot.limits import ArmLimits, LimitedArm
from robot.ports import ArmState, ForceSensor
from robot.seeding import generator
from sim.arm_model import CLOSED_M, FINGERS, HAND_TO_FLANGE_M, JOINTS, PREFIX, FingerMechanics, arm_spec
from sim.world import World


@dataclass(frozen=True)
class ArmErrors:
    """How the simulated arm differs from its own model; all nought is a perfect arm.

    Attributes:
        offset_sd_rad: Standard deviation of each joint's constant offset.
        backlash_rad: Play of each joint.
        sag: Share of the arm's weight that its servos do not hold up on their own.
    """

    offset_sd_rad: float = 0.0
    backlash_rad: float = 0.0
    sag: float = 0.0


REAL_ERRORS = ArmErrors(offset_sd_rad=np.radians(0.3), backlash_rad=np.radians(0.1), sag=0.1)


def arm_with_errors(finger: LFinger, mechanics: FingerMechanics, errors: ArmErrors) -> mujoco.MjSpec:
    """The arm, sagging as far as its errors say."""
    arm = arm_spec(finger, mechanics)
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
    for name, angle in zip(JOINTS, q_rad, strict=True):
        data.joint(PREFIX + name).qpos[0] = angle
        data.actuator(PREFIX + name).ctrl[0] = angle
    for side, sign in zip(FINGERS, (1.0, -1.0), strict=True):
        at = sign * (CLOSED_M + opening_m / 2)
        data.joint(f"{PREFIX}{side}_finger").qpos[0] = at
        data.actuator(f"{PREFIX}{side}_finger").ctrl[0] = at


class SimArm(LimitedArm):
    """Six position servos with velocity feed-forward and a gripper."""

    def __init__(
        self,
        world: World,
        limits: ArmLimits,
        errors: ArmErrors,
        seed: int,
        force: ForceSensor | None = None,
    ) -> None:
        super().__init__(JOINTS, limits, world, force)
        self._world = world
        model, data = world.model, world.data
        self._qadr = np.array([model.joint(PREFIX + n).qposadr[0] for n in JOINTS])
        self._vadr = np.array([model.joint(PREFIX + n).dofadr[0] for n in JOINTS])
        self._servo = np.array([model.actuator(PREFIX + n).id for n in JOINTS])
        self._rate = np.array([model.actuator(f"{PREFIX}{n}_rate").id for n in JOINTS])
        self._grip = np.array([model.actuator(f"{PREFIX}{s}_finger").id for s in FINGERS])
        self._gripadr = np.array([model.joint(f"{PREFIX}{s}_finger").qposadr[0] for s in FINGERS])
        self._offset_rad = errors.offset_sd_rad * generator(seed, "arm offsets").standard_normal(len(JOINTS))
        self._play_rad = errors.backlash_rad / 2
        self._slack_rad = np.zeros(len(JOINTS))
        self._sent_rad = data.qpos[self._qadr].copy()

    def state(self) -> ArmState:
        """What the encoders say: the true angles without offset and play."""
        data = self._world.data
        q = data.qpos[self._qadr] - self._offset_rad - self._slack_rad
        opening = float(np.abs(data.qpos[self._gripadr]).sum()) - 2 * CLOSED_M
        return ArmState(q, data.qvel[self._vadr].copy(), max(opening, 0.0), self._world.now_s())

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        # Backlash as a play operator: the joint follows the motor only once the slack is taken up.
        self._slack_rad = np.clip(self._slack_rad - (q_rad - self._sent_rad), -self._play_rad, self._play_rad)
        self._sent_rad = np.array(q_rad, dtype=np.float64)
        self._world.data.ctrl[self._servo] = q_rad + self._offset_rad + self._slack_rad
        self._world.data.ctrl[self._rate] = dq_rad_s

    def _send_opening(self, opening_m: float) -> None:
        at = CLOSED_M + opening_m / 2
        self._world.data.ctrl[self._grip] = [at, -at]

    def _send_stop(self) -> None:
        self._send(self.state().q_rad, np.zeros(len(JOINTS)))
        held = np.abs(self._world.data.qpos[self._gripadr]).mean()
        if (
            abs(self._world.data.ctrl[self._grip[0]]) > held
        ):  # opening: stop there; closing: keep what is held
            self._world.data.ctrl[self._grip] = [held, -held]


def T_world_flange(world: World) -> Array:
    """True pose (4, 4) of the flange: a second opinion on the kinematics."""
    body = world.data.body(PREFIX + "gripper_link")
    return pose(body.xmat.reshape(3, 3), body.xpos) @ pose(None, [HAND_TO_FLANGE_M, 0.0, 0.0])
