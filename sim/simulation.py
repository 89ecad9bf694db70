"""Everything simulated, put together: world, arm, force sensor and cameras, ready at time 0 with the tower at rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import mujoco

from planning.blockset import BlockSet
from robot.arm_models import ArmModel
from robot.frames import Array
from robot.lfinger import LFinger
from robot.limits import ArmLimits
from sim.arm import SimArm, add_arm, arm_with_errors, put_arm
from sim.arm_model import FingerMechanics
from sim.blocks import Block, draw_aside, draw_tower
from sim.camera import SharedRenderer, SimCamera
from sim.finger import BeamCell, ContactGauge, SimForceSensor
from sim.joints import ArmErrors
from sim.look import Look
from sim.scene import Room
from sim.sleeve import add_sleeves
from sim.viewpoints import CameraPlace, add_cameras, default_places
from sim.world import World

_FIRST_READING_S = 0.2


@dataclass(frozen=True)
class SimulationPlan:
    """What to simulate.

    Attributes:
        slots: (layer, position) of every block of the tower, in order.
        aside: How many further blocks lie on the table.
        looks: Whether anything will be drawn.
        look: What it looks like.
    """

    blockset: BlockSet
    slots: Sequence[tuple[int, int]]
    seed: int
    room: Room
    arm: ArmModel
    T_world_base: Array
    finger: LFinger
    mechanics: FingerMechanics = field(default_factory=FingerMechanics)
    cell: BeamCell = field(default_factory=BeamCell)
    errors: ArmErrors = field(default_factory=ArmErrors)
    camera_noise: float = 2.0
    places: Iterable[CameraPlace] = field(default_factory=default_places)
    looks: bool = True
    look: Look = field(default_factory=Look)
    aside: int = 0

    def blocks(self) -> list[Block]:
        """The blocks, as drawn."""
        tower = draw_tower(self.blockset, self.slots, self.seed)
        table_m = -float(self.room.T_world_tower[2, 3])
        return tower + draw_aside(self.blockset, self.aside, self.seed, table_m, len(tower) + 1)


class Simulation:
    """A simulated table.

    Args:
        plan: What stands on it.
        limits: Of the arm.
        park_rad: The arm's first posture (6,).
    """

    def __init__(self, plan: SimulationPlan, limits: ArmLimits, park_rad: Array) -> None:
        self._parts: list[mujoco.MjSpec] = []  # attached parts must outlive the compilation of the scene
        self.places = tuple(plan.places)
        self.plan = plan
        self.world = World(
            plan.room,
            plan.blocks(),
            plan.seed,
            furnish=self._furnish,
            start=lambda world: put_arm(world.data, park_rad, 0.0),
            looks=plan.looks,
        )
        self.force = SimForceSensor(self.world, plan.mechanics, plan.cell, plan.seed)
        self.gauge = ContactGauge(self.world)
        self.arm = SimArm(self.world, limits, plan.errors, plan.seed, self.force)
        self.renderer = SharedRenderer()
        self.cameras = [
            SimCamera(self.world, place, self.renderer, plan.camera_noise * plan.look.noise, plan.seed)
            for place in self.places
        ]
        self.world.sleep_until(max(_FIRST_READING_S, 2 * plan.cell.delay_s))

    def _furnish(self, spec: mujoco.MjSpec) -> None:
        plan = self.plan
        arm = arm_with_errors(plan.arm, plan.finger, plan.mechanics, plan.errors)
        if plan.looks:
            add_sleeves(arm, plan.arm, plan.finger)
        self._parts.append(add_arm(spec, plan.T_world_base, arm))
        add_cameras(spec, self.places)
        if plan.looks:
            plan.look.dress(spec, plan.room, plan.seed)

    def close(self) -> None:
        """Give the OpenGL context back."""
        self.renderer.close()
