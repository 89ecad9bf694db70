"""The collision checker on MuJoCo's geometry: the arm, the furniture and boxes for the blocks that were seen.

It has a model of its own and knows nothing of any world in motion, so a real arm's motions are checked with it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import mujoco
import numpy as np
from scipy.spatial import ConvexHull

from robot.arm_models import ArmModel
from robot.frames import Array, pose, quaternion
from robot.lfinger import LFinger
from robot.ports import Held
from sim.arm_model import FINGERS, FLANGE, PREFIX, FingerMechanics, arm_spec
from sim.scene import Room, room_spec

# Contact bits: what stands, links by the base, links by the hand
_SURROUNDINGS, _NEAR, _FAR, _HELD = (1, 2, 4, 8)
_WRIST = 3  # the last joints; what they move is not checked against the hand
# Distances below which two bodies count as touching; a caller may ask for more room, up to the margin.
_NOSE_ROOM_M, _LINK_ROOM_M, _HELD_ROOM_M, _MARGIN_M = 0.001, 0.0035, 0.0005, 0.020
_SEEN_SIZE_M = 0.0003  # so much larger than it is seen a standing block may be
_AWAY = np.array([0.0, 0.0, 5.0])  # above, because the table is endless downwards


class TowerCollisions:
    """Implements `robot.ports.CollisionChecker`.

    Args:
        room: Furniture.
        model: Which arm it is.
        T_world_base: Pose (4, 4) of the arm.
        finger: The fingers' dimensions.
        block_m: Largest block to expect (3,); no block is taken to be larger.
        n_blocks: How many there are at most.
    """

    def __init__(
        self,
        room: Room,
        model: ArmModel,
        T_world_base: Array,
        finger: LFinger,
        block_m: Array,
        n_blocks: int = 60,
    ) -> None:
        spec = room_spec(room, 0, looks=False)
        for geom in spec.worldbody.geoms:
            geom.contype, geom.conaffinity, geom.margin = _SURROUNDINGS, _NEAR | _FAR | _HELD, _MARGIN_M
        self._arm = arm_spec(model, finger, FingerMechanics())
        _mark_links(self._arm, model)
        frame = spec.worldbody.add_frame(pos=T_world_base[:3, 3], quat=quaternion(T_world_base[:3, :3]))
        spec.attach(self._arm, prefix=PREFIX, frame=frame)
        for k in range(n_blocks):
            body = spec.worldbody.add_body(name=f"block{k}", mocap=True, pos=_AWAY)
            _add_box(body, block_m, _SURROUNDINGS, _NEAR | _FAR | _HELD, _MARGIN_M)
        # No mocap body: two of those are never checked
        held = spec.worldbody.add_body(name="held", pos=_AWAY)
        held.add_freejoint(name="held")
        _add_box(held, block_m, _HELD, 0, 0.0)
        self._spec = spec
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        m = self._model
        self._qadr = [m.joint(PREFIX + n).qposadr[0] for n in model.joint_names]
        self._gripadr = [m.joint(f"{PREFIX}{s}_finger").qposadr[0] for s in FINGERS]
        self._held = slice(m.joint("held").qposadr[0], m.joint("held").qposadr[0] + 7)
        self._boxes = [m.body(f"block{k}").mocapid[0] for k in range(n_blocks)]
        self._sizes = [m.body(f"block{k}").geomadr[0] for k in range(n_blocks)]
        self._held_size = m.body("held").geomadr[0]
        self._most_m = np.asarray(block_m) / 2
        self._flange = m.site(PREFIX + FLANGE).id
        self._T_flange_tool = finger.T_flange_tool()
        self._shut_m = model.travel_m[0]
        self._room_m = np.array([_room_m(m.body(m.geom_bodyid[g]).name) for g in range(m.ngeom)])
        self._parts = [(g, _corners_m(m, g)) for g in range(m.ngeom) if self._is_arm(g)]
        self.set_tower([])

    def _is_arm(self, geom: int) -> bool:
        return str(self._model.body(self._model.geom_bodyid[geom]).name).startswith(PREFIX)

    def set_tower(self, boxes: Sequence[tuple[Array, Array]]) -> None:
        """The blocks that stand: poses (4, 4) in the world and sizes (3,).

        Raises:
            ValueError: More blocks than the model has room for.
        """
        if len(boxes) > len(self._boxes):
            raise ValueError(f"{len(boxes)} blocks, room for {len(self._boxes)}")
        self._data.mocap_pos[self._boxes] = _AWAY + [
            [0.2 * k + 0.2, 0.0, 0.0] for k in range(len(self._boxes))
        ]
        for k, geom, (T, size_m) in zip(self._boxes, self._sizes, boxes, strict=False):
            self._data.mocap_pos[k] = T[:3, 3]
            self._data.mocap_quat[k] = quaternion(T[:3, :3])
            # Never larger than compiled, whose bounds the coarse part of the check goes by
            self._model.geom_size[geom] = np.minimum((size_m + _SEEN_SIZE_M) / 2, self._most_m)

    def outline(self, q_rad: Array, opening_m: float) -> list[Array]:
        """Points (n, 3) of each part of the arm, world frame; the part lies within their convex hull."""
        self._pose(q_rad, opening_m)
        d = self._data
        return [p @ d.geom_xmat[g].reshape(3, 3).T + d.geom_xpos[g] for g, p in self._parts]

    def hit(
        self, q_rad: Array, opening_m: float, held: Held | None = None, room_m: float = 0.0
    ) -> str | None:
        """What comes nearer to what than `room_m` more than a touch, or None where all is clear."""
        m, d = self._model, self._data
        self._pose(q_rad, opening_m)
        if held is not None:
            self._carry(held)
        mujoco.mj_collision(m, d)
        return self._first_contact(room_m)

    def _pose(self, q_rad: Array, opening_m: float) -> None:
        d, at = self._data, self._shut_m + opening_m / 2
        d.qpos[self._qadr] = q_rad
        d.qpos[self._gripadr] = [at, -at]
        d.qpos[self._held] = [*_AWAY, 1.0, 0.0, 0.0, 0.0]
        mujoco.mj_kinematics(self._model, d)

    def _carry(self, held: Held) -> None:
        d = self._data
        self._model.geom_size[self._held_size] = np.minimum(held.size_m / 2, self._most_m)
        T_world_flange = pose(d.site_xmat[self._flange].reshape(3, 3), d.site_xpos[self._flange])
        T = T_world_flange @ self._T_flange_tool @ held.T_tool_block
        d.qpos[self._held] = [*T[:3, 3], *quaternion(T[:3, :3])]
        mujoco.mj_kinematics(self._model, d)

    def _first_contact(self, room_m: float) -> str | None:
        d = self._data
        if d.ncon == 0:
            return None
        pairs = d.contact.geom
        near = d.contact.dist < self._room_m[pairs].max(axis=1) + min(room_m, _MARGIN_M - _LINK_ROOM_M)
        if not near.any():
            return None
        one, other = (self._name(g) for g in pairs[np.argmax(near)])
        return f"{one} and {other}"

    def _name(self, geom: int) -> str:
        """Of the body, or of the thing itself where it belongs to the room."""
        body = int(self._model.geom_bodyid[geom])
        name = self._model.body(body).name if body else self._model.geom(geom).name
        return str(name.removeprefix(PREFIX))


def _mark_links(arm: mujoco.MjSpec, model: ArmModel) -> None:
    """Which links are checked against each other: the hand against those by the base; all against what stands."""
    count = len(model.joint_names)
    for body in arm.bodies:
        joints = _joints_below(body, model)
        for geom in body.geoms:
            geom.contype = _FAR if joints == count else _NEAR
            geom.conaffinity = _FAR | _HELD if joints <= count - _WRIST else 0


def _joints_below(body: mujoco.MjsBody, model: ArmModel) -> int:
    """How many of the arm's joints are between the base and a body."""
    count = 0
    while body is not None and body.name != "world":
        count += any(joint.name in model.joint_names for joint in body.joints)
        body = body.parent
    return count


def _room_m(body: str) -> float:
    if body == "held":
        return _HELD_ROOM_M
    if not body.startswith(PREFIX):
        return 0.0
    return _NOSE_ROOM_M if body.endswith("nose") else _LINK_ROOM_M


def _corners_m(model: mujoco.MjModel, geom: int) -> Array:
    """Points (n, 3) whose convex hull holds a geom, in its own frame."""
    mesh = int(model.geom_dataid[geom])
    if mesh >= 0:
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        vertices = np.asarray(model.mesh_vert[first : first + count], dtype=np.float64)
        return np.asarray(vertices[ConvexHull(vertices).vertices])
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    return np.asarray(centre + half * np.array(list(product((-1, 1), repeat=3))))


def _add_box(body: mujoco.MjsBody, size_m: Array, contype: int, conaffinity: int, margin_m: float) -> None:
    geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=np.asarray(size_m) / 2)
    geom.contype, geom.conaffinity, geom.margin = contype, conaffinity, margin_m
