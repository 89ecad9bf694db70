"""A table to be watched: somebody reaches in and leaves, the light changes, blocks are moved; pictures are small.

Nothing is simulated between pictures: time passes by saying so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from planning.blockset import load_blockset
from planning.tower import Slot, Tower
from robot.camera_model import CameraModel
from robot.frames import Array, pose, rot_z
from robot.ports import Frame, Image
from robot.seeding import generator
from sim.arm import put_arm
from sim.camera import add_noise
from sim.look import Look
from sim.reaching import put_visitor, reach
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.settings import Settings

WIDTH_PX, HEIGHT_PX = 640, 480
AWAY = pose(None, [0.0, 30.0, 5.0])
NOISE_LEVELS = 2.0


@dataclass(frozen=True)
class Light:
    """How the light differs from that of the look.

    Attributes:
        gain: Of everything, as an exposure that is set anew.
        tint: Shares of red, green and blue.
        window: Brightness of the window, which is what casts shadows (or of the lamp, where the lamp is near).
        turn_rad: About the vertical, of where its light comes from: shadows move.
    """

    gain: float = 1.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    window: float = 1.0
    turn_rad: float = 0.0


USUAL = Light()


class Stage:
    """A tower and its cameras.

    Args:
        seed: Of everything random.
        look: What it looks like; a visitor is out of sight until a picture asks for it.
        tower: Its text.
    """

    def __init__(self, seed: int, look: Look, tower: str = "111*14") -> None:
        settings = Settings()
        body = wiring.body_of(settings)
        plan = wiring.plan_of(settings, load_blockset("standard"), Tower.parse(tower), seed)
        self.simulation = Simulation(replace(plan, look=look), body.limits, body.park_rad)
        self.room, self.look = plan.room, look
        self._park_rad = body.park_rad
        self._rng = generator(seed, "stage")
        self.cameras = {c.model.name: _smaller(c.model) for c in self.simulation.cameras}
        self.names = {Slot(*b.slot): b.name for b in self.simulation.world.blocks if b.slot is not None}
        self._renderer = mujoco.Renderer(self._model, HEIGHT_PX, WIDTH_PX)
        self._drawn: dict[object, dict[str, Image]] = {}
        self._lit = (
            self._model.light_diffuse.copy(),
            self._model.light_dir.copy(),
            self._model.light_pos.copy(),
        )

    @property
    def _model(self) -> Any:
        return self.simulation.world.model

    @property
    def T_world_tower(self) -> Array:
        """Nominal pose (4, 4) of the tower."""
        return self.room.T_world_tower

    def reach(self) -> Array:
        """Where a visitor may stand whose tip is at the tower."""
        return reach(self._rng, self.room)

    def shot(
        self,
        t_s: float,
        visitor: Array | None = None,
        light: Light = USUAL,
        moved: Mapping[Slot, Array] | None = None,
        cameras: Collection[str] | None = None,
        q_rad: Array | None = None,
    ) -> tuple[Frame, ...]:
        """Pictures of all cameras, or of some; the same scene again differs in noise only, and is not drawn again.

        Args:
            t_s: When.
            visitor: Where its tip is (4, 4), or out of sight.
            light: How the light is.
            moved: Motions (4, 4) of blocks in the world.
            cameras: Their names.
            q_rad: The arm's posture (n,), or parked.
        """
        names = list(self.cameras if cameras is None else cameras)
        key = (
            None if visitor is None else visitor.tobytes(),
            None if q_rad is None else q_rad.tobytes(),
            light,
            *((s, T.tobytes()) for s, T in (moved or {}).items()),
        )
        drawn = self._drawn.setdefault(key, {})
        missing = [name for name in names if name not in drawn]
        if missing:
            put_arm(self.simulation.world.data, self._park_rad if q_rad is None else q_rad, 0.0)
            drawn |= self._draw(missing, visitor, light, moved or {})
        return tuple(self._noisy(name, drawn[name], t_s) for name in names)

    def _draw(
        self, names: Collection[str], visitor: Array | None, light: Light, moved: Mapping[Slot, Array]
    ) -> dict[str, Image]:
        world = self.simulation.world
        if self.look.visitor:
            put_visitor(world.model, world.data, AWAY if visitor is None else visitor)
        self._shine(light)
        laid = {self.names[slot]: T @ world.T_world_block(self.names[slot]) for slot, T in moved.items()}
        with world.laid(laid):
            mujoco.mj_camlight(world.model, world.data)
            return {name: self._lit_picture(name, light) for name in names}

    def _lit_picture(self, name: str, light: Light) -> Image:
        self._renderer.update_scene(self.simulation.world.data, name)
        lit = self._renderer.render()[..., ::-1] * (light.gain * np.array(light.tint[::-1]))
        return np.ascontiguousarray(np.clip(lit, 0, 255).astype(np.uint8))

    def _shine(self, light: Light) -> None:
        diffuse, direction, position = self._lit
        turned, casts = rot_z(light.turn_rad)[:3, :3], self._model.light_castshadow.astype(bool)
        self._model.light_diffuse[:] = np.where(casts[:, None], light.window, 1.0) * diffuse
        self._model.light_dir[:] = np.where(casts[:, None], direction @ turned.T, direction)
        self._model.light_pos[:] = np.where(casts[:, None], position @ turned.T, position)

    def _noisy(self, name: str, image: Image, t_s: float) -> Frame:
        return Frame(add_noise(image, NOISE_LEVELS * self.look.noise, self._rng), t_s, name)

    def close(self) -> None:
        """Give the OpenGL context back."""
        self._renderer.close()
        self.simulation.close()


def drawn_back(T_world_visitor: Array, by_m: float) -> Array:
    """The same visitor, farther out along the way that it reaches."""
    return T_world_visitor @ pose(None, [-by_m, 0.0, 0.0])


def _smaller(camera: CameraModel) -> CameraModel:
    """The camera with the pictures of this stage; pixel centres stay pixel centres."""
    share = WIDTH_PX / camera.size_px[0]
    K = camera.K.copy()
    K[:2] *= share
    K[:2, 2] += (share - 1) / 2
    return CameraModel(camera.name, (WIDTH_PX, HEIGHT_PX), K, camera.T_world_camera, camera.distortion)
