"""The arm that the settings name, on its serial port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hardware.arm_file import ArmParts, load_arm
from hardware.dynamixel_bus import DynamixelBus
from hardware.feetech_bus import FeetechBus
from hardware.packet_bus import PATIENCE_S, PacketBus
from hardware.transport import Port
from robot.errors import BadInputError
from steadyhand.wire_settings import ArmWireSettings


def parts_of(arm: ArmWireSettings, folder: Path = Path()) -> ArmParts:
    """Which servos the arm has; a .toml file is looked for beside the settings file.

    Raises:
        BadInputError: No such arm, or its file cannot be used.
    """
    own = "/" in arm.servos or arm.servos.endswith(".toml")
    return load_arm(str(folder / arm.servos) if own else arm.servos)


def need_port(arm: ArmWireSettings) -> None:
    """Refuse settings that name no port of an arm.

    Raises:
        BadInputError: With how to name one.
    """
    if not arm.port:
        raise BadInputError(
            "arm.port: no arm is named; write arm.port in the settings, the name of its adapter's port "
            '(`ls /dev/serial/by-id` lists them), such as port = "usb-FTDI_USB__-__Serial_Converter_FT123456-if00-'
            'port0", and say --settings steadyhand.toml'
        )


@contextmanager
def opened_bus(port: Port, parts: ArmParts, patience_s: float = PATIENCE_S) -> Iterator[PacketBus]:
    """The arm's servos while the block runs; opening a port writes nothing.

    Args:
        port: Of the arm's adapter; closed.
        parts: Which servos there should be.
        patience_s: How long an answer may take beyond the time that its bytes need.

    Raises:
        DeviceError: The port cannot be opened.
    """
    names = {servo: joint.name for servo, (joint, _) in parts.servos.items()}
    make = DynamixelBus if parts.protocol == "dynamixel" else FeetechBus
    with port:
        yield make(port, names, patience_s)


def port_of(arm: ArmWireSettings, parts: ArmParts) -> Port:
    """The port that the settings name; not opened yet.

    Raises:
        BadInputError: They name none.
    """
    need_port(arm)
    return Port(arm.port, parts.baud)
