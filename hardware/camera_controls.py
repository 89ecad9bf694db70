"""Exposure, gain, focus and white balance held fast: set, read back, and told when a device ignores them.

Values are those of the Video4Linux controls: exposure in steps of 0.1 ms, gain and focus in the device's own steps,
white balance in kelvin. The automatic must be switched off before a value is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import cv2

from robot.errors import DeviceError

_EXPOSURE_STEP_S = 1e-4
_MANUAL_EXPOSURE = 1.0  # Video4Linux: 1 manual, 3 by the camera
_NEAR = 0.05  # devices round to their own steps: so much, or one step, is no disobedience
_NO_CONTROL = -1.0  # what OpenCV reads of a control that is not there


class Properties(Protocol):
    """What OpenCV's VideoCapture offers."""

    def get(self, prop: int, /) -> float:
        """The value of a property, -1 where there is none."""
        ...

    def set(self, prop: int, value: float, /) -> bool:
        """Whether the device took the value."""
        ...


@dataclass(frozen=True)
class Locks:
    """What to hold fast; None leaves it to the device.

    Attributes:
        exposure_s: Time of exposure.
        gain: In the device's own steps.
        focus: In the device's own steps.
        white_balance_k: Colour temperature of the light.
    """

    exposure_s: float | None = None
    gain: float | None = None
    focus: float | None = None
    white_balance_k: float | None = None

    def left_free(self) -> list[str]:
        """What the device may still change by itself."""
        told = {
            "exposure": self.exposure_s,
            "gain": self.gain,
            "focus": self.focus,
            "white balance": self.white_balance_k,
        }
        return [name for name, value in told.items() if value is None]


@dataclass(frozen=True)
class _Setting:
    what: str
    prop: int
    value: float
    exact: bool = False  # a switch; other values are rounded to the device's steps


def lock(properties: Properties, locks: Locks) -> None:
    """Set all that is to be held fast, then read all of it back.

    Raises:
        DeviceError: The device ignores some of it; the message names every one with both values.
    """
    settings = list(_settings(locks))
    for setting in settings:
        properties.set(setting.prop, setting.value)
    faults = [fault for setting in settings if (fault := _fault(properties, setting))]
    if faults:
        raise DeviceError(
            f"it ignores what it was set to: {'; '.join(faults)}. Give a value that it takes (`v4l2-ctl --list-ctrls` "
            "shows them), leave that key out if the device has nothing to set, or use a camera that can be locked"
        )


def _settings(locks: Locks) -> Iterator[_Setting]:
    """In an order that devices accept: each automatic off before its value."""
    if locks.exposure_s is not None:
        yield _Setting("exposure by hand", cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL_EXPOSURE, exact=True)
        yield _Setting("exposure [0.1 ms]", cv2.CAP_PROP_EXPOSURE, round(locks.exposure_s / _EXPOSURE_STEP_S))
    if locks.gain is not None:
        yield _Setting("gain", cv2.CAP_PROP_GAIN, locks.gain)
    if locks.focus is not None:
        yield _Setting("autofocus off", cv2.CAP_PROP_AUTOFOCUS, 0.0, exact=True)
        yield _Setting("focus", cv2.CAP_PROP_FOCUS, locks.focus)
    if locks.white_balance_k is not None:
        yield _Setting("automatic white balance off", cv2.CAP_PROP_AUTO_WB, 0.0, exact=True)
        yield _Setting("white balance [K]", cv2.CAP_PROP_WB_TEMPERATURE, locks.white_balance_k)


def _fault(properties: Properties, setting: _Setting) -> str | None:
    got = properties.get(setting.prop)
    if got == _NO_CONTROL:
        return f"{setting.what}: {setting.value:g} asked, the device has no such control"
    allowed = 0.0 if setting.exact else max(1.0, _NEAR * abs(setting.value))
    if abs(got - setting.value) > allowed:
        return f"{setting.what}: {setting.value:g} asked, {got:g} read back"
    return None
