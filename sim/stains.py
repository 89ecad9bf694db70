"""The blocks' wood: light as it is, dark, stained, each block in another tone, or painted."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from robot.seeding import generator
from sim import textures
from sim.scene import SKIN, add_picture

Tone = tuple[float, float, float]

DARK: Tone = (0.50, 0.40, 0.34)
STAINS: tuple[Tone, ...] = ((0.74, 0.42, 0.32), (0.56, 0.74, 0.52), (0.60, 0.66, 0.74), (1.0, 0.76, 0.42))
PAINTS: tuple[Tone, ...] = (
    (0.80, 0.16, 0.14), (0.13, 0.33, 0.66), (0.93, 0.76, 0.16),
    (0.18, 0.52, 0.28), (0.90, 0.88, 0.84), (0.88, 0.45, 0.12),
)  # fmt: skip


def stain(spec: mujoco.MjSpec, wood: str, seed: int) -> None:
    """Colour the blocks of a scene; "light" leaves them as they are."""
    if wood == "light":
        return
    rng = generator(seed, "stain", wood)
    if wood == "painted":
        add_picture(spec, "paint", textures.paint(rng))
    tones = WOODS[wood](rng)
    for geom in spec.geoms:
        if geom.name.endswith(SKIN):
            own = np.array(geom.rgba[:3])
            geom.rgba = [*np.clip(own * tones(), 0, 1), 1]
            if wood == "painted":
                geom.material = "paint"


def _dark(_rng: np.random.Generator) -> Callable[[], np.ndarray]:
    return lambda: np.array(DARK)


def _stained(rng: np.random.Generator) -> Callable[[], np.ndarray]:
    """One stain for all, taken up more or less."""
    colour = np.array(STAINS[rng.integers(len(STAINS))])
    return lambda: colour ** rng.uniform(0.75, 1.25)


def _mixed(rng: np.random.Generator) -> Callable[[], np.ndarray]:
    """Anything between the lightest and the darkest wood."""
    return lambda: np.array(DARK) ** rng.uniform(0.0, 1.1)


def _painted(rng: np.random.Generator) -> Callable[[], np.ndarray]:
    return lambda: np.array(PAINTS[rng.integers(len(PAINTS))])


def _light(_rng: np.random.Generator) -> Callable[[], np.ndarray]:
    return lambda: np.ones(3)


WOODS = {"light": _light, "dark": _dark, "stained": _stained, "mixed": _mixed, "painted": _painted}
