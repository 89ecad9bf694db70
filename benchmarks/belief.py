"""The belief about each block: is it calibrated, what do ten probes teach it, what does it cost.

    python -m benchmarks.belief [--seeds 1-40] [--probes 10] [--blockset standard] [--count 600]

Every second tower is from the middle of a game. The truth is what mechanics says of the true blocks; what the robot
sees and feels of them has the errors of `planning.senses`. A block is loose where it starts below `probe.limit_n` and
comes out. Each probe is the one that teaches most, once up to that limit, once up to the block's own force limit.
Bins of tenths; times are of this process, on one core, after compiling.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import replace

import numpy as np
from scipy.special import entr

from benchmarks.machine import describe
from benchmarks.towers import drawn, midgame
from planning.belief import COUNT, Belief, BlockBelief, Grounds, Sample
from planning.blockset import load_blockset
from planning.ensemble import Ensemble, draw
from planning.force_limit import Bounds, force_limit
from planning.habits import ProbeHabits
from planning.leaving import bears, best_top, succeeds, tower_of
from planning.lesson import lesson
from planning.mechanics import Towers, assess, comes_out
from planning.reckoning import reckon
from planning.senses import Senses
from planning.tower import Slot, Tower
from robot.seeding import generator
from steadyhand.bench.sensing import feel, see
from steadyhand.mechanics import towers_of

HABIT = ProbeHabits()
SENSES = Senses()
BOUNDS = Bounds(4 * SENSES.force_n, HABIT.limit_n)
SAID = ("block set", "after a look", "after probes", "after probes up to each block's own limit")
MANY = 4000
LEAST = 1e-3  # of a probability in the log loss
STARTED = time.process_time


class Account:
    """What was said of each block and what was true."""

    def __init__(self) -> None:
        self.said: dict[str, list[float]] = defaultdict(list)
        self.forces: dict[str, list[tuple[float, ...]]] = defaultdict(list)
        self.loose: list[bool] = []
        self.starts_n: list[float] = []
        self.chances: list[float] = []
        self.succeed: list[bool] = []
        self.seconds: dict[str, list[float]] = defaultdict(list)

    def note(self, when: str, blocks: dict[Slot, BlockBelief]) -> None:
        """Add a tower."""
        self.said[when] += [block.loose for block in blocks.values()]
        self.forces[when] += [block.force_n for block in blocks.values()]


def play(account: Account, seed: int, probes: int, blockset_name: str, count: int) -> None:
    """One tower: what is believed of it before, after a look, and after some probes."""
    blockset, rng = load_blockset(blockset_name), generator(seed, "benchmark", "belief")
    tower = midgame(seed) if seed % 2 == 0 else Tower.of_blocks(54)
    true = towers_of([drawn(tower, seed, blockset_name)])
    known = assess(true)
    account.loose += list((comes_out(known) & (known.slide_n <= HABIT.limit_n))[0])
    account.starts_n += list(known.slide_n[0])
    grounds = Grounds(blockset, SENSES, HABIT.limit_n, seed, count)
    account.note(SAID[0], Belief.prior(grounds, tower).blocks())
    seen = see(true, blockset, SENSES, rng)
    began = STARTED()
    belief = Belief.seen(grounds, seen)
    account.note(SAID[1], belief.blocks())
    account.seconds["look"].append(STARTED() - began)
    for when, own in ((SAID[2], False), (SAID[3], True)):
        after = probed(account, belief, true, probes, rng, own=own)
        account.note(when, after.blocks())
    turns(account, after, true, list(comes_out(known)[0] & (known.slide_n[0] <= HABIT.limit_n)))


def probed(
    account: Account, belief: Belief, true: Towers, probes: int, rng: np.random.Generator, *, own: bool
) -> Belief:
    """After the probes that teach most."""
    known, done = assess(true), set()
    for _ in range(probes):
        slot, limit_n = most_telling(belief, done, own=own)
        if slot is None:
            break
        done.add(slot)
        felt = feel(known, true.slots.index(slot), slot, limit_n, SENSES, rng)
        began = STARTED()
        belief = belief.felt(felt)
        belief.blocks()
        account.seconds["probe"].append(STARTED() - began)
    return belief


def most_telling(belief: Belief, done: set[Slot], *, own: bool) -> tuple[Slot | None, float]:
    best, most, at_n = None, 0.0, 0.0
    for slot in belief.slots:
        if slot in done:
            continue
        limit_n = force_limit(belief, slot, BOUNDS).limit_n if own else HABIT.limit_n
        if limit_n is not None and (teaches := lesson(belief, slot, limit_n)) > most:
            best, most, at_n = slot, teaches, limit_n
    return best, at_n


def turns(account: Account, belief: Belief, true: Towers, loose: list[bool]) -> None:
    """The chance of a whole turn for every block, and whether it succeeds with the true blocks."""
    tower, unknown = tower_of(belief.slots), np.zeros(len(true.slots))
    truth = Sample(Ensemble(true.slots, true.bodies, unknown, unknown), HABIT.limit_n)
    moves = [(k, slot, best_top(tower, slot)) for k, slot in enumerate(belief.slots)]
    moves = [move for move in moves if move[2] is not None]
    began = STARTED()
    account.chances += [succeeds(belief, slot, top) for _, slot, top in moves]
    account.seconds["whole turns"].append(STARTED() - began)
    account.succeed += [
        loose[k] and bears(replace(belief, sample=truth), slot, top) > 0.5 for k, slot, top in moves
    ]


def coupling(blockset_name: str) -> None:
    """How much knowing whether a block starts below the limit tells of others: of its layer, and of other layers."""
    slots = list(Tower.of_blocks(54).blocks())
    rng = generator(0, "benchmark", "coupling")
    found = draw(rng, load_blockset(blockset_name), slots, MANY, SENSES)
    known = reckon(found, HABIT.limit_n)
    light = (known.rubs_n + known.ground_n <= HABIT.limit_n).astype(float)
    own, unknown = light.mean(axis=0), entropy(light.mean(axis=0))
    both = light.T @ light / MANY
    left = np.zeros((len(slots), len(slots)))
    for first, second in ((both, own), (own[:, None] - both, 1 - own)):
        left += second * entropy(first / np.maximum(second, 1e-9))
    told = unknown[:, None] - left  # of the row's block by the column's
    layer = np.array([slot.layer for slot in slots])
    sure = (unknown[:, None] > 0.5) & (unknown[None, :] > 0.5) & ~np.eye(len(slots), dtype=bool)
    same = layer[:, None] == layer[None, :]
    print(f"{MANY} drawn towers: nats that are unknown of a block, and told of it by another")
    for name, which in (("of its layer", sure & same), ("of another layer", sure & ~same)):
        low, middle, high = np.quantile(told[which], (0.05, 0.5, 0.95))
        print(f"  {name}: {low:.3f} / {middle:.3f} / {high:.3f} (5, 50, 95 %)")
    print(f"  unknown: {unknown[unknown > 0.5].min():.2f} to {unknown.max():.2f}")


def entropy(p: np.ndarray) -> np.ndarray:
    return entr(np.clip(p, 0, 1)) + entr(np.clip(1 - p, 0, 1))


def table(account: Account) -> None:
    loose, starts_n = np.array(account.loose), np.array(account.starts_n)
    print(f"{len(loose)} blocks, {loose.mean():.3f} of them loose")
    losses = {}
    for when in SAID:
        said = np.array(account.said[when])
        losses[when] = log_loss(said, loose)
        print(f"{when}: log loss {losses[when]:.3f}")
        reliability(said, loose)
        low, middle, high = np.array(account.forces[when]).T
        inside = ((starts_n >= low) & (starts_n <= high)).mean()
        print(
            f"  force within 10 to 90 %: {inside:.3f} (0.80); below the middle: {(starts_n < middle).mean():.3f}"
        )
    for when in SAID[2:]:
        of_set, of_look = (losses[when] / losses[before] for before in SAID[:2])
        print(
            f"log loss {when}: {of_set:.3f} of the block set's (at most 0.6), {of_look:.3f} of that after a look"
        )


def reliability(said: np.ndarray, true: np.ndarray) -> None:
    which = np.minimum((said * 10).astype(int), 9)
    rows = [(said[which == k], true[which == k]) for k in range(10) if (which == k).any()]
    off = sum(len(told) * abs(told.mean() - real.mean()) for told, real in rows) / len(said)
    print(f"  expected calibration error {off:.3f}; said / true / blocks:")
    print("  " + ", ".join(f"{told.mean():.2f}/{real.mean():.2f}/{len(told)}" for told, real in rows))


def log_loss(said: np.ndarray, true: np.ndarray) -> float:
    p = np.clip(said, LEAST, 1 - LEAST)
    return float(-np.where(true, np.log(p), np.log(1 - p)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1-40")
    parser.add_argument("--probes", type=int, default=10)
    parser.add_argument("--blockset", default="standard")
    parser.add_argument("--count", type=int, default=COUNT)
    args = parser.parse_args()
    first, _, last = args.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    print(
        f"belief: {describe()}; seeds {seeds.start} to {seeds.stop - 1}, {args.blockset}, {args.count} towers"
    )
    play(Account(), 0, 1, args.blockset, args.count)  # compiles
    account = Account()
    for seed in seeds:
        play(account, seed, args.probes, args.blockset, args.count)
    table(account)
    print(f"whole turns, {SAID[3]}:")
    reliability(np.array(account.chances), np.array(account.succeed))
    coupling(args.blockset)
    for name, seconds in account.seconds.items():
        print(f"seconds, {name}: median {np.median(seconds):.3f}, longest {max(seconds):.3f}")


if __name__ == "__main__":
    main()
