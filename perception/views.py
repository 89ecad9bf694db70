"""One picture made ready to be read: brightness, colour, and reasons why it cannot be read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame, Image

DARK_LEVEL = 12.0
FLAT_LEVELS = 4.0
DARKEST = 6.0  # added to levels before their logarithm, so that noise in the dark is no colour

Singles = npt.NDArray[np.float32]
Window = tuple[int, int, int, int]  # left, top, right, bottom [px]


@dataclass(frozen=True)
class View:
    """A picture and its camera.

    Attributes:
        image: The picture (rows, columns, 3), BGR.
        grey: Brightness (rows, columns), 0 to 255.
        made: What was made of the picture so far, so that nothing is made twice.
    """

    camera: CameraModel
    image: Image
    grey: Array
    made: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def straight(self) -> Singles:
        """Brightness (rows, columns) as a lens without distortion would show it."""
        grey, K = self.grey.astype(np.float32), self.camera.K
        if not np.any(self.camera.distortion):
            return grey
        return np.asarray(cv2.undistort(grey, K, self.camera.distortion), dtype=np.float32)

    def chroma(self) -> Array:
        """Two colour ratios (rows, columns, 2) that do not change with brightness: log red/green, log green/blue."""
        logs = cv2.log(cv2.blur(self.image, (3, 3)).astype(np.float32) + DARKEST)
        return np.stack([logs[..., 2] - logs[..., 1], logs[..., 1] - logs[..., 0]], axis=-1)

    def cropped(self, window: Window) -> View:
        """The part of the picture in a window, with a camera that fits it."""
        left, top, right, bottom = window
        camera = self.camera
        K = camera.K - np.array([[0.0, 0.0, left], [0.0, 0.0, top], [0.0, 0.0, 0.0]])
        part = CameraModel(
            camera.name, (right - left, bottom - top), K, camera.T_world_camera, camera.distortion
        )
        rows, columns = slice(top, bottom), slice(left, right)
        image = np.ascontiguousarray(self.image[rows, columns])
        return View(part, image, np.ascontiguousarray(self.grey[rows, columns]))


def views_of(frames: Sequence[Frame], cameras: Mapping[str, CameraModel]) -> list[View]:
    """Every frame with its camera.

    Raises:
        PerceptionError: No frame, a camera without calibration, or a picture that cannot be read; the reason says why.
    """
    if not frames:
        raise PerceptionError("no pictures were given: at least one is needed", reason="no-tower")
    return [_view(frame, cameras) for frame in frames]


def _view(frame: Frame, cameras: Mapping[str, CameraModel]) -> View:
    if frame.camera not in cameras:
        known = ", ".join(sorted(cameras)) or "none"
        raise PerceptionError(
            f"camera {frame.camera!r} has no calibration; calibrated cameras: {known}; calibrate it or leave its "
            "pictures out",
            reason="camera-moved",
        )
    camera = cameras[frame.camera]
    _check_shape(frame, camera)
    grey = cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY).astype(np.float64)
    _check_light(frame, grey)
    return View(camera, frame.image, grey)


def _check_shape(frame: Frame, camera: CameraModel) -> None:
    width, height = camera.size_px
    if frame.image.shape != (height, width, 3) or frame.image.dtype != np.uint8:
        raise PerceptionError(
            f"picture of camera {frame.camera!r} is {frame.image.shape} {frame.image.dtype}, its calibration is for "
            f"({height}, {width}, 3) uint8: set the camera to that size or calibrate it again",
            reason="wrong-resolution",
        )


def _check_light(frame: Frame, grey: Array) -> None:
    low, high = np.percentile(grey[::4, ::4], [5, 95])
    if high < DARK_LEVEL:
        raise PerceptionError(
            f"picture of camera {frame.camera!r} is too dark: 95 % of it lies below {high:.0f} of 255; switch the "
            "light on or lengthen the exposure",
            reason="too-dark",
        )
    if high - low < FLAT_LEVELS:
        raise PerceptionError(
            f"picture of camera {frame.camera!r} shows nothing: its brightness spans {high - low:.0f} of 255 levels; "
            "take the cover off the lens or shorten the exposure",
            reason="no-contrast",
        )
