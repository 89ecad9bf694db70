"""The port of the arm that the settings name, for those who may meet an arm that the program cannot play with."""

from __future__ import annotations

from hardware.arm_parts import ArmParts
from hardware.transport import Port
from robot.errors import BadInputError
from steadyhand.wire_settings import ArmWireSettings


def port_of(arm: ArmWireSettings, parts: ArmParts) -> Port:
    """The port that the settings name; not opened yet.

    Raises:
        BadInputError: They name none.
    """
    if not arm.port:
        raise BadInputError(
            "arm.port: no arm is named; write arm.port in the settings, the name of its adapter's port "
            '(`ls /dev/serial/by-id` lists them), such as port = "usb-FTDI_USB__-__Serial_Converter_FT123456-if00-'
            'port0", and say --settings steadyhand.toml'
        )
    return Port(arm.port, parts.baud)
