"""How near to the middle of a block's end the finger touches, with the arm's errors on: steered by eye, and not.

    python -m benchmarks.steering [--approaches 200] [--seed 1] [--towers 4] [--wire]

Slots are drawn over the whole tower. Steered, the finger goes on until it touches; unsteered, it stops `CLEAR_M` before
the block, lest it runs into others. Lines are planned on what the cameras see; only the judgement uses the truth. Over
the wire (steered only) the joints go by the steps of their servos' encoders.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from benchmarks.machine import describe
from planning.poses import APPROACH_M, end_point, push_aim
from planning.probe import STANDOFF_M
from planning.steering import Steering
from planning.tower import Slot, Tower
from robot.errors import SteadyhandError
from robot.frames import Array
from robot.seeding import generator
from sim.arm import T_world_flange
from steadyhand import wiring
from steadyhand.settings import Settings
from steadyhand.stopping import HumanStop

PUSH_M, FORCE_N, CLEAR_M = 0.0015, 0.15, 0.010
NEAR_MM = 1.0
STEERED, UNSTEERED = "steered by eye", "as the joints say"
_BLOCKS = 54


@dataclass(frozen=True)
class Approach:
    """A block's end, and how far aside of its middle the tip came [mm]; NaN where the robot refused to go on."""

    slot: Slot
    end: int
    off_mm: float
    why: str = ""


class Table:
    """A simulated table whose arm has errors.

    Args:
        seed: Of tower and errors.
        steered: Whether the finger is steered by eye.
        wire: Whether the arm is moved through its real driver.
    """

    def __init__(self, seed: int, *, steered: bool, wire: bool = False) -> None:
        settings = Settings()
        settings.sim.arm_errors, settings.arm.steering = True, steered
        chosen = wiring.block_set(settings, None)
        tower = Tower.of_blocks(_BLOCKS)
        faults = () if wire else None
        rig, self.simulation = wiring.simulated(settings, chosen, tower, seed, HumanStop(), 0, faults)
        self.close, self.actors, self.steered = rig.close, rig.actors, steered
        self.hand = rig.actors.hand
        self._T_flange_tool = settings.finger.fingers().T_flange_tool()
        self.seen = rig.actors.watcher.eyes.observe(rig.actors.watcher.look())
        rig.actors.avoid(self.seen.blocks)

    def approach(self, slot: Slot, end: int) -> Approach | None:
        """Go to the middle of a block's end; None where the arm does not reach it."""
        block = self.seen.blocks[slot]
        aim = push_aim(block.T_world_block, float(block.size_m[0]), end, PUSH_M)
        line = self.hand.line(aim, 0.0)
        if line is None:
            return None
        try:
            self.hand.go(line.q(0.0))
            off_m = self._touch(line, slot, end)
            self.hand.along(line, APPROACH_M, 0.0, self.actors.habits.approach_m_s)
        except SteadyhandError as error:
            return Approach(slot, end, np.nan, str(error))
        return Approach(slot, end, off_m * 1e3)

    def _touch(self, line, slot: Slot, end: int) -> float:
        true = self.simulation.world.T_world_block(self._name(slot))
        middle, along = end_point(true, self._size_m(slot)[0], end), true[:3, 0]
        steering = Steering(self.hand, self.actors.watcher.eyes)
        to_m = APPROACH_M - (STANDOFF_M if self.steered else CLEAR_M)
        steering.approach(line, APPROACH_M, to_m, self.actors.habits.approach_m_s)
        if self.steered:
            self.hand.pusher.tare()
            speed_m_s = self.actors.habits.probe.speed_m_s
            self.hand.pusher.advance(line, to_m, APPROACH_M + PUSH_M, speed_m_s, FORCE_N)
        off = self._tip() - middle
        return float(np.linalg.norm(off - (off @ along) * along))

    def _tip(self) -> Array:
        return (T_world_flange(self.simulation.world) @ self._T_flange_tool)[:3, 3]

    def _name(self, slot: Slot) -> str:
        blocks = self.simulation.world.blocks
        return next(block.name for block in blocks if block.slot == (slot.layer, slot.position))

    def _size_m(self, slot: Slot) -> tuple[float, float, float]:
        return next(b.size_m for b in self.simulation.world.blocks if b.slot == (slot.layer, slot.position))


def approaches(seed: int, count: int, *, steered: bool, wire: bool = False) -> list[Approach]:
    """So many approaches at one table, in the same order with and without steering."""
    table, found = Table(seed, steered=steered, wire=wire), []
    rng = generator(seed, "benchmark", "steering")
    slots = sorted(table.seen.blocks)
    try:
        while len(found) < count:
            slot, end = slots[rng.integers(len(slots))], int(rng.choice([1, -1]))
            one = table.approach(slot, end)
            if one is not None:
                found.append(one)
                if one.why:
                    print(f"    {slot}: {one.why}", flush=True)
    finally:
        table.close()
    return found


def say(name: str, found: list[Approach]) -> None:
    off = np.array([each.off_mm for each in found])
    near, went = int((off <= NEAR_MM).sum()), off[np.isfinite(off)]
    shares = ", ".join(f"{q} % within {np.quantile(went, q / 100):.2f} mm" for q in (50, 95, 100))
    print(
        f"  {name}: {near} of {len(off)} within {NEAR_MM:.1f} mm ({near / len(off):.1%}); {shares}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--approaches", type=int, default=200)
    parser.add_argument("--towers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wire", action="store_true")
    args = parser.parse_args()
    each = -(-args.approaches // args.towers)
    print(f"steering: {describe()}; {args.towers} towers and arms from seed {args.seed} on")
    found: dict[str, list[Approach]] = {STEERED: []} | ({} if args.wire else {UNSTEERED: []})
    for seed in range(args.seed, args.seed + args.towers):
        print(f"seed {seed}")
        for name, so_far in found.items():
            here = approaches(seed, each, steered=name == STEERED, wire=args.wire)
            say(name, here)
            so_far.extend(here)
    print(f"all {each * args.towers}")
    for name, all_found in found.items():
        say(name, all_found)


if __name__ == "__main__":
    main()
