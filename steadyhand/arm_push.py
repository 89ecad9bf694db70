"""`steadyhand arm push`: a probe by hand, straight ahead under guard and back on the same line; what it measured.

How long the tip went on after the force was read, and by how much the force passed its limit, is kept for `doctor`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

import numpy as np

from robot.body import Body
from robot.clock import WallClock
from robot.errors import MotionError
from robot.follow import PERIOD_S, Mover
from robot.frames import Array
from robot.guarded import Ended, Pusher, PushResult
from robot.lines import follow_line
from robot.trajectory import AlongLine, Line
from steadyhand import wiring
from steadyhand.arm_motions import meant
from steadyhand.arm_port import parts_of, port_of
from steadyhand.devices import Devices
from steadyhand.files import write_whole
from steadyhand.last_push import LAST, LastPush
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from steadyhand.stopping import HumanStop, listening
from steadyhand.table_arm import table_devices
from steadyhand.table_force import sensor_of
from steadyhand.table_stop import pedal_watched

_WATCH_S, _STILL_M = (
    0.4,
    0.00005,
)  # how long the tip is watched after a push, and what counts as standing still
_BACK_M_S = 0.005
_ADVICE = (
    "lead the arm by hand to a posture from which its finger can go straight on (`steadyhand arm relax`)"
)


@dataclass(frozen=True)
class Request:
    """The options of `arm push`, as given."""

    settings: Path | None
    travel_mm: float
    limit_n: float
    yes: int = 0


def run(request: Request, typed: TextIO, say: Callable[[str], None], runs: Path) -> int:
    """Ask twice, push, come back, tell, and keep what was measured; 1 where a person did not say yes.

    Raises:
        BadInputError: The settings name no arm or no force sensor that can be used.
        LimitError: The sensor's noise hides the limit, or it is above the ceiling; nothing was pushed.
        MotionError: The arm cannot go straight on from where it stands; nothing moved.
        DeviceError: A device is at fault; the arm was stopped.
        StoppedError: A person stopped it.
    """
    settings = load_settings(request.settings)
    folder = Path() if request.settings is None else request.settings.parent
    port_of(settings.arm, parts_of(settings.arm, folder))  # refuses settings without one
    sensor = sensor_of(settings.force, WallClock(), folder)
    body, stop = wiring.body_of(settings), HumanStop()

    def ask(_question: str) -> bool:
        say(
            f"The finger goes straight ahead by at most {request.travel_mm:g} mm, until it feels "
            f"{request.limit_n:g} N, and comes back. The space bar stops it."
        )
        return meant(request.yes, typed, say)

    with ExitStack() as made:
        made.enter_context(pedal_watched(settings.stop, stop))  # before any torque
        devices = table_devices(settings, body, sensor, say, ask)
        made.callback(devices.close)
        made.enter_context(listening(stop))
        mover = Mover(devices.arm, devices.clock, stop)
        found = push(settings, body, devices, mover, request.travel_mm * 1e-3, request.limit_n)
    for line in in_words(found):
        say(line)
    runs.mkdir(parents=True, exist_ok=True)
    write_whole(runs / LAST, (found.model_dump_json(indent=2) + "\n").encode())
    return 0


def push(
    settings: Settings, body: Body, devices: Devices, mover: Mover, travel_m: float, limit_n: float
) -> LastPush:
    """Push along the tool's x from where it is, and come back.

    Raises:
        LimitError: The limit is above the ceiling, or hidden by the sensor's noise; nothing was pushed.
        MotionError: The arm cannot go straight on from where it stands; nothing moved.
    """
    pusher = Pusher(
        mover,
        body.kinematics,
        devices.force,
        settings.finger.stiffness_n_mm * 1e3,
        body.limits.dq_max_rad_s,
        devices.fastest_m_s,
        devices.lag_s,
    )
    pusher.check_limit(limit_n)
    line = _straight_on(body, mover.arm.state().q_rad, travel_m)
    pusher.tare()
    result = pusher.advance(line, 0.0, travel_m, settings.probe.speed_mm_s * 1e-3, limit_n)
    stop_s = _until_still(mover, pusher.place_on(line), line, result.end_m)
    mover.follow(AlongLine(line, result.end_m, 0.0, _BACK_M_S, body.limits))
    return _measured(result, limit_n, stop_s)


def _straight_on(body: Body, q_rad: Array, travel_m: float) -> Line:
    T_base_tool = body.kinematics.forward(q_rad)
    line = follow_line(body.kinematics, T_base_tool, T_base_tool[:3, 0], travel_m, q_rad)
    if line is None:
        raise MotionError(
            f"push: {travel_m * 1e3:.0f} mm straight on are out of the arm's reach; nothing moved: {_ADVICE}"
        )
    return line


def _until_still(mover: Mover, place: Callable[[], float], line: Line, at_m: float) -> float:
    """How long the tip moves on, held at a place of the line."""
    began_s, q = mover.clock.now_s(), line.q(at_m)
    seen = [(0.0, place())]
    while (after_s := mover.clock.now_s() - began_s) < _WATCH_S:
        mover.step(q, np.zeros_like(q), mover.clock.now_s() + PERIOD_S)
        seen.append((after_s + PERIOD_S, place()))
    rest_m = seen[-1][1]
    moving = [t_s for t_s, tip_m in seen if abs(tip_m - rest_m) > _STILL_M]
    return max(moving, default=0.0)


def _measured(result: PushResult, limit_n: float, stop_s: float) -> LastPush:
    by_force = result.ended is Ended.FORCE
    return LastPush(
        at=datetime.now().astimezone(),
        limit_n=limit_n,
        ended=result.ended.value,
        peak_n=round(result.peak_n, 3),
        over_n=round(result.peak_n - limit_n, 3) if by_force else None,
        stop_ms=round(stop_s * 1e3, 1),
        contact_mm=None if result.contact_m is None else round(result.contact_m * 1e3, 2),
    )


def in_words(found: LastPush) -> list[str]:
    """What a push measured, for people."""
    touched = "nothing was touched" if found.contact_mm is None else f"touched at {found.contact_mm:.1f} mm"
    ended = f"stopped by {found.limit_n:g} N" if found.over_n is not None else "went its whole way"
    over = "" if found.over_n is None else f", {found.over_n:+.2f} N beyond the limit by the sensor"
    return [
        f"{ended}; {touched}; most force {found.peak_n:.2f} N{over}",
        f"the tip stood still {found.stop_ms:.0f} ms after the reading that ended it; it is back where it was",
    ]
