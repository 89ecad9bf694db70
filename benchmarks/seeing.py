"""How long it takes to read a tower from pictures of 1280 x 960, and where the time goes.

    python -m benchmarks.seeing [--seed 1] [--towers 4]

Simulated towers, their pictures rendered with noise and kept as JPEG; cameras are known. One view from nothing, one
view of a tower that was read before, two views; then whether a hand is there. Times are processor times on one core
after compilation, medians over towers and views, each also as a multiple of what decoding the JPEG takes in the same
run: that tells more than milliseconds on a machine that others use, too.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from benchmarks.machine import describe
from benchmarks.perception import MOVES, some_blocks
from benchmarks.subject import Subject
from perception import reading
from perception.hands import any_hand
from perception.reading import read_tower
from perception.views import views_of
from planning.observation import Seen, TowerObservation
from planning.tower import Slot
from robot.frames import Array
from robot.ports import Frame
from robot.seeding import generator
from steadyhand.hand_networks import can_find_hands

PUSHES_M, QUALITY, DECODINGS = (0.004, 0.025), 92, 10
# What the stages are called, and the functions of `perception.reading` that are theirs; none calls another one.
STAGES = {
    "where it stands": ("find_anywhere", "find_near"),
    "its layers": ("climbed",),
    "what wood and lines look like": ("_portraits",),
    "layers from the base up": ("_first",),
    "layers moved to where they fit": ("settled",),
    "slot by slot": ("chosen_for",),
    "how far blocks stand out": ("all_exact",),
    "how sure": ("observed",),
}


@dataclass
class Tally:
    """Processor times [ms] of one way to look, those of its stages, and slots."""

    whole: list[float] = field(default_factory=list)
    stages: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    slots: int = 0
    wrong: int = 0
    unknown: int = 0

    def add(self, seen: TowerObservation, truth: dict[Slot, Array]) -> None:
        """What was said, against where blocks are."""
        top = max(slot.layer for slot in truth)
        for slot in {Slot(k, p) for k in range(1, top + 1) for p in (1, 2, 3)} | set(seen.slots):
            said = seen.slots.get(slot)
            right = Seen.BLOCK if slot in truth else Seen.GAP if slot.layer <= top else None
            self.slots += 1
            self.unknown += said is Seen.UNKNOWN
            self.wrong += said not in {right, Seen.UNKNOWN}

    def report(self, name: str, decoding_ms: float) -> None:
        """A line, and one for each stage."""
        ms = float(np.median(self.whole))
        print(
            f"{name:34} {ms:6.0f} ms, {ms / decoding_ms:5.1f} times decoding; "
            f"{self.wrong} of {self.slots} slots wrong, {self.unknown} unknown"
        )
        for stage, values in self.stages.items():
            print(f"    {stage:32} {np.median(values):5.0f} ms, {np.median(values) / ms:4.0%}")


def now_ms() -> float:
    """Processor time so far."""
    return time.process_time() * 1e3


@contextmanager
def watched(spent: defaultdict[str, float]) -> Iterator[None]:
    """While inside, the time that each stage takes is added up."""
    kept = {name: getattr(reading, name) for names in STAGES.values() for name in names}
    for stage, names in STAGES.items():
        for name in names:
            setattr(reading, name, _timed(kept[name], stage, spent))
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(reading, name, function)


def _timed(
    function: Callable[..., object], stage: str, spent: defaultdict[str, float]
) -> Callable[..., object]:
    def run(*arguments: object, **named: object) -> object:
        began = now_ms()
        try:
            return function(*arguments, **named)
        finally:
            spent[stage] += now_ms() - began

    return run


def look(
    tally: Tally,
    subject: Subject,
    frames: Sequence[Frame],
    truth: dict[Slot, Array],
    before: TowerObservation | None = None,
) -> TowerObservation:
    """Some pictures read."""
    spent = defaultdict[str, float](float)
    with watched(spent):
        began = now_ms()
        views = views_of(frames, subject.cameras)
        seen = read_tower(views, subject.blockset, float(subject.T_world_tower[2, 3]), before)
        tally.whole.append(now_ms() - began)
    for stage in STAGES:
        tally.stages[stage].append(spent[stage])
    tally.add(seen, truth)
    return seen


def through_jpeg(frames: Sequence[Frame], decoding: list[float]) -> list[Frame]:
    """The frames as they come out of files; what decoding one takes [ms] is noted."""
    out = []
    for frame in frames:
        data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        began = now_ms()
        for _ in range(DECODINGS):
            image = cv2.imdecode(data, cv2.IMREAD_COLOR)
        decoding.append((now_ms() - began) / DECODINGS)
        out.append(replace(frame, image=np.asarray(image, dtype=np.uint8)))
    return out


@dataclass
class Figures:
    """All that is measured."""

    decoding: list[float] = field(default_factory=list)
    hands: list[float] = field(default_factory=list)
    looks: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    def measure(self, subject: Subject, rng: np.random.Generator) -> None:
        """One tower; what was read of it before is that with other blocks pushed out."""
        shots = [
            subject.shot({s: float(rng.uniform(*PUSHES_M)) for s in some_blocks(subject, rng, 3, "side")})
            for _ in range(2)
        ]
        (earlier, truth_then), (frames, truth) = ((through_jpeg(f, self.decoding), t) for f, t in shots)
        for i, frame in enumerate(frames):
            before = look(Tally(), subject, [earlier[i]], truth_then)
            look(self.looks["one view, from nothing"], subject, [frame], truth)
            look(self.looks["one view, read before"], subject, [frame], truth, before)
            self._hand(subject, frame, before)
        both, before = frames[:2], look(Tally(), subject, earlier[:2], truth_then)
        look(self.looks["two views, from nothing"], subject, both, truth)
        look(self.looks["two views, read before"], subject, both, truth, before)

    def _hand(self, subject: Subject, frame: Frame, seen: TowerObservation) -> None:
        if can_find_hands():
            began = now_ms()
            any_hand(views_of([frame], subject.cameras), seen.T_world_tower, seen.layer_top_m[-1])
            self.hands.append(now_ms() - began)

    def report(self) -> None:
        """All lines."""
        decoding = float(np.median(self.decoding))
        print(f"{'decoding a JPEG':34} {decoding:6.1f} ms")
        for name, tally in self.looks.items():
            tally.report(name, decoding)
        if self.hands:
            hands = float(np.median(self.hands))
            print(
                f"{'whether a hand is in one view':34} {hands:6.0f} ms, {hands / decoding:5.1f} times decoding"
            )


def main() -> None:
    """Read towers and print how long it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--towers", type=int, default=4)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cv2.setNumThreads(1)
    print(f"seeing, {asked.towers} towers, seed {asked.seed}, one core of {describe()}")
    figures = Figures()
    for n in range(asked.towers):
        rng = generator(asked.seed + n, "seeing benchmark")
        subject = Subject(asked.seed + n, MOVES[n % len(MOVES)])
        if n == 0:
            Figures().measure(subject, generator(0, "seeing benchmark"))  # compiles
        figures.measure(subject, rng)
        subject.simulation.close()
    figures.report()


if __name__ == "__main__":
    main()
