"""How fast records are judged: 100,000 events, linearity over sizes, and the command from start to end.

    python benchmarks/referee.py [--events 100000] [--seed 1]

The record is a seeded game with tests, restores and breaches; the machine is named beside the figures.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from planning.events import Clock, Event, Extract, Move, Place, Release, Restore, Touch  # noqa: E402
from planning.game import Game  # noqa: E402
from planning.opening import Opening, write_opening  # noqa: E402
from planning.record import write_event  # noqa: E402
from planning.referee import fold  # noqa: E402
from planning.tower import Slot, axis_of, row  # noqa: E402

BUDGET_S = 2.0
START_BUDGET_S = 0.3


def turn_of(game: Game, rng: random.Random) -> Iterator[Event]:
    """Play a turn of two tests, a touch, and a block taken and placed, now and then from a closed layer."""
    player, t = game.player_in_turn or "", game.t_s
    for _ in range(2):
        block = any_block(game, rng)
        yield Move(t + 1, player, "right", block, rng.choice([-6.5, 4.0]), further={"force_n": 0.8})
        yield Restore(t + 2, player, "right", block)
        t += 2
    block = any_block(game, rng)
    yield Touch(t + 1, player, "right", block)
    yield Extract(t + 4, player, "right", block)
    slot = game.tower.remove(block).free_top_slots[0]
    yield Place(t + 7, player, "right", slot, axis_of(slot.layer))
    yield Release(t + 8, player)
    yield Clock(t + 18)


def any_block(game: Game, rng: random.Random) -> Slot:
    """Choose a block of the upper layers; the open layers below are soon empty in a game of this length."""
    top = game.tower.n_layers
    while True:
        slot = row(rng.randint(max(1, top - 40), top - 1))[rng.randrange(3)]
        if game.tower.has(slot):
            return slot


def record(n_events: int, seed: int) -> list[bytes]:
    """Write a record of so many events."""
    rng = random.Random(seed)
    opening = Opening.of(
        ["Ana", "Ben", "Robot"], options={"reverse_on_layer": True, "prompts": {"5.2": "sing"}}
    )
    game, lines = Game.start(opening), [write_opening(opening).encode()]
    while len(lines) <= n_events:
        for event in turn_of(game, rng):
            game = game.apply(event)
            lines.append(write_event(event).encode())
    return lines[: n_events + 1]


def seconds(lines: list[bytes], repeats: int = 3) -> float:
    """Return the best time of judging the lines, verdict included."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        fold(lines).verdict()
        times.append(time.process_time() - start)
    return min(times)


def start_to_end_s(path: Path, repeats: int = 15) -> list[float]:
    """Return how long the command takes on a record, from start to end, by the wall clock."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "steadyhand.refereeing", str(path)],
            check=True,
            capture_output=True,
            cwd=ROOT,
        )
        times.append(time.perf_counter() - start)
    return times


def machine() -> str:
    """Name the machine."""
    names = [line for line in _cpu_lines() if line.startswith("model name")]
    cpu = names[0].split(":", 1)[1].strip() if names else platform.processor()
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def _cpu_lines() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def judging(lines: list[bytes]) -> bool:
    """Print how long records of growing length take; tell whether the longest keeps its budget."""
    spent_s, n_events = 0.0, len(lines) - 1
    for n in (n_events // 100, n_events // 10, n_events // 2, n_events):
        spent_s = seconds(lines[: n + 1])
        print(f"{n:>8} events: {spent_s:6.3f} s, {spent_s / n * 1e6:5.1f} us an event")
    return told(f"100000 events on one core, budget {BUDGET_S} s", spent_s * 100_000 / n_events < BUDGET_S)


def starting(lines: list[bytes]) -> bool:
    """Print how long the command takes on a short record; tell whether it keeps its budget."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "short.jsonl"
        path.write_bytes(b"\n".join(lines[:40]) + b"\n")
        times = start_to_end_s(path)
    print(
        f"      39 events, the command: median {statistics.median(times):.3f} s, slowest {max(times):.3f} s"
    )
    return told(f"the command, budget {START_BUDGET_S} s", max(times) < START_BUDGET_S)


def told(what: str, kept: bool) -> bool:
    """Print whether a budget was kept."""
    print(f"{what}: {'kept' if kept else 'MISSED'}")
    return kept


def main() -> int:
    """Measure, print, and exit with 1 where a budget was missed."""
    parser = argparse.ArgumentParser(description="How fast the referee judges records.")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"machine: {machine()}; seed {arguments.seed}")
    lines = record(max(arguments.events, 100), arguments.seed)
    kept = [judging(lines), starting(lines)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
