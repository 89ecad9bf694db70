"""What `doctor` finds out about the arm: reads only, so that nothing moves and nothing is changed."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict

import numpy as np

from hardware.arm_exam import ArmExam, RoundTrips, ServoHealth, examine
from hardware.arm_file import load_arm
from hardware.arm_parts import ArmParts
from hardware.transport import Port
from robot.clock import WallClock
from robot.errors import DeviceError
from robot.frames import Array
from steadyhand import wiring
from steadyhand.arm_parts import misfit
from steadyhand.arm_port import port_of
from steadyhand.findings import Chapter, Level
from steadyhand.settings import Settings
from steadyhand.table_arm import bus_of

SLOW_S = 0.008  # a round trip: one period of the arm's motion
UDEV = (
    'ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1" in '
    "/etc/udev/rules.d/99-steadyhand.rules, then plug the adapter in anew (docs/wiring-a-real-arm.md)"
)
_PATIENCE_S = 0.1  # nothing moves, so there is time to wait for an answer
_LATENCY_MS = 1
_GUIDE = "see docs/wiring-a-real-arm.md"


def arm_chapter(settings: Settings) -> Chapter:
    """Ask the arm of the settings.

    Args:
        settings: With a port of the arm.

    Raises:
        BadInputError: The settings name an arm that is not known.
    """
    parts = load_arm(settings.arm.kind)
    chapter = Chapter("arm", settings.arm.port, {"arm": parts.name, "lag_ms": parts.gentle_profile_s * 1e3})
    port = port_of(settings.arm, parts)
    low, high = _range(settings, parts, chapter)
    try:
        with port:
            chapter.measured["latency_timer_ms"] = port.latency_ms()
            exam = examine(bus_of(port, parts, _PATIENCE_S), parts, WallClock(), low, high)
    except DeviceError as error:
        chapter.told(Level.FAULT, error, _GUIDE)
        return chapter
    _servos(chapter, parts, exam)
    _latency(chapter, port, exam)
    return chapter


def _range(settings: Settings, parts: ArmParts, chapter: Chapter) -> tuple[Array, Array]:
    """Lowest and highest angle of each joint; a whole turn where they are not known."""
    wrong = misfit(settings.arm, parts)
    if wrong is None:
        limits = wiring.body_of(settings).limits
        return limits.q_min_rad, limits.q_max_rad
    chapter.wrong(*wrong)
    turn = np.full(len(parts.joints), math.pi)
    return -turn, turn


def _servos(chapter: Chapter, parts: ArmParts, exam: ArmExam) -> None:
    chapter.measured["servos"] = [_row(servo) for servo in exam.servos]
    for fault in exam.faults:
        chapter.told(Level.FAULT, fault, _GUIDE)
    for warning in exam.warnings:
        chapter.told(Level.WRONG, warning, _GUIDE)
    if exam.strangers:
        chapter.note(f"servos that are not of this arm answer: {', '.join(map(str, exam.strangers))}")
    if not exam.faults:
        chapter.well(f"{len(exam.servos)} servos of {parts.name}, every one of its model and in order")
        chapter.well(_models(exam.servos))
    holding = [servo.servo for servo in exam.servos if servo.holds]
    chapter.note(
        f"torque is on in servo {', '.join(map(str, holding))}: the arm holds itself"
        if holding
        else "torque is off: the arm is limp, and falls if it is not at rest",
        "`steadyhand arm relax` lets it sink; hold it first" if holding else "",
    )
    _extremes(chapter, exam.servos)


def _models(servos: tuple[ServoHealth, ...]) -> str:
    """How many there are of each model, and their firmware."""
    kinds = Counter((servo.model, servo.firmware) for servo in servos)
    return ", ".join(f"{count} x {model}, firmware {firmware}" for (model, firmware), count in kinds.items())


def _row(servo: ServoHealth) -> dict[str, object]:
    values = asdict(servo)
    angle = values.pop("angle_rad")
    return values | {"angle_deg": None if angle is None else round(math.degrees(angle), 2)}


def _extremes(chapter: Chapter, servos: tuple[ServoHealth, ...]) -> None:
    volts = [servo.volts for servo in servos if servo.volts is not None]
    celsius = [servo.celsius for servo in servos if servo.celsius is not None]
    if volts and celsius:
        chapter.well(
            f"{min(volts):.1f} to {max(volts):.1f} V at the servos, the warmest at {max(celsius):.0f} degrees C"
        )


def _latency(chapter: Chapter, port: Port, exam: ArmExam) -> None:
    timer, trips = chapter.measured["latency_timer_ms"], exam.round_trips
    if isinstance(timer, int) and timer > _LATENCY_MS:
        chapter.wrong(
            f"the adapter's latency timer is {timer} ms, it should be {_LATENCY_MS}: it keeps answers back",
            UDEV,
        )
    if port.name.startswith(("/dev/tty", "COM")):
        chapter.note(
            f"{port.name} may be another device after the next plugging",
            "write the adapter's name under /dev/serial/by-id into arm.port",
        )
    if trips is not None:
        _round_trips(chapter, trips)


def _round_trips(chapter: Chapter, trips: RoundTrips) -> None:
    median, late = trips.median_s * 1e3, trips.late_s * 1e3
    chapter.measured |= {"round_trip_ms": round(median, 3), "round_trip_95_ms": round(late, 3)}
    chapter.measured |= {"round_trips": trips.count, "round_trips_incomplete": trips.incomplete}
    text = f"a round trip to all servos takes {median:.2f} ms, 95 % less than {late:.2f} ms"
    if trips.median_s > SLOW_S:
        chapter.wrong(
            f"{text}; allowed are {SLOW_S * 1e3:.0f} ms, one step of the arm's motion",
            "set the adapter's latency timer to 1 ms and every servo's return delay to 0, plug the adapter into a port "
            "of its own, and end what else keeps the machine busy",
        )
    else:
        chapter.well(text)
    if trips.incomplete:
        chapter.wrong(
            f"in {trips.incomplete} of {trips.count} round trips a servo gave no whole answer, asked three times",
            "check the servos' cables and plugs, and keep them away from the power supply's",
        )
