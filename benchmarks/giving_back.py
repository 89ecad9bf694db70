"""Blocks drawn far out between the fingers, given up on purpose, and put back: how many come home?

    python -m benchmarks.giving_back [--blocks 8] [--seed 1] [--tower 111*18] [--drawn 27] [--bevel 0.5]

Each loose block is pushed out, pinched and pulled so many mm; then the arm behaves as if another had come along. The
robot sees pictures only; how far each block is from its place, and what others moved, comes from the simulation.
"""

from __future__ import annotations

import argparse
import functools
from dataclasses import replace

import numpy as np

import sim.scene
from benchmarks.machine import describe
from planning.actors import Actors
from planning.extract import Extractor
from planning.grasp import MissedError
from planning.probe import ProbeReport, Verdict
from planning.stability import spare
from planning.tower import Slot
from planning.watch import TowerFellError
from planning.ways import ways
from robot.errors import SteadyhandError
from robot.seeding import generator
from sim.meshes import hull
from sim.world import World
from steadyhand import wiring
from steadyhand.settings import Settings
from steadyhand.stopping import HumanStop

PROBE_N = 0.5


class CameOutError(Exception):
    """A block stuck on its way back and was drawn out instead: the game would end with it in the hand."""


class GivesUp(Extractor):
    """Draws a block so far, and gives it up."""

    def __init__(self, actors: Actors, drawn_m: float) -> None:
        super().__init__(actors.hand, actors.watcher, actors.habits)
        self.drawn_m = drawn_m

    def _hinders(self, _probe: ProbeReport, out_m: float, *, forced: bool) -> str | None:
        if not forced and out_m < self.drawn_m - 1e-4:
            return None
        return "a force" if forced else "given up on purpose"

    def _hidden_above(self, _probe: ProbeReport) -> bool:
        return False


def try_block(actors: Actors, slot: Slot, view, seen, out: GivesUp) -> str | None:
    """What became of the block; None where it was not drawn: its probe or its push did not find it loose."""
    top = max(s.layer for s in seen.blocks)
    found = ways(actors.hand, seen, slot, [Slot(top + 1, 2)], actors.habits)
    if not found:
        return None
    probe = actors.prober.probe(slot, found[0].end, found[0].push, seen, PROBE_N)
    drawn_m, moved, peak_n = _drawn(actors, probe, view, out)
    _stands(actors, slot, moved, seen)
    done = actors.restorer.restore(slot, (probe.before, view), probe.seen, peak_n, PROBE_N, moved)
    return f"{done.pushes} pushes of up to {done.peak_n:.2f} N" if drawn_m else None


def _drawn(actors: Actors, probe: ProbeReport, view, out: GivesUp) -> tuple[float, np.ndarray, float]:
    """How far [m] the fingers drew the block at first, where it is now (3,), and the largest force on it."""
    if probe.verdict is not Verdict.LOOSE:
        actors.hand.along(probe.line, probe.at_m, 0.0, actors.habits.approach_m_s)
        return 0.0, probe.displaced_m, probe.peak_n
    drag, left_m, drawn_m = out.push_out(probe), 0.0, 0.0
    if drag is None:
        try:
            out.pull(probe, view)
            raise CameOutError(f"{probe.slot} stuck on its way back and came out")
        except MissedError as missed:
            left_m, drawn_m = missed.pulled_m, out.drawn_m
    pushed_m = drag.out_m if drag else actors.habits.extract.push_out_m
    way = -probe.end * probe.seen.blocks[probe.slot].T_world_block[:3, 0]
    return drawn_m, way * (pushed_m + left_m), max(out.peak_n, probe.peak_n)


def _stands(actors: Actors, slot: Slot, moved: np.ndarray, seen) -> None:
    there = seen.blocks[slot].T_world_block.copy()
    there[:3, 3] += moved
    actors.avoid(seen.blocks | {slot: replace(seen.blocks[slot], T_world_block=there)})


def run(world: World, actors: Actors, drawn_m: float, most: int, seed: int) -> list[float]:
    """How far out [mm] each block that was drawn is left; infinitely one that came out or felled the tower."""
    names = {Slot(*block.slot): block.name for block in world.blocks if block.slot}
    out, found = GivesUp(actors, drawn_m), list[float]()
    seen, view = _look(actors)
    offered = sorted(spare(seen, [s for s in seen.blocks if s.layer < max(seen.blocks).layer]))
    for slot in [offered[k] for k in generator(seed, "giving back").permutation(len(offered))]:
        before = world.poses()
        try:
            done = try_block(actors, slot, view, seen, out)
        except SteadyhandError as error:
            done = str(error)
        except (CameOutError, TowerFellError) as end:
            print(f"  ended: {end}")
            return [*found, np.inf]
        if done is not None:
            now = world.poses()
            gone = {
                s: 1e3 * float(np.linalg.norm(np.subtract(before[n], now[n])[:3])) for s, n in names.items()
            }
            found.append(gone.pop(slot))
            worst = max(gone.values())
            print(f"  {slot}: left out {found[-1]:.2f} mm, others moved {worst:.2f} mm; {done}", flush=True)
        if len(found) == most:
            break
        seen, view = _look(actors)
    return found


def _look(actors: Actors):
    actors.hand.park()
    view = actors.watcher.look()
    seen = actors.watcher.eyes.observe(view)
    actors.avoid(seen.blocks)
    return seen, view


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tower", default="111*18")
    parser.add_argument("--drawn", type=float, default=27.0, help="mm")
    parser.add_argument("--bevel", type=float, default=0.5, help="mm")
    asked = parser.parse_args()
    sim.scene.hull = functools.partial(hull, bevel_m=asked.bevel * 1e-3)
    settings = Settings()
    tower = wiring.checked_tower(asked.tower, 54)
    rig, simulation = wiring.simulated(
        settings, wiring.block_set(settings, None), tower, asked.seed, HumanStop()
    )
    print(
        f"giving back: {describe()}; seed {asked.seed}, tower {tower}, drawn {asked.drawn:.0f} mm, ends bevelled by "
        f"{asked.bevel} mm"
    )
    found = run(simulation.world, rig.actors, asked.drawn * 1e-3, asked.blocks, asked.seed)
    rig.close()
    home = sum(left <= 1.0 for left in found)
    print(f"  {home} of {len(found)} back within 1 mm")


if __name__ == "__main__":
    main()
