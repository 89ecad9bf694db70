"""Control tables by model number.

Dynamixel X: the e-manual's pages on XM430-W350, XM540-W270, XL430-W250 and XL330-M288. Feetech STS3215: LeRobot's table
of the series, and the defaults that feetech-cli found in a servo. Torque constants: XM430 from two points that its
maker's staff published (0.30 A for 0.35 Nm, 1.345 A for 2.3 Nm), the other Dynamixels from torque and current at stall,
12 V (XL330: 5 V), STS3215 from 11 kgf cm/A as measured by owners.
"""

from __future__ import annotations

import math
from dataclasses import replace

from hardware.registers import TWOS_COMPLEMENT, Register, Table
from robot.errors import DeviceError

TICKS = 4096  # of a turn, in all of these
CENTRE = 2048  # the tick of angle 0
_TICK = 2 * math.pi / TICKS  # rad
_RPM = 2 * math.pi / 60  # rad/s
_X_SPEED = 0.229 * _RPM
_X_SPURT = 214.577 * _RPM / 60  # rad/s^2
_TURNS = 256 * TICKS - 1
_TC = TWOS_COMPLEMENT

XM430, XM540, XL430, XL330, STS3215 = 1020, 1120, 1060, 1200, 777
CURRENT, VELOCITY, POSITION, EXTENDED, CURRENT_POSITION, PWM = 0, 1, 3, 4, 5, 16

_X = (
    Register("model", 0, 2),
    Register("model_information", 2, 4),
    Register("firmware", 6, 1, initial=46),
    Register("id", 7, 1, initial=1, high=252, writable=True),
    Register("baud", 8, 1, initial=1, high=7, writable=True),
    Register("return_delay", 9, 1, unit=2e-6, initial=250, high=254, writable=True),
    Register("drive_mode", 10, 1, high=13, writable=True),
    Register("operating_mode", 11, 1, initial=POSITION, high=16, writable=True),
    Register("shadow_id", 12, 1, initial=255, high=255, writable=True),
    Register("protocol", 13, 1, initial=2, low=2, high=2, writable=True),
    Register("homing_offset", 20, 4, _TC, _TICK, low=-1044479, high=1044479, writable=True),
    Register("moving_threshold", 24, 4, unit=_X_SPEED, initial=10, high=1023, writable=True),
    Register("temperature_limit", 31, 1, initial=80, high=100, writable=True),
    Register("max_voltage", 32, 2, unit=0.1, initial=160, low=95, high=160, writable=True),
    Register("min_voltage", 34, 2, unit=0.1, initial=95, low=95, high=160, writable=True),
    Register("pwm_limit", 36, 2, initial=885, high=885, writable=True),
    Register("current_limit", 38, 2, unit=2.69e-3, initial=1193, high=1193, writable=True),
    Register("velocity_limit", 44, 4, unit=_X_SPEED, initial=200, high=1023, writable=True),
    Register("max_position", 48, 4, unit=_TICK, initial=4095, high=4095, writable=True),
    Register("min_position", 52, 4, unit=_TICK, initial=0, high=4095, writable=True),
    Register("startup", 60, 1, high=3, writable=True),
    Register("shutdown", 63, 1, initial=52, high=255, writable=True),
    Register("torque_enable", 64, 1, high=1, writable=True),
    Register("led", 65, 1, high=1, writable=True),
    Register("status_level", 68, 1, initial=2, high=2, writable=True),
    Register("registered", 69, 1),
    Register("hardware_error", 70, 1),
    Register("velocity_i_gain", 76, 2, initial=1920, high=16383, writable=True),
    Register("velocity_p_gain", 78, 2, initial=100, high=16383, writable=True),
    Register("position_d_gain", 80, 2, high=16383, writable=True),
    Register("position_i_gain", 82, 2, high=16383, writable=True),
    Register("position_p_gain", 84, 2, initial=800, high=16383, writable=True),
    Register("feedforward_2nd_gain", 88, 2, high=16383, writable=True),
    Register("feedforward_1st_gain", 90, 2, high=16383, writable=True),
    Register("bus_watchdog", 98, 1, _TC, 0.02, high=127, writable=True),
    Register("goal_pwm", 100, 2, _TC, initial=885, low=-885, high=885, writable=True),
    Register("goal_current", 102, 2, _TC, 2.69e-3, 1193, -1193, 1193, writable=True),
    Register("goal_velocity", 104, 4, _TC, _X_SPEED, low=-1023, high=1023, writable=True),
    Register("profile_acceleration", 108, 4, unit=_X_SPURT, high=32767, writable=True),
    Register("profile_velocity", 112, 4, unit=_X_SPEED, high=32767, writable=True),
    Register("goal_position", 116, 4, _TC, _TICK, CENTRE, -_TURNS, _TURNS, writable=True),
    Register("tick", 120, 2, unit=1e-3),
    Register("moving", 122, 1),
    Register("moving_status", 123, 1),
    Register("present_pwm", 124, 2, _TC),
    Register("present_current", 126, 2, _TC, 2.69e-3),
    Register("present_velocity", 128, 4, _TC, _X_SPEED),
    Register("present_position", 132, 4, _TC, _TICK),
    Register("velocity_trajectory", 136, 4, _TC, _X_SPEED),
    Register("position_trajectory", 140, 4, _TC, _TICK),
    Register("voltage", 144, 2, unit=0.1),
    Register("temperature", 146, 1),
)
_STS = (
    Register("firmware", 0, 2, initial=0x0A03),  # one byte each: major 3, minor 10
    Register("model", 3, 2),
    Register("id", 5, 1, initial=1, high=253, writable=True),
    Register("baud", 6, 1, high=7, writable=True),
    Register("return_delay", 7, 1, unit=2e-6, high=254, writable=True),
    Register("status_level", 8, 1, initial=1, high=1, writable=True),
    Register("min_position", 9, 2, unit=_TICK, high=4095, writable=True),
    Register("max_position", 11, 2, unit=_TICK, initial=4095, high=4095, writable=True),
    Register("temperature_limit", 13, 1, initial=70, high=100, writable=True),
    Register("max_voltage", 14, 1, unit=0.1, initial=140, high=254, writable=True),
    Register("min_voltage", 15, 1, unit=0.1, initial=40, high=254, writable=True),
    Register("max_torque", 16, 2, unit=1e-3, initial=1000, high=1000, writable=True),
    Register("phase", 18, 1, high=254, writable=True),
    Register("shutdown", 19, 1, initial=0x24, high=254, writable=True),
    Register("position_p_gain", 21, 1, initial=32, high=254, writable=True),
    Register("position_d_gain", 22, 1, initial=32, high=254, writable=True),
    Register("position_i_gain", 23, 1, high=254, writable=True),
    Register("protection_current", 28, 2, unit=6.5e-3, initial=500, high=511, writable=True),
    Register("homing_offset", 31, 2, 11, _TICK, low=-2047, high=2047, writable=True),
    Register("operating_mode", 33, 1, high=3, writable=True),
    Register("protective_torque", 34, 1, unit=1e-2, initial=20, high=100, writable=True),
    Register("protection_time", 35, 1, unit=1e-2, initial=200, high=254, writable=True),
    Register("overload_torque", 36, 1, unit=1e-2, initial=80, high=100, writable=True),
    Register("torque_enable", 40, 1, high=128, writable=True),
    Register("profile_acceleration", 41, 1, unit=100 * _TICK, high=254, writable=True),
    Register("goal_position", 42, 2, 15, _TICK, CENTRE, -32767, 32767, writable=True),
    Register("goal_time", 44, 2, unit=1e-3, high=65535, writable=True),
    Register("profile_velocity", 46, 2, 15, _TICK, low=-32767, high=32767, writable=True),
    Register("torque_limit", 48, 2, unit=1e-3, initial=1000, high=1000, writable=True),
    Register("lock", 55, 1, initial=1, high=1, writable=True),
    Register("present_position", 56, 2, 15, _TICK),
    Register("present_velocity", 58, 2, 15, _TICK),
    Register("present_load", 60, 2, 10, 1e-3),  # the motor's duty, which is no torque
    Register("voltage", 62, 1, unit=0.1),
    Register("temperature", 63, 1),
    Register("hardware_error", 65, 1),
    Register("moving", 66, 1),
    Register("present_current", 69, 2, 15, 6.5e-3),
)
_ALL_X = (CURRENT, VELOCITY, POSITION, EXTENDED, CURRENT_POSITION, PWM)
_NM_PER_KGF_CM = 0.0980665


def _named(registers: tuple[Register, ...], model: int, **changes: dict[str, float]) -> dict[str, Register]:
    """The series' registers, with what differs in one model."""
    named = {register.name: register for register in registers}
    named["model"] = replace(named["model"], initial=model)
    for name, change in changes.items():
        named[name] = replace(named[name], **change)  # type: ignore[arg-type]
    return named


def _xl430() -> dict[str, Register]:
    """It measures no current: register 126 is the load it believes to bear, and 38 and 102 are not there."""
    volts = {"low": 60, "high": 140}
    named = _named(
        _X,
        XL430,
        max_voltage={"initial": 140, **volts},
        min_voltage={"initial": 60, **volts},
        velocity_limit={"initial": 265},
        temperature_limit={"initial": 72},
        velocity_i_gain={"initial": 1000},
        position_d_gain={"initial": 4000},
        position_p_gain={"initial": 640},
    )
    del named["current_limit"], named["goal_current"], named["present_current"]
    named["present_load"] = Register("present_load", 126, 2, _TC, 1e-3)
    return named


def _xm540() -> dict[str, Register]:
    return _named(
        _X,
        XM540,
        current_limit={"initial": 2047, "high": 2047},
        goal_current={"initial": 2047, "low": -2047, "high": 2047},
        velocity_limit={"initial": 128},
    )


def _xl330() -> dict[str, Register]:
    ma, volts = 1e-3, {"low": 31, "high": 70}
    return _named(
        _X,
        XL330,
        max_voltage={"initial": 70, **volts},
        min_voltage={"initial": 35, **volts},
        current_limit={"initial": 1750, "high": 1750, "unit": ma},
        goal_current={"initial": 1750, "low": -1750, "high": 1750, "unit": ma},
        present_current={"unit": ma},
        velocity_limit={"initial": 445, "high": 2047},
        goal_velocity={"low": -2047, "high": 2047},
        temperature_limit={"initial": 70},
        shutdown={"initial": 53},
        velocity_i_gain={"initial": 1600},
        velocity_p_gain={"initial": 180},
        position_p_gain={"initial": 400},
    )


TABLES = {
    table.model: table
    for table in (
        Table(XM430, "XM430-W350", _named(_X, XM430), 64, _ALL_X, 1.87, 0.11, 4.1, 12.0),
        Table(XM540, "XM540-W270", _xm540(), 64, _ALL_X, 2.41, 0.0, 10.6, 12.0),
        Table(XL430, "XL430-W250", _xl430(), 64, (VELOCITY, POSITION, EXTENDED, PWM), None, 0.0, 1.5, 12.0),
        Table(XL330, "XL330-M288", _xl330(), 64, _ALL_X, 0.354, 0.0, 0.52, 5.0),
        Table(
            STS3215, "STS3215", _named(_STS, STS3215), 40, (0, 1, 2, 3), 11 * _NM_PER_KGF_CM, 0.0, 2.94, 12.0
        ),
    )
}


def table_of(model: int) -> Table:
    """The table of a model.

    Raises:
        DeviceError: None is known.
    """
    if model not in TABLES:
        known = ", ".join(f"{table.name} ({number})" for number, table in TABLES.items())
        raise DeviceError(f"no control table for a servo of model {model}; known are {known}")
    return TABLES[model]
