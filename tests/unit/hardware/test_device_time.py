from __future__ import annotations

import numpy as np
import pytest

from hardware.device_time import DeviceTime

PERIOD_S = 0.0125


def test_line_that_waited_is_as_old_as_it_is() -> None:
    time = DeviceTime()
    for k in range(40):
        time.heard_s(k * PERIOD_S, 100.0 + k * PERIOD_S)
    late = [time.heard_s(k * PERIOD_S, 100.0 + 50 * PERIOD_S) for k in range(40, 51)]
    assert late == pytest.approx([100.0 + k * PERIOD_S for k in range(40, 51)], abs=0.002)


@pytest.mark.parametrize("drift", [-0.005, 0.0, 0.005])
def test_clock_that_is_off_stays_tied(drift: float) -> None:
    time, rng = DeviceTime(), np.random.default_rng(1)
    for k in range(8000):
        true_s = k * PERIOD_S
        now_s = true_s + float(rng.random()) * 0.004
        heard_s = time.heard_s(true_s * (1 + drift), now_s)
        assert heard_s is not None
        assert now_s - 0.008 < heard_s <= now_s


def test_damaged_stamp_is_dropped_and_spoils_nothing() -> None:
    time = DeviceTime()
    for k in range(10):
        time.heard_s(k * PERIOD_S, k * PERIOD_S)
    assert time.heard_s(912345.0, 10 * PERIOD_S) is None
    assert time.heard_s(0.001, 11 * PERIOD_S) is None
    assert time.heard_s(12 * PERIOD_S, 12 * PERIOD_S) == pytest.approx(12 * PERIOD_S, abs=0.001)


def test_device_that_began_anew_is_tied_anew() -> None:
    time = DeviceTime()
    for k in range(10):
        time.heard_s(50.0 + k * PERIOD_S, k * PERIOD_S)
    heard = [time.heard_s(k * PERIOD_S, 3.0 + k * PERIOD_S) for k in range(5)]
    assert heard[:2] == [None, None]
    assert heard[2:] == pytest.approx([3.0 + k * PERIOD_S for k in range(2, 5)])


def test_stamp_that_stands_still_grows_old() -> None:
    time = DeviceTime()
    time.heard_s(1.0, 1.0)
    ages = [1.0 + k * PERIOD_S - (time.heard_s(1.0, 1.0 + k * PERIOD_S) or 0.0) for k in range(1, 20)]
    assert ages[-1] > 0.2
