"""The settings of what hangs on serial ports: the arm's servos, the force sensor and the stop pedal."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from steadyhand.settings_section import Section, key


class ArmWireSettings(Section):
    """Where the arm's servo bus is; without a port the arm is simulated."""

    port: str = Field(
        default="",
        description="serial port of the servos: a stable name under /dev/serial/by-id; empty: simulation",
    )
    kind: str = Field(
        default="viperx-300s",
        description="its servos: the name of an arm that comes with the program, or a .toml file of one",
    )
    stopped: Literal["hold", "sink"] = Field(
        default="hold",
        description="what a stopped arm does when the program ends: hold where it stands, or sink slowly until it lies",
    )
    sink_deg_s: float = key(3.0, 0.5, 10, "how fast each joint sinks then")

    @property
    def sinks_rad_s(self) -> float:
        """How fast each joint sinks; 0 where it holds."""
        return float(np.radians(self.sink_deg_s)) if self.stopped == "sink" else 0.0


class ForceWireSettings(Section):
    """Where the force sensor is, and how it tells what it measures; without a port it is simulated."""

    port: str = Field(
        default="",
        description="serial port of the sensor: a stable name under /dev/serial/by-id; empty: none",
    )
    format: Literal[
        "hx711", "number", "grams", "newtons", "ms-number", "pounds", "column", "pattern", "ft300"
    ] = Field(default="hx711", description="how it tells what it measures; hx711 is our own sketch's")
    pattern: str = Field(
        default="",
        description="for format pattern: a regular expression for a line, with groups value and, if there, ms, us or s",
    )
    column: int = Field(default=1, ge=1, le=50, description="for format column: which one of a line")
    axis: Literal["fx", "fy", "fz"] = Field(
        default="fz", description="for format ft300: the one along the finger"
    )
    baud: int = Field(default=0, ge=0, le=4_000_000, description="bits a second; 0: the format's own")
    calibration: str = Field(
        default="", description="file that `calibrate force` wrote, looked for beside the settings file"
    )


class StopSettings(Section):
    """A pedal that stops the arm, beside the space bar."""

    port: str = Field(default="", description="serial port of the pedal: a stable name; empty: none")
    pedal: Literal["cts", "dsr", "line"] = Field(
        default="cts",
        description="a contact from RTS to CTS, one from DTR to DSR, or a board that writes lines",
    )
    at_rest: Literal["closed", "open"] = Field(
        default="closed", description="the contact while nobody treads; only closed tells of a broken wire"
    )
    baud: int = Field(
        default=9600, ge=300, le=4_000_000, description="bits a second, for a board that writes lines"
    )
