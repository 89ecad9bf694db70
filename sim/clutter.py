"""Things that lie about on the table: mugs, books, boxes, papers and loose blocks, for the eyes only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import mujoco
import numpy as np

from robot.frames import Array, pose, quaternion, rot_z
from robot.seeding import generator
from sim import textures
from sim.blocks import Block
from sim.scene import LOOKS, add_picture, skin_geom

AMOUNTS = {"some": 4, "busy": 14}
NEAR_M, FAR_M = 0.27, 0.68  # from the tower: off the mat, and within what the cameras see
ARM_SIDE_RAD = math.radians(130)  # nothing lies nearer to the arm than this, counted from the front
_TRIES = 200


def scatter(spec: mujoco.MjSpec, amount: str, seed: int) -> None:
    """Lay things on the table; where no room is left, fewer."""
    rng = generator(seed, "clutter", amount)
    taken: list[tuple[float, float, float]] = []
    for k in range(AMOUNTS[amount]):
        thing, room_m = _THINGS[k % len(_THINGS)]
        place = _free_place(rng, taken, room_m)
        if place is not None:
            taken.append((*place, room_m))
            body = spec.worldbody.add_body(
                name=f"clutter{k}", pos=[*place, 0], quat=quaternion(rot_z(rng.uniform(0, 2 * np.pi)))
            )
            thing(spec, body, rng)


def _free_place(
    rng: np.random.Generator, taken: Sequence[tuple[float, float, float]], room_m: float
) -> tuple[float, float] | None:
    for _ in range(_TRIES):
        turn, far = rng.uniform(-ARM_SIDE_RAD, ARM_SIDE_RAD), rng.uniform(NEAR_M + room_m / 2, FAR_M)
        x, y = far * math.cos(turn), far * math.sin(turn)
        if all(math.hypot(x - a, y - b) > room_m + c for a, b, c in taken):
            return x, y
    return None


def visible(body: mujoco.MjsBody, kind: int, size: Iterable[float], T: Array, rgb: Iterable[float]) -> None:
    """A geom that is seen and touches nothing; `T` (4, 4) in the body's frame."""
    body.add_geom(
        type=kind, size=[*size, 0.0, 0.0][:3], pos=T[:3, 3], quat=quaternion(T[:3, :3]), rgba=[*rgb, 1],
        contype=0, conaffinity=0, group=LOOKS, mass=0,
    )  # fmt: skip


def _mug(_spec: mujoco.MjSpec, body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    radius, half, rgb = rng.uniform(0.035, 0.045), rng.uniform(0.04, 0.055), rng.uniform(0.15, 0.95, 3)
    visible(body, mujoco.mjtGeom.mjGEOM_CYLINDER, [radius, half], pose(None, [0, 0, half]), rgb)
    visible(
        body,
        mujoco.mjtGeom.mjGEOM_CYLINDER,
        [radius * 0.9, 1e-3],
        pose(None, [0, 0, 2 * half]),
        [0.2, 0.12, 0.08],
    )
    for z in (0.5, 1.0, 1.5):
        visible(
            body,
            mujoco.mjtGeom.mjGEOM_ELLIPSOID,
            [0.02, 0.007, 0.02],
            pose(None, [radius + 0.012, 0, z * half]),
            rgb,
        )


def _printed(spec: mujoco.MjSpec, body: mujoco.MjsBody, rng: np.random.Generator, size_m: Array) -> None:
    """A box with something printed on it."""
    name = f"{body.name}_print"
    add_picture(spec, name, textures.printed(rng))
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=size_m / 2, pos=[0, 0, size_m[2] / 2], material=name,
        contype=0, conaffinity=0, group=LOOKS, mass=0,
    )  # fmt: skip


def _book(spec: mujoco.MjSpec, body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    _printed(
        spec, body, rng, np.array([rng.uniform(0.17, 0.24), rng.uniform(0.12, 0.17), rng.uniform(0.01, 0.04)])
    )


def _paper(spec: mujoco.MjSpec, body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    _printed(spec, body, rng, np.array([0.21, 0.148, 0.0006]))


def _box(_spec: mujoco.MjSpec, body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    """Cardboard, of wood's colour."""
    half = np.array([rng.uniform(0.04, 0.08), rng.uniform(0.03, 0.06), rng.uniform(0.02, 0.06)])
    rgb = np.array([0.74, 0.58, 0.40]) * rng.uniform(0.8, 1.1)
    visible(body, mujoco.mjtGeom.mjGEOM_BOX, half, pose(None, [0, 0, half[2]]), np.clip(rgb, 0, 1))


def _blocks(spec: mujoco.MjSpec, body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    """Two or three blocks of the game, one leaning on another's back."""
    size = (0.075, 0.025, 0.015)
    for k in range(int(rng.integers(2, 4))):
        T = pose(rot_z(rng.uniform(0, np.pi)), [0.012 * k, 0.01 * k, size[2] * (k + 0.5)])
        lying = body.add_body(name=f"{body.name}_{k}", pos=T[:3, 3], quat=quaternion(T[:3, :3]))
        skin_geom(spec, lying, Block(lying.name, None, size, 0.0, 0.0, 0.0, T), rng)


_THINGS: tuple[tuple[Callable[[mujoco.MjSpec, mujoco.MjsBody, np.random.Generator], None], float], ...] = (
    (_blocks, 0.06), (_mug, 0.06), (_book, 0.12), (_box, 0.09), (_blocks, 0.06), (_paper, 0.10), (_blocks, 0.06),
)  # fmt: skip
