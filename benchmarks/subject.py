"""A simulated tower to be looked at, and the truth about it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.tables import N_BLOCKS
from perception.observe import observe
from perception.refine import base_height
from perception.report import tower_frame
from perception.stack import stack_of
from planning.blockset import load_blockset
from planning.observation import TowerObservation
from planning.tower import Slot, Tower
from robot.errors import BadInputError
from robot.frames import Array, pose
from robot.ports import Frame
from robot.seeding import generator
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.settings import Settings


class Subject:
    """One simulated tower and its truth."""

    def __init__(self, seed: int, moves: int) -> None:
        settings, self.blockset = Settings(), load_blockset("standard")
        self.tower = played(Tower.of_blocks(N_BLOCKS), moves, generator(seed, "moves"))
        body = wiring.body_of(settings)
        plan = wiring.plan_of(settings, self.blockset, self.tower, seed)
        self.simulation = Simulation(plan, body.limits, body.park_rad)
        world = self.simulation.world
        self.T_world_tower, self.cameras = (
            world.room.T_world_tower,
            {c.model.name: c.model for c in self.simulation.cameras},
        )
        self.names = {Slot(*b.slot): b.name for b in world.blocks}
        self.sizes_m = {Slot(*b.slot): np.array(b.size_m) for b in world.blocks}
        self.home = {slot: world.T_world_block(name) for slot, name in self.names.items()}

    def shot(self, pushed: Mapping[Slot, float] | None = None) -> tuple[tuple[Frame, ...], dict[Slot, Array]]:
        """Pictures with blocks pushed along their length, and the truth."""
        T = {slot: self.home[slot] @ pose(None, [d, 0, 0]) for slot, d in (pushed or {}).items()}
        with self.simulation.world.laid({self.names[slot]: where for slot, where in T.items()}):
            return tuple(camera.capture() for camera in self.simulation.cameras), self.home | T

    def look(self, frames: tuple[Frame, ...], before: TowerObservation | None = None) -> TowerObservation:
        """What perception says."""
        return observe(frames, self.cameras, self.blockset, self.T_world_tower if before is None else before)

    def foot(self, truth: Mapping[Slot, Array]) -> Array:
        """The tower's frame by the same rule as perception's, from the truth."""
        stack = stack_of(list(truth), list(truth.values()), [self.sizes_m[slot] for slot in truth])
        return tower_frame(stack, self.blockset, base_height(stack))


def played(tower: Tower, moves: int, rng: np.random.Generator) -> Tower:
    """The tower after so many moves, none of which leaves it unable to stand."""
    while moves:
        blocks = [slot for slot in tower.blocks() if slot.layer < tower.highest_complete_layer]
        less = tower.remove(blocks[rng.integers(len(blocks))])
        after = less.place(less.free_top_slots[rng.integers(len(less.free_top_slots))])
        try:
            wiring.checked_tower(str(after), N_BLOCKS)
        except BadInputError:
            continue
        tower, moves = after, moves - 1
    return tower
