"""Whether an arm that a person has described can play at all, told before anything moves."""

from __future__ import annotations

import numpy as np

from planning.observation import BlockSeen, as_stacked
from planning.poses import push_aim
from planning.tower import Tower
from robot.arm_models import ArmModel, Described
from robot.body import Body
from robot.errors import BadInputError
from robot.frames import Array, apply
from steadyhand.settings import Settings

_JOINTS = (
    6  # position and direction of the finger: fewer cannot choose, of more the search of postures is not made
)
_UPRIGHT = np.cos(np.radians(2.0))
_BLOCK_M = np.array([0.075, 0.025, 0.015])
_PUSH_M = 0.006
_DRIVEN = "`doctor` and `arm park|open|hold|relax` work with it all the same"


def need_able(settings: Settings, body: Body, tower: Tower) -> None:
    """Refuse an arm that cannot play; those that come with the program can.

    Args:
        settings: Name the arm, and say where the tower stands.
        body: The same arm.
        tower: What is to be played with.

    Raises:
        BadInputError: It cannot; the message says why, and what to do.
    """
    model = settings.arm.described
    if not isinstance(model.description, Described):
        return
    why = (
        model.cannot_play
        or _why_by_its_joints(model, model.description)
        or _why_by_its_reach(body, tower, settings.tower.T_world_tower())
    )
    if why:
        raise BadInputError(f"arm.model = {model.name!r}: a {model.title} cannot play: {why}. {_DRIVEN}")


def _why_by_its_joints(model: ArmModel, described: Described) -> str | None:
    count = len(model.joint_names)
    if count != _JOINTS:
        return f"it has {count} joints, needed are {_JOINTS}, for a finger to stand square before both ends of a block"
    T, chain = np.eye(4), described.urdf.chain(model.hand)
    for joint in chain:
        T = T @ joint.T_parent_joint
        if joint.moves:
            break
    axis = T[:3, :3] @ joint.axis
    if abs(axis[2]) < _UPRIGHT:
        told = ", ".join(f"{part:.2f}" for part in axis)
        return (
            f"its first joint {joint.name!r} turns about ({told}) of its base; needed is the vertical, about which a "
            "block in the hand is swung aside"
        )
    return None


def _why_by_its_reach(body: Body, tower: Tower, T_world_tower: Array) -> str | None:
    """Of its blocks some from all heights are tried; which can be played is asked before each turn."""
    seen = as_stacked(tower, _BLOCK_M).blocks
    layers = sorted({slot.layer for slot in seen})
    some = {layers[0], layers[len(layers) // 2], layers[-1]}
    tried = [block for slot, block in seen.items() if slot.layer in some]
    if any(_reaches(body, block, T_world_tower) for block in tried):
        return None
    x, y, z = apply(body.T_base_world, T_world_tower[:3, 3]) * 1e3
    return (
        f"of {len(tried)} blocks, low, high and in between, it reaches none square at both ends; the tower's foot is "
        f"at x {x:.0f}, y {y:.0f}, z {z:.0f} mm of its base. Set arm.x_mm, arm.z_mm, tower.plinth_mm and finger.leg_mm "
        "to what suits it; `python -m benchmarks.reach --settings FILE` counts what is reached"
    )


def _reaches(body: Body, block: BlockSeen, T_world_tower: Array) -> bool:
    T = T_world_tower @ block.T_world_block
    aims = (push_aim(T, float(_BLOCK_M[0]), end, _PUSH_M) for end in (1, -1))
    return all(
        any(body.kinematics.branches(body.T_base_world @ start) for start in aim.starts) for aim in aims
    )
