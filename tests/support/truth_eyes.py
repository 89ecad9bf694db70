"""Eyes that see the simulation's truth, a little blurred: for tests of planning without pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.eyes import Doubt, ToolSeen, View
from planning.observation import BlockMotion, BlockSeen, Seen, TowerObservation
from planning.tower import Slot
from robot.errors import PerceptionError
from robot.frames import Array, rotation_from_vector
from robot.lfinger import LFinger
from robot.seeding import generator
from sim.arm import T_world_flange
from sim.world import World

_POSITION_SD_M = np.array([0.0003, 0.0003, 0.00015])
_TURN_SD_RAD = np.radians([0.1, 0.1, 0.2])
_MOTION_SD_M = 0.00005


@dataclass(frozen=True)
class Poses:
    """True poses (4, 4) of all blocks at one moment."""

    t_s: float
    T_world_block: dict[str, Array]


class TruthEyes:
    """Implements `planning.eyes.Eyes` on a world."""

    def __init__(self, world: World, seed: int) -> None:
        self._world, self._rng = world, generator(seed, "truth eyes")
        self._size = {block.name: np.array(block.size_m) for block in world.blocks}
        self.where = {Slot(*block.slot): block.name for block in world.blocks if block.slot is not None}

    def look(self) -> Poses:
        return Poses(self._world.now_s(), {name: self._world.T_world_block(name) for name in self._size})

    def observe(self, view: View, prior: TowerObservation | None = None) -> TowerObservation:
        self._follow_moves(view, prior)
        blocks = {slot: self._seen(view, name) for slot, name in self.where.items()}
        top = max(slot.layer for slot in blocks)
        every = [Slot(k, p) for k in range(1, top + 1) for p in (1, 2, 3)]
        slots = {slot: Seen.BLOCK if slot in blocks else Seen.GAP for slot in every}
        return TowerObservation(view.t_s, self._world.room.T_world_tower, slots, blocks, ())

    def motions(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        moved = {}
        for slot, block in seen.blocks.items():
            name = self._nearest(before, block.T_world_block)
            distance = after.T_world_block[name][:3, 3] - before.T_world_block[name][:3, 3]
            moved[slot] = BlockMotion(distance + self._rng.normal(0, _MOTION_SD_M, 3), _MOTION_SD_M)
        return moved

    def fallen(
        self, before: View, after: View, seen: TowerObservation, *, clear: bool = False
    ) -> tuple[Slot, ...]:
        gone = []
        for slot, block in seen.blocks.items():
            name = self._nearest(before, block.T_world_block)
            if np.linalg.norm(after.T_world_block[name][:3, 3] - before.T_world_block[name][:3, 3]) > 0.012:
                gone.append(slot)
        return tuple(gone)

    def locate(
        self, view: View, T_world_block: Array, size_m: Array, around: TowerObservation, doubt: Doubt
    ) -> BlockSeen:
        name = self._nearest(view, T_world_block)
        off = float(np.linalg.norm(view.T_world_block[name][:3, 3] - T_world_block[:3, 3]))
        if off > 0.012:
            raise PerceptionError(f"no block within 12 mm of {T_world_block[:3, 3].round(3)}")
        return self._seen(view, name)

    def locate_tool(self, view: View, T_world_tool: Array, opening_m: float) -> ToolSeen:
        T = T_world_flange(self._world) @ LFinger().T_flange_tool()
        return ToolSeen(T, np.diag([1e-4] * 3 + [2e-3] * 3) ** 2)

    def _follow_moves(self, view: View, prior: TowerObservation | None) -> None:
        """Blocks that planning has laid elsewhere since the last observation."""
        if prior is not None:
            self.where = {
                slot: self._nearest(view, block.T_world_block) for slot, block in prior.blocks.items()
            }

    def _nearest(self, view: View, T: Array) -> str:
        return min(
            view.T_world_block, key=lambda n: float(np.linalg.norm(view.T_world_block[n][:3, 3] - T[:3, 3]))
        )

    def _seen(self, view: View, name: str) -> BlockSeen:
        T = view.T_world_block[name].copy()
        T[:3, 3] += self._rng.normal(0, _POSITION_SD_M)
        T[:3, :3] = T[:3, :3] @ rotation_from_vector(self._rng.normal(0, _TURN_SD_RAD))
        return BlockSeen(T, self._size[name], 0.0, 0.0003)
