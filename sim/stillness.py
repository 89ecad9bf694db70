"""Since when nothing has moved, by the simulated world's own state."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sim.world import World

_EVERY_S = 0.05
_STEP = 5e-5  # metres, radians, or half as much as an angle in a quaternion: what no picture shows


class Stillness:
    """Watches joints of a world, free ones of blocks too.

    Args:
        world: Told by it of every step.
        joints: Their names; all of the world's where nothing is given.

    Attributes:
        moved_s: When one was last seen to have moved, on the world's clock; however slowly it creeps, it is seen.
    """

    def __init__(self, world: World, joints: Iterable[str] | None = None) -> None:
        self._where = _addresses(world, joints)
        self._at = world.data.qpos[self._where].copy()
        self.moved_s = self._next_s = world.now_s()
        world.watch(self._look)

    def _look(self, world: World) -> None:
        now_s = world.now_s()
        if now_s < self._next_s:
            return
        self._next_s = now_s + _EVERY_S
        at = world.data.qpos[self._where]
        if (np.abs(at - self._at) > _STEP).any():
            self._at, self.moved_s = at, now_s


def _addresses(world: World, joints: Iterable[str] | None) -> np.ndarray:
    if joints is None:
        return np.arange(world.model.nq)
    found = [np.arange(*_span(world, name)) for name in joints]
    return np.concatenate(found)


def _span(world: World, name: str) -> tuple[int, int]:
    """Where a joint's coordinates begin and end."""
    adr, length = int(world.model.joint(name).qposadr[0]), len(world.data.joint(name).qpos)
    return adr, adr + length
