"""The arm that the settings name, on its serial port: found, looked over, and switched on when a person says so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol

from hardware.arm_parts import ArmParts
from hardware.arm_power import pinching
from hardware.bus import ServoBus
from hardware.dynamixel_bus import DynamixelBus
from hardware.feetech_bus import FeetechBus
from hardware.packet_bus import PATIENCE_S
from hardware.servo_arm import ATTEND_S, ServoArm
from hardware.transport import Port
from robot.body import Body
from robot.clock import WallClock
from robot.errors import StoppedError
from robot.ports import ForceSensor
from robot.vernier import Vernier
from steadyhand.arm_parts import fitting_parts
from steadyhand.devices import Devices
from steadyhand.settings import Settings
from steadyhand.table_time import TableTime
from steadyhand.wired import GUARDED_M_S

Say = Callable[[str], None]
Ask = Callable[[str], bool]


class Sensor(ForceSensor, AbstractContextManager["Sensor"], Protocol):
    """A force sensor that is connected by entering it."""


def table_devices(
    settings: Settings, body: Body, sensor: Sensor, say: Say, ask: Ask, time: TableTime | None = None
) -> Devices:
    """Connect arm and force sensor, which only reads, then switch the arm on where a person agrees.

    Args:
        settings: With arm.port.
        body: The arm's kinematics and limits.
        sensor: Of the fingertip, not connected yet.
        say: Shows a line.
        ask: Puts a question to the person; True for yes.
        time: The table's; the wall's where nothing is given.

    Raises:
        BadInputError: The settings name an arm that cannot play.
        DeviceError: Something is wrong with arm or sensor; nothing was written.
        StoppedError: The person did not agree; nothing was written.
    """
    time, parts = time or TableTime(WallClock()), arm_parts(settings)
    clock = time.clock
    with ExitStack() as made:
        force = made.enter_context(sensor)
        port = made.enter_context(Port(settings.arm.port, parts.baud))
        bus = bus_of(port, parts, time.patience_s)
        vernier = Vernier(body.kinematics)
        arm = ServoArm(bus, parts, body.limits, clock, force, vernier, settings.arm.sinks_rad_s)
        arm.connect()
        for warning in arm.warnings:
            say(warning)
        if not ask(f"{parts.name} on {settings.arm.port} stands ready. Hands off; type yes to switch it on"):
            raise StoppedError("the arm was not switched on, since nobody said yes; nothing was written")
        made.enter_context(arm)
        arm.energise()
        made.enter_context(attended(arm))
        return Devices(arm, clock, force, GUARDED_M_S, parts.gentle_profile_s, made.pop_all().close)


def arm_parts(settings: Settings) -> ArmParts:
    """The arm of the settings, its gripper set to pinch as they say.

    Raises:
        BadInputError: Its file cannot be used, or they are not the servos of arm.model.
    """
    return pinching(fitting_parts(settings.arm), settings.finger.pinch_n)


def bus_of(port: Port, parts: ArmParts, patience_s: float | None = None) -> ServoBus:
    """The servos on a port; `patience_s` is how long an answer may take beyond the time that its bytes need."""
    names = {servo: joint.name for servo, (joint, _) in parts.servos.items()}
    make = DynamixelBus if parts.protocol == "dynamixel" else FeetechBus
    return make(port, names, PATIENCE_S if patience_s is None else patience_s)


@contextmanager
def attended(arm: ServoArm) -> Iterator[None]:
    """Look at the arm all the while, so that a program that thinks is not taken for one that died."""
    ended = threading.Event()

    def attend() -> None:
        while not ended.wait(ATTEND_S):
            arm.attend()

    thread = threading.Thread(target=attend, name="attends the arm", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
