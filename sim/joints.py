"""The simulated arm's joints as their encoders and their drives know them: with a real arm's offsets, play and sag."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.frames import Array
from robot.seeding import generator
from sim.arm_model import FINGERS, PREFIX, closed_m, joints_of
from sim.world import World

_Which = int | slice
_ALL = slice(None)


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


class Joints:
    """The joints and a pair of fingers, read and aimed; whatever commands the simulated arm does it through here.

    Args:
        world: Where the arm is.
        errors: Of the arm.
        seed: For the offsets.

    Attributes:
        names: What the joints are called, from the base on.
    """

    def __init__(self, world: World, errors: ArmErrors, seed: int) -> None:
        self._world = world
        model, data = world.model, world.data
        self.names = names = joints_of(model)
        self._qadr = np.array([model.joint(PREFIX + n).qposadr[0] for n in names])
        self.dof = np.array([model.joint(PREFIX + n).dofadr[0] for n in names])
        self._servo = np.array([model.actuator(PREFIX + n).id for n in names])
        self._rate = np.array([model.actuator(f"{PREFIX}{n}_rate").id for n in names])
        self.grip = np.array([model.actuator(f"{PREFIX}{s}_finger").id for s in FINGERS])
        self._gripadr = np.array([model.joint(f"{PREFIX}{s}_finger").qposadr[0] for s in FINGERS])
        self._gripdof = np.array([model.joint(f"{PREFIX}{s}_finger").dofadr[0] for s in FINGERS])
        self._offset_rad = errors.offset_sd_rad * generator(seed, "arm offsets").standard_normal(len(names))
        self._shut_m = closed_m(model)
        self._play_rad = errors.backlash_rad / 2
        self._slack_rad = np.zeros(len(names))
        self._sent_rad = data.qpos[self._qadr].copy()

    def angles_rad(self, which: _Which = _ALL) -> Array:
        """What the encoders say: the true angles without offset and play."""
        true = self._world.data.qpos[self._qadr[which]]
        return np.asarray(true - self._offset_rad[which] - self._slack_rad[which])

    def rates_rad_s(self, which: _Which = _ALL) -> Array:
        """How fast the joints turn."""
        return np.array(self._world.data.qvel[self.dof[which]])

    def opening_m(self) -> float:
        """Distance between the fingers."""
        return float(np.abs(self._world.data.qpos[self._gripadr]).sum()) - 2 * self._shut_m

    def opening_rate_m_s(self) -> float:
        """How fast the fingers open."""
        left, right = self._world.data.qvel[self._gripdof]
        return float(left - right)

    def aim(self, q_rad: Array | float, dq_rad_s: Array | float, which: _Which = _ALL) -> None:
        """Drive joints to angles at rates.

        Backlash is a play operator: the joint follows the motor only once the slack is taken up.
        """
        slack = self._slack_rad[which] - (q_rad - self._sent_rad[which])
        self._slack_rad[which] = np.clip(slack, -self._play_rad, self._play_rad)
        self._sent_rad[which] = q_rad
        data = self._world.data
        data.ctrl[self._servo[which]] = q_rad + self._offset_rad[which] + self._slack_rad[which]
        data.ctrl[self._rate[which]] = dq_rad_s

    def aim_opening(self, opening_m: float) -> None:
        """Drive the fingers apart or together."""
        at = self._shut_m + opening_m / 2
        self._world.data.ctrl[self.grip] = [at, -at]

    def keep_grip(self) -> None:
        """Fingers that open stop where they are; those that close keep what they hold."""
        data = self._world.data
        held = np.abs(data.qpos[self._gripadr]).mean()
        if abs(data.ctrl[self.grip[0]]) > held:
            data.ctrl[self.grip] = [held, -held]
