"""Real wood: peaks of probing the simulated tower against those of a real one.

    python -m benchmarks.wood [--seeds 1-44] [--chosen 15] [--blockset standard] [--data ../shared/probe-data]

Each seed is a session with one tower (`benchmarks.cell`). The directory holds `probe_traces.csv` and
`block_sizes.json`, whose heights the simulated blocks get; without them nothing is measured.
docs/decisions/standard-blocks.md says more.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.cell import MOVED_M, gives_up, session
from benchmarks.machine import describe
from benchmarks.mechanics import seeds_of
from benchmarks.traces import Probe, peaks_n, read_heights_m, read_probes

ROOT = Path(__file__).resolve().parents[1]
FACTOR = 1.5
_AGAIN = 500  # resamplings of whole sessions


def agreement(real: Sequence[Probe]) -> tuple[int, int]:
    """How many extracted blocks the rule would have given up, and how many given up it would have pushed on."""
    said = [gives_up(probe.peak_n, probe.moved_m, probe.level) for probe in real]
    wrong = [probe.extracted for probe, gave_up in zip(real, said, strict=True) if gave_up == probe.extracted]
    return sum(wrong), len(wrong) - sum(wrong)


def within(real_n: np.ndarray, simulated_n: np.ndarray) -> bool:
    """Whether every peak is within the factor; one that is not there is not."""
    ratio = simulated_n / real_n
    return bool(np.all((ratio <= FACTOR) & (ratio >= 1 / FACTOR)))


def spread(sessions: Sequence[Sequence[Probe]], extracted: bool) -> np.ndarray:
    """5 and 95 % of each peak over sessions drawn again (2, 3): probes of a tower are not independent."""
    rng = np.random.default_rng(0)
    drawn = [rng.integers(len(sessions), size=len(sessions)) for _ in range(_AGAIN)]
    again = [peaks_n([p for k in chosen for p in sessions[k]], extracted) for chosen in drawn]
    return np.nanquantile(again, [0.05, 0.95], axis=0)


def compare(real: Sequence[Probe], sessions: Sequence[Sequence[Probe]]) -> bool:
    """Print both labels; whether all is within the factor."""
    simulated, good = [probe for one in sessions for probe in one], True
    print("peak             real N  simulated N  (5 to 95 %)      ratio")
    for words, extracted in (("extracted", True), ("given up", False)):
        theirs, ours = peaks_n(real, extracted), peaks_n(simulated, extracted)
        low, high = spread(sessions, extracted)
        good &= within(theirs, ours)
        for k, share in enumerate((10, 50, 90)):
            print(
                f"{words:9} {share} %   {theirs[k]:.3f}   {ours[k]:.3f}        ({low[k]:.3f} to {high[k]:.3f}) "
                f"  {ours[k] / theirs[k]:.2f}"
            )
    print(f"within a factor of {FACTOR:g}: {'yes' if good else 'NO'}")
    return good


def describe_probes(words: str, probes: Sequence[Probe]) -> None:
    out = np.mean([probe.extracted for probe in probes])
    levels = np.quantile([probe.level for probe in probes], [0.1, 0.5, 0.9])
    moved = [
        np.quantile([probe.moved_m * 1e3 for probe in probes if probe.extracted == extracted], [0.5, 0.9])
        for extracted in (True, False)
    ]
    print(
        f"{words}: {len(probes)} pushed, {out:.0%} extracted; level {levels[0]:.0f} / {levels[1]:.0f} / "
        f"{levels[2]:.0f} (10 / 50 / 90 %);"
    )
    print(
        f"  the tower moved {moved[0][0]:.2f} / {moved[0][1]:.2f} mm (50 / 90 %) with extracted blocks, "
        f"{moved[1][0]:.2f} / {moved[1][1]:.2f} with others"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1-44")
    parser.add_argument("--chosen", type=int, default=15)
    parser.add_argument("--blockset", default="standard")
    parser.add_argument("--data", type=Path, default=ROOT / "../shared/probe-data")
    asked = parser.parse_args()
    traces, sizes = asked.data / "probe_traces.csv", asked.data / "block_sizes.json"
    print(
        f"wood: {describe()}; blocks {asked.blockset}; seeds {asked.seeds}, {asked.chosen} blocks chosen each"
    )
    if not traces.exists() or not sizes.exists():
        print(f"SKIPPED: {asked.data} has no {traces.name} and {sizes.name}; name the place with --data")
        return 0
    real, heights_m = read_probes(traces), read_heights_m(sizes)
    print(
        f"{len(heights_m)} heights, {np.mean(heights_m) * 1e3:.2f} +- {np.std(heights_m, ddof=1) * 1e3:.2f} mm"
    )
    over, under = agreement(real)
    print(
        f"the rule (limit by height, or the tower moved {MOVED_M * 1e3:.1f} mm) against {len(real)} real labels: "
        f"{over} extracted given up, {under} given up extracted"
    )
    sessions = [session(seed, asked.blockset, asked.chosen, heights_m) for seed in seeds_of(asked.seeds)]
    describe_probes("real", real)
    describe_probes("simulated", [probe for one in sessions for probe in one.probes])
    print(f"  {sum(one.left_alone for one in sessions)} left alone")
    return 0 if compare(real, [one.probes for one in sessions]) else 1


if __name__ == "__main__":
    sys.exit(main())
