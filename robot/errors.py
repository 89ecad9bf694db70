"""Every error of this project, under one base class.

An error message says what failed, on which thing, the value received, what is allowed and what to do next.
Standard library only: the rules of the game import this module.
"""

from __future__ import annotations


class SteadyhandError(Exception):
    """Base of all errors that this project raises on purpose."""


class BadInputError(SteadyhandError):
    """Something that a person handed in cannot be used (exit 2)."""


class SettingsError(BadInputError):
    """A settings file or option is wrong."""


class DeviceError(SteadyhandError):
    """A device or the safety of the arm is at fault (exit 3)."""


class LimitError(DeviceError):
    """A command outside the limits was refused; nothing was sent."""


class MotionError(SteadyhandError):
    """A motion cannot be planned: out of reach, or it would collide."""


class StoppedError(SteadyhandError):
    """A person asked for a stop; the arm stands still."""


class PerceptionError(SteadyhandError):
    """A picture cannot be read.

    Attributes:
        reason: One word for scripts: no-tower, cut-by-frame, not-standing, too-dark, too-blurred, too-small,
            no-contrast, camera-moved, wrong-resolution, twisted, mirrored or unreadable-file.
    """

    def __init__(self, message: str, reason: str = "no-tower") -> None:
        super().__init__(message)
        self.reason = reason
