"""Taking the present force for nought: once the tip is free, and only if the sensor is calm."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from robot.errors import DeviceError
from robot.follow import PERIOD_S
from robot.ports import ForceReading, ForceSensor
from robot.resting import Rest, rest_of

READINGS = 24
DEADLINE_S = 5.0
_NOISIER = 2.5  # times its own noise, beyond which the tip is not at rest
_SLACK_N = 0.02  # what a sensor without noise may still do


def resting_n(sensor: ForceSensor, wait: Callable[[float], None], now_s: Callable[[], float]) -> float:
    """The force of a tip at rest: the median of so many new readings, waiting until they are calm.

    Args:
        sensor: What is read.
        wait: Waits for some seconds; may raise.
        now_s: The time.

    Raises:
        DeviceError: No new readings came, or they spread or drift more than the sensor's noise explains.
    """
    deadline_s = now_s() + DEADLINE_S
    while True:
        readings = _new_readings(sensor, wait, now_s, deadline_s)
        forces_n = [reading.force_n for reading in readings]
        rest = rest_of(forces_n, [reading.t_s for reading in readings])
        if (why := _restless(rest, sensor.noise_n)) is None:
            return float(np.median(forces_n))
        if now_s() > deadline_s:
            raise DeviceError(
                f"force sensor: not calm for {DEADLINE_S:.0f} s before a push: {why}; nothing was pushed. Look what "
                "touches the finger or shakes the table; if nothing does, calibrate the sensor anew"
            )


def at_rest(median_of: int) -> deque[float]:
    """The newest forces of a tip that is free, less the tare, for a median of so many: all but one, and room for it."""
    return deque([0.0] * (median_of - 1), maxlen=median_of)


def _new_readings(
    sensor: ForceSensor, wait: Callable[[float], None], now_s: Callable[[], float], deadline_s: float
) -> list[ForceReading]:
    readings: list[ForceReading] = []
    last_s, give_up_s = sensor.read().t_s, max(deadline_s, now_s() + DEADLINE_S / 2)
    while len(readings) < READINGS:
        wait(PERIOD_S)
        reading = sensor.read()
        if reading.t_s > last_s:
            readings.append(reading)
            last_s = reading.t_s
        elif now_s() > give_up_s:
            raise DeviceError(
                f"force sensor: {len(readings)} new readings in {DEADLINE_S:.0f} s, {READINGS} are needed to tare; "
                "nothing was pushed. Check its cable and power"
            )
    return readings


def _restless(rest: Rest, noise_n: float) -> str | None:
    """Why these readings are not those of a tip at rest."""
    most_n = _NOISIER * noise_n + _SLACK_N
    if rest.noise > most_n:
        return f"readings spread by {rest.noise:.3f} N, allowed are {most_n:.3f} N"
    drift_n = rest.noise_drift(noise_n) + _SLACK_N
    if abs(rest.drift) > drift_n:
        return f"it drifts by {rest.drift:+.3f} N in {rest.count} readings, allowed are {drift_n:.3f} N"
    return None
