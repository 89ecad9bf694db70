"""The world in MuJoCo's viewer while a match goes on, at the pace of real time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import mujoco.viewer

from sim.world import World

_FRAME_S = 1 / 30
_SPACE = 32


class _Pace:
    """Shows the world thirty times a second and holds it back to real time."""

    def __init__(self, world: World, handle: mujoco.viewer.Handle, stop: Callable[[str], None]) -> None:
        self._handle, self._stop = handle, stop
        self._began_s = time.monotonic() - world.now_s()
        self._shown_s = -1.0

    def __call__(self, world: World) -> None:
        now_s = world.now_s()
        if now_s - self._shown_s < _FRAME_S:
            return
        self._shown_s = now_s
        if not self._handle.is_running():
            self._stop("the viewer was closed")
            return
        self._handle.sync()
        ahead_s = now_s - (time.monotonic() - self._began_s)
        if ahead_s > 0:
            time.sleep(ahead_s)
        else:
            self._began_s -= ahead_s  # a slow moment is not made up for by a rush


def _look_at_tower(camera: mujoco.MjvCamera, world: World) -> None:
    """Tower and arm side by side, as a spectator across the table sees them."""
    camera.lookat = world.room.T_world_tower[:3, 3] + [-0.12, 0.0, 0.10]
    camera.distance, camera.azimuth, camera.elevation = 1.35, 115.0, -14.0


@contextmanager
def show(world: World, stop: Callable[[str], None]) -> Iterator[None]:
    """Show the world while the block runs; the space bar or closing the window stops the match."""

    def on_key(key: int) -> None:
        if key == _SPACE:
            stop("space bar")

    with mujoco.viewer.launch_passive(
        world.model, world.data, key_callback=on_key, show_left_ui=False, show_right_ui=False
    ) as handle:
        _look_at_tower(handle.cam, world)
        world.watch(_Pace(world, handle, stop))
        yield
