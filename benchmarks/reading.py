"""How well a tower is read from nothing but its pictures, by one camera and by three.

    python -m benchmarks.reading [--seed 1] [--towers 4]

Simulated towers, pictures rendered with noise, truth from the simulation; nobody says where the tower stands. Tower n
comes from seed + n; the first is full, the others were played a few moves, and of each some blocks are pushed out by
hand. Times are processor times, the first one with compilation.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.machine import describe
from benchmarks.perception import MOVES, some_blocks
from benchmarks.subject import Subject
from perception.reading import read_tower
from perception.views import views_of
from planning.observation import Seen, TowerObservation
from planning.tower import Slot
from robot.frames import Array
from robot.ports import Frame
from robot.seeding import generator
from steadyhand.seeing_words import UNSURE_M

PUSHES_M = (0.004, 0.025)
FLUSH_M, FALSELY_M = 2e-3, 4e-3


@dataclass
class Tally:
    """Slots, and blocks whose stand-out was told, counted over towers."""

    slots: int = 0
    wrong: int = 0
    unknown: int = 0
    pushed: int = 0
    told: int = 0
    still: int = 0
    falsely: int = 0
    gaps: int = 0
    filled: int = 0
    place_mm: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    def add(self, seen: TowerObservation, truth: dict[Slot, Array], subject: Subject) -> None:
        """One tower that was read, against where its blocks are."""
        top = max(slot.layer for slot in truth)
        for slot in {Slot(k, p) for k in range(1, top + 1) for p in (1, 2, 3)} | set(seen.slots):
            said = seen.slots.get(slot)
            right = Seen.BLOCK if slot in truth else Seen.GAP if slot.layer <= top else None
            self.slots += 1
            self.unknown += said is Seen.UNKNOWN
            self.wrong += said not in {right, Seen.UNKNOWN}
            between = slot.position == 2 and {Slot(slot.layer, p) for p in (1, 3)} <= set(truth)
            self.gaps += right is Seen.GAP and between
            self.filled += right is Seen.GAP and between and said is Seen.BLOCK
        foot = subject.foot(truth)
        self.place_mm.append(float(np.linalg.norm(seen.T_world_tower[:2, 3] - foot[:2, 3]) * 1e3))
        for slot in set(truth) & set(seen.blocks):
            self._out(seen, slot, float((truth[slot][:2, 3] - foot[:2, 3]) @ truth[slot][:2, 0]))

    def _out(self, seen: TowerObservation, slot: Slot, true_m: float) -> None:
        block = seen.blocks[slot]
        known = block.sd_m <= UNSURE_M
        self.pushed += abs(true_m) >= PUSHES_M[0]
        self.told += known and abs(true_m) >= PUSHES_M[0] and abs(block.out_m - true_m) <= 3e-3
        self.still += abs(true_m) < FLUSH_M
        self.falsely += known and abs(true_m) < FLUSH_M and abs(block.out_m) >= FALSELY_M

    def line(self, name: str) -> str:
        """One row of the report."""
        return (
            f"{name:14} {self.slots:4} slots, {self.wrong} wrong, {self.unknown} unknown; {self.filled} of "
            f"{self.gaps} gaps between two blocks filled; stand-out: {self.told} of "
            f"{self.pushed} pushed told within 3 mm, {self.falsely} of {self.still} others falsely; place "
            f"{np.median(self.place_mm):.1f} mm; {np.median(self.cpu_s):.1f} s a tower"
        )


def read(tally: Tally, subject: Subject, frames: Sequence[Frame], truth: dict[Slot, Array]) -> None:
    """One tower, read from some of its pictures."""
    began = time.process_time()
    seen = read_tower(views_of(frames, subject.cameras), subject.blockset, float(subject.T_world_tower[2, 3]))
    tally.cpu_s.append(time.process_time() - began)
    tally.add(seen, truth, subject)


def main() -> None:
    """Read towers and print a line for one camera and one for all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--towers", type=int, default=4)
    options = parser.parse_args()
    print(f"reading from nothing, {options.towers} towers, seed {options.seed}, {describe()}")
    one, every = Tally(), Tally()
    for n in range(options.towers):
        rng = generator(options.seed + n, "reading benchmark")
        subject = Subject(options.seed + n, MOVES[n % len(MOVES)])
        pushed = {
            slot: float(rng.uniform(*PUSHES_M) * rng.choice([-1, 1]))
            for slot in some_blocks(subject, rng, 3, "side")
        }
        frames, truth = subject.shot(pushed)
        for frame in frames:
            read(one, subject, [frame], truth)
        read(every, subject, frames, truth)
        subject.simulation.close()
    print(one.line("one camera"))
    print(every.line("three cameras"))


if __name__ == "__main__":
    main()
