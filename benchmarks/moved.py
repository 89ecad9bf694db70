"""Whether a block of the upper layers has moved, told in three ways: how often each errs.

    steadyhand play --seed 4 --turns 40 --truth game.truth
    python -m benchmarks.moved game.truth --seed 4

Towers as they stood at the beginning of the later turns of a game that was played, for the arm leaves blocks askew,
three cameras with noise. Each is looked at, one block of the upper layers slides along its length or none does, and all
is looked at again; told is how far every block of these layers seems to have moved: by its grain, by a reading from
nothing, and by one from what was seen before.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import describe
from benchmarks.subject import Subject
from perception.motion import block_motions
from planning.observation import BlockMotion, BlockSeen
from planning.tower import Slot
from robot.frames import Array, from_quaternion, pose
from robot.ports import Frame
from robot.seeding import generator

UPPER, EARLY = 5, 0.3  # layers below the top one; share of the turns that are left out
SLIDES_MM = (0.0, 0.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0)
LIMITS_MM = (1.0, 2.0, 3.0)
WAYS = ("grain", "from nothing", "from before", "the lesser reading")


@dataclass(frozen=True)
class Told:
    """Of one block: how far it moved, and what was seen of that by each of the ways; None where nothing was."""

    true_mm: float
    seen_mm: tuple[float | None, ...]


class Standing:
    """A tower as it stood in a game.

    Args:
        subject: The same blocks.
        row: Of the game's truth log.
    """

    def __init__(self, subject: Subject, row: dict[str, Any]) -> None:
        self.subject = subject
        self.names: dict[Slot, str] = {Slot.parse(text): name for text, name in row["slots"].items()}
        self._T = {
            name: pose(from_quaternion(np.array(where[3:])), where[:3])
            for name, where in row["poses"].items()
        }
        top = max(slot.layer for slot in self.names)
        self.upper = [slot for slot in self.names if top - UPPER <= slot.layer < top]

    def shot(self, slid: Slot, by_mm: float) -> tuple[Frame, ...]:
        """Pictures, one block slid along its length."""
        T, name = dict(self._T), self.names[slid]
        T[name] = T[name] @ pose(None, [by_mm * 1e-3, 0.0, 0.0])
        simulation = self.subject.simulation
        with simulation.world.laid(T):
            return tuple(camera.capture() for camera in simulation.cameras)


def watched(tower: Standing, slid_mm: float, rng: np.random.Generator) -> list[Told]:
    """One tower before and after one of its upper blocks slid."""
    subject, victim = tower.subject, tower.upper[int(rng.integers(len(tower.upper)))]
    before, after = tower.shot(victim, 0.0), tower.shot(victim, slid_mm)
    seen = subject.look(before, subject.look(before))
    grain = block_motions(before, after, subject.cameras, seen)
    readings = subject.look(after).blocks, subject.look(after, seen).blocks
    return [
        Told(
            slid_mm if slot == victim else 0.0,
            with_lesser(
                far_mm(grain.get(slot)), *(off_mm(seen.blocks[slot], blocks.get(slot)) for blocks in readings)
            ),
        )
        for slot in tower.upper
        if slot in seen.blocks
    ]


def with_lesser(grain: float | None, nothing: float | None, before: float | None) -> tuple[float | None, ...]:
    """And the lesser of two readings, where there are two."""
    return grain, nothing, before, nothing if nothing is None or before is None else min(nothing, before)


def far_mm(motion: BlockMotion | None) -> float | None:
    """How far, by a motion that was seen."""
    return None if motion is None else length_mm(motion.moved_m)


def off_mm(was: BlockSeen, now: BlockSeen | None) -> float | None:
    """How far, by two readings."""
    return None if now is None else length_mm(now.T_world_block[:3, 3] - was.T_world_block[:3, 3])


def length_mm(vector_m: Array) -> float:
    """Of a vector (3,)."""
    return float(np.linalg.norm(vector_m)) * 1e3


def report(told: list[Told]) -> None:
    """Blocks that stood still, and those that slid."""
    still, slid = ([t for t in told if (t.true_mm > 0) is moved] for moved in (False, True))
    for k, way in enumerate(WAYS):
        found = [mm for t in still if (mm := t.seen_mm[k]) is not None]
        over = ", ".join(f"{sum(mm >= limit for mm in found)} over {limit:g} mm" for limit in LIMITS_MM)
        worst = f"worst {max(found):.2f} mm" if found else ""
        print(f"stood still, {way:18} {len(found)} of {len(still)} found, {over}; {worst}")
    for k, way in enumerate(WAYS):
        off = [abs(mm - t.true_mm) for t in slid if (mm := t.seen_mm[k]) is not None]
        print(
            f"slid, {way:25} {len(off)} of {len(slid)} found, {sum(mm <= 1 for mm in off)} right to a millimetre"
        )


def main() -> None:
    """Look at the towers of a game."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("truth", type=Path, help="truth log of a game")
    parser.add_argument("--seed", type=int, required=True, help="of the game")
    parser.add_argument("--looks", type=int, default=40)
    asked = parser.parse_args()
    print(f"seed {asked.seed}; {describe()}")
    rows = [json.loads(line) for line in asked.truth.read_text(encoding="utf-8").splitlines()]
    starts = [row for row in rows if row["phase"] == "turn-start"]
    late, rng = starts[int(EARLY * len(starts)) :], generator(asked.seed, "moved")
    subject, told = Subject(asked.seed, 0), list[Told]()
    for k in range(asked.looks):
        tower = Standing(subject, late[int(rng.integers(len(late)))])
        told += watched(tower, SLIDES_MM[k % len(SLIDES_MM)], rng)
    report(told)


if __name__ == "__main__":
    main()
