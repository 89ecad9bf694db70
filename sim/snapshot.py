"""A world as it stood at one moment, to be pictured in another thread while the world itself goes on."""

from __future__ import annotations

import mujoco

from sim.world import World


class Snapshot:
    """Implements what a camera pictures. Copying takes some hundredths of a millisecond.

    Args:
        world: As it stands now.

    Attributes:
        model: The world's own.
        data: A copy of its state.
    """

    def __init__(self, world: World) -> None:
        self.model = world.model
        self.data: mujoco.MjData = mujoco.MjData(world.model)
        self.take(world)

    def take(self, world: World) -> None:
        """Copy the state as it is now; nothing may step the world or draw this meanwhile."""
        mujoco.mj_copyData(self.data, self.model, world.data)
        self._t_s = world.now_s()

    def now_s(self) -> float:
        """The moment, on the world's clock."""
        return self._t_s
