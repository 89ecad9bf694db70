"""Pictures taken now, by the cameras of the settings, kept with their camera files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from robot.clock import WallClock
from robot.errors import BadInputError, SettingsError
from robot.ports import Frame
from steadyhand.files import need_place, write_whole
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from steadyhand.table_cameras import cautions, table_cameras


def take(settings_file: Path | None, folder: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Take a picture with every camera of the settings, all from one moment on.

    Args:
        settings_file: With a section `[cameras.NAME]` each.
        folder: Where to keep NAME.png and NAME.camera.json; made if it is not there.

    Returns:
        The pictures and their camera files, in the settings' order.

    Raises:
        BadInputError: The settings have no camera, or a file cannot be read or written.
        DeviceError: A camera takes no picture.
    """
    settings = load_settings(settings_file)
    if not settings.cameras:
        raise SettingsError(
            f"settings {settings_file or '(defaults)'}: no camera is named, one at least must be: add a section "
            "[cameras.NAME] with device and calibration, as `steadyhand settings --example` shows"
        )
    base = Path() if settings_file is None else settings_file.parent
    pictures, files = _places(settings, folder)
    frames = _frames(settings, base)
    for caution in cautions(settings):
        sys.stderr.write(f"{caution}\n")
    for path, frame in zip(pictures, frames, strict=True):
        write_whole(path, _png(frame))
    for path, camera in zip(files, settings.cameras.values(), strict=True):
        write_whole(path, (base / camera.calibration).read_bytes())
    return pictures, files


def _places(settings: Settings, folder: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Where pictures and camera files will be, refused before any camera is opened."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(
            f"{folder}: no folder can be made there: {error.strerror}; name another"
        ) from None
    pictures = tuple(folder / f"{name}.png" for name in settings.cameras)
    files = tuple(
        folder / f"{name}.camera{Path(camera.calibration).suffix}"
        for name, camera in settings.cameras.items()
    )
    for path in (*pictures, *files):
        need_place(path)
    return pictures, files


def _frames(settings: Settings, base: Path) -> Sequence[Frame]:
    clock = WallClock()
    with ExitStack() as opened:
        cameras = [opened.enter_context(camera) for camera in table_cameras(settings, clock, base)]
        now_s = clock.now_s()
        return [camera.capture_since(now_s) for camera in cameras]


def _png(frame: Frame) -> bytes:
    import cv2

    return cv2.imencode(".png", frame.image)[1].tobytes()
