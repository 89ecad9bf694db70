"""What a whole robot turn costs: processor time against play time, on one core, and where it goes.

python -m benchmarks.turn [--seeds 1-3] [--turns 2]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import mujoco

from benchmarks.machine import describe
from benchmarks.tables import table
from planning.actors import Actors
from planning.opening import Opening
from steadyhand import wiring
from steadyhand.journal import Journal
from steadyhand.match import Match, Summary
from steadyhand.settings_file import load_settings


class Stopwatch:
    """Processor time by name."""

    def __init__(self) -> None:
        self.spent_s: Counter[str] = Counter()

    @contextmanager
    def of(self, name: str):
        """Add what the block spends to a name."""
        began = time.process_time()
        yield
        self.spent_s[name] += time.process_time() - began


class TimedEyes:
    """Eyes that say how long they took."""

    def __init__(self, eyes, watch: Stopwatch) -> None:
        self._eyes, self._watch = eyes, watch

    def __getattr__(self, name: str):
        method = getattr(self._eyes, name)

        def timed(*args, **kwargs):
            with self._watch.of("rendering" if name == "look" else f"perception: {name}"):
                return method(*args, **kwargs)

        return timed


def measure(seed: int, turns: int, watch: Stopwatch) -> tuple[float, float, int]:
    """Play time, processor time and completed turns of a match."""
    rig, _ = table(seed)
    eyes = TimedEyes(rig.actors.watcher.eyes, watch)
    a = rig.actors
    rig = replace(rig, actors=Actors.of(a.hand, eyes, a.habits, a.blockset))
    step, spent = mujoco.mj_step, watch.spent_s

    def timed_step(*args) -> None:
        began = time.process_time()
        step(*args)
        spent["physics"] += time.process_time() - began

    mujoco.mj_step = timed_step
    try:
        with tempfile.TemporaryDirectory() as folder:
            journal = Journal.create(Path(folder) / "game.jsonl", Opening.of(["Robot"]))
            summary = Summary(seed, "standard", "classic", ["Robot"])
            began, start = time.process_time(), rig.clock.now_s()
            player = wiring.policy_of(load_settings(None), rig.actors, seed)
            Match(rig, journal, summary, lambda why: print(f"  {why}"), lambda _name: player).play(turns)
            journal.close()
    finally:
        mujoco.mj_step = step
        rig.close()
    return rig.clock.now_s() - start, time.process_time() - began, summary.turns_completed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1-3")
    parser.add_argument("--turns", type=int, default=2)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"turn: {describe()}; on one core, seeds {asked.seeds}, {asked.turns} turns each")
    first, _, last = asked.seeds.partition("-")
    watch, play_s, cpu_s, turns = Stopwatch(), 0.0, 0.0, 0
    for seed in range(int(first), int(last or first) + 1):
        played, used, completed = measure(seed, asked.turns, watch)
        print(f"  seed {seed}: {completed} turns, {played:.0f} s of play, {used:.0f} s of processor time")
        play_s, cpu_s, turns = play_s + played, cpu_s + used, turns + completed
    seeing = sum(s for name, s in watch.spent_s.items() if name != "physics")
    print(f"{turns} turns: {cpu_s / play_s:.2f} of play time, all counted (at most 1); ")
    print(f"  {(cpu_s - seeing) / play_s:.2f} without rendering and perception (at most 0.4)")
    rest = cpu_s - sum(watch.spent_s.values())
    for name, seconds in [*watch.spent_s.most_common(), ("planning and the rest", rest)]:
        print(f"  {name}: {seconds / cpu_s:.0%}, {seconds / max(turns, 1):.1f} s a turn")


if __name__ == "__main__":
    main()
