"""Small plots for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = " ▁▂▃▄▅▆▇█"


def force_plot(values: Sequence[float], limit: float, width: int = 48) -> str:
    """Values from 0 to a limit as one row of bars; what is beyond the limit is cut off."""
    if not values:
        return ""
    columns = min(width, len(values))
    cells = [values[k * len(values) // columns : (k + 1) * len(values) // columns] for k in range(columns)]
    tops = [max(cell) / limit for cell in cells]
    return "".join(_BARS[round(min(max(top, 0.0), 1.0) * (len(_BARS) - 1))] for top in tops)
