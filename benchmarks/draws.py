"""How often the arm draws a block out without disturbing others, by the layers above it: from records of `play`.

    steadyhand play --seed 1 --turns 40 --record 1.jsonl; python -m benchmarks.draws 1.jsonl ...

A draw begins where a block that passed its probe is pushed out by more than a centimetre. It went well where the block
was taken, and no other was told to have shifted, or the tower to have fallen.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.machine import describe
from planning.events import Collapse, Concede, Event, Fall, Move, Place, Restore, Shift
from planning.leaving import steadied
from planning.record import read_event
from steadyhand.record_file import judge_file

PUSHED_OUT_MM = 10.0
GROUPS = ((1, 2), (3, 5), (6, 10), (11, 40))


def draws(events: list[Event], layers: int) -> Iterator[tuple[int, bool]]:
    """Layers above the block, and whether it went well, of every draw.

    Args:
        events: Of a game, in order.
        layers: Of the tower that it began with.
    """
    above, well = None, True
    for event in events:
        if isinstance(event, Move) and abs(event.mm) > PUSHED_OUT_MM:
            above, well = layers - event.block.layer, True
        elif isinstance(event, Shift | Fall | Collapse | Restore | Concede):
            well = False
        if isinstance(event, Place):
            layers = max(layers, event.slot.layer)
        if above is not None and (
            isinstance(event, Place | Collapse | Concede | Fall | Restore) or event is events[-1]
        ):
            yield above, well
            above = None


def _of(path: Path) -> list[tuple[int, bool]]:
    opening = judge_file(path).opening
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return list(draws([read_event(line) for line in lines], opening.tower.n_layers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", nargs="+", type=Path)
    paths = parser.parse_args().record
    found = np.array([each for path in paths for each in _of(path)])
    print(f"draws: {describe()}; {len(found)} draws in {len(paths)} games")
    for least, most in GROUPS:
        which = (found[:, 0] >= least) & (found[:, 0] <= most)
        if which.any():
            said = np.mean([steadied(int(above)) for above in found[which, 0]])
            print(
                f"  {least} to {most} layers above: {found[which, 1].sum()} of {which.sum()} disturbed nothing; "
                f"reckoned with {said * 100:.0f} %"
            )


if __name__ == "__main__":
    main()
