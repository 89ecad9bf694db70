"""`steadyhand arm park|open|relax|hold`: the few motions a person needs by hand, each asked for twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from hardware.arm_file import load_arm
from hardware.arm_parts import ArmParts
from hardware.arm_power import relax
from hardware.bus import ServoBus
from hardware.servo_arm import ServoArm
from hardware.servos import Servos
from robot.body import Body
from robot.clock import WallClock
from robot.errors import MotionError
from robot.follow import PERIOD_S, Mover
from robot.frames import Array, pose
from robot.trajectory import Transit
from robot.transit import find_way
from steadyhand import wiring
from steadyhand.arm_port import port_of
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from steadyhand.stopping import HumanStop, listening
from steadyhand.table_arm import arm_parts, attended, bus_of
from steadyhand.table_stop import pedal_watched

WARNINGS = {
    "park": "The arm goes to its parking posture, slowly, round the place where the tower stands. Nothing else may "
    "be in its way: take hands, cups and cables away.",
    "open": "The fingers open as far as they can: what they hold falls. The arm is switched on where it stands.",
    "relax": "All servos let go and THE ARM SINKS, with whatever it holds. Support it now, at the forearm, or have it "
    "rest on its stand.",
    "hold": "The servos take hold where the arm stands. Nothing moves, but it is stiff from then on, and warm after "
    "some minutes.",
}
_DONE = {
    "park": "parked; it holds itself",
    "open": "open",
    "relax": "limp: every servo's torque is off",
    "hold": "it holds itself; `steadyhand arm relax` lets it go",
}
_ASKED = 2
_YES = "yes"
PATIENCE_S = 0.05
_PACE = 0.25  # of the limits: slow enough to be stopped by hand
_ROOM_M, _BLOCK_M = 0.008, 0.015
_TOWER_M = 0.080  # side of a tower that is not neat
_OPENING_M_S = 0.03


@dataclass(frozen=True)
class Request:
    """What is asked for, by whom the arm is described, and how often yes was said already."""

    motion: str
    settings: Path | None
    yes: int = 0


def run(request: Request, typed: TextIO, say: Callable[[str], None]) -> int:
    """Ask twice, do it, and return the exit code: 1 where a person did not say yes.

    Raises:
        BadInputError: The settings name no arm, or one that this motion is not known for.
        DeviceError: The arm is at fault; what was begun was stopped.
        StoppedError: A person stopped it.
    """
    settings = load_settings(request.settings)
    limp = request.motion == "relax"  # an arm that the program cannot move may be let go all the same
    parts = load_arm(settings.arm.kind) if limp else arm_parts(settings)
    with port_of(settings.arm, parts) as port:
        bus = bus_of(port, parts, PATIENCE_S)
        body = None if limp else wiring.body_of(settings)
        arm = None if body is None else _connected(bus, parts, body, settings.arm.sinks_rad_s, say)
        say(f"{parts.name} at {settings.arm.port}. {WARNINGS[request.motion]}")
        if not meant(request.yes, typed, say):
            say("not said yes twice: nothing was sent to the arm")
            return 1
        if arm is None or body is None:
            relax(Servos(bus, {servo: part.model for servo, (_, part) in parts.servos.items()}), parts)
        else:
            _move(request.motion, settings, body, arm)
    say(_DONE[request.motion])
    return 0


def _connected(
    bus: ServoBus, parts: ArmParts, body: Body, sinks_rad_s: float, say: Callable[[str], None]
) -> ServoArm:
    """The arm, looked at and not yet switched on."""
    arm = ServoArm(bus, parts, body.limits, WallClock(), sinks_rad_s=sinks_rad_s)
    arm.connect()
    for warning in arm.warnings:
        say(f"warning: {warning}")
    return arm


def meant(said: int, typed: TextIO, say: Callable[[str], None]) -> bool:
    """Whether a person means it: yes twice, each typed, or said by --yes."""
    for time in range(said, _ASKED):
        say(f"Type {_YES} {'to go on' if time == 0 else 'again, and it happens'}:")
        if typed.readline().strip().lower() != _YES:
            return False
    return True


def _move(motion: str, settings: Settings, body: Body, arm: ServoArm) -> None:
    stop = HumanStop()
    with listening(stop), pedal_watched(settings.stop, stop), arm:
        mover = Mover(arm, WallClock(), stop)
        mover.check_stop()
        arm.energise()
        with attended(arm):  # the search of a way may take longer than the servos' watchdog waits
            if motion == "park":
                park(settings, body, mover)
            elif motion == "open":
                open_fingers(body, mover)


def park(settings: Settings, body: Body, mover: Mover) -> None:
    """Go to the parking posture, round a tower as high as any may be, since nobody has looked.

    Raises:
        MotionError: There is no way; nothing moved. Or the arm did not arrive.
        StoppedError: A person stopped it.
    """
    state = mover.arm.state()
    hit = _around_the_tower(settings, body, state.opening_m)
    low, high = body.limits.q_min_rad, body.limits.q_max_rad
    try:
        way = find_way(state.q_rad, body.park_rad, low, high, hit, seed=1)
    except MotionError as error:
        raise MotionError(
            f"{error}. Nothing moved: support the arm, `steadyhand arm relax`, lead it clear of the tower by hand, "
            "`steadyhand arm hold`, and park again"
        ) from None
    mover.follow(Transit(way, body.limits, min(_PACE, settings.arm.pace)))


def _around_the_tower(settings: Settings, body: Body, opening_m: float) -> Callable[[Array], str | None]:
    from sim.collision import TowerCollisions

    room = wiring.room_of(settings)
    size = np.array([_TOWER_M, _TOWER_M, wiring.MOST_LAYERS * _BLOCK_M])
    model, fingers = settings.arm.described, settings.finger.fingers()
    collisions = TowerCollisions(room, model, body.T_world_base, fingers, size, 1)
    T_tower_box = pose(np.eye(3), [0.0, 0.0, size[2] / 2])
    collisions.set_tower([(room.T_world_tower @ T_tower_box, size)])
    return lambda q: collisions.hit(q, opening_m, None, _ROOM_M)


def open_fingers(body: Body, mover: Mover) -> None:
    """Open the fingers slowly, as far as the limits allow.

    Raises:
        StoppedError: A person stopped it.
    """
    opening_m = mover.arm.state().opening_m
    while opening_m < body.limits.opening_max_m:
        opening_m = min(opening_m + _OPENING_M_S * PERIOD_S, body.limits.opening_max_m)
        mover.set_opening(opening_m, PERIOD_S)
