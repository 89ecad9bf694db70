"""The simulated world in motion: one MuJoCo model of room, tower and arm, stepped by the clock that others wait on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import mujoco

from robot.frames import Array, pose, quaternion
from sim.blocks import Block
from sim.scene import Room, add_blocks, room_spec

SETTLE_S = 1.0
_ROUNDING_S = 1e-9
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)


class World:
    """A model and its state. Its time starts at 0 once the tower stands.

    Args:
        room: Where the fixed things stand.
        blocks: The tower.
        seed: For the looks of wood and blocks.
        furnish: Called with the specification before it is compiled, to add an arm and cameras.
        start: Called with the world before the tower settles, to set the arm's pose.
        looks: Whether anything will be drawn.
    """

    def __init__(
        self,
        room: Room,
        blocks: Sequence[Block],
        seed: int,
        *,
        furnish: Callable[[mujoco.MjSpec], None] | None = None,
        start: Callable[[World], None] | None = None,
        looks: bool = True,
    ) -> None:
        self.room, self.blocks = room, tuple(blocks)
        spec = room_spec(room, seed, looks=looks)
        add_blocks(spec, room, blocks, None, seed, looks=looks)
        if furnish:
            furnish(spec)
        self._spec = spec  # MuJoCo's attached parts live as long as their specification
        self.model: mujoco.MjModel = spec.compile()
        self.data: mujoco.MjData = mujoco.MjData(self.model)
        self._observers: list[Callable[[World], None]] = []
        self._tick = 0
        if start:
            start(self)
        self._settle()

    @property
    def step_s(self) -> float:
        """Length of one physics step."""
        return float(self.model.opt.timestep)

    def now_s(self) -> float:
        """Time since the tower stood."""
        return self._tick * self.step_s

    def sleep_until(self, t_s: float) -> None:
        """Step the physics until `t_s` or a little later; this is what waiting means in simulation."""
        while self.now_s() < t_s - _ROUNDING_S:
            self.step()

    def step(self) -> None:
        """One physics step; then every observer looks."""
        mujoco.mj_step(self.model, self.data)
        self._tick += 1
        for observer in self._observers:
            observer(self)

    def watch(self, observer: Callable[[World], None]) -> None:
        """Call `observer` after every step from now on."""
        self._observers.append(observer)

    def T_world_block(self, name: str) -> Array:
        """True pose (4, 4) of a block."""
        body = self.data.body(name)
        return pose(body.xmat.reshape(3, 3), body.xpos)

    def poses(self) -> dict[str, list[float]]:
        """Position and quaternion (w first) of every block, world frame."""
        out = {}
        for block in self.blocks:
            T = self.T_world_block(block.name)
            out[block.name] = [*T[:3, 3].tolist(), *quaternion(T[:3, :3]).tolist()]
        return out

    @contextmanager
    def laid(self, T_world_block: Mapping[str, Array]) -> Iterator[None]:
        """Blocks elsewhere for a while, to be pictured: nothing falls or pushes meanwhile, and no time passes.

        Sleep is off meanwhile: sleepers would be drawn where they were.

        Args:
            T_world_block: Poses (4, 4) by name; the other blocks stay.
        """
        before, enabled = self.data.qpos.copy(), self.model.opt.enableflags
        self.model.opt.enableflags = enabled & ~_SLEEP
        try:
            for name, T in T_world_block.items():
                self.data.joint(name).qpos = [*T[:3, 3], *quaternion(T[:3, :3])]
            mujoco.mj_kinematics(self.model, self.data)
            yield
        finally:
            self.data.qpos = before
            mujoco.mj_kinematics(self.model, self.data)
            self.model.opt.enableflags = enabled

    def _settle(self) -> None:
        """Let the tower come to rest under heavy damping, or the upper blocks jump by millimetres.

        Sleep is off meanwhile: the tower would fall asleep in mid-air.
        """
        enabled = self.model.opt.enableflags
        self.model.opt.enableflags = enabled & ~_SLEEP
        for _ in range(round(SETTLE_S / self.step_s)):
            mujoco.mj_step(self.model, self.data)
            self.data.qvel[:] *= 0.7
        mujoco.mj_step(self.model, self.data, round(0.5 / self.step_s))
        self.model.opt.enableflags = enabled
