"""What `doctor` finds out about the stop: the pedal, and how far a push goes on after the force is too high."""

from __future__ import annotations

import time

from robot.errors import DeviceError
from robot.follow import PERIOD_S
from steadyhand.findings import Chapter, Level
from steadyhand.last_push import LastPush
from steadyhand.settings import Settings
from steadyhand.stopping import HumanStop
from steadyhand.table_stop import pedal_watched

OVERSHOOT_N = 0.1  # what a guarded push may pass its limit by
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


def stopping_chapter(
    settings: Settings, arm: Chapter, force: Chapter, last: LastPush | None
) -> Chapter | None:
    """How long a push goes on after the force is too high: as far as that is known without motion, and measured last.

    Args:
        settings: The speed of a probe, its limit, the finger's stiffness, the sensor's delay.
        arm: With its measured round trip.
        force: With the sensor's measured rate.
        last: The last push by hand.

    Returns:
        None where neither is known.
    """
    chapter = Chapter("stop")
    rate_hz, late_ms = force.measured.get("rate_hz"), arm.measured.get("round_trip_95_ms")
    lag_ms = arm.measured.get("lag_ms")
    if isinstance(rate_hz, float) and isinstance(late_ms, float) and isinstance(lag_ms, float):
        _by_parts(
            chapter, settings, settings.force.delay_ms + 2e3 / rate_hz + PERIOD_S * 1e3 + late_ms + lag_ms
        )
    if last is not None:
        _measured(chapter, settings, last)
    return chapter if chapter.findings else None


def _by_parts(chapter: Chapter, settings: Settings, latency_ms: float) -> None:
    over_n = settings.probe.speed_mm_s * latency_ms * 1e-3 * settings.finger.stiffness_n_mm
    chapter.measured |= {"latency_ms": round(latency_ms, 1), "overshoot_most_n": round(over_n, 3)}
    text = (
        f"from a force to the stop {latency_ms:.0f} ms (sensor, two more samples, one step, the bus, the servos); at "
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


def _measured(chapter: Chapter, settings: Settings, last: LastPush) -> None:
    chapter.measured |= {"last_push": last.model_dump(mode="json")}
    when = last.at.date().isoformat()
    if last.over_n is None:
        chapter.note(
            f"the last push ({when}) met nothing",
            "`steadyhand arm push` against something tells its overshoot",
        )
    elif last.over_n > OVERSHOOT_N:
        chapter.wrong(
            f"the last push ({when}) passed its limit by {last.over_n:.2f} N, allowed are {OVERSHOOT_N:g} N; the tip "
            f"stood still {last.stop_ms:.0f} ms after the reading",
            f"lower probe.speed_mm_s to {settings.probe.speed_mm_s * OVERSHOOT_N / last.over_n:.1f} and push again",
        )
    else:
        chapter.well(
            f"the last push ({when}) passed its limit by {last.over_n:.2f} N; the tip stood still "
            f"{last.stop_ms:.0f} ms after the reading"
        )
