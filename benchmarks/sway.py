"""How far a simulated tower gives way while a block is pushed that does not move: from truth logs of `play`.

    steadyhand play --seed 1 --turns 10 --truth 1.jsonl; python -m benchmarks.sway 1.jsonl ...

Of probes that moved their block by less than 0.6 mm: the largest motion of another block, a newton of the peak force.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.machine import describe
from planning.sway import sway_m

MOST_OWN_M = 0.0006


def tight(path: Path) -> Iterator[tuple[int, float, float]]:
    """Layer, peak force, and how far the other block moved that moved most, of every probe of a tight block."""
    start = None
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["phase"] == "probe-start":
            start = row
        elif row["phase"] == "probe-end" and start is not None:
            own = start["slots"][start["slot"]]
            moved = {name: _moved_m(start, row, name) for name in start["slots"].values()}
            if moved.pop(own) < MOST_OWN_M:
                yield int(start["slot"].split(".")[0]), row["peak_n"], max(moved.values())


def _moved_m(a: dict, b: dict, name: str) -> float:
    return float(np.linalg.norm(np.subtract(b["poses"][name][:3], a["poses"][name][:3])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", nargs="+", type=Path)
    paths = parser.parse_args().truth
    found = np.array([each for path in paths for each in tight(path)])
    layer, force_n, other_m = found.T
    print(f"sway: {describe()}; {len(found)} probes of tight blocks in {len(paths)} games")
    for low in range(1, int(layer.max()) + 1, 2):
        which = (layer >= low) & (layer < low + 2)
        if which.any():
            share = " / ".join(
                f"{q * 1e3:.2f}" for q in np.quantile((other_m / force_n)[which], (0.1, 0.5, 0.9))
            )
            said = sway_m(low, 0.5) + sway_m(low + 1, 0.5)
            print(
                f"  layers {low} and {low + 1}: {which.sum()} probes, {share} mm/N; reckoned with {said * 1e3:.2f}"
            )
    best = float(np.median(other_m / force_n / layer**2))
    print(f"  median over the square of the layer: {best:.3g} m/N")


if __name__ == "__main__":
    main()
