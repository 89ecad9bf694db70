"""The force sensor that the settings name, on its serial port."""

from __future__ import annotations

from pathlib import Path

from hardware.force import Scale, SerialForce
from hardware.force_formats import ForceFormat, force_format
from hardware.force_stream import ForceStream
from hardware.transport import Port
from robot.errors import BadInputError
from robot.ports import Clock
from steadyhand.force_file import read_force_file
from steadyhand.settings import ForceSettings


def stream_of(force: ForceSettings, clock: Clock) -> ForceStream:
    """The sensor's samples, in its own unit; not opened yet.

    Raises:
        BadInputError: The settings name no port, or a format that cannot be used.
    """
    if not force.port:
        raise BadInputError(
            "force.port: no port is named; write force.port in the settings, the name of the sensor's port under "
            "/dev/serial/by-id"
        )
    fmt = format_of(force)
    return ForceStream(Port(force.port, force.baud or fmt.baud), fmt, clock)


def format_of(force: ForceSettings) -> ForceFormat:
    """How the sensor tells what it measures.

    Raises:
        BadInputError: The format cannot be used.
    """
    return force_format(force.format, pattern=force.pattern, column=force.column, axis=force.axis)


def sensor_of(force: ForceSettings, clock: Clock, folder: Path = Path()) -> SerialForce:
    """The sensor, in newtons; not connected yet.

    Args:
        force: Its settings.
        clock: Whose time its readings get.
        folder: Where its calibration is looked for: that of the settings file.

    Raises:
        BadInputError: No port, no calibration where the format needs one, or one that cannot be used.
    """
    stream = stream_of(force, clock)
    return SerialForce(stream, _scale(force, stream.fmt, folder), force.delay_ms * 1e-3)


def _scale(force: ForceSettings, fmt: ForceFormat, folder: Path) -> Scale:
    if force.calibration:
        return read_force_file(folder / force.calibration, fmt.name).scale()
    if fmt.n_per_unit is None:
        raise BadInputError(
            f"force.calibration: format {fmt.name!r} tells no newtons: find them by `steadyhand calibrate force -o "
            'force.json`, then write force.calibration = "force.json"'
        )
    return Scale(1.0 / fmt.n_per_unit)
