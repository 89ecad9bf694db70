"""The mechanics of a tower as JSON and as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planning.contacts import LENGTH
from planning.mechanics import Mechanics, Towers, comes_out
from robot.frames import Array

_QUANTILES = (10, 50, 90)
_FORCES = (
    ("load_top_n", "top_n"),
    ("load_bottom_n", "bottom_n"),
    ("push_n", "push_n"),
    ("push_minus_n", "push_minus_n"),
    ("slide_n", "slide_n"),
    ("drag_n", "drag_n"),
    ("hold", "hold"),
    ("tip_plus_n", "tip_plus_n"),
    ("tip_minus_n", "tip_minus_n"),
)
_HEAD = " slot  block   on top    below   push +   push -   without it"


def as_json(
    names: Sequence[str], towers: Towers, known: Mechanics, sampled: Mechanics | None
) -> dict[str, object]:
    """The command's answer; forces of a tower that does not stand are null.

    Args:
        names: Of the blocks (n,).
        towers: The tower, a batch of one.
        known: Its mechanics.
        sampled: Those of sampled towers.
    """
    answer: dict[str, object] = {"stands": bool(known.stands[0])}
    rows = [_entry(names, towers, known, k) for k in range(len(names))]
    if sampled is not None:
        answer["samples"] = len(sampled.stands)
        rows = [row | more for row, more in zip(rows, _spread(sampled), strict=True)]
    return answer | {"slots": {str(slot): row for slot, row in zip(towers.slots, rows, strict=True)}}


def _entry(names: Sequence[str], towers: Towers, known: Mechanics, k: int) -> dict[str, object]:
    forces = {key: _number(getattr(known, field)[0, k]) for key, field in _FORCES}
    return {
        "block": names[k],
        "length_m": round(float(towers.bodies[0, k, LENGTH]), 6),
        **forces,
        "stands_without": bool(known.stands_without[0, k]),
        "margin_mm": round(float(known.margin_m[0, k]) * 1e3, 3),
    }


def _number(value: float) -> float | None:
    return round(float(value), 4) if np.isfinite(value) else None


def _spread(sampled: Mechanics) -> list[dict[str, object]]:
    safe = chances(sampled)
    quantiles = quantiles_n(sampled)
    return [
        {"push_quantiles_n": [_number(v) for v in quantiles[:, k]], "p_safe": round(float(safe[k]), 4)}
        for k in range(len(safe))
    ]


def chances(sampled: Mechanics) -> Array:
    """The share of sampled towers in which each block (n,) comes out safely."""
    return np.asarray(comes_out(sampled).mean(axis=0))


def quantiles_n(sampled: Mechanics) -> Array:
    """10, 50 and 90 % of each block's push (3, n) over the sampled towers that stand; NaN where none does."""
    standing = sampled.push_n[sampled.stands]
    if not len(standing):
        return np.full((len(_QUANTILES), sampled.push_n.shape[1]), np.nan)
    return np.asarray(np.percentile(standing, _QUANTILES, axis=0))


def as_text(names: Sequence[str], towers: Towers, known: Mechanics, sampled: Mechanics | None) -> str:
    """A line a block, top layer first, as the tower stands."""
    spread = None if sampled is None else (quantiles_n(sampled), chances(sampled))
    head = _HEAD if spread is None else f"{_HEAD}   push 10/50/90 %        safe"
    lines = ["the tower stands" if known.stands[0] else "the tower falls", f"{head}   (N, mm)"]
    order = sorted(range(len(names)), key=lambda k: (-towers.slots[k].layer, towers.slots[k].position))
    for k in order:
        row = _row(names[k], str(towers.slots[k]), known, k)
        if spread is not None:
            low, middle, high = spread[0][:, k]
            row += f"   {low:5.2f} {middle:6.2f} {high:6.2f}   {spread[1][k] * 100:6.0f} %"
        lines.append(row)
    return "\n".join(lines) + "\n"


def _row(name: str, slot: str, known: Mechanics, k: int) -> str:
    forces = "  ".join(
        f"{getattr(known, f)[0, k]:7.2f}" for f in ("top_n", "bottom_n", "push_n", "push_minus_n")
    )
    margin_mm = known.margin_m[0, k] * 1e3
    fate = f"stands, {margin_mm:4.1f}" if known.stands_without[0, k] else f"falls,  {margin_mm:4.1f}"
    return f"{slot:>5}  {name:>5}  {forces}   {fate}"
