"""What `doctor` finds out about the stop: the pedal, and how far a push goes on after the force is too high."""

from __future__ import annotations

import time

from robot.errors import DeviceError
from robot.follow import PERIOD_S
from steadyhand.findings import Chapter, Level
from steadyhand.settings import Settings
from steadyhand.stopping import HumanStop
from steadyhand.table_stop import pedal_watched

_WATCH_S = 0.7  # longer than a board may be silent


def pedal_chapter(settings: Settings) -> Chapter:
    """Watch the pedal for a moment, with no foot on it."""
    chapter = Chapter("stop pedal", settings.stop.port)
    if not settings.stop.port:
        chapter.note(
            "no pedal is named: the space bar and Ctrl-C stop the arm",
            "a pedal stops it with both hands full: stop.port, see docs/force.md",
        )
        return chapter
    stop = HumanStop()
    try:
        with pedal_watched(settings.stop, stop):
            time.sleep(_WATCH_S)
    except DeviceError as error:
        chapter.told(Level.FAULT, error, "see docs/force.md, A pedal that stops the arm")
        return chapter
    if stop.is_set():
        chapter.fault(
            f"with no foot on it, it stopped the arm: {stop.why}",
            "take the foot off, and check its wires and plugs; see docs/force.md, A pedal that stops the arm",
        )
    else:
        chapter.well("at rest, and watched: a tread, a broken wire or a pulled plug stops the arm")
    return chapter


def stopping_chapter(settings: Settings, arm: Chapter, force: Chapter) -> Chapter | None:
    """How long a push goes on after the force is too high, as far as that is known without motion.

    Args:
        settings: The speed of a probe, its limit, the finger's stiffness, the sensor's delay.
        arm: With its measured round trip.
        force: With the sensor's measured rate.

    Returns:
        None where one of the two was not measured.
    """
    rate_hz, late_ms = force.measured.get("rate_hz"), arm.measured.get("round_trip_95_ms")
    if not isinstance(rate_hz, float) or not isinstance(late_ms, float):
        return None
    chapter = Chapter("stop")
    latency_s = settings.force.delay_ms * 1e-3 + 2 / rate_hz + PERIOD_S + late_ms * 1e-3
    over_n = settings.probe.speed_mm_s * latency_s * settings.finger.stiffness_n_mm
    chapter.measured |= {"latency_ms": round(latency_s * 1e3, 1), "overshoot_most_n": round(over_n, 3)}
    text = (
        f"from a force to the stop {latency_s * 1e3:.0f} ms (sensor, two more samples, one step, the bus); at "
        f"probe.speed_mm_s = {settings.probe.speed_mm_s:g} that is at most {over_n:.2f} N more against something hard, "
        "less because a push slows down before its limit"
    )
    most_n = settings.probe.limit_n / 2
    if over_n > most_n:
        speed_mm_s = most_n / over_n * settings.probe.speed_mm_s
        chapter.wrong(
            f"{text}; allowed is half of probe.limit_n, {most_n:g} N",
            f"lower probe.speed_mm_s to {speed_mm_s:.1f}, or get a quicker sensor or a softer finger",
        )
    else:
        chapter.well(text)
    return chapter
