from __future__ import annotations

import numpy as np
import pytest

from robot.resting import rest_of

TIMES = np.arange(240) / 80.0


def noise(seed: int, sd: float = 0.03) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.5, sd, len(TIMES))


@pytest.mark.parametrize("seed", range(20))
def test_white_noise_is_measured_and_is_no_drift(seed: int) -> None:
    rest = rest_of(noise(seed).tolist(), TIMES.tolist())
    assert rest.noise == pytest.approx(0.03, rel=0.2)
    assert rest.mean == pytest.approx(0.5, abs=0.01)
    assert rest.rate_hz == pytest.approx(80.0)
    assert abs(rest.drift) < rest.noise_drift(rest.noise)
    assert rest.spikes <= 1


def test_spikes_are_counted_and_left_out() -> None:
    values = noise(1)
    values[[10, 100, 200]] += 7.0
    rest = rest_of(values.tolist(), TIMES.tolist())
    assert (rest.spikes, rest.count) == (3, 240)
    assert rest.noise == pytest.approx(0.03, rel=0.2)


def test_drift_is_the_difference_of_the_halves() -> None:
    rest = rest_of((noise(1) + 0.2 * TIMES).tolist(), TIMES.tolist())
    assert rest.drift == pytest.approx(0.3, abs=0.02)
    assert rest.drift > rest.noise_drift(0.03)


def test_sensor_that_says_the_same_has_no_noise() -> None:
    assert rest_of([4.0] * 8, TIMES[:8].tolist()).noise == 0.0
