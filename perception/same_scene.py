"""Whether cameras and light are as they were when a match began: what was calibrated then must still hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perception.background import around_tower, check_same_place
from perception.exposure import drift_fault, exposure_drift
from perception.views import View, views_of
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame

_NO_CONTRAST = "no-contrast"


class SameScene:
    """Compares pictures without an arm in front with the first ones.

    Args:
        cameras: Calibration by camera name.
        T_world_tower: Where the tower stands (4, 4).
        height_m: How high it is, or will be.
    """

    def __init__(self, cameras: Mapping[str, CameraModel], T_world_tower: Array, height_m: float) -> None:
        self._cameras = cameras
        self._fixed = {
            name: around_tower(camera, T_world_tower, height_m) for name, camera in cameras.items()
        }
        self._first: dict[str, View] = {}

    def check(self, frames: Sequence[Frame]) -> None:
        """Make sure that no camera was moved; nothing is known of one that has not been seen yet.

        Raises:
            PerceptionError: One was, reason `camera-moved`.
        """
        for name, view in self._views(frames).items():
            if name in self._first:
                self._check(view)

    def _check(self, view: View) -> None:
        try:
            check_same_place(self._first[view.camera.name], view, self._fixed[view.camera.name])
        except PerceptionError as error:
            if error.reason != _NO_CONTRAST:  # a bare table cannot tell, and need not be wrong
                raise

    def cautions(self, frames: Sequence[Frame]) -> list[str]:
        """What has become of the light, a line for each camera where it is no longer as it was.

        The first pictures are remembered; the light that is told of is what later ones are compared with.
        """
        said = []
        for name, view in self._views(frames).items():
            first = self._first.setdefault(name, view)
            fault = drift_fault(exposure_drift(first.image, view.image, self._fixed[name]), name)
            if fault is not None:
                said.append(fault)
                self._first[name] = view
        return said

    def _views(self, frames: Sequence[Frame]) -> dict[str, View]:
        return {view.camera.name: view for view in views_of(frames, self._cameras)}
