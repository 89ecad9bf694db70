"""The settled world as one MuJoCo file that needs nothing of this program."""

from __future__ import annotations

import shutil
from pathlib import Path

import mujoco

from robot.frames import Array
from sim.arm import add_arm, put_arm
from sim.blocks import draw_tower
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
        parts.append(add_arm(spec, plan.T_world_base, plan.finger, plan.mechanics, plan.errors))

    blocks = draw_tower(plan.blockset, plan.slots, plan.seed)
    world = World(
        plan.room, blocks, plan.seed, furnish=furnish, start=lambda w: put_arm(w, park_rad, 0.0), looks=False
    )
    spec = room_spec(plan.room, plan.seed, looks=False)
    settled = {block.name: world.T_world_block(block.name) for block in blocks}
    add_blocks(spec, plan.room, blocks, settled, plan.seed, looks=False)
    if mesh_folder is not None:
        furnish(spec)
        _copy_meshes(spec, mesh_folder)
    spec.compile()
    return str(spec.to_xml())


def _copy_meshes(spec: mujoco.MjSpec, folder: Path) -> None:
    """Beside the file, so that it can be taken elsewhere together with them."""
    target = folder / MESHES
    target.mkdir(parents=True, exist_ok=True)
    for mesh in spec.meshes:
        if mesh.file:
            shutil.copyfile(mesh.file, target / Path(mesh.file).name)
            mesh.file = str(Path(MESHES) / Path(mesh.file).name)
