"""Probes of a real tower from a published data set: what was pushed, how hard, and what the expert made of it."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot.errors import BadInputError

LAYER_MM = 14.97  # of the finger's heights: they lie this far apart, half a layer above the ground the lowest
COLUMNS = (
    "run",
    "block_run",
    "force_N",
    "tower_disp_round_mm",
    "block_height_mm",
    "action_1push_0abandon",
)
_NUMBERS = COLUMNS[2:]
Row = dict[str, float]


@dataclass(frozen=True)
class Probe:
    """One block that was pushed.

    Attributes:
        level: Its layer, the lowest 0.
        peak_n: The highest reading.
        moved_m: How far the other blocks had moved at most, on average over all of them.
        extracted: Whether it was pushed to the end; otherwise it was given up.
    """

    level: int
    peak_n: float
    moved_m: float
    extracted: bool


def read_probes(path: Path) -> list[Probe]:
    """The blocks that were pushed; those that were given up before the first push are left out.

    Raises:
        BadInputError: The file cannot be read, or a row has no number where one belongs.
    """
    probes: dict[tuple[str, str], list[Row]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                key, numbers = _checked(row, f"{path.name}: line {number}")
                probes.setdefault(key, []).append(numbers)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInputError(f"traces {path} cannot be read: {error}") from None
    return [_probe(rows) for rows in probes.values() if len(rows) > 1]


def read_heights_m(path: Path) -> list[float]:
    """The heights of a set's blocks.

    Raises:
        BadInputError: The file is not a table of blocks with a height each.
    """
    try:
        blocks = json.loads(path.read_text(encoding="utf-8"))
        heights = [float(block["height"]) * 1e-3 for block in blocks.values()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"block sizes {path} cannot be read: {error!r}") from None
    if not all(0.005 < height < 0.05 for height in heights):
        raise BadInputError(f"block sizes {path}: heights are expected in mm, from 5 to 50")
    return heights


def peaks_n(probes: Iterable[Probe], extracted: bool) -> np.ndarray:
    """10, 50 and 90 % of the peaks of one label (3,)."""
    peaks = [probe.peak_n for probe in probes if probe.extracted == extracted]
    return np.quantile(peaks, [0.1, 0.5, 0.9]) if peaks else np.full(3, np.nan)


def _checked(row: dict[str, str | None], where: str) -> tuple[tuple[str, str], Row]:
    missing = [name for name in COLUMNS if row.get(name) is None]
    if missing:
        raise BadInputError(f"{where}: no {', '.join(missing)}")
    try:
        numbers = {name: float(row[name] or "") for name in _NUMBERS}
    except ValueError as error:
        raise BadInputError(f"{where}: {error}") from None
    if not all(map(math.isfinite, numbers.values())) or numbers["action_1push_0abandon"] not in (0.0, 1.0):
        raise BadInputError(f"{where}: expected finite numbers and 0 or 1 for the action, got {row}")
    return (str(row["run"]), str(row["block_run"])), numbers


def _probe(rows: list[Row]) -> Probe:
    """The first row still has the height of the block before, where that has been laid."""
    height_mm = float(np.median([row["block_height_mm"] for row in rows[1:]]))
    return Probe(
        level=int(height_mm // LAYER_MM),
        peak_n=max(row["force_N"] for row in rows),
        moved_m=max(row["tower_disp_round_mm"] for row in rows) * 1e-3,
        extracted=rows[-1]["action_1push_0abandon"] == 1.0,
    )
