"""How still the simulated tower stands, and how fast it runs: at rest, asleep, and pushed by a probe.

    python -m benchmarks.physics [--seeds 1-3]

Ratios are simulated seconds a second of processor time of this process, on one core.
"""

from __future__ import annotations

import argparse
import time

import mujoco
import numpy as np

from benchmarks.machine import describe
from benchmarks.tables import table
from planning.poses import APPROACH_M, push_aim
from planning.tower import Slot
from robot.errors import MotionError
from robot.guarded import Ended

_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_SLOTS = [Slot(k, 2) for k in range(2, 17, 2)]


def ratio(world, seconds: float) -> float:
    began, start = time.process_time(), world.now_s()
    world.sleep_until(start + seconds)
    return (world.now_s() - start) / (time.process_time() - began)


def stillness(world) -> tuple[float, float]:
    """How far the farthest block creeps in 10 s awake, and how deep the deepest contact is [mm]."""
    world.model.opt.enableflags &= ~_SLEEP
    before = np.array([pose[:3] for pose in world.poses().values()])
    world.sleep_until(world.now_s() + 10.0)
    after = np.array([pose[:3] for pose in world.poses().values()])
    creep_mm = float(np.linalg.norm(after - before, axis=1).max()) * 1e3
    return creep_mm, -float(world.data.contact.dist.min()) * 1e3


def standing(world) -> tuple[float, float]:
    """Awake, and left to sleep."""
    world.model.opt.enableflags &= ~_SLEEP
    awake = ratio(world, 5.0)
    world.model.opt.enableflags |= _SLEEP
    world.sleep_until(world.now_s() + 2.0)
    return awake, ratio(world, 20.0)


def pushing(rig) -> dict[str, list[float]]:
    """Ratios of probes by what they met: travel (a loose block) or force (a tight one)."""
    actors, found = rig.actors, {Ended.TRAVEL.value: [], Ended.FORCE.value: []}
    seen = actors.watcher.eyes.observe(actors.watcher.look())
    actors.avoid(seen.blocks)
    hand = actors.hand
    for slot in _SLOTS:
        block = seen.blocks[slot]
        line = hand.line(push_aim(block.T_world_block, float(block.size_m[0]), 1, 0.008), 0.0)
        if line is None:
            continue
        try:
            hand.go(line.q(0.0))
        except MotionError:
            continue
        hand.along(line, 0.0, APPROACH_M - 0.001, 0.1)
        hand.pusher.tare()
        began, start = time.process_time(), rig.clock.now_s()
        result = hand.pusher.advance(line, APPROACH_M - 0.001, APPROACH_M + 0.006, 0.002, 0.3)
        found[result.ended.value].append((rig.clock.now_s() - start) / (time.process_time() - began))
        hand.along(line, result.end_m, 0.0, 0.1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1-3")
    first, _, last = parser.parse_args().seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    print(f"physics: {describe()}; seeds {seeds.start} to {seeds.stop - 1}")
    rows = []
    for seed in seeds:
        rig, simulation = table(seed)
        creep_mm, deep_mm = stillness(simulation.world)
        awake, asleep = standing(simulation.world)
        loose, tight = (float(np.median(found)) if found else np.nan for found in pushing(rig).values())
        rows.append((awake, asleep, loose, tight))
        print(f"  seed {seed}: creep in 10 s {creep_mm:.3f} mm, deepest contact {deep_mm:.3f} mm;")
        print(
            f"    standing {awake:.1f}, asleep {asleep:.0f}, loose probe {loose:.1f}, tight {tight:.1f} times real time"
        )
        rig.close()
    awake, asleep, loose, tight = np.nanmedian(np.array(rows), axis=0)
    print(
        f"median times real time: standing {awake:.1f} (at least 3), loose probe {loose:.1f} (at least 1.5),"
    )
    print(f"  asleep {asleep:.0f}, tight probe {tight:.1f}")


if __name__ == "__main__":
    main()
