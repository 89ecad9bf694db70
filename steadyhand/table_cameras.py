"""The cameras on the table, made from their settings. Nothing is opened before `connect`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from robot.camera_model import CameraModel
from robot.errors import SettingsError
from robot.ports import Camera, Clock, Frame
from steadyhand.camera_file import read_camera_file
from steadyhand.camera_settings import CameraSettings
from steadyhand.settings import Settings

if TYPE_CHECKING:
    from hardware.camera_controls import Locks


class TableCamera(Camera, AbstractContextManager["TableCamera"], Protocol):
    """A camera that is connected by entering it."""

    def capture_since(self, t_s: float) -> Frame:
        """A picture exposed at or after `t_s`.

        Raises:
            DeviceError: None came in time.
        """
        ...


def table_cameras(settings: Settings, clock: Clock, folder: Path = Path()) -> list[TableCamera]:
    """All cameras of the settings, in their order there.

    Args:
        settings: With a section `[cameras.NAME]` each.
        clock: The machine's own, by which drivers stamp pictures.
        folder: Where the settings file lies; calibrations are looked for from there.

    Raises:
        BadInputError: A calibration cannot be used, or does not say where its camera stands.
    """
    return [_camera(name, camera, clock, folder) for name, camera in settings.cameras.items()]


def cautions(settings: Settings) -> Iterator[str]:
    """What may go wrong later with the cameras of the settings, though they work now.

    Raises:
        DeviceError: A device is not there.
    """
    from hardware.device_names import Kind, device_named

    for name, camera in settings.cameras.items():
        if is_linked(camera):
            continue
        device = device_named(camera.device)
        if device.kind is not Kind.CAMERA:
            continue
        if not device.stable:
            yield _unstable(name, camera)
        if free := _locks(camera).left_free():
            left = f"{', '.join(free)} left to the device, so that its pictures may drift"
            yield f"camera {name!r}: {left}; hold them fast in the settings"


def _unstable(name: str, camera: CameraSettings) -> str:
    from hardware.device_names import cameras_there

    stable = ", ".join(cameras_there()) or "none is listed under /dev/v4l now"
    later = "may be another camera after the next start"
    return f"camera {name!r}: device {camera.device!r} {later}; stable names: {stable}"


def _locks(settings: CameraSettings) -> Locks:
    from hardware.camera_controls import Locks

    exposure_s = None if settings.exposure_ms is None else settings.exposure_ms * 1e-3
    return Locks(exposure_s, settings.gain, settings.focus, settings.white_balance_k)


def is_linked(settings: CameraSettings) -> bool:
    """Whether the device is a folder, into which `emulate` draws."""
    return Path(settings.device).is_dir()


def _camera(name: str, settings: CameraSettings, clock: Clock, folder: Path) -> TableCamera:
    model = _model(name, folder / settings.calibration)
    return (_linked if is_linked(settings) else _live)(model, settings, clock)


def _linked(model: CameraModel, settings: CameraSettings, clock: Clock) -> TableCamera:
    from hardware.linked_camera import LinkedCamera

    asked = settings.model_dump(exclude_none=True, exclude={"device", "calibration", "delay_ms"})
    if asked:
        raise SettingsError(
            f"cameras.{model.name}: {', '.join(asked)}: device {settings.device!r} is a folder that `emulate` draws "
            "into, and nothing of it can be set: leave that out"
        )
    return LinkedCamera(model, Path(settings.device), clock)


def _live(model: CameraModel, settings: CameraSettings, clock: Clock) -> TableCamera:
    from hardware.camera import LiveCamera
    from hardware.opencv_video import VideoSource, open_video
    from hardware.video import Patience

    source = VideoSource(settings.device, model.size_px, settings.fps, _locks(settings))
    patience = Patience(delay_s=settings.delay_ms * 1e-3)
    return LiveCamera(model, lambda: open_video(source, clock), clock, patience)


def _model(name: str, path: Path) -> CameraModel:
    file = read_camera_file(path)
    if file.T_world_camera is None:
        raise SettingsError(
            f"cameras.{name}.calibration = {path}: T_world_camera is null, so that nobody knows where the camera "
            "stands: a camera that plays needs its pose; calibrate it"
        )
    return CameraModel(name, file.size_px, file.K, file.T_world_camera, file.distortion)
