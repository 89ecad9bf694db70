"""How far aside a laid block lands when it is pushed flush, by the speed of the push.

    python -m benchmarks.flush --seeds 1-2

The block is put on a full tower in each top slot with the arm's overhang, once to either side, and pushed flush in full
physics without pictures; told is how far it moved across its own length meanwhile.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

import mujoco
import numpy as np

from benchmarks.machine import describe
from benchmarks.tables import N_BLOCKS
from planning.observation import BlockSeen, Seen, TowerObservation
from planning.place import Placer, lying_pose
from planning.tower import Slot, Tower
from robot.errors import SteadyhandError
from robot.frames import Array, pose, quaternion
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.rig import Rig
from steadyhand.settings import Settings
from steadyhand.stopping import HumanStop

SPEEDS_M_S = (0.008, 0.004, 0.002)
TOPS = (Slot(19, 1), Slot(19, 2), Slot(19, 3))
SETTLE_S, LIFT_M = 0.6, 0.0003


class Table:
    """A full tower, and a block beside it that is put on top again and again."""

    def __init__(self, seed: int) -> None:
        settings = Settings()
        blockset = wiring.block_set(settings, None)
        made = wiring.simulated(settings, blockset, Tower.of_blocks(N_BLOCKS), seed, HumanStop(), aside=1)
        self.rig: Rig = made[0]
        self._simulation: Simulation = made[1]
        world = self._simulation.world
        self._start = world.data.qpos.copy()
        self._name, size = next((block.name, block.size_m) for block in world.blocks if block.slot is None)
        self.size_m = np.array(size)
        blocks = {
            Slot(*block.slot): BlockSeen(world.T_world_block(block.name), np.array(block.size_m), 0.0, 0.0)
            for block in world.blocks
            if block.slot is not None
        }
        slots = dict.fromkeys(blocks, Seen.BLOCK)
        self.seen = TowerObservation(0.0, world.room.T_world_tower, slots, blocks, ())

    def block(self) -> BlockSeen:
        """The block, where it is."""
        return BlockSeen(self._simulation.world.T_world_block(self._name), self.size_m, 0.0, 0.0)

    def put(self, T_world_block: Array) -> BlockSeen:
        """The block elsewhere, at rest, all others as in the beginning."""
        world = self._simulation.world
        world.data.qpos[:], world.data.qvel[:] = self._start, 0.0
        world.data.joint(self._name).qpos = [*T_world_block[:3, 3], *quaternion(T_world_block[:3, :3])]
        mujoco.mj_forward(world.model, world.data)
        world.sleep_until(world.now_s() + SETTLE_S)
        return self.block()


def drift_m(table: Table, top: Slot, side: float, speed_m_s: float) -> float:
    """How far the block moves across its length while it is pushed flush from that side (1 or -1).

    Raises:
        SteadyhandError: The arm cannot do it there.
    """
    actors = table.rig.actors
    habits = replace(actors.habits, place=replace(actors.habits.place, flush_speed_m_s=speed_m_s))
    flush = lying_pose(table.seen, top, table.size_m, habits.place)
    lying = table.put(flush @ pose(None, [side * habits.place.overhang_m, 0.0, LIFT_M]))
    placer = Placer(actors.hand, actors.watcher, habits)
    placer._go_round(lying, table.seen)
    placer._push_flush(flush, lying, side * flush[:3, 0])
    return float((table.block().T_world_block[:3, 3] - lying.T_world_block[:3, 3]) @ flush[:3, 1])


def drifts_m(table: Table, speed_m_s: float) -> Iterator[float]:
    """Of every top slot and side that the arm reaches."""
    for top in TOPS:
        for side in (1.0, -1.0):
            try:
                yield drift_m(table, top, side, speed_m_s)
            except SteadyhandError as error:
                print(f"  {top} from side {side:+.0f} at {speed_m_s * 1e3:.0f} mm/s: {error}")
            table.rig.actors.hand.park()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1-2")
    low, _, high = parser.parse_args().seeds.partition("-")
    found: dict[float, list[float]] = {speed: [] for speed in SPEEDS_M_S}
    for seed in range(int(low), int(high or low) + 1):
        table = Table(seed)
        for speed in SPEEDS_M_S:
            found[speed] += drifts_m(table, speed)
        table.rig.close()
    print(f"flush: {describe()}; seeds {low} to {high or low}, blocks standard")
    for speed, drifts in found.items():
        rms, most = np.sqrt(np.mean(np.square(drifts))), np.abs(drifts).max()
        print(
            f"  {speed * 1e3:.0f} mm/s: {len(drifts)} blocks, aside by {rms * 1e3:.2f} mm rms, {most * 1e3:.2f} at most"
        )


if __name__ == "__main__":
    main()
