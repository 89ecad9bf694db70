from __future__ import annotations

import numpy as np
import pytest

from hardware.emulated_force import ForceFault
from hardware.force import Scale
from hardware.force_formats import force_format
from robot.errors import DeviceError
from support.wired import Wired, wired


def force_n(it: Wired, seconds: float = 0.5) -> float:
    """Mean of what is read in a time."""
    readings = set()
    for _ in range(int(seconds / 0.004)):
        it.wait(0.004)
        readings.add(it.sensor.read())
    return float(np.mean([reading.force_n for reading in readings]))


@pytest.mark.parametrize(
    ("kind", "rate_hz"), [("hx711", 80.0), ("hx711", 93.0), ("ft300", 100.0), ("ft300", 62.5)]
)
@pytest.mark.parametrize("noise_n", [0.02, 0.03, 0.3])
def test_noise_and_rate_are_measured(kind: str, rate_hz: float, noise_n: float) -> None:
    with wired(kind=kind, rate_hz=rate_hz, noise_n=noise_n) as it:
        it.sensor.connect()
        assert it.sensor.noise_n == pytest.approx(noise_n, rel=0.2)
        assert it.sensor.rate_hz == pytest.approx(rate_hz, rel=0.02)


def test_measured_noise_follows_the_sensor() -> None:
    with wired(noise_n=0.03) as quiet, wired(noise_n=0.3) as loud:
        quiet.sensor.connect()
        quiet.device._newtons = loud.device._newtons  # the room has grown loud
        quiet.sensor.measure()
        assert quiet.sensor.noise_n == pytest.approx(0.3, rel=0.15)


def test_push_is_told_in_newtons_from_the_zero_at_the_start() -> None:
    with wired() as it:
        it.force_n[0] = 0.4  # what drifted since the calibration
        it.sensor.connect()
        assert force_n(it) == pytest.approx(0.0, abs=0.02)
        it.force_n[0] = 1.4
        it.wait(0.1)
        assert force_n(it) == pytest.approx(1.0, abs=0.02)


def test_arduino_that_boots_for_two_seconds_is_waited_for() -> None:
    with wired(boot_s=2.0) as it:
        it.sensor.connect()
        assert it.clock.now_s() > 5.0
        assert abs(it.sensor.read().force_n) < 0.2


def test_silent_sensor_is_told_after_the_deadline() -> None:
    with wired() as it:
        it.device.fault = ForceFault.SILENT
        with pytest.raises(
            DeviceError, match=r"force sensor at '/dev/.*': nothing came within 6 s. Check its cable"
        ):
            it.sensor.connect()
        assert it.clock.now_s() == pytest.approx(6.0, abs=0.1)


def test_wrong_format_is_told_with_what_came() -> None:
    with (
        wired(fmt=force_format("number")) as it,
        pytest.raises(
            DeviceError,
            match=r"bytes came within 6 s, but nothing that format 'number' reads; the last was b'\d+,\d+'",
        ),
    ):
        it.sensor.connect()


def test_board_that_gives_ten_samples_a_second_is_refused_with_the_remedy() -> None:
    with (
        wired(rate_hz=10.0) as it,
        pytest.raises(DeviceError, match=r"samples in 3 s, at least 120.*RATE pin"),
    ):
        it.sensor.connect()


def test_reading_is_refused_50_ms_after_the_last_sample() -> None:
    with wired() as it:
        it.sensor.connect()
        it.device.fault = ForceFault.SILENT
        for _ in range(4):
            it.wait(0.01)
            it.sensor.read()
        with pytest.raises(DeviceError, match=r"the newest sample is \d+ ms late, allowed are 50 ms"):
            force_n(it, 0.03)


@pytest.mark.parametrize(("fmt", "noticed"), [("hx711", True), ("column", False)])
def test_lines_that_wait_longer_and_longer_are_old_by_the_devices_own_clock(fmt: str, noticed: bool) -> None:
    """Only a device that tells its time can show it."""
    with wired(fmt=force_format(fmt, column=2)) as it:
        it.sensor.connect()
        told = ""
        for _ in range(30):
            it.device.delay_s += 0.005
            it.wait(0.0125)
            try:
                it.sensor.read()
            except DeviceError as error:
                told = str(error)
        assert ("ms late, allowed are 50 ms" in told) == noticed


def test_after_a_pause_the_next_sample_is_waited_for() -> None:
    with wired() as it:
        it.sensor.connect()
        it.wait(20.0)
        it.force_n[0] = 1.0
        it.wait(0.2)
        before_s = it.clock.now_s()
        reading = it.sensor.read()
        assert reading.force_n == pytest.approx(1.0, abs=0.2)
        assert reading.t_s >= before_s - it.sensor.delay_s
        assert it.clock.now_s() < before_s + 0.04


@pytest.mark.parametrize("kind", ["hx711", "ft300"])
def test_stuck_sensor_is_told(kind: str) -> None:
    with wired(kind=kind) as it:
        it.sensor.connect()
        it.device.fault = ForceFault.STUCK
        with pytest.raises(DeviceError, match=r"stuck: it has said .* for \d\.\d s, allowed are"):
            force_n(it, 2.0)


def test_sensor_that_is_stuck_from_the_start_is_refused() -> None:
    with wired() as it:
        it.device.fault = ForceFault.STUCK
        with pytest.raises(DeviceError, match="stuck"):
            it.sensor.connect()


def test_overload_is_told_but_not_for_one_sample() -> None:
    with wired() as it:
        it.sensor.connect()
        it.device.fault = ForceFault.OVERLOAD
        it.wait(0.080)
        it.sensor.read()
        with pytest.raises(DeviceError, match=r"overloaded: .*a wire of the cell is off"):
            force_n(it, 0.1)


def test_drift_at_the_start_is_refused() -> None:
    with wired() as it:
        it.device.fault = ForceFault.DRIFT
        with pytest.raises(
            DeviceError, match=r"it drifts: \+0\.\d+ N between two halves of \d+ samples, allowed are"
        ):
            it.sensor.connect()


def test_some_spikes_are_no_noise_and_many_are_refused() -> None:
    with wired(seed=4) as it:
        it.sensor.connect()
        it.device.fault = ForceFault.SPIKES
        it.sensor.measure()
        assert it.sensor.noise_n == pytest.approx(0.03, rel=0.2)
        it.device.spikes = 0.15
        with pytest.raises(DeviceError, match=r"of 240 samples are spikes, allowed are 5%"):
            it.sensor.measure()


def test_zero_far_from_the_calibrated_one_is_refused() -> None:
    with wired() as it:
        it.force_n[0] = -2.5
        with pytest.raises(DeviceError, match=r"it says -2\.\d+ N with nothing at the tip, allowed are 2 N"):
            it.sensor.connect()


def test_garbled_bytes_never_make_a_reading_that_is_old_or_not_finite() -> None:
    with wired() as it:
        it.sensor.connect()
        it.device.fault = ForceFault.GARBLED
        told = 0
        for _ in range(1500):
            it.wait(0.004)
            try:
                reading = it.sensor.read()
            except DeviceError:
                told += 1
                continue
            assert np.isfinite(reading.force_n)
            assert it.clock.now_s() - reading.t_s < it.sensor.delay_s + 0.051
        assert 0 < told < 1500


def test_cell_that_counts_down_is_read_the_right_way_round() -> None:
    with wired() as it:
        it.device.scale = Scale(-200_000.0, 10_000.0)
        it.sensor._scale = it.device.scale
        it.sensor.connect()
        it.force_n[0] = 0.5
        it.wait(0.1)
        assert force_n(it) == pytest.approx(0.5, abs=0.02)


def test_port_that_hangs_up_is_a_device_error_and_closing_twice_is_nothing() -> None:
    with wired() as it:
        it.sensor.connect()
        it.line.close()
        it.clock.tick = lambda: None
        with pytest.raises(DeviceError):
            it.sensor.read()
        it.sensor.close()
        it.sensor.close()


def test_port_that_hangs_up_while_the_sensor_begins_is_given_back() -> None:
    with wired(boot_s=2.0) as it:
        it.clock.tick = it.line.close
        with pytest.raises(DeviceError, match="unplugged or has hung up"):
            it.sensor.connect()
        with pytest.raises(DeviceError, match="is not open"):
            it.sensor.read()


def test_sensor_that_was_never_connected_says_so() -> None:
    with wired() as it, pytest.raises(DeviceError, match="is not open"):
        it.sensor.read()


def test_ft300_falls_silent_when_it_is_closed() -> None:
    with wired(kind="ft300", rate_hz=100.0) as it:
        it.sensor.connect()
        it.sensor.close()
        it.wait(0.1)
        assert it.device.due() == b""
