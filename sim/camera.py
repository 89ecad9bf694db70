"""The simulated cameras: MuJoCo renders, then sensor noise is added."""

from __future__ import annotations

from typing import Protocol

import mujoco
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from robot.errors import BadInputError
from robot.ports import Frame
from robot.seeding import generator
from sim.viewpoints import SIZE_PX, CameraPlace

_TABLE = 1 << 16


class Pictured(Protocol):
    """What a camera looks at: the world as it goes on, or as it stood at one moment."""

    model: mujoco.MjModel
    data: mujoco.MjData

    def now_s(self) -> float:
        """The moment of `data`, on the world's clock."""
        ...


class SimCamera:
    """A camera of the simulated room."""

    def __init__(
        self, world: Pictured, place: CameraPlace, renderer: SharedRenderer, noise: float, seed: int
    ) -> None:
        self.model = place.model()
        self._world, self._renderer, self._noise = world, renderer, noise
        self._rng = generator(seed, "camera", place.name)

    def capture(self) -> Frame:
        """A picture of the world as it stands now."""
        rgb = self._renderer.render(self._world, self.model.name)
        bgr = np.ascontiguousarray(rgb[..., ::-1])
        return Frame(add_noise(bgr, self._noise, self._rng), self._world.now_s(), self.model.name)


def add_noise(image: np.ndarray, sd: float, rng: np.random.Generator) -> np.ndarray:
    """Sensor noise of `sd` grey levels, from a table of normal values read at random offsets (fast)."""
    if sd <= 0:
        return image
    height, width, _ = image.shape
    table = (rng.standard_normal(_TABLE) * sd).round().astype(np.int16)
    rows = sliding_window_view(np.concatenate([table, table[:width]]), width)
    at = rng.integers(0, _TABLE, size=3 * height)
    noisy = image + rows[at].reshape(height, 3, width).transpose(0, 2, 1)
    return np.asarray(np.clip(noisy, 0, 255, out=noisy), dtype=np.uint8)


class SharedRenderer:
    """One OpenGL context for all cameras of a world; made at the first picture."""

    def __init__(self) -> None:
        self._renderer: mujoco.Renderer | None = None

    def render(self, world: Pictured, camera: str) -> np.ndarray:
        """An RGB picture (height, width, 3)."""
        renderer = self.prepare(world)
        renderer.update_scene(world.data, camera)
        return np.asarray(renderer.render())

    def prepare(self, world: Pictured) -> mujoco.Renderer:
        """Make the context now, to know early whether it can be made.

        Raises:
            BadInputError: There is no OpenGL to draw with.
        """
        if self._renderer is None:
            self._renderer = self._make(world)
        return self._renderer

    @staticmethod
    def _make(world: Pictured) -> mujoco.Renderer:
        try:
            return mujoco.Renderer(world.model, SIZE_PX[1], SIZE_PX[0])
        except Exception as error:
            raise BadInputError(
                f"no OpenGL to draw the cameras' pictures with: {str(error).rstrip('.')}. Install Debian's libosmesa6 "
                "(or libegl1) and set MUJOCO_GL to osmesa (or egl)"
            ) from error

    def close(self) -> None:
        """Give the OpenGL context back."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
