"""The light of the simulated room: a window and a lamp as `scene` puts them there, changed to other hours and moods."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco

from robot.seeding import generator

Colour = tuple[float, float, float]

NOISE = {"dim": 2.0}  # a camera in the dark turns its gain up


@dataclass(frozen=True)
class Shine:
    """Brightness of what lights the room.

    Attributes:
        ambient: From everywhere.
        head: From where the camera is.
        window: From afar, with shadows.
        lamp: From the other side, without; or with hard ones, from near, where `near` says so.
        tint: Red, green and blue shares of it all.
        gloss: How much surfaces shine, 0 to 1.
    """

    ambient: float = 0.35
    head: float = 0.15
    window: float = 0.55
    lamp: float = 0.35
    tint: Colour = (1.0, 1.0, 1.0)
    gloss: float = 0.0
    near: bool = False


LIGHTS = {
    "normal": Shine(),
    "dim": Shine(0.10, 0.04, 0.17, 0.10),
    "warm": Shine(tint=(1.05, 0.80, 0.52)),
    "glare": Shine(0.45, 0.20, 1.25, 0.40, gloss=1.0),
    "hard": Shine(0.16, 0.06, 0.0, 0.85, near=True),
}


def shine(spec: mujoco.MjSpec, name: str, seed: int) -> None:
    """Light a scene that has the lights of `scene.room_spec`; "normal" leaves it as it is."""
    if name == "normal":
        return
    light, rng = LIGHTS[name], generator(seed, "light", name)
    headlight, window, lamp = spec.visual.headlight, spec.light("window"), spec.light("lamp")
    headlight.ambient, headlight.diffuse = _tinted(light.ambient, light), _tinted(light.head, light)
    window.diffuse, lamp.diffuse = _tinted(light.window, light), _tinted(light.lamp, light)
    _walls(spec, light)
    if light.gloss:
        _gloss(spec, light.gloss)
    if light.near:
        _stand(lamp, math.radians(rng.choice([-1, 1]) * rng.uniform(35, 75)))


def _tinted(brightness: float, light: Shine) -> list[float]:
    return [brightness * share for share in light.tint]


def _walls(spec: mujoco.MjSpec, light: Shine) -> None:
    """MuJoCo does not light its sky, which is the room's walls here."""
    sky, usual = spec.texture("room"), LIGHTS["normal"]
    share = (light.ambient + light.window / 2) / (usual.ambient + usual.window / 2)
    for name in ("rgb1", "rgb2"):
        setattr(
            sky, name, [min(1.0, x * share * t) for x, t in zip(getattr(sky, name), light.tint, strict=True)]
        )


def _gloss(spec: mujoco.MjSpec, gloss: float) -> None:
    """Varnish on everything, and a sun that shows it."""
    for material in spec.materials:
        material.specular, material.shininess = gloss, 0.25
    spec.light("window").specular = [gloss] * 3


def _stand(lamp: mujoco.MjsLight, azimuth_rad: float) -> None:
    """A bare bulb on the table's edge, `azimuth_rad` from the front: its shadows are hard and fall over the tower."""
    lamp.type = mujoco.mjtLightType.mjLIGHT_SPOT
    lamp.pos = [1.1 * math.cos(azimuth_rad), 1.1 * math.sin(azimuth_rad), 0.75]
    lamp.dir = [-lamp.pos[0], -lamp.pos[1], 0.15 - lamp.pos[2]]
    lamp.cutoff, lamp.exponent, lamp.attenuation = 60, 0.5, [1, 0, 0]
    lamp.castshadow = True
