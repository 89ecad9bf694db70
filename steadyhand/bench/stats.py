"""Means and shares with their 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

_SIDE = 0.975
_Z = 1.959964

Interval = tuple[float, float]


def mean_interval(values: Sequence[float]) -> tuple[float, Interval]:
    """Mean and its interval by Student's t; of a single value the interval says nothing and is that value."""
    found = np.asarray(values, float)
    mean = float(found.mean())
    if len(found) < 2:
        return mean, (mean, mean)
    half = float(student.ppf(_SIDE, len(found) - 1) * found.std(ddof=1) / np.sqrt(len(found)))
    return mean, (mean - half, mean + half)


def wilson(hits: int, of: int) -> tuple[float, Interval]:
    """A share and its interval (Wilson, 1927).

    Raises:
        ValueError: The counts are no share.
    """
    if not 0 <= hits <= of or of == 0:
        raise ValueError(f"{hits} of {of} is no share")
    share, spread = hits / of, _Z**2 / of
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * np.sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    return share, (float(max(middle - half, 0.0)), float(min(middle + half, 1.0)))
