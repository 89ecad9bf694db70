"""Whether a camera still stands where it stood: what is fixed around the tower must be found where it was.

Corners in the picture (the mat's prints, the table, what stands behind) are followed from one picture to the next, and
one shift, turn and scale is fitted to most of them. What a person or the arm moved meanwhile disagrees and is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import Bools
from perception.markers import Markers, camera_pose
from perception.views import View
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array, apply

# Simulated lenses show 0.3 mm at 0.8 m so; a neighbour's motion counts from 0.5 mm.
MOST_SHIFT_PX = 0.5
MOST_MARKER_PX = 4.0  # a pose by markers is good to a millimetre or two
LEAST_CORNERS = 12
LEAST_SHARE = 0.4  # of the corners that must agree; fewer: moved far, or hidden
_CORNERS, _QUALITY, _APART_PX, _BLOCK_PX = 2000, 0.05, 8, 5
_CELL_PX, _A_CELL = 100, 8  # of all corners in a square only the clearest
_WINDOW_PX, _HALVINGS = 21, 4  # of following: bridges some 40 px
_FIT_PX = 1.0  # what is farther from the fit moved by itself
# A sensor's noise is blurred away over so many pixels, light is taken out over so many.
_GRAIN_PX, _LOCAL_PX = 1.0, 8.0
_GAIN = 2.0
_CLEAR_LEVELS = 3.0  # of detail; a corner with less may be noise
# Left out: half a width about the tower's axis, and so far above its top.
_WIDE_M, _ABOVE_M = 0.075, 0.06


@dataclass(frozen=True)
class CameraShift:
    """How a picture's fixed surroundings lie against an earlier one.

    Attributes:
        px: Root mean square shift of the corners that agree.
        turn_rad: Turn in the picture, clockwise.
        scale: Size against before.
        corners: How many corners were looked for.
        share: Share of them that agree.
    """

    px: float
    turn_rad: float
    scale: float
    corners: int
    share: float


def around_tower(camera: CameraModel, T_world_tower: Array, top_m: float) -> Bools:
    """Pixels (rows, columns) that show nothing of a tower and what is done to it.

    Args:
        camera: Whose picture it is.
        T_world_tower: Pose (4, 4) of the tower's base.
        top_m: Height of the tower's top above its base.
    """
    square = np.array([[x, y] for x in (-_WIDE_M, _WIDE_M) for y in (-_WIDE_M, _WIDE_M)])
    corners = np.array([[x, y, z] for x, y in square for z in (0.0, top_m + _ABOVE_M)])
    px = camera.project(apply(T_world_tower, corners))
    width, height = camera.size_px
    left_out = np.zeros((height, width), np.uint8)
    hull = cv2.convexHull(px.round().astype(np.int32))
    cv2.fillConvexPoly(left_out, hull, 1)
    return np.asarray(left_out == 0)


def camera_shift(before: Array, after: Array, fixed: Bools) -> CameraShift:
    """How far a camera's picture has shifted.

    Args:
        before: Brightness (rows, columns), 0 to 255.
        after: The same of a later picture.
        fixed: Pixels (rows, columns) of the earlier picture that may show what stands still.
    """
    detail = _detail(before)
    first, second = _drawn(detail), _drawn(_detail(after))
    clear = np.sqrt(cv2.GaussianBlur(detail * detail, (0, 0), _LOCAL_PX)) > _CLEAR_LEVELS
    was = _corners(first, fixed & clear)
    if not len(was):
        return CameraShift(0.0, 0.0, 1.0, 0, 0.0)
    window = (_WINDOW_PX, _WINDOW_PX)
    now, found, _ = cv2.calcOpticalFlowPyrLK(
        first, second, was, was.copy(), winSize=window, maxLevel=_HALVINGS
    )
    good = np.asarray(found.ravel() == 1)
    return _fitted(was[good, 0].astype(np.float64), now[good, 0].astype(np.float64), len(was))


def _corners(picture: cv2.typing.MatLike, fixed: Bools) -> cv2.typing.MatLike:
    """The clearest corners (n, 1, 2) everywhere: a thing with a strong pattern has no majority by that alone."""
    mask = fixed.astype(np.uint8)
    found: object = cv2.goodFeaturesToTrack(
        picture, _CORNERS, _QUALITY, _APART_PX, mask=mask, blockSize=_BLOCK_PX
    )
    if found is None:  # which OpenCV's types do not tell
        return np.zeros((0, 1, 2), np.float32)
    corners = np.asarray(found, dtype=np.float32)
    taken, kept = Counter[tuple[int, int]](), list[int]()
    for k, (x, y) in enumerate(corners[:, 0] // _CELL_PX):
        taken[x, y] += 1
        if taken[x, y] <= _A_CELL:
            kept.append(k)
    return corners[kept]


def _detail(grey: Array) -> Array:
    """Fine detail (rows, columns) of a picture [grey levels], in which brighter or dimmer light is hardly seen."""
    picture = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), _GRAIN_PX)
    return np.asarray(picture - cv2.GaussianBlur(picture, (0, 0), _LOCAL_PX))


def _drawn(detail: Array) -> cv2.typing.MatLike:
    """Detail as an 8 bit picture."""
    return np.asarray((128 + _GAIN * detail).clip(0, 255).astype(np.uint8))


def _fitted(was: Array, now: Array, n: int) -> CameraShift:
    """The shift that most of the corners (k, 2) that were followed agree on; `n` were looked for."""
    M, agree = (None, None) if len(was) < 3 else _similarity(was, now)
    if M is None or agree is None:
        return CameraShift(0.0, 0.0, 1.0, n, 0.0)
    p = was[agree.ravel() == 1]
    off = p @ M[:, :2].T + M[:, 2] - p
    rms = float(np.sqrt((off**2).sum(axis=1).mean()))
    turn, scale = float(np.arctan2(M[1, 0], M[0, 0])), float(np.hypot(M[0, 0], M[1, 0]))
    return CameraShift(rms, turn, scale, n, len(p) / n)


def _similarity(was: Array, now: Array) -> tuple[Array | None, Array | None]:
    """Shift, turn and scale (2, 3), and which points (k, 1) agree with it; None where nothing fits."""
    return cv2.estimateAffinePartial2D(was, now, method=cv2.RANSAC, ransacReprojThreshold=_FIT_PX)  # type: ignore[return-value]


def check_same_place(
    before: View, after: View, fixed: Bools, allowed_px: float = MOST_SHIFT_PX
) -> CameraShift:
    """Make sure that a camera was not moved between two of its pictures.

    Args:
        before: The earlier picture.
        after: The later one.
        fixed: Pixels (rows, columns) of the earlier one that may show what stands still (see `around_tower`).
        allowed_px: The largest shift that does not count.

    Raises:
        PerceptionError: It was moved, or its surroundings are not found again, reason `camera-moved`; or they show too
            little to be found again, reason `no-contrast`.
    """
    shift, name = camera_shift(before.grey, after.grey, fixed), before.camera.name
    if shift.corners < LEAST_CORNERS:
        raise PerceptionError(
            f"camera {name!r}: only {shift.corners} corners around the tower could show whether it is moved, at least "
            f"{LEAST_CORNERS} are needed: lay the marker mat into its view, or something with a pattern that stays",
            reason="no-contrast",
        )
    if shift.share < LEAST_SHARE:
        raise PerceptionError(
            f"camera {name!r}: only {shift.share:.0%} of what stood around the tower is found again, at least "
            f"{LEAST_SHARE:.0%} must be: it was moved far, or something stands in front of it; clear its view, and if "
            "it was moved calibrate it again",
            reason="camera-moved",
        )
    if shift.px > allowed_px:
        raise PerceptionError(
            f"camera {name!r} was moved: its picture has shifted by {shift.px:.1f} px (turned by "
            f"{np.degrees(shift.turn_rad):.2f} degrees, scaled by {shift.scale:.4f}), allowed are {allowed_px:g} px: "
            "fix it so that it cannot move and calibrate it again",
            reason="camera-moved",
        )
    return shift


def check_by_markers(
    view: View, markers: Markers, p_world_m: Array, allowed_px: float = MOST_MARKER_PX
) -> float:
    """Make sure that a camera stands where its calibration says, by printed markers.

    Args:
        view: A picture, with the camera as calibrated.
        markers: What is printed where.
        p_world_m: Points (n, 3) that matter, the tower's corners, say.
        allowed_px: How far apart calibration and markers may show them.

    Returns:
        How far apart they show them at most [px].

    Raises:
        PerceptionError: Farther, or no marker is seen, reason `camera-moved`; or in a mirror, reason `mirrored`.
        BadInputError: There are no such markers.
    """
    camera = view.camera
    T = camera_pose(view.grey, camera.K, camera.distortion, markers).T_world_camera
    seen = CameraModel(camera.name, camera.size_px, camera.K, T, camera.distortion)
    off_px = float(np.linalg.norm(seen.project(p_world_m) - camera.project(p_world_m), axis=-1).max())
    if not off_px <= allowed_px:
        off_mm = 1e3 * float(np.linalg.norm(T[:3, 3] - camera.position_m()))
        raise PerceptionError(
            f"camera {camera.name!r} does not stand where its calibration says: by the markers the tower would be seen "
            f"{off_px:.1f} px away and the camera stands {off_mm:.0f} mm aside, allowed are {allowed_px:g} px: lay the "
            "mat where it was, or calibrate the camera again",
            reason="camera-moved",
        )
    return off_px
