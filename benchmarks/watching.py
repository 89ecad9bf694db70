"""Is somebody there? Misses and false alarms over seeds.

    python -m benchmarks.watching [--seed 1] [--scenes 6]

Each scene is a tower among other things, in one of the lights of `sim picture`, with a hand, a sleeve or a tool.
Three cameras look every 1.5 s, in small pictures (640 x 480). First the light changes, six times, with nobody there;
then somebody reaches in, rests at the tower for 9 s but for a sway of 2 mm, goes back and is gone. No network is asked:
what is said rests on change alone. The arm may move where a look gives no reason to wait.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.machine import describe
from benchmarks.stage import USUAL, Light, Stage, drawn_back
from perception.watching import Sighting, Watch
from robot.frames import Array, pose
from robot.ports import Frame
from robot.seeding import generator
from sim.look import Look

EVERY_S, RESTS = 1.5, 6
SWAY_M = 0.002
AWAY_M = (0.35, 0.20, 0.08, 0.0)  # from the tower, on the way in
LIGHTS = ("normal", "warm", "hard", "dim", "glare")
VISITORS = ("hand", "sleeve", "tool")
CLUTTER = ("none", "some", "busy")


class Scene:
    """One stage, watched.

    Args:
        number: Which one; it chooses light, clutter and visitor.
        seed: Of everything random.
        tally: What is counted, by name.
    """

    def __init__(self, number: int, seed: int, tally: Counter[str]) -> None:
        self.visitor, clutter = VISITORS[number % 3], CLUTTER[(number + number // 3) % 3]
        self.light = LIGHTS[number % len(LIGHTS)]
        self.stage = Stage(seed, Look(self.light, "light", (clutter, self.visitor)))
        self._watch = Watch(self.stage.cameras, self.stage.T_world_tower, 0.33, lambda _views: False)
        self._tally, self._t_s, self._rng = tally, 0.0, generator(seed, "watching benchmark")

    def looks(self, visitor: Array | None, light: Light, count: int) -> list[Sighting]:
        """So many looks at the same scene."""
        return [self._look(self.stage.shot(self._next(), visitor, light)) for _ in range(count)]

    def _next(self) -> float:
        self._t_s += EVERY_S
        return self._t_s

    def _look(self, frames: Sequence[Frame]) -> Sighting:
        began = time.process_time()
        seen = self._watch.look(frames)
        self._tally["looks"] += 1
        self._tally["cpu_ms"] += round((time.process_time() - began) * 1e3)
        return seen

    def lights(self) -> None:
        """The light changes, and stays so for a while."""
        for light in changes(self._rng):
            seen = self.looks(None, light, RESTS)
            self._tally["light changes"] += 1
            self._tally["taken for somebody"] += any(s.somebody or s.blind for s in seen)
            self._tally["waited for"] += seen[0].why is not None
            self._tally["never settled"] += seen[-1].why is not None
        self.looks(None, USUAL, RESTS)

    def visit(self) -> None:
        """Somebody comes, rests and goes."""
        T, kind = self.stage.reach(), self.visitor
        for away_m in AWAY_M:
            (seen,) = self.looks(drawn_back(T, away_m), USUAL, 1)
            self._count(f"{kind}, {away_m * 100:.0f} cm off, on its way", seen)
        for _ in range(RESTS):
            (seen,) = self.looks(T @ pose(None, self._rng.uniform(-SWAY_M, SWAY_M, 3)), USUAL, 1)
            self._count(f"{kind}, at rest", seen)
        self.looks(drawn_back(T, AWAY_M[1]), USUAL, 1)
        gone = self.looks(None, USUAL, 2)
        self._tally["visits"] += 1
        self._tally["not seen to be gone after 3 s"] += gone[-1].why is not None

    def _count(self, name: str, seen: Sighting) -> None:
        self._tally[f"{name}: looks"] += 1
        self._tally[f"{name}: missed"] += seen.why is None
        self._tally[f"{name}: somebody"] += bool(seen.somebody)


def changes(rng: np.random.Generator) -> list[Light]:
    """Six lights within the range that is stated: exposure, colour, a window or lamp that dims or turns, and all."""
    gains, windows = rng.uniform(0.6, 1.5, 3), rng.uniform(0.3, 1.6, 3)
    turns, warmth = np.radians(rng.uniform(-25, 25, 3)), rng.uniform(-0.15, 0.15, 3)
    tints = [(1.0 + x, 1.0, 1.0 - x) for x in warmth]
    alone = [Light(gain=gains[0]), Light(tint=tints[0]), Light(window=windows[0]), Light(turn_rad=turns[0])]
    return alone + [Light(*each) for each in zip(gains[1:], tints[1:], windows[1:], turns[1:], strict=True)]


def report(tally: Counter[str]) -> None:
    print(
        f"light: {tally['light changes']} changes, {tally['taken for somebody']} taken for somebody, "
        f"{tally['waited for']} waited for, {tally['never settled']} of them longer than {(RESTS - 1) * EVERY_S:g} s"
    )
    for name in sorted({key.rsplit(": ", 1)[0] for key in tally if ": " in key}):
        row = [tally[f"{name}: {what}"] for what in ("looks", "missed", "somebody")]
        print(f"{name:32} {row[0]:3} looks, {row[1]} missed, {row[2]} surely somebody")
    print(
        f"gone: {tally['visits']} visits, {tally['not seen to be gone after 3 s']} not seen to be gone after 3 s"
    )
    print(f"{tally['cpu_ms'] / tally['looks']:.0f} ms of processor time a look of three cameras")


def main() -> None:
    """Watch scenes and print what was missed and what was not there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", type=int, default=6)
    options = parser.parse_args()
    print(f"watching {options.scenes} scenes, seed {options.seed}, {describe()}", flush=True)
    tally: Counter[str] = Counter()
    for n in range(options.scenes):
        scene = Scene(n, options.seed + n, tally)
        scene.looks(None, USUAL, 3)
        scene.lights()
        scene.visit()
        scene.stage.close()
        print(f"scene {n}: {scene.light}, {scene.visitor}", flush=True)
    report(tally)


if __name__ == "__main__":
    main()
