"""What `doctor` finds out about the fingertip's force sensor."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from robot.clock import WallClock
from robot.errors import BadInputError, DeviceError
from robot.limits import least_force_n
from robot.ports import Clock
from robot.resting import Rest
from steadyhand.findings import Chapter, Level
from steadyhand.force_file import read_force_file
from steadyhand.settings import Settings
from steadyhand.table_force import sensor_of, stream_of

_OLD_DAYS, _LISTEN_S = 180, 1.0
_GUIDE = "see docs/force.md, When it is refused"


def force_chapter(settings: Settings, folder: Path, clock: Clock | None = None) -> Chapter:
    """Listen to the force sensor of the settings for three seconds, with nothing at the tip.

    Args:
        settings: With a port of the sensor.
        folder: Where the settings file lies.
        clock: Whose time the samples get; the wall's if nothing is given.
    """
    force, clock = settings.force, clock or WallClock()
    chapter = Chapter("force sensor", force.port, {"format": force.format})
    try:
        sensor = sensor_of(force, clock, folder)
    except BadInputError as error:
        chapter.told(Level.WRONG, error, _GUIDE)
        _unweighed(chapter, settings, clock)
        return chapter
    try:
        rest = sensor.connect()
    except DeviceError as error:
        chapter.told(Level.FAULT, error, _GUIDE)
        return chapter
    finally:
        sensor.close()
    _resting(chapter, rest, settings)
    _calibration(chapter, settings, folder)
    return chapter


def _unweighed(chapter: Chapter, settings: Settings, clock: Clock) -> None:
    """Without newtons: whether samples come at all."""
    try:
        stream = stream_of(settings.force, clock)
    except BadInputError:
        return  # told already
    try:
        stream.open()
        heard = stream.listen(_LISTEN_S)
    except DeviceError as error:
        chapter.told(Level.FAULT, error, _GUIDE)
    else:
        rate_hz = len(heard) / _LISTEN_S
        chapter.measured["rate_hz"] = round(rate_hz, 1)
        chapter.well(f"it sends {rate_hz:.0f} samples a second; what they are in newtons is not known")
    finally:
        stream.close()


def _resting(chapter: Chapter, rest: Rest, settings: Settings) -> None:
    least_n, limit_n = least_force_n(rest.noise), settings.probe.limit_n
    chapter.measured |= {
        "noise_n": round(rest.noise, 4),
        "rate_hz": round(rest.rate_hz, 1),
        "drift_n": round(rest.drift, 4),
        "spikes": rest.spikes,
        "least_force_n": round(least_n, 3),
        "probe_limit_n": limit_n,
    }
    text = (
        f"noise {rest.noise:.3f} N a sample, {rest.rate_hz:.0f} samples a second, {rest.spikes} spikes of "
        f"{rest.count}; four standard deviations of the filtered reading are {least_n:.2f} N"
    )
    if least_n > limit_n:
        chapter.wrong(
            f"{text}, above probe.limit_n = {limit_n:g} N: probing is refused",
            "shorten and twist the wires between cell and amplifier, keep them off the motors', and stop what shakes "
            "the table; a finer cell helps, and so does a higher probe.limit_n where the tower stands it",
        )
    else:
        chapter.well(f"{text}, below probe.limit_n = {limit_n:g} N")


def _calibration(chapter: Chapter, settings: Settings, folder: Path) -> None:
    force = settings.force
    if not force.calibration:
        chapter.note(
            "no calibration: newtons are what the sensor's own format says", "steadyhand calibrate force"
        )
        return
    made = read_force_file(folder / force.calibration, force.format).made
    days = (date.today() - made).days
    chapter.measured["calibration_age_days"] = days
    if days > _OLD_DAYS:
        chapter.note(f"the calibration is {days} days old", "`steadyhand calibrate force` takes five minutes")
