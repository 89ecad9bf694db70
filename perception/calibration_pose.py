"""Where a camera stands, by the marker mat, and how well that is known: each marker is left out once and foretold.

A marker's place in a picture is the crossing of its diagonals. Its corners are seen inside the true ones where prints
are bright, its middle is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perception.calibration_camera import Lens
from perception.calibration_checks import Refusal
from perception.markers import Markers, camera_pose, marker_corners
from robot.camera_model import CameraModel
from robot.frames import Array

_FEWEST = 4  # markers: one left out is foretold by three, two would tell too little


@dataclass(frozen=True)
class PoseCalibration:
    """The outcome.

    Attributes:
        T_world_camera: Pose (4, 4), or None where the camera could not be placed.
        held_out_mm: How far every marker's middle is from where a camera placed by the others has it, across the line
            of sight, by number.
        refusal: Why the pose is not to be used, or None.
    """

    T_world_camera: Array | None
    held_out_mm: dict[int, float]
    refusal: Refusal | None


def calibrate_pose(grey: Array, lens: Lens, markers: Markers, most_mm: float = 1.0) -> PoseCalibration:
    """A camera's pose from a picture of printed markers.

    Args:
        grey: The picture's brightness (rows, columns), 0 to 255.
        lens: The camera's.
        markers: What is printed where.
        most_mm: Held-out error [mm] of any marker beyond which the pose is refused.

    Raises:
        BadInputError: OpenCV does not know the markers.
        PerceptionError: No marker is seen as the sheet says, or the picture is mirrored.
    """
    placed = camera_pose(grey, lens.K, lens.distortion, markers)
    middles = {n: _crossing(c) for n, c in marker_corners(grey, markers).items()}
    if len(middles) < _FEWEST:
        return PoseCalibration(placed.T_world_camera, {}, _too_few(middles, markers))
    off_mm = {n: _left_out_mm(n, px, grey, lens, markers) for n, px in middles.items()}
    return PoseCalibration(placed.T_world_camera, off_mm, _inexact(off_mm, most_mm))


def _crossing(corners: Array) -> Array:
    """Where the diagonals (2,) of a square (4, 2) cross."""
    a, b, c, d = (np.array([*corner, 1.0]) for corner in corners)
    x, y, w = np.cross(np.cross(a, c), np.cross(b, d))
    return np.array([x / w, y / w])


def _left_out_mm(number: int, px: Array, grey: Array, lens: Lens, markers: Markers) -> float:
    """How far a marker's middle is from where a camera placed by the others has it."""
    others = {n: corners for n, corners in markers.corners_world_m.items() if n != number}
    placed = camera_pose(grey, lens.K, lens.distortion, Markers(markers.dictionary, others))
    model = CameraModel("placed", lens.size_px, lens.K, placed.T_world_camera, lens.distortion)
    middle = markers.corners_world_m[number].mean(axis=0)
    off_px = float(np.linalg.norm(model.project(middle) - px))
    return off_px * float(model.depth_m(middle)) / float(lens.K[0, 0]) * 1e3


def _too_few(middles: dict[int, Array], markers: Markers) -> Refusal:
    found = ", ".join(map(str, sorted(middles))) or "none"
    return Refusal(
        "too-few",
        f"of the markers {', '.join(map(str, sorted(markers.corners_world_m)))} only {found} is seen clearly; at least "
        f"{_FEWEST} must be, so that each can be left out once: take everything off the mat, put more light on it",
    )


def _inexact(off_mm: dict[int, float], most_mm: float) -> Refusal | None:
    number, worst_mm = max(off_mm.items(), key=lambda item: item[1])
    if worst_mm <= most_mm:
        return None
    return Refusal(
        "held-out",
        f"marker {number} is {worst_mm:.2f} mm from where the others place it, allowed are {most_mm:g} mm: lay the mat "
        "flat, measure its markers and rulers, and check that the lens was calibrated at this focus and resolution",
    )
