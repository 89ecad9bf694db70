"""The belief beside probes of the arm in full physics, up to `probe.limit_n`: what it said before each, what came.

    python -m benchmarks.probing [--seeds 5-6] [--probes 14]

Blocks are probed in random order, and put back. A probe takes some ten seconds of processor time.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.machine import describe
from benchmarks.tables import table
from benchmarks.towers import drawn
from planning.belief import Grounds
from planning.force_limit import Bounds
from planning.habits import Habits
from planning.mechanics import assess
from planning.mind import Mind, felt_of
from planning.poses import push_aim
from planning.probe import ProbeReport, Verdict
from planning.senses import Senses
from planning.tower import Tower
from planning.watch import TowerFellError
from robot.errors import SteadyhandError
from robot.seeding import generator
from steadyhand.mechanics import towers_of

HABITS = Habits()
NOSE_M, VISIBLE_M = 0.008, 0.001


def probe(rig, seen, slot, limit_n: float) -> ProbeReport | None:
    """Push a block from the first end that the arm reaches, and withdraw."""
    block = seen.blocks[slot]
    for end in (1, -1):
        line = rig.actors.hand.line(push_aim(block.T_world_block, float(block.size_m[0]), end, NOSE_M), 0.0)
        if line is None:
            continue
        try:
            report = rig.actors.prober.probe(slot, end, line, seen, limit_n)
        except TowerFellError:
            raise
        except SteadyhandError:
            continue
        rig.actors.hand.along(report.line, report.at_m, 0.0, HABITS.approach_m_s)
        return report
    return None


def put_back(rig, report: ProbeReport, view) -> None:
    if abs(report.moved_m) < VISIBLE_M or report.verdict is Verdict.UNSEEN:
        return
    try:
        rig.actors.restorer.restore(
            report.slot, (report.before, view), report.seen, report.peak_n, report.limit_n, report.displaced_m
        )
    except SteadyhandError as error:
        print(f"    not put back: {error}")


def play(seed: int, probes: int) -> list[tuple[float, bool]]:
    """What was said of each probed block, and whether it was loose."""
    rig, limit_n, found = table(seed)[0], HABITS.probe.limit_n, []
    noise_n = rig.actors.hand.pusher.smallest_force_n
    bounds = Bounds(noise_n, limit_n)
    mind = Mind(Grounds(rig.actors.blockset, Senses().feeling(noise_n), limit_n, seed), bounds)
    known = assess(towers_of([drawn(Tower.of_blocks(54), seed)]))
    look = rig.actors.watcher.look
    view = look()
    seen = rig.actors.watcher.eyes.observe(view)
    order = generator(seed, "benchmark", "probing").permutation(51)
    for slot in [list(Tower.of_blocks(54).blocks())[k] for k in order]:
        if len(found) == probes:
            break
        mind.looks(seen)
        rig.actors.avoid(seen.blocks)
        said, slide_n = mind.belief.block(slot), known.slide_n[0, mind.belief.slots.index(slot)]
        report = probe(rig, seen, slot, limit_n)
        if report is None:
            continue
        found.append((said.loose, report.verdict is Verdict.LOOSE))
        forces = " / ".join(f"{force_n:.2f}" for force_n in said.force_n)
        print(f"  {said.loose:.2f} loose, {forces} N; by mechanics {slide_n:.2f} N; {report.in_words()}")
        mind.feels(felt_of(report, HABITS.probe.neighbour_m))
        put_back(rig, report, view)
        rig.actors.hand.park()
        view = look()
        seen = rig.actors.watcher.eyes.observe(view, seen)
    rig.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="5-6")
    parser.add_argument("--probes", type=int, default=14)
    args = parser.parse_args()
    first, _, last = args.seeds.partition("-")
    print(f"probing: {describe()}; seeds {args.seeds}")
    found = []
    for seed in range(int(first), int(last or first) + 1):
        print(f"seed {seed}")
        found += play(seed, args.probes)
    said, loose = np.array(found).T
    print(f"{len(said)} probes: said to be loose {said.mean():.2f}, were loose {loose.mean():.2f};")
    print(
        f"  said of the loose ones {said[loose > 0].mean():.2f}, of the others {said[loose == 0].mean():.2f}"
    )


if __name__ == "__main__":
    main()
