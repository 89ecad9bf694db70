"""Tower mechanics against the simulator: loads, pushes, stands or falls, and time.

    python -m benchmarks.mechanics [--loads 1-10] [--pushes 1-4] [--falls 1-200] [--slid 201-260] [--timing 1-5]
                                   [--blockset standard]

Each range is of seeds. Times are of this process, on one core, after compiling.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.machine import describe
from benchmarks.pushes import push
from benchmarks.towers import (
    drawn,
    least_nominal_margin,
    legal,
    midgame,
    settled,
    settling_s,
    simulated_loads,
    slid,
    stands,
)
from planning.assessing import STIFFNESS_N_M3
from planning.mechanics import SAFE_HOLD, Towers, assess, loads
from planning.tower import Slot, Tower
from robot.seeding import generator
from steadyhand.mechanics import towers_of

EDGE_MM = 1.5
SOME_N = 0.3  # loads below it are left out of the ratio: a block that bears nothing has none
MANY = 1000
PUSHED, ALONG_M = 25, 0.0005  # blocks of a tower; what counts as moving another
STIFFNESSES_N_M3 = (3e7, 1e8, 3e8, 1e9)


def seeds_of(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def compare_loads(seeds: range, blockset: str) -> None:
    """Every second tower is from the middle of a game."""
    towers, theirs = [], []
    for seed in seeds:
        tower = midgame(seed) if seed % 2 == 0 else Tower.of_blocks(54)
        blocks = drawn(tower, seed, blockset)
        towers.append(towers_of([blocks]))
        theirs.append(np.concatenate(simulated_loads(settled(blocks, seed))))
    ours = [borne(one) for one in towers]
    apart = [np.corrcoef(a, b)[0, 1] for a, b in zip(ours, theirs, strict=True)]
    one, two = np.concatenate(ours), np.concatenate(theirs)
    ratio = (one / np.maximum(two, 1e-9))[two > SOME_N]
    print(f"loads of {len(towers)} towers, {len(one)} values: correlation {np.corrcoef(one, two)[0, 1]:.3f}")
    print(f"  (at least 0.95); of a single tower at least {min(apart):.3f}; ratio above {SOME_N} N: median")
    print(
        f"  {np.median(ratio):.3f} (0.9 to 1.1), 10 to 90 % {np.quantile(ratio, 0.1):.2f} to "
        f"{np.quantile(ratio, 0.9):.2f}; mean error {np.abs(one - two).mean():.3f} N"
    )
    for stiffness in STIFFNESSES_N_M3:
        other = np.concatenate([borne(tower, stiffness) for tower in towers])
        print(f"  with {stiffness:.0e} N/m3: correlation {np.corrcoef(other, two)[0, 1]:.3f}")


def borne(tower: Towers, stiffness_n_m3: float = STIFFNESS_N_M3) -> np.ndarray:
    found = loads(tower, stiffness_n_m3)
    return np.concatenate([found.top_n[0], found.bottom_n[0]])


def compare_pushes(seeds: range, blockset: str) -> None:
    """A spread of blocks of full towers, pushed towards their own +x."""
    rows = []
    for seed in seeds:
        blocks = drawn(Tower.of_blocks(54), seed, blockset)
        world, known = settled(blocks, seed), assess(towers_of([blocks]))
        for k in np.linspace(0, len(blocks) - 4, PUSHED).astype(int):
            pushed = push(world, blocks[k].name)
            rows.append(
                (pushed.force_n, known.push_n[0, k], known.slide_n[0, k], known.hold[0, k], pushed.others_m)
            )
    seen, said, alone, hold, others_m = np.array([row for row in rows if np.isfinite(row[0])]).T
    print(
        f"pushes of {len(seen)} of {len(rows)} blocks: correlation of the force {np.corrcoef(seen, said)[0, 1]:.3f},"
    )
    print(
        f"  of all the block's own friction {np.corrcoef(seen, alone)[0, 1]:.3f}; median ratio of said to seen "
        f"{np.median(said / seen):.2f} and {np.median(alone / seen):.2f}, above 1 N "
        f"{np.median((said / seen)[seen > 1]):.2f} and {np.median((alone / seen)[seen > 1]):.2f}"
    )
    for words, those in (("at least", hold >= SAFE_HOLD), ("less than", hold < SAFE_HOLD)):
        along = int((others_m[those] > ALONG_M).sum())
        print(f"  held {words} {SAFE_HOLD:g} times: {along} of {those.sum()} moved others by over 0.5 mm")


def taken(tower: Tower, seed: int, rng: np.random.Generator) -> Slot:
    """Any legal block; with an odd seed the one that leaves the tower nearest to an edge."""
    choices = legal(tower)
    return least_nominal_margin(tower, choices) if seed % 2 else choices[rng.integers(len(choices))]


def one_fall(seed: int, blockset: str, sliding: bool) -> tuple[float, bool, bool, str]:
    """Margin [mm], whether it stands by mechanics and by the simulator, and what was taken from where."""
    tower, rng = midgame(seed), generator(seed, "taken")
    slot = taken(tower, seed, rng)
    blocks = drawn(tower, seed, blockset, pushed=int(rng.integers(0, 5)))
    if sliding:
        blocks = slid(blocks, seed)
    k = [block.slot for block in blocks].index((slot.layer, slot.position))
    known = assess(towers_of([blocks]))
    simulated = stands(blocks[:k] + blocks[k + 1 :], seed)
    return (
        float(known.margin_m[0, k]) * 1e3,
        bool(known.stands_without[0, k]),
        simulated,
        f"{slot} of {tower}",
    )


def compare_falls(seeds: range, blockset: str, *, sliding: bool = False) -> None:
    rows = {seed: one_fall(seed, blockset, sliding) for seed in seeds}
    clear = {seed: row for seed, row in rows.items() if abs(row[0]) >= EDGE_MM}
    wrong = {seed: row for seed, row in clear.items() if row[1] != row[2]}
    fell = sum(not row[2] for row in clear.values())
    if sliding:
        print(
            "the same where all above one layer has slid by up to 14 mm, which brings towers nearer to an edge:"
        )
    print(
        f"stands or falls, {len(rows)} mid-game towers, up to 4 blocks pushed out by up to 15 mm, one block"
    )
    print(
        f"  taken: {len(rows) - len(clear)} within {EDGE_MM} mm of the edge left out; of {len(clear)}, {fell} fell;"
    )
    print(f"  right {1 - len(wrong) / len(clear):.3f} (at least 0.98)")
    for words, stood in (("said to stand, fell", True), ("said to fall, stood", False)):
        errors = {seed: row for seed, row in wrong.items() if row[1] == stood}
        print(f"  {words}: {len(errors)}")
        for seed, (margin_mm, _, _, what) in errors.items():
            print(f"    seed {seed}: margin {margin_mm:.1f} mm, {what}")
    near = [row for seed, row in rows.items() if seed not in clear]
    print(f"  of those left out, {sum(row[1] == row[2] for row in near)} of {len(near)} right")


def seconds(function, *arguments, times: int) -> float:
    """The median of several calls, after one that is not counted."""
    function(*arguments)
    spent = []
    for _ in range(times):
        began = time.process_time()
        function(*arguments)
        spent.append(time.process_time() - began)
    return float(np.median(spent))


def measure_time(seeds: range, blockset: str) -> None:
    tower = Tower.of_blocks(54)
    one = [towers_of([drawn(tower, seed, blockset)]) for seed in seeds]
    each = [seconds(loads, towers, times=20) for towers in one]
    all_of_it = [seconds(assess, towers, times=5) for towers in one]
    slow = [settling_s(drawn(tower, seed, blockset), seed) for seed in seeds]
    many = towers_of([drawn(tower, seed, blockset) for seed in range(MANY)])
    batch = seconds(loads, many, times=3)
    print(f"loads of one tower of 54 blocks: {np.median(each) * 1e3:.2f} ms (at most 2);")
    print(
        f"  of {MANY} sampled ones {batch:.2f} s (at most 1); all about one {np.median(all_of_it) * 1e3:.1f} ms"
    )
    print(
        f"  the simulator settles such a tower in {np.median(slow):.2f} s: {np.median(slow) / np.median(each):.0f}"
    )
    print(
        f"  times as long as the loads of one tower, {np.median(slow) * MANY / batch:.0f} times a sampled one"
    )
    print("  time a block, loads of 100 sampled towers:", ", ".join(growth(blockset)))


def growth(blockset: str) -> list[str]:
    found = []
    for n_layers in (6, 12, 18, 24, 30):
        towers = towers_of([drawn(Tower.of_blocks(3 * n_layers), seed, blockset) for seed in range(100)])
        us = seconds(loads, Towers(towers.slots, towers.bodies), times=3) / (100 * 3 * n_layers) * 1e6
        found.append(f"{3 * n_layers} blocks {us:.1f} us")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", default="1-10")
    parser.add_argument("--pushes", default="1-4")
    parser.add_argument("--falls", default="1-200")
    parser.add_argument("--slid", default="201-260")
    parser.add_argument("--timing", default="1-5")
    parser.add_argument("--blockset", default="standard")
    asked = parser.parse_args()
    print(
        f"mechanics: {describe()}; blocks {asked.blockset}; seeds {asked.loads} (loads), {asked.pushes} (pushes),"
        f" {asked.falls} and {asked.slid} (falls), {asked.timing} and 0-{MANY - 1} (time)"
    )
    compare_loads(seeds_of(asked.loads), asked.blockset)
    compare_pushes(seeds_of(asked.pushes), asked.blockset)
    measure_time(seeds_of(asked.timing), asked.blockset)
    compare_falls(seeds_of(asked.falls), asked.blockset)
    compare_falls(seeds_of(asked.slid), asked.blockset, sliding=True)


if __name__ == "__main__":
    main()
