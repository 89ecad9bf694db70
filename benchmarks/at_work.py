"""Does somebody reach in while the arm is at work? Misses and false alarms.

    python -m benchmarks.at_work [--seed 1] [--scenes 6]

Each scene is a tower in one of the lights of `sim picture`, with a hand, a sleeve or a tool that may stand on any side,
behind the arm too. The arm stands with its finger before the ends of three blocks; three cameras look, in small
pictures (640 x 480), with nobody there and with the visitor's tip at the tower.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from benchmarks.machine import describe
from benchmarks.stage import Stage
from benchmarks.watching import LIGHTS, VISITORS
from perception.watching import Watch
from planning.observation import as_stacked
from planning.poses import push_aim
from planning.tower import Slot, Tower
from robot.body import Body
from robot.frames import Array
from sim.collision import TowerCollisions
from sim.look import Look
from steadyhand import wiring
from steadyhand.settings import Settings

TOWER, SLOTS = "111*14", (Slot(3, 1), Slot(8, 2), Slot(12, 3))
SIZE_M = np.array([0.075, 0.025, 0.015])


def postures_at_work(body: Body, T_world_tower: Array) -> list[Array]:
    """A finger before the ends of the blocks (n,)."""
    found = []
    for slot in SLOTS:
        block = as_stacked(Tower.parse(TOWER), SIZE_M).blocks[slot]
        aim = push_aim(T_world_tower @ block.T_world_block, float(SIZE_M[0]), -1, 0.001)
        branches = (body.kinematics.branches(body.T_base_world @ T) for T in aim.starts)
        found.append(next(q for some in branches for q in some))
    return found


def scene(number: int, seed: int, body: Body, arm: TowerCollisions, tally: Counter[str]) -> None:
    """One stage: what is said with and without a visitor."""
    visitor = VISITORS[number % len(VISITORS)]
    stage = Stage(seed, Look(LIGHTS[number % len(LIGHTS)], "light", ("some", visitor)), TOWER)
    watch = Watch(stage.cameras, stage.T_world_tower, wiring.WATCHED_M, lambda _views: False)
    for t_s in (0.0, 1.5, 3.0):
        watch.look(stage.shot(t_s))
    watch.keep(stage.shot(4.0), arm.outline(body.park_rad, 0.0))
    T = stage.reach()
    for k, q_rad in enumerate(postures_at_work(body, stage.T_world_tower)):
        outline = arm.outline(q_rad, 0.0)
        alone = watch.reaching_in(stage.shot(5.0 + k, q_rad=q_rad), outline)
        seen = watch.reaching_in(stage.shot(5.5 + k, T, q_rad=q_rad), outline)
        tally.update({"alone": 1, "false": alone is not None, visitor: 1, f"{visitor} missed": seen is None})
    stage.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", type=int, default=6)
    args = parser.parse_args()
    settings = Settings()
    body, tally = wiring.body_of(settings), Counter[str]()
    room, fingers = wiring.room_of(settings), settings.finger.fingers()
    arm = TowerCollisions(room, settings.arm.described, body.T_world_base, fingers, SIZE_M)
    print(f"somebody beside the arm: {describe()}; {args.scenes} scenes from seed {args.seed} on")
    for number in range(args.scenes):
        scene(number, args.seed + number, body, arm, tally)
    print(f"  nobody there: {tally['false']} of {tally['alone']} looks said somebody")
    for visitor in VISITORS:
        print(f"  {visitor}: {tally[f'{visitor} missed']} of {tally[visitor]} looks missed")


if __name__ == "__main__":
    main()
