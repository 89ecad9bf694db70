"""The fingers' printed sleeves as the cameras see them: thin plates on the fingers that touch nothing."""

from __future__ import annotations

import mujoco
import numpy as np

from robot.arm_models import ArmModel
from robot.frames import Array
from robot.lfinger import LFinger
from robot.sleeve import PrintedFace, printed_faces
from sim.scene import LOOKS, add_picture

_PER_CELL = 16  # pixels of the texture along a square
_BLACK, _WHITE = 25, 235
_DEEP_M = 1e-3  # so deep in the finger lies the point that makes a plate a solid


def add_sleeves(spec: mujoco.MjSpec, model: ArmModel, finger: LFinger) -> None:
    """Wrap the fingers of an arm, before it is attached to a scene."""
    spec.compiler.discardvisual = False  # as URDFs have it: what touches nothing would be left out
    for k, face in enumerate(printed_faces(finger, 0.0)):
        name = f"sleeve{k}"
        sheet = np.kron(face.white, np.ones((_PER_CELL, _PER_CELL))) * (_WHITE - _BLACK) + _BLACK
        add_picture(spec, name, np.repeat(sheet.astype(np.uint8)[..., None], 3, axis=2))
        _plate(spec, name, model, finger, face)


def _plate(spec: mujoco.MjSpec, name: str, model: ArmModel, finger: LFinger, face: PrintedFace) -> None:
    a = face.corner_m
    tool_m = np.array([a, a + face.down_m, a + face.down_m + face.right_m, a + face.right_m])
    below = tool_m.mean(axis=0) - _DEEP_M * face.normal
    corners = _in_link(np.vstack([tool_m, below]), model, finger, left=face.left)
    mesh = spec.add_mesh(name=name)
    mesh.uservert = corners.ravel()
    mesh.usernormal = np.tile(_in_link_axes(face.normal), 5)
    mesh.usertexcoord = np.array([[0, 0], [0, 1], [1, 1], [1, 0], [0.5, 0.5]], dtype=float).ravel()
    mesh.userface = np.array([[0, 1, 2], [0, 2, 3], [0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0]]).ravel()
    body = spec.body(f"{'left' if face.left else 'right'}_finger_link")
    body.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=name, contype=0, conaffinity=0,
        group=LOOKS, mass=0,
    )  # fmt: skip


def _in_link(p_tool_m: Array, model: ArmModel, finger: LFinger, *, left: bool) -> Array:
    """Points (N, 3) of the tool's frame, the fingers closed, in the frame of a finger's link."""
    inner = -model.travel_m[0] if left else model.travel_m[0]
    return np.asarray(_in_link_axes(p_tool_m) + np.array([model.flange_m, inner, finger.leg_m]))


def _in_link_axes(v_tool: Array) -> Array:
    """Vectors (..., 3) of the tool's frame along the axes of the fingers' links, which are the flange's."""
    return np.asarray(v_tool[..., [1, 2, 0]])
