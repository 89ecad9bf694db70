"""What perception says of simulated towers against the truth, full ones and such as stand in the middle of a game.

    python -m benchmarks.perception [--seed 1] [--towers 8]

The seed draws towers, moves, pushes and the pictures' noise. Tower n comes from seed + n; the first is full, the others
were played a few moves. Pushes are laid by hand, not simulated. Times are processor times after compilation.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from benchmarks.machine import describe
from benchmarks.subject import Subject
from perception.locate import locate_block
from perception.motion import block_motions
from planning.eyes import Doubt
from planning.observation import BlockSeen, Seen, TowerObservation
from planning.tower import Slot
from planning.watch import PUSHED
from robot.errors import PerceptionError
from robot.frames import Array, pose
from robot.ports import Frame
from robot.seeding import generator

MOVES = (0, 6, 12, 18)
PUSHES_M = (0.003, 0.030)  # least and most by which another player left blocks standing out
STEPS_M = (0.0005, 0.001, 0.002, 0.004, 0.008)  # blocks that move between two looks
# How far off a guess is, and by how much it is said to be.
POOR = Doubt((3e-3, 3e-3, 3e-3), (0.04, 0.04, 0.04))
GUESSES = (("guess 0.6 mm off", 0.6e-3, PUSHED), ("guess 3 mm off", 3e-3, POOR))
TIMED = ("observe, ", "motions", "locate, ")
HAND_PX, HAND_BGR = 85, (120, 150, 205)


@dataclass
class Tally:
    """Everything that was measured, by name."""

    values: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    slots: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))
    words: list[str] = field(default_factory=list)

    def add(self, name: str, off_m: float | None) -> None:
        """An error, or that nothing was told."""
        row = self.slots[name]
        row[0] += 1
        if off_m is None:
            row[2] += 1
        else:
            self.values[name].append(off_m * 1e3)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Processor time of what is done inside, [ms]."""
        began = time.process_time()
        yield
        self.values[name].append((time.process_time() - began) * 1e3)


def compare(tally: Tally, name: str, seen: TowerObservation, truth: dict[Slot, Array]) -> None:
    """Wrong and open slots of an observation."""
    row, top = tally.slots[name], max(slot.layer for slot in truth)
    for slot in sorted({Slot(k, p) for k in range(1, top + 1) for p in (1, 2, 3)} | set(seen.slots)):
        said = seen.slots.get(slot)
        right = Seen.BLOCK if slot in truth else Seen.GAP if slot.layer <= top else None
        row[0] += 1
        row[2] += said is Seen.UNKNOWN
        if said not in (right, Seen.UNKNOWN):
            row[1] += 1
            tally.words.append(f"{name}: {slot} said {said and said.value}, is {right and right.value}")


def measure(
    tally: Tally, name: str, subject: Subject, seen: TowerObservation, truth: dict[Slot, Array]
) -> None:
    """How far off an observation is: positions, stand-out, heights."""
    foot, values = subject.foot(truth), tally.values
    for slot in set(truth) & set(seen.blocks):
        off, block = seen.blocks[slot].T_world_block[:3, 3] - truth[slot][:3, 3], seen.blocks[slot]
        sideways, out = float(np.linalg.norm(off[:2])), (truth[slot] - foot)[:2, 3] @ truth[slot][:2, 0]
        values[f"{name}: sideways"].append(sideways * 1e3)
        values[f"{name}: sideways over its told sd"].append(sideways / block.sd_m)
        values[f"{name}: height"].append(abs(off[2]) * 1e3)
        values[f"{name}: stand-out"].append(abs(block.out_m - out) * 1e3)
    for k, height in enumerate(seen.layer_top_m, 1):
        tops = [T[2, 3] + subject.sizes_m[s][2] / 2 for s, T in truth.items() if s.layer == k]
        off_m = height + seen.T_world_tower[2, 3] - max(tops, default=np.nan)
        values[f"{name}: top of layer"].append(abs(off_m) * 1e3)


def some_blocks(subject: Subject, rng: np.random.Generator, count: int, position: str) -> list[Slot]:
    """Blocks of different layers, no two next to each other, to be pushed."""
    top = subject.tower.n_layers
    layers = rng.permutation(np.arange(2, top - 1))
    chosen: list[Slot] = []
    for k in layers.tolist():
        fit = [s for s in subject.names if s.layer == k and (s.position == 2) == (position == "middle")]
        if fit and len(chosen) < count and all(abs(k - s.layer) > 2 for s in chosen):
            chosen.append(fit[rng.integers(len(fit))])
    return chosen


def observing(tally: Tally, subject: Subject, rng: np.random.Generator) -> TowerObservation:
    """First looks and later ones, of the tower as it stands and with pushed blocks; what the very first saw."""
    first: TowerObservation | None = None
    for name in ("first look", "seen before"):
        frames, truth = subject.shot()
        with tally.timed(f"observe, {name}"):
            seen = subject.look(frames, first)
        compare(tally, f"as it stands, {name}", seen, truth)
        measure(tally, f"as it stands, {name}", subject, seen, truth)
        first = first or seen
    for position in ("middle", "side"):
        pushed = {
            slot: float(rng.uniform(*PUSHES_M) * rng.choice([-1, 1]))
            for slot in some_blocks(subject, rng, 4, position)
        }
        with_pushed(tally, subject, position, first, pushed)
    return first


def with_pushed(
    tally: Tally, subject: Subject, position: str, first: TowerObservation, pushed: dict[Slot, float]
) -> None:
    """A tower in which some blocks stand out."""
    frames, truth = subject.shot(pushed)
    for name, before in (("first look", None), ("seen before", first)):
        seen = subject.look(frames, before)
        compare(tally, f"{position} blocks stand out, {name}", seen, truth)
        for slot in set(pushed) & set(seen.blocks):
            off = np.linalg.norm(seen.blocks[slot].T_world_block[:3, 3] - truth[slot][:3, 3])
            tally.values[f"{position} block that stands out, {name}"].append(float(off) * 1e3)


def with_hand(tally: Tally, subject: Subject, first: TowerObservation, rng: np.random.Generator) -> None:
    """A skin-coloured disc before the tower in one camera's picture."""
    frames, truth = subject.shot()
    which = int(rng.integers(len(frames)))
    height = subject.T_world_tower[2, 3] + rng.uniform(0.05, 0.25)
    u, v = subject.cameras[frames[which].camera].project(np.array([0.0, 0.0, height]))
    image = cv2.circle(frames[which].image.copy(), (round(u), round(v)), HAND_PX, HAND_BGR, -1)
    hidden = tuple(replace(f, image=image) if i == which else f for i, f in enumerate(frames))
    for name, before in (("first look", None), ("seen before", first)):
        compare(tally, f"hand before one camera, {name}", subject.look(hidden, before), truth)


def moving(tally: Tally, subject: Subject, first: TowerObservation, rng: np.random.Generator) -> None:
    """Motions of pushed blocks, and those of blocks that were left alone."""
    frames, truth = subject.shot()
    for step in (0.0, *STEPS_M):
        for position in ("middle", "side"):
            slots = some_blocks(subject, rng, 4, position) if step else []
            pushed = {slot: step * float(rng.choice([-1, 1])) for slot in slots if slot in first.blocks}
            after, now = subject.shot(pushed)
            with tally.timed("motions"):
                found = block_motions(frames, after, subject.cameras, first)
            for slot in first.blocks:
                name = f"moved {step * 1e3:g} mm, {position}" if slot in pushed else "left alone"
                far = (now[slot] - truth[slot])[:3, 3] if slot in truth else np.zeros(3)
                moved = found.get(slot)
                tally.add(name, None if moved is None else float(np.linalg.norm(moved.moved_m - far)))


def locating(tally: Tally, subject: Subject, first: TowerObservation, rng: np.random.Generator) -> None:
    """Pushed blocks found from a guess: a good one, as a push gives it, and one that asks for a search."""
    for name, guess_off_m, doubt in GUESSES:
        for position in ("middle", "side"):
            slots = [slot for slot in some_blocks(subject, rng, 4, position) if slot in first.blocks]
            pushed = {slot: float(rng.uniform(0.003, 0.012) * rng.choice([-1, 1])) for slot in slots}
            frames, truth = subject.shot(pushed)
            for slot, out_m in pushed.items():
                away = rng.normal(size=3) * [1, 0.6, 0.3]
                shift = away / np.linalg.norm(away) * guess_off_m + [out_m, 0, 0]
                block = first.blocks[slot]
                guess = replace(block, T_world_block=block.T_world_block @ pose(None, shift))
                off_m = located_off_m(
                    tally, f"locate, {name}", subject, frames, first, (guess, doubt), truth[slot]
                )
                tally.add(f"located, {name}, {position}", off_m)


def located_off_m(
    tally: Tally,
    name: str,
    subject: Subject,
    frames: tuple[Frame, ...],
    around: TowerObservation,
    known: tuple[BlockSeen, Doubt],
    T_true: Array,
) -> float | None:
    """How far a block is found from where it is; None where it is not found."""
    guess, doubt = known
    T, size = guess.T_world_block, guess.size_m
    try:
        with tally.timed(name):
            found = locate_block(frames, subject.cameras, size, T, around, doubt)
    except PerceptionError:
        return None
    return float(np.linalg.norm(found.T_world_block[:3, 3] - T_true[:3, 3]))


def warm(subject: Subject) -> None:
    """Compile everything once."""
    frames, _ = subject.shot()
    seen = subject.look(frames)
    block_motions(frames, subject.shot({Slot(5, 1): 0.004})[0], subject.cameras, seen)
    block = seen.blocks[Slot(5, 1)]
    for doubt in (PUSHED, POOR):
        locate_block(frames, subject.cameras, block.size_m, block.T_world_block, seen, doubt)


def quantiles(values: list[float], unit: str) -> str:
    middle, most, worst = np.quantile(values, [0.5, 0.95, 1.0]) if values else [np.nan] * 3
    return f"{middle:8.2f} {most:8.2f} {worst:8.2f}  {unit}"


def report(tally: Tally) -> None:
    """The tables."""
    print(f"\n{'slots':42} {'all':>6} {'wrong':>6} {'open':>6}")
    looks = [name for name in tally.slots if name.endswith(("first look", "seen before"))]
    for name in looks:
        every, wrong, unknown = tally.slots[name]
        print(f"{name:42} {every:6d} {wrong:6d} {unknown:6d}")
    for words in tally.words:
        print(f"  {words}")
    print(f"\n{'errors':54} {'median':>8} {'95 %':>8} {'most':>8}")
    timed = [name for name in tally.values if name.startswith(TIMED)]
    plain = [name for name in tally.values if name not in tally.slots and name not in timed]
    for name in [*plain, *(name for name in tally.slots if name not in looks)]:
        every, _, missing = tally.slots.get(name, [0, 0, 0])
        left_out = f", {missing} of {every} left out" if every else ""
        print(f"{name:54} {quantiles(tally.values[name], 'sd' if name.endswith('sd') else 'mm')}{left_out}")
    print(f"\n{'processor time':54} {'median':>8} {'95 %':>8} {'most':>8}")
    for name in timed:
        print(f"{name:54} {quantiles(tally.values[name], 'ms')}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--towers", type=int, default=8)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"perception: {describe()}; on one core, seed {asked.seed}, {asked.towers} towers")
    tally = Tally()
    for n in range(asked.towers):
        seed = asked.seed + n
        subject, rng = Subject(seed, MOVES[n % len(MOVES)]), generator(seed, "perception benchmark")
        if n == 0:
            warm(subject)
        first = observing(tally, subject, rng)
        with_hand(tally, subject, first, rng)
        moving(tally, subject, first, rng)
        locating(tally, subject, first, rng)
        print(f"  tower {n + 1}: {subject.tower}", flush=True)
        subject.simulation.close()
    report(tally)


if __name__ == "__main__":
    main()
