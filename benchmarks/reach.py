"""Which blocks can an arm reach, by the planner that plays? No physics: lines that are reachable and touch nothing.

    python -m benchmarks.reach [--seed 1] [--arm widowx-250s] [--settings FILE] [--layers 18 22 26] [--draws 8]

Each tower is full and stands as high as is said. Of its blocks, *probed* are those that the finger can push by a whole
probe from one end and back from the other, *taken* those that it can also push out and pinch. Of the slots of the next
layer, *laid* are those into which a block that was taken can be laid and pushed flush. Then the same with the tower
displaced, evenly by up to 20 mm and 5 degrees.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.machine import describe
from planning.observation import BlockSeen, TowerObservation, as_stacked
from planning.place import lay_line, layer_below, lying_pose
from planning.poses import push_aim, pushed_out
from planning.tower import Slot, Tower
from planning.ways import as_held
from robot.arm_models import ARM_MODELS
from robot.clock import ManualClock
from robot.errors import MotionError
from robot.fakes import Button, FakeForce, InstantArm
from robot.follow import Mover
from robot.frames import Array, pose, rot_z
from robot.guarded import Pusher
from robot.hand import Hand
from robot.ports import Held
from robot.seeding import generator
from sim.collision import TowerCollisions
from steadyhand import wiring
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings

SIZE_M = np.array([0.075, 0.025, 0.015])
ASIDE_M, TURN_RAD = 0.020, np.radians(5.0)
_SPARE_M = 0.004


@dataclass
class Tally:
    """Of how many it was asked, and of how many it was so."""

    blocks: int = 0
    probed: int = 0
    taken: int = 0
    tops: int = 0
    laid: int = 0

    def __str__(self) -> str:
        return (
            f"probed {self.probed / self.blocks:.2f}, taken {self.taken / self.blocks:.2f} of {self.blocks} blocks; "
            f"laid {self.laid / self.tops:.2f} of {self.tops} slots"
        )


class Reach:
    """An arm that is at once where it is sent, before a tower that stands still."""

    def __init__(self, settings: Settings) -> None:
        body = wiring.body_of(settings)
        clock = ManualClock()
        force = FakeForce(lambda: 0.0, clock, noise_n=0.0, delay_s=0.0)
        arm = InstantArm(body.kinematics.joint_names, body.limits, clock, body.park_rad, force)
        mover = Mover(arm, clock, Button())
        pusher = Pusher(mover, body.kinematics, force, 500.0, body.limits.dq_max_rad_s)
        room, fingers = wiring.room_of(settings), settings.finger.fingers()
        obstacles = TowerCollisions(room, settings.arm.described, body.T_world_base, fingers, SIZE_M, 100)
        self._hand = Hand(mover, pusher, body, obstacles, seed=1)
        self._habits, self._T_world_tower = settings.habits(), room.T_world_tower

    def tower(self, layers: int, T_displaced: Array) -> Tally:
        """What can be done with a full tower so many layers high, displaced by (4, 4)."""
        seen = _moved(as_stacked(Tower.parse(f"111*{layers}"), SIZE_M), T_displaced, self._T_world_tower)
        self._hand.collisions.set_tower([(b.T_world_block, b.size_m) for b in seen.blocks.values()])
        tally, helds = Tally(), list[Held]()
        for block in seen.blocks.values():
            ends = [end for end in (1, -1) if self._probes(block, end)]
            held = [h for end in ends for h in self._held(block, end)]
            tally.blocks += 1
            tally.probed += bool(ends)
            tally.taken += bool(held)
            helds += held
        for slot in (Slot(layers + 1, p) for p in (1, 2, 3)):
            tally.tops += 1
            tally.laid += any(self._lays(seen, slot, held) for held in _few(helds))
        return tally

    def _probes(self, block: BlockSeen, end: int) -> bool:
        """Whether the finger can push a block by a whole probe, and back from the other end."""
        T, length = block.T_world_block, float(block.size_m[0])
        full = self._habits.probe.full_m
        there = push_aim(T, length, end, full + _SPARE_M)
        back = push_aim(pushed_out(T, end, full), length, -end, full + _SPARE_M)
        return all(self._hand.line(aim, 0.0) is not None for aim in (there, back))

    def _held(self, block: BlockSeen, end: int) -> Iterator[Held]:
        """The block between the fingers, where it can be pushed out and pinched."""
        habit, length = self._habits.extract, float(block.size_m[0])
        if (
            self._hand.line(push_aim(block.T_world_block, length, end, habit.push_out_m + _SPARE_M), 0.0)
            is None
        ):
            return
        T_out = pushed_out(block.T_world_block, end, habit.push_out_m)
        pinch = self._hand.line(push_aim(T_out, length, -end, habit.grip_m), habit.opening_m)
        if pinch is not None:
            yield as_held(self._hand.T_at(pinch, pinch.length_m), block, end, habit.push_out_m)

    def _lays(self, seen: TowerObservation, slot: Slot, held: Held) -> bool:
        habit = self._habits.place
        try:
            flush = lying_pose(seen, slot, held.size_m, habit)
            lay_line(self._hand, held, flush, layer_below(seen, slot), habit)
        except MotionError:
            return False
        return True


def _few(helds: Sequence[Held]) -> list[Held]:
    """One of each way in which a block lies in the fingers: by which end, and which side up."""
    ways = {tuple(np.sign(held.T_tool_block[:3, :3].round(3)).ravel()): held for held in helds}
    return list(ways.values())


def _moved(seen: TowerObservation, T_displaced: Array, T_world_tower: Array) -> TowerObservation:
    """A tower that was stacked about the world's origin, where it stands."""
    T = T_world_tower @ T_displaced
    blocks = {slot: BlockSeen(T @ b.T_world_block, b.size_m, 0.0, 0.0) for slot, b in seen.blocks.items()}
    return replace(seen, T_world_tower=T, blocks=blocks)


def displacements(seed: int, draws: int) -> list[Array]:
    """Where towers may stand that were set up by eye (4, 4)."""
    rng = generator(seed, "reach")
    aside = rng.uniform(-ASIDE_M, ASIDE_M, (draws, 2))
    return [
        pose(rot_z(turn), [x, y, 0.0])
        for (x, y), turn in zip(aside, rng.uniform(-TURN_RAD, TURN_RAD, draws), strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arm", choices=ARM_MODELS, action="append")
    parser.add_argument("--settings", type=Path, help="in place of --arm: an arm elsewhere, other fingers")
    parser.add_argument("--layers", type=int, nargs="+", default=[18, 22, 26])
    parser.add_argument("--draws", type=int, default=8)
    args = parser.parse_args()
    print(f"reach: {describe()}; seed {args.seed}")
    chosen = [Settings.of_arm(name) for name in args.arm or ARM_MODELS]
    for settings in [load_settings(args.settings)] if args.settings else chosen:
        reach, arm, plinth_mm = Reach(settings), settings.arm, settings.tower.plinth_mm
        print(f"{arm.model}: x {arm.x_mm:g}, z {arm.z_mm:g}, plinth {plinth_mm:g} mm")
        for layers in args.layers:
            print(f"  {layers} layers as planned: {reach.tower(layers, pose())}")
            total = Tally()
            for T in displacements(args.seed, args.draws):
                tally = reach.tower(layers, T)
                for key, value in vars(tally).items():
                    setattr(total, key, getattr(total, key) + value)
            if args.draws:
                print(f"  {layers} layers displaced: {total}")


if __name__ == "__main__":
    main()
