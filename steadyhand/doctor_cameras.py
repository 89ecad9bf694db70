"""What `doctor` finds out about each camera of the settings."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from robot.clock import WallClock
from robot.errors import BadInputError, DeviceError
from steadyhand.camera_settings import CameraSettings
from steadyhand.findings import Chapter, Level
from steadyhand.settings import Settings
from steadyhand.table_cameras import TableCamera, cautions, table_cameras

_PICTURES, _OLD_DAYS, _DAY_S = 15, 180, 86_400.0
_SLOW = 0.8  # of the rate that was asked for
_STEP_S = 1e-6
_DARK, _BRIGHT = 25.0, 230.0  # mean grey levels
_GUIDE = "see docs/cameras.md"


def camera_chapters(settings: Settings, folder: Path) -> Iterator[Chapter]:
    """Take pictures with every camera of the settings."""
    for name, camera in settings.cameras.items():
        chapter = Chapter(f"camera {name}", camera.device)
        alone = settings.model_copy(update={"cameras": {name: camera}})
        try:
            [live] = table_cameras(alone, WallClock(), folder)
            with live:
                rate_hz, grey = _watch(live)
            _judge(chapter, camera, rate_hz, grey)
            _age(chapter, folder / camera.calibration)
            for caution in cautions(alone):
                chapter.told(Level.NOTE, caution, "")
        except BadInputError as error:
            chapter.told(Level.WRONG, error, _GUIDE)
        except DeviceError as error:
            chapter.told(Level.FAULT, error, _GUIDE)
        yield chapter


def _watch(camera: TableCamera) -> tuple[float, float]:
    """Pictures a second, and their mean brightness."""
    frames = [camera.capture()]
    for _ in range(_PICTURES):
        frames.append(camera.capture_since(frames[-1].t_s + _STEP_S))
    apart_s = float(np.median(np.diff([frame.t_s for frame in frames])))
    return 1.0 / max(apart_s, _STEP_S), float(frames[-1].image.mean())


def _judge(chapter: Chapter, settings: CameraSettings, rate_hz: float, grey: float) -> None:
    chapter.measured |= {"rate_hz": round(rate_hz, 1), "mean_grey": round(grey, 1)}
    if settings.fps is not None and rate_hz < _SLOW * settings.fps:
        chapter.wrong(
            f"{rate_hz:.1f} pictures a second, asked for were {settings.fps:g}",
            "shorten exposure_ms, give the camera a USB port of its own, or ask for fewer",
        )
    else:
        chapter.well(f"{rate_hz:.1f} pictures a second")
    if not _DARK <= grey <= _BRIGHT:
        chapter.wrong(
            f"its pictures have a mean grey level of {grey:.0f}, wanted are {_DARK:.0f} to {_BRIGHT:.0f}",
            "take its cap off, change the light, or set exposure_ms and gain anew",
        )


def _age(chapter: Chapter, path: Path) -> None:
    days = int((time.time() - path.stat().st_mtime) / _DAY_S)
    chapter.measured["calibration_age_days"] = days
    if days > _OLD_DAYS:
        chapter.note(
            f"its calibration {path} is {days} days old",
            "`steadyhand calibrate pose` tells whether it still holds",
        )
