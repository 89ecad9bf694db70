"""What a sensor says while nothing changes: mean, noise, drift and rate, of any unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot.frames import Array

_SPIKE = 6.0  # standard deviations beyond which a sample is a spike
_WITHIN = (
    ((0.25, 0.75), 1.349),
    ((0.05, 0.95), 3.290),
)  # shares of a normal distribution, so many deviations apart
DRIFT_SD = 4.0  # standard deviations of the difference of two halves that noise alone may make


@dataclass(frozen=True)
class Rest:
    """Samples of a time at rest; spikes are counted and left out of the rest.

    Attributes:
        mean: Of the samples.
        noise: Standard deviation of one sample.
        drift: By how much the mean of the second half is above that of the first.
        rate_hz: Samples a second.
        count: How many, spikes included.
        spikes: How many stand far out of the others.
    """

    mean: float
    noise: float
    drift: float
    rate_hz: float
    count: int
    spikes: int

    def noise_drift(self, noise: float) -> float:
        """Drift that so much noise may make by chance."""
        return DRIFT_SD * 2.0 * noise / float(np.sqrt(self.count))


def rest_of(values: Sequence[float], times_s: Sequence[float]) -> Rest:
    """What these samples, at least four in the order of their times, say of the sensor at rest."""
    v, t = np.asarray(values, dtype=np.float64), np.asarray(times_s, dtype=np.float64)
    sd = next((width for width in (_spread(v, *within) for within in _WITHIN) if width > 0), 0.0)
    calm = np.abs(v - np.median(v)) <= _SPIKE * sd if sd > 0 else np.ones(len(v), dtype=bool)
    kept, half = v[calm], int(calm.sum()) // 2
    return Rest(
        mean=float(kept.mean()),
        noise=float(kept.std(ddof=1)) if np.ptp(kept) > 0 else 0.0,  # not what rounding leaves
        drift=float(kept[half:].mean() - kept[:half].mean()),
        rate_hz=(len(t) - 1) / max(float(t[-1] - t[0]), 1e-9),
        count=len(v),
        spikes=len(v) - len(kept),
    )


def _spread(v: Array, shares: tuple[float, float], deviations: float) -> float:
    """Standard deviation by what lies between two shares: spikes do not touch it."""
    low, high = np.quantile(v, shares)
    return float(high - low) / deviations
