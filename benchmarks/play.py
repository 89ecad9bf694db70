"""How well whole turns go: games from the command line, judged from outside by the truth log.

    python -m benchmarks.play [--seeds 1-10] [--turns 3] [--blockset standard]

Every game is a process of its own. A game that ends early forfeits the rest of its turns.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.machine import describe

Row = dict[str, Any]


def game(seed: int, turns: int, blockset: str, folder: Path) -> tuple[Row, list[Row]]:
    """Summary and truth log of one game."""
    truth = folder / f"{seed}.truth.jsonl"
    options = {
        "seed": seed,
        "turns": turns,
        "blockset": blockset,
        "record": folder / f"{seed}.jsonl",
        "truth": truth,
    }
    command = [sys.executable, "-m", "steadyhand", "play", "--json"]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    told = subprocess.run(command, check=False, capture_output=True, text=True)
    if not told.stdout:
        raise SystemExit(f"seed {seed}: no summary: {told.stderr.strip()}")
    return json.loads(told.stdout), [json.loads(line) for line in truth.read_text().splitlines()]


def moved_mm(before: Row, after: Row, block: str) -> float:
    return math.dist(before["poses"][block][:3], after["poses"][block][:3]) * 1e3


def rejected(truth: list[Row]) -> list[tuple[float, float, float]]:
    """Of every rejected block: how far the probe moved it, how far out it was left, what another block moved [mm]."""
    out, start, end = [], None, None
    for row in truth:
        if row["phase"] == "probe-start":
            start, end = row, None
        elif row["phase"] == "probe-end":
            end = row
        elif row["phase"] == "restored" and start and end:
            block = start["slots"][row["slot"]]
            others = [moved_mm(start, row, b) for b in start["poses"] if b != block]
            out.append((moved_mm(start, end, block), moved_mm(start, row, block), max(others)))
    return out


def over_n(truth: list[Row]) -> list[float]:
    """By how much the true force passed the limit of each motion."""
    return [row["peak_n"] - row["limit_n"] for row in truth if row["peak_n"] is not None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1-10")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--blockset", default="standard")
    args = parser.parse_args()
    first, _, last = args.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    print(
        f"play: {describe()}; {args.blockset}, seeds {seeds.start} to {seeds.stop - 1}, {args.turns} turns each"
    )
    done, restored, over = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            summary, truth = game(seed, args.turns, args.blockset, Path(folder))
            done += int(summary["turns_completed"])
            restored += rejected(truth)
            over += over_n(truth)
            print(
                f"  seed {seed}: {summary['turns_completed']} turns, ended by {summary['ended_by']}, "
                f"{summary['probes']} probes, {summary['sim_s']} s of play in {summary['wall_s']} s",
                flush=True,
            )
    print(f"turns completed: {done} of {args.turns * len(seeds)}")
    back = [left for moved, left, _ in restored if moved > 1.0]
    print(f"rejected blocks: {len(restored)}, of which the probe had moved {len(back)} by more than 1 mm")
    print(f"  left out at most {max((left for _, left, _ in restored), default=0):.2f} mm")
    print(f"  other blocks moved at most {max((other for *_, other in restored), default=0):.2f} mm")
    print(f"true force over the limit of its motion: at most {max(over, default=0):.2f} N")


if __name__ == "__main__":
    main()
