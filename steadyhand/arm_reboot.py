"""`steadyhand arm reboot`: servos that have shut down are started anew, when a person says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from hardware.arm_file import load_arm
from hardware.arm_reboot import Reboot
from robot.clock import WallClock
from robot.ports import Clock
from steadyhand.arm_motions import PATIENCE_S, meant
from steadyhand.arm_port import port_of
from steadyhand.settings_file import load_settings
from steadyhand.table_arm import bus_of

_WARNING = (
    "These servos are started anew, and their shadows with them. They are limp from then on, and what they hold SINKS: "
    "support the arm, and take away what it pushed against."
)
_DONE = "started anew, without alarm and without torque: `steadyhand arm hold` takes hold of the arm again"


@dataclass(frozen=True)
class Request:
    """The options of `arm reboot`, as given."""

    settings: Path | None
    joint: str = ""
    yes: int = 0


def run(request: Request, typed: TextIO, say: Callable[[str], None], clock: Clock | None = None) -> int:
    """Tell which servos, ask twice, do it, and return the exit code: 1 where a person did not say yes.

    Raises:
        BadInputError: The settings name no arm, or it has no such joint.
        DeviceError: A servo is not there, does not come back, or keeps its alarm.
    """
    settings = load_settings(request.settings)
    parts = load_arm(settings.arm.kind)
    with port_of(settings.arm, parts) as port:
        reboot = Reboot(bus_of(port, parts, PATIENCE_S), parts, clock or WallClock(), request.joint)
        for line in reboot.told:
            say(line)
        if not reboot.servos:
            say(
                "no servo reports an alarm: nothing was sent; --joint NAME starts a joint's servos anew all the same"
            )
            return 0
        say(f"{parts.name} at {settings.arm.port}. {_WARNING}")
        if not meant(request.yes, typed, say):
            say("not said yes twice: nothing was sent to the arm")
            return 1
        reboot.run()
    say(_DONE)
    return 0
