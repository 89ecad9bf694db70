"""A hand's hold on one simulated block: it pulls the block along by forces that have an end, as fingers do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robot.frames import Array, pose, rotation_from_vector, rotation_vector
from sim.world import World

FIRM_N, HARD_N = 0.8, 3.0  # a person who feels more than the first chooses another block, mostly
_STIFF_RAD_S = 120.0  # how fast the held block would swing by itself; far below what the time step can follow
_SLACK = 2.0  # the hand is so much farther ahead than its force asks for when it stops
_MOST_TURNING_NM = 0.1


class Grip:
    """Holds a block from now on, up to `let_go`.

    Args:
        world: Where it is.
        name: The block.
        each: Called before every step; may raise to end the motion.
        most_n: Pulls with no more.
    """

    def __init__(self, world: World, name: str, each: Callable[[], None], most_n: float = FIRM_N) -> None:
        self._world, self._each, self._most_n = world, each, most_n
        self._name = name
        block = next(block for block in world.blocks if block.name == name)
        self._mass_kg = block.mass_kg
        self._body, self._dof = world.model.body(name).id, world.model.joint(name).dofadr[0]
        self._gravity_m_s2 = -world.model.opt.gravity
        self.wish = self.now()

    def now(self) -> Array:
        """Pose (4, 4) of the block in the world."""
        return self._world.T_world_block(self._name)

    @property
    def holds(self) -> bool:
        """Whether all that the hand pulls with does not bring the block along."""
        swing_n = self._mass_kg * _STIFF_RAD_S**2 * float(np.linalg.norm(self.behind_m()))
        return swing_n > _SLACK * self._most_n

    def behind_m(self) -> Array:
        """By how much (3,) the block stays behind where the hand is."""
        return np.asarray(self.wish[:3, 3] - self.now()[:3, 3])

    def go(self, T_goal: Array, speed_m_s: float, until: Callable[[], bool] = lambda: False) -> None:
        """Move straight to a pose (4, 4), gently at both ends, or until something has happened."""
        start, far_m = self.wish.copy(), float(np.linalg.norm(T_goal[:3, 3] - self.wish[:3, 3]))
        turn = rotation_vector(T_goal[:3, :3] @ start[:3, :3].T)
        step_s = self._world.step_s
        for k in range(1, (n := max(int(np.pi / 2 * far_m / speed_m_s / step_s), 1)) + 1):
            share = 0.5 - 0.5 * np.cos(np.pi * k / n)
            p = start[:3, 3] + share * (T_goal[:3, 3] - start[:3, 3])
            before, self.wish = self.wish, pose(rotation_from_vector(share * turn) @ start[:3, :3], p)
            self._step((self.wish[:3, 3] - before[:3, 3]) / step_s)
            if until():
                return

    def stay(self, seconds: float) -> None:
        """Hold still."""
        for _ in range(round(seconds / self._world.step_s)):
            self._step(np.zeros(3))

    def let_go(self) -> None:
        """No force any more."""
        self._world.data.xfrc_applied[self._body] = 0.0

    def _step(self, v_m_s: Array) -> None:
        """One physics step towards the wish: a critically damped spring, and what bears the block's weight."""
        self._each()
        data, w = self._world.data, _STIFF_RAD_S
        T = self.now()
        spin = T[:3, :3] @ data.qvel[self._dof + 3 : self._dof + 6]  # a free joint turns in the body's frame
        pull = self._mass_kg * (
            w * w * self.behind_m() + 2 * w * (v_m_s - data.qvel[self._dof : self._dof + 3])
        )
        aim = w * w * rotation_vector(self.wish[:3, :3] @ T[:3, :3].T) - 2 * w * spin
        inertia = T[:3, :3] @ np.diag(self._world.model.body_inertia[self._body]) @ T[:3, :3].T
        data.xfrc_applied[self._body, :3] = _at_most(pull, self._most_n) + self._mass_kg * self._gravity_m_s2
        data.xfrc_applied[self._body, 3:] = _at_most(inertia @ aim, _MOST_TURNING_NM)
        self._world.step()


def _at_most(vector: Array, most: float) -> Array:
    return vector * min(1.0, most / max(float(np.linalg.norm(vector)), 1e-12))
