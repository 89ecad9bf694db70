"""What may reach to the tower from the edge of the picture: a bare hand, a hand in a sleeve, a tool.

Built of capsules, ellipsoids and boxes; it is seen and touches nothing. It hangs on a body of its own, whose frame has
its origin at the tip, x the way it reaches and z up, and which can be put anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import mujoco
import numpy as np

from robot.frames import Array, pose, quaternion, rot_x, rot_y, rot_z
from robot.seeding import generator
from sim.clutter import visible
from sim.scene import LOOKS, Room

NAME = "visitor"
LENGTH_M = 2.0  # so long is what reaches in: beyond any picture's edge
SKINS = ((0.93, 0.76, 0.66), (0.85, 0.64, 0.50), (0.66, 0.46, 0.34), (0.42, 0.28, 0.20))
CLOTHS = ((0.12, 0.14, 0.20), (0.55, 0.56, 0.58), (0.85, 0.84, 0.80), (0.55, 0.14, 0.16), (0.20, 0.33, 0.52))
# From the front, to either side: between where the cameras stand (0, 90) and where the arm does (180).
FROM_RAD = ((math.radians(25), math.radians(65)), (math.radians(115), math.radians(135)))
_PHALANGES_M = (0.042, 0.027, 0.023)
_FINGERS_M = ((0.030, 0.90), (0.010, 1.0), (-0.010, 0.95), (-0.030, 0.78))  # place across the palm, length
_CURLS = {"poke": (0.1, 1.3, 1.4, 1.5), "pinch": (0.55, 0.7, 0.9, 1.0), "open": (0.1, 0.05, 0.1, 0.15)}


def add_visitor(spec: mujoco.MjSpec, kind: str, room: Room, seed: int) -> None:
    """Put one into a scene, its tip at the tower."""
    rng = generator(seed, "visitor", kind)
    T = reach(rng, room)
    body = spec.worldbody.add_body(name=NAME, mocap=True, pos=T[:3, 3], quat=quaternion(T[:3, :3]))
    VISITORS[kind](body, rng)


def reach(rng: np.random.Generator, room: Room) -> Array:
    """A pose (4, 4) in the world whose tip is within two centimetres of the tower, coming from beside the cameras."""
    low, high = FROM_RAD[rng.integers(len(FROM_RAD))]
    turn = float(rng.choice([-1, 1]) * rng.uniform(low, high))
    R = rot_z(turn + np.pi) @ rot_y(rng.uniform(0.12, 0.5)) @ rot_x(rng.uniform(-0.7, 0.7))
    foot = room.T_world_tower[:3, 3]
    tip = foot + np.array([0.06 * math.cos(turn), 0.06 * math.sin(turn), rng.uniform(0.05, 0.26)])
    return pose(R, tip)


def put_visitor(model: mujoco.MjModel, data: mujoco.MjData, T_world_visitor: Array) -> None:
    """Put it where its pose (4, 4) says; no time passes."""
    k = int(model.body(NAME).mocapid[0])
    data.mocap_pos[k], data.mocap_quat[k] = T_world_visitor[:3, 3], quaternion(T_world_visitor[:3, :3])
    mujoco.mj_kinematics(model, data)


def _capsule(body: mujoco.MjsBody, a: Array, b: Array, radius_m: float, rgb: Sequence[float]) -> None:
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[*a, *b], size=[radius_m, 0, 0], rgba=[*rgb, 1],
        contype=0, conaffinity=0, group=LOOKS, mass=0,
    )  # fmt: skip


def _hand(body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    skin = _shade(rng, SKINS)
    _fingers(body, rng, skin)
    _capsule(body, np.array([-0.20, 0, 0]), np.array([-0.24, 0, 0]), 0.027, skin)
    _capsule(body, np.array([-0.24, 0, 0]), np.array([-LENGTH_M, 0, 0]), 0.036, skin)


def _sleeve(body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    skin, cloth = _shade(rng, SKINS), _shade(rng, CLOTHS)
    _fingers(body, rng, skin)
    _capsule(body, np.array([-0.20, 0, 0]), np.array([-0.24, 0, 0]), 0.027, skin)
    _capsule(body, np.array([-0.26, 0, 0]), np.array([-LENGTH_M, 0, 0]), 0.048, cloth)


def _tool(body: mujoco.MjsBody, rng: np.random.Generator) -> None:
    """A steel rod in a handle on a pole."""
    steel, handle = [0.62, 0.63, 0.65], _shade(rng, CLOTHS)
    _capsule(body, np.array([-0.003, 0, 0]), np.array([-0.12, 0, 0]), 0.003, steel)
    _capsule(body, np.array([-0.12, 0, 0]), np.array([-0.23, 0, 0]), 0.014, handle)
    _capsule(body, np.array([-0.23, 0, 0]), np.array([-LENGTH_M, 0, 0]), 0.011, [0.30, 0.30, 0.32])


def _fingers(body: mujoco.MjsBody, rng: np.random.Generator, skin: Sequence[float]) -> None:
    """Palm, thumb and four fingers, the longest of them reaching to the origin where it is stretched."""
    knuckle_x = -sum(_PHALANGES_M)
    curls = _CURLS[str(rng.choice(list(_CURLS)))]
    for (y, length), curl in zip(_FINGERS_M, curls, strict=True):
        _finger(body, np.array([knuckle_x, y, 0.0]), length, curl, skin)
    palm = pose(None, [knuckle_x - 0.045, 0, -0.004])
    visible(body, mujoco.mjtGeom.mjGEOM_ELLIPSOID, [0.060, 0.046, 0.019], palm, skin)
    visible(body, mujoco.mjtGeom.mjGEOM_BOX, [0.040, 0.036, 0.010], palm, skin)
    thumb = np.array([knuckle_x - 0.055, 0.035, -0.012])
    tip = thumb + np.array([0.040, 0.024, -0.012])
    _capsule(body, thumb, tip, 0.012, skin)
    _capsule(body, tip, tip + np.array([0.030, 0.002, -0.006]), 0.010, skin)


def _finger(body: mujoco.MjsBody, start: Array, length: float, curl: float, skin: Sequence[float]) -> None:
    """Three links, each bent down by `curl` against the one before."""
    bend, at = 0.3 * curl, start
    for link, radius_m in zip(_PHALANGES_M, (0.0092, 0.0084, 0.0076), strict=True):
        to = at + length * link * np.array([math.cos(bend), 0.0, -math.sin(bend)])
        _capsule(body, at, to, radius_m, skin)
        at, bend = to, bend + curl


def _shade(rng: np.random.Generator, colours: Sequence[Sequence[float]]) -> list[float]:
    chosen = np.array(colours[int(rng.integers(len(colours)))])
    return [float(x) for x in np.clip(chosen * rng.uniform(0.92, 1.06), 0, 1)]


VISITORS: dict[str, Callable[[mujoco.MjsBody, np.random.Generator], None]] = {
    "hand": _hand,
    "sleeve": _sleeve,
    "tool": _tool,
}
