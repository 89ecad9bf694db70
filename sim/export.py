"""The settled world as one MuJoCo file that needs nothing of this program."""

from __future__ import annotations

import shutil
from pathlib import Path

import mujoco

from robot.frames import Array
from sim.arm import add_arm, arm_with_errors, put_arm
from sim.scene import add_blocks, room_spec
from sim.simulation import SimulationPlan
from sim.world import World

MESHES = "arm_meshes"


def scene_xml(plan: SimulationPlan, park_rad: Array, mesh_folder: Path | None) -> str:
    """The world that `play` starts in, blocks where they have settled.

    Args:
        plan: What stands on the table.
        park_rad: The arm's posture (6,).
        mesh_folder: Where the arm's meshes are copied to, in a folder of their own; None leaves the arm out.
    """
    parts: list[mujoco.MjSpec] = []

    def furnish(spec: mujoco.MjSpec) -> None:
        arm = arm_with_errors(plan.arm, plan.finger, plan.mechanics, plan.errors)
        parts.append(add_arm(spec, plan.T_world_base, arm))

    blocks = plan.blocks()
    world = World(
        plan.room,
        blocks,
        plan.seed,
        furnish=furnish,
        start=lambda w: put_arm(w.data, park_rad, 0.0),
        looks=False,
    )
    spec = room_spec(plan.room, plan.seed, looks=False)
    settled = {block.name: world.T_world_block(block.name) for block in blocks}
    add_blocks(spec, plan.room, blocks, settled, plan.seed, looks=False)
    if mesh_folder is not None:
        furnish(spec)
        _park(spec, park_rad)
    spec.compile()
    xml = str(spec.to_xml())
    return xml if mesh_folder is None else _with_meshes(xml, spec, mesh_folder)


def _park(spec: mujoco.MjSpec, park_rad: Array) -> None:
    """The posture in which `play` begins, as the file's one keyframe."""
    data = mujoco.MjData(spec.compile())
    put_arm(data, park_rad, 0.0)
    spec.add_key(name="start", qpos=data.qpos, ctrl=data.ctrl)


def _with_meshes(xml: str, spec: mujoco.MjSpec, folder: Path) -> str:
    """The file naming copies of the meshes beside it, so that it can be taken elsewhere together with them."""
    target = folder / MESHES
    target.mkdir(exist_ok=True)
    for source in {mesh.file for mesh in spec.meshes if mesh.file}:
        name = Path(source).name
        shutil.copyfile(source, target / name)
        xml = xml.replace(f'"{source}"', f'"{MESHES}/{name}"')
    return xml
