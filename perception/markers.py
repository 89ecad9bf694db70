"""Where a camera stands, by the printed markers that it sees.

Some markers are found by OpenCV's detector; then the whole sheet as printed is laid over the picture and moved until
black and white agree best. That finds those that the detector missed, small, blurred or seen at a flat angle, and does
not mind that corners of bright prints are seen a pixel inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import NoReturn

import cv2
import numpy as np
from scipy.optimize import minimize

from robot.errors import BadInputError, PerceptionError
from robot.frames import Array, inverse, pose

_PER_CELL = 3  # sampling points along a cell of a marker
_WINDOWS_PX = (5, 53, 12)  # of the detector's thresholds, from, to, step
# What the detector tries as a marker: perimeter against the picture's longer side, and how far sides may be from
# straight, against the perimeter.
_SMALLEST, _BENT = 0.015, 0.05
_CORNER_PX = 3  # half of the window in which the detector refines a corner
_ENLARGED = 2.0  # where no marker is found, once more in a picture so much larger
# The picture's blur, to end with; and those to come down by from a start that may be some pixels off.
_SHARP_PX, _BLURS_PX = 1.0, (8.0, 4.0, 2.0, 1.0)
_NEAR_MARKERS = 3  # so many found tell the pose well enough to begin near
_TURN_DEG, _SHIFT_M = 0.12, 0.0006  # first steps, a pixel of blur
_LEAST_CONTRAST = 8.0  # grey levels; what deviates less counts less
_AGREES = 0.6  # correlation at which a marker counts as seen
# The search ends after so many poses, or when steps [deg, m] and gains are this small.
_TRIES, _CLOSE, _ALIKE = 600, 2e-5, 1e-5


@dataclass(frozen=True)
class Markers:
    """Printed markers whose places are known.

    Attributes:
        dictionary: OpenCV's name of their dictionary.
        corners_world_m: Corners (4, 3) of each, by number: its top left one, then clockwise as printed.
    """

    dictionary: str
    corners_world_m: Mapping[int, Array]


@dataclass(frozen=True)
class CameraSeen:
    """A camera's pose and how it is known.

    Attributes:
        T_world_camera: Pose (4, 4).
        seen: Correlation of every marker that agrees, by number. If it is one alone, the pose may be one as if that
            marker were tilted the other way: seen small, both look alike.
    """

    T_world_camera: Array
    seen: dict[int, float]


def camera_pose(grey: Array, K: Array, distortion: Array, markers: Markers) -> CameraSeen:
    """Where the camera of a picture stands.

    Args:
        grey: The picture's brightness (rows, columns), 0 to 255.
        K: Intrinsics (3, 3).
        distortion: k1, k2, p1, p2, k3.
        markers: What is printed where.

    Raises:
        BadInputError: OpenCV knows no such dictionary, or it has no marker of some number.
        PerceptionError: No marker is seen, reason `camera-moved`, or they are seen in a mirror, reason `mirrored`.
    """
    dictionary = _dictionary(markers)
    found = _detected(grey, dictionary, markers)
    if not found:
        _refuse(grey, dictionary, markers)
    sheet = _Sheet.of(markers, dictionary, K, distortion)
    T = _by_corners(found, markers, K, distortion)
    for blur_px in (_SHARP_PX,) if len(found) >= _NEAR_MARKERS else _BLURS_PX:
        T = _moved(sheet.over(grey, blur_px), T, sheet.middle, blur_px)
    agree = sheet.over(grey, _SHARP_PX)(T)
    seen = {number: float(a) for number, a in zip(markers.corners_world_m, agree, strict=True) if a > _AGREES}
    T_world_camera = inverse(T)
    if not seen or not _in_front(T_world_camera, markers):
        _lost(markers)
    return CameraSeen(T_world_camera, seen)


def marker_corners(grey: Array, markers: Markers) -> dict[int, Array]:
    """Corners (4, 2) [px] of those markers that OpenCV's detector finds, by number."""
    return _detected(grey, _dictionary(markers), markers)


def _in_front(T_world_camera: Array, markers: Markers) -> bool:
    """Whether a camera stands on the side of the sheet that is printed; corners told anticlockwise put it behind."""
    corners = next(iter(markers.corners_world_m.values()))
    printed_side = np.cross(corners[1] - corners[0], corners[0] - corners[3])
    return bool(printed_side @ (T_world_camera[:3, 3] - corners[0]) > 0)


def _lost(markers: Markers) -> NoReturn:
    raise PerceptionError(
        f"markers are seen, but none lies as the sheet says ({', '.join(map(str, sorted(markers.corners_world_m)))}): "
        "measure the sheet and correct the camera file (corners run clockwise as printed), or lay the sheet flat",
        reason="camera-moved",
    )


def _dictionary(markers: Markers) -> cv2.aruco.Dictionary:
    """OpenCV's dictionary, if it has all these markers."""
    name = markers.dictionary
    constant = getattr(cv2.aruco, name, None)
    if not isinstance(constant, int) or not name.startswith("DICT_"):
        raise BadInputError(
            f"marker dictionary {name!r} is not known: use OpenCV's names, such as DICT_4X4_50"
        )
    dictionary = cv2.aruco.getPredefinedDictionary(constant)
    count = len(dictionary.bytesList)
    strange = [number for number in markers.corners_world_m if not 0 <= number < count]
    if strange:
        raise BadInputError(
            f"marker {strange[0]} is not in {name}, which has 0 to {count - 1}: correct its number or the dictionary"
        )
    return dictionary


def _detected(grey: Array, dictionary: cv2.aruco.Dictionary, markers: Markers) -> dict[int, Array]:
    """Corners (4, 2) [px] of known markers, by number; in an enlarged picture where there are none."""
    detector = cv2.aruco.ArucoDetector(dictionary, _parameters())
    for scale in (1.0, _ENLARGED):
        image: cv2.typing.MatLike = grey.astype(np.uint8)
        if scale != 1.0:
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        corners, numbers, _ = detector.detectMarkers(image)
        known = [] if numbers is None else [int(n) for n in numbers.ravel()]
        found = {
            n: (c.reshape(4, 2).astype(np.float64) + 0.5) / scale - 0.5
            for n, c in zip(known, corners, strict=True)
            if n in markers.corners_world_m
        }
        if found:
            return found
    return {}


def _parameters() -> cv2.aruco.DetectorParameters:
    """The detector's settings for small prints in uneven light."""
    parameters = cv2.aruco.DetectorParameters()
    low, high, step = _WINDOWS_PX
    parameters.adaptiveThreshWinSizeMin, parameters.adaptiveThreshWinSizeMax = low, high
    parameters.adaptiveThreshWinSizeStep = step
    parameters.minMarkerPerimeterRate, parameters.polygonalApproxAccuracyRate = _SMALLEST, _BENT
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = _CORNER_PX
    return parameters


def _refuse(grey: Array, dictionary: cv2.aruco.Dictionary, markers: Markers) -> NoReturn:
    """Say why no marker is found."""
    wanted = ", ".join(map(str, sorted(markers.corners_world_m)))
    if _detected(np.ascontiguousarray(grey[:, ::-1]), dictionary, markers):
        raise PerceptionError(
            "the markers are seen in a mirror: the picture is flipped; switch mirroring off in the camera and take it "
            "again",
            reason="mirrored",
        )
    raise PerceptionError(
        f"none of the markers {wanted} is seen, so that nobody knows where the camera stands: at least one must be; "
        "turn the camera to the sheet, or give T_world_camera",
        reason="camera-moved",
    )


def _by_corners(found: Mapping[int, Array], markers: Markers, K: Array, distortion: Array) -> Array:
    """`T_camera_world` (4, 4) from the corners that were found."""
    p_world_m = np.concatenate([markers.corners_world_m[n] for n in found])
    px = np.concatenate(list(found.values()))
    _, turn, shift = cv2.solvePnP(p_world_m, px, K, distortion, flags=cv2.SOLVEPNP_SQPNP)
    turn, shift = cv2.solvePnPRefineLM(p_world_m, px, K, distortion, turn, shift)
    return pose(cv2.Rodrigues(turn)[0], shift.ravel())


@lru_cache(maxsize=64)
def _printed(bits: bytes) -> tuple[Array, Array]:
    """Points (n, 2) of a marker and the white around it, in marker widths, and what is printed there, mean 0 (n,).

    `bits` are its cells row by row, border included, 0 where black.
    """
    side = isqrt(len(bits))
    cells = np.ones((side + 2, side + 2))
    cells[1:-1, 1:-1] = np.frombuffer(bits, np.uint8).reshape(side, side) > 0
    along = (np.arange(len(cells) * _PER_CELL) + 0.5) / _PER_CELL
    x, y = (a.ravel() for a in np.meshgrid(along, along))
    print_ = cells[y.astype(int), x.astype(int)]
    return np.stack([x - 1, y - 1], axis=1) / side, print_ - print_.mean()


@dataclass(frozen=True)
class _Sheet:
    """Points (m, n, 3) of all markers, and what is printed there (m, n)."""

    p_world_m: Array
    printed: Array
    K: Array
    distortion: Array

    @classmethod
    def of(cls, markers: Markers, dictionary: cv2.aruco.Dictionary, K: Array, distortion: Array) -> _Sheet:
        """What a lens is to see of markers."""
        points, printed = [], []
        for number, corners in markers.corners_world_m.items():
            bits = cv2.aruco.generateImageMarker(dictionary, number, dictionary.markerSize + 2).tobytes()
            uv, print_ = _printed(bits)
            right, down = corners[1] - corners[0], corners[3] - corners[0]
            points.append(corners[0] + uv[:, :1] * right + uv[:, 1:] * down)
            printed.append(print_ / np.linalg.norm(print_))
        return cls(np.array(points), np.array(printed), K, distortion)

    @property
    def middle(self) -> Array:
        """Of all markers (3,)."""
        return np.asarray(self.p_world_m.mean(axis=(0, 1)))

    def over(self, grey: Array, blur_px: float) -> Callable[[Array], Array]:
        """Correlation (m,) of each marker with a blurred picture, by `T_camera_world`."""
        picture = cv2.GaussianBlur(grey, (0, 0), blur_px).astype(np.float32)
        flat = self.p_world_m.reshape(-1, 3)

        def agreeing(T_camera_world: Array) -> Array:
            turn, shift = cv2.Rodrigues(T_camera_world[:3, :3])[0], T_camera_world[:3, 3]
            px = cv2.projectPoints(flat, turn, shift, self.K, self.distortion)[0].astype(np.float32)
            read = cv2.remap(
                picture, px[:, :, :1], px[:, :, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
            levels = read.reshape(self.printed.shape).astype(np.float64)
            levels -= levels.mean(axis=1, keepdims=True)
            faint = np.minimum(levels.std(axis=1) / _LEAST_CONTRAST, 1.0)
            return np.asarray(
                faint * (levels * self.printed).sum(axis=1) / (np.linalg.norm(levels, axis=1) + 1e-6)
            )

        return agreeing


def _agreement(agree: Array) -> float:
    """How well a sheet fits, from correlations (m,) of its markers; one that is hidden takes nothing away."""
    return float((np.maximum(agree, 0.0) ** 2).sum())


def _moved(agreeing: Callable[[Array], Array], T: Array, middle: Array, blur_px: float) -> Array:
    """`T_camera_world` near another one, at which the markers agree best; turned about the middle of the sheet."""
    at = T[:3, :3] @ middle + T[:3, 3]

    def trial(x: Iterable[float]) -> Array:
        x = np.asarray(x)
        R = cv2.Rodrigues(np.radians(x[:3]))[0] @ T[:3, :3]
        return pose(R, at + x[3:] - R @ middle)

    def cost(x: Array) -> float:
        return -_agreement(agreeing(trial(x)))

    steps = np.diag([_TURN_DEG * blur_px] * 3 + [_SHIFT_M * blur_px] * 3)
    simplex = np.vstack([np.zeros(6), steps])
    options = {"initial_simplex": simplex, "xatol": _CLOSE, "fatol": _ALIKE, "maxfev": _TRIES}
    best = minimize(cost, np.zeros(6), method="Nelder-Mead", options=options)
    return trial(best.x) if best.fun < cost(np.zeros(6)) else T
