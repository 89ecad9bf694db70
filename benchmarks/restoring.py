"""Restoring by itself: movable blocks are pushed by 6 mm, rejected on purpose and put back.

    python -m benchmarks.restoring [--blocks 40] [--blockset standard] [--seeds 1-8] [--limit 0.5]

The robot sees pictures only; how far each block is from its place, and what others moved, comes from the truth log.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.machine import describe
from benchmarks.tables import table, truth_log
from planning.notes import Note, Phase
from planning.restore import NotRestoredError
from planning.stability import spare
from planning.tower import Slot
from planning.watch import TowerFellError
from planning.ways import ways
from robot.errors import SteadyhandError

MOVED_M = 0.005
EVERY = 3  # of the blocks, middle ones first, so that a tower's blocks are spread over it


def run(seed: int, blockset: str, most: int, limit_n: float, log: Path) -> int:
    """Push and restore up to `most` movable blocks of one tower; how many there were."""
    rig, simulation = table(seed, blockset)
    truth = truth_log(log, simulation, rig)
    done = 0
    try:
        done = _all_blocks(rig, truth, most, limit_n)
    except (SteadyhandError, TowerFellError) as error:
        print(f"  seed {seed}: ended early: {error}")
    truth.close()
    rig.close()
    return done


def _all_blocks(rig, truth, most: int, limit_n: float) -> int:
    actors = rig.actors
    actors.hand.park()
    view = actors.watcher.look()
    seen = actors.watcher.eyes.observe(view)
    actors.avoid(seen.blocks)
    top = max(slot.layer for slot in seen.blocks)
    offered = spare(seen, [slot for slot in seen.blocks if slot.layer < top])
    done = 0
    for slot in sorted(offered, key=lambda s: (s.position != 2, s))[::EVERY]:
        if done == most:
            break
        done += _one(actors, truth, slot, view, seen, limit_n)
    return done


def _one(actors, truth, slot: Slot, view, seen, limit_n: float) -> bool:
    """Whether the block was movable; it is put back in any case."""
    top = max(s.layer for s in seen.blocks)
    found = ways(actors.hand, seen, slot, [Slot(top + 1, 2)], actors.habits)
    if not found:
        return False
    truth(Note(Phase.PROBE_START, slot))
    probe = actors.prober.probe(slot, found[0].end, found[0].push, seen, limit_n)
    truth(Note(Phase.PROBE_END, slot, limit_n))
    actors.hand.along(probe.line, probe.at_m, 0.0, 0.1)
    try:
        done = actors.restorer.restore(
            slot, (probe.before, view), seen, probe.peak_n, limit_n, probe.displaced_m
        )
    except NotRestoredError as error:
        print(f"    {error}")
        return False
    truth(Note(Phase.RESTORED, slot, done.limit_n))
    return abs(probe.moved_m) >= MOVED_M


def figures(rows: list[dict]) -> list[tuple[float, float, float]]:
    """Moved by the probe, left out, worst other [mm] of every probe that moved its block."""
    out, start, end = [], None, None
    for row in rows:
        if row["phase"] == "probe-start":
            start = row
        elif row["phase"] == "probe-end":
            end = row
        elif row["phase"] == "restored" and start and end:
            block = start["slots"][row["slot"]]
            gone = {name: _mm(start, row, name) for name in start["poses"]}
            pushed = _mm(start, end, block)
            if pushed >= MOVED_M * 1e3:
                out.append((pushed, gone.pop(block), max(gone.values())))
    return out


def _mm(a: dict, b: dict, name: str) -> float:
    return float(np.linalg.norm(np.subtract(a["poses"][name][:3], b["poses"][name][:3]))) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=40)
    parser.add_argument("--blockset", default="standard")
    parser.add_argument("--seeds", default="1-8")
    parser.add_argument("--limit", type=float, default=0.5)
    asked = parser.parse_args()
    first, _, last = asked.seeds.partition("-")
    print(
        f"restoring: {describe()}; block set {asked.blockset}, seeds {asked.seeds}, probe limit {asked.limit} N"
    )
    found: list[tuple[float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            if len(found) >= asked.blocks:
                break
            log = Path(folder) / f"{seed}.jsonl"
            run(seed, asked.blockset, min(8, asked.blocks - len(found)), asked.limit, log)
            found += figures([json.loads(line) for line in log.read_text().splitlines()])
            print(f"  seed {seed}: {len(found)} movable blocks so far")
    pushed, left, others = np.array(found).T
    within = int((left <= 1.0).sum())
    print(f"{len(found)} blocks pushed by {np.median(pushed):.1f} mm and put back: {within} within 1 mm")
    for name, values in (("left out", left), ("worst other block moved", others)):
        quantiles = " / ".join(f"{q:.2f}" for q in np.quantile(values, [0.5, 0.9, 1.0]))
        print(f"  {name}, median / 90 % / most: {quantiles} mm")


if __name__ == "__main__":
    main()
