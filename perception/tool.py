"""Where the arm's tool is, by the pattern that is printed round its fingers.

The print as it would look is held against every picture: first, picture by picture, shifted in the plane until it
agrees; then all faces in all pictures together, by least squares over shift and turn. Levels and contrast of a face are
free, so light and shade do not matter; a face that is hidden in a picture does not agree there and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import OptimizeResult, least_squares

from perception.views import View, views_of
from planning.eyes import ToolSeen
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array, apply, pose, rotation_from_vector
from robot.lfinger import LFinger
from robot.ports import Frame
from robot.sleeve import PrintedFace, printed_faces

_PER_CELL = 3  # sampling points along a square
_SEARCH_PX, _EVERY = 24, 5  # about 15 mm; and which points do to search
_BEYOND_PX = 8  # of a picture, round what is searched
_LEAST_FACING = 0.2  # cosine between a face's normal and the way to the camera
_COARSE_PX, _FINE_PX = 1.5, 0.6  # blur of the pictures to search in, and to fit to
_LEAST_CONTRAST = 6.0  # grey levels; what deviates less counts less
_FOUND, _AGREES = 0.5, 0.6  # correlation of a picture's print after the search, and of a face where it fits
_SHIFT_SD_M, _TURN_SD_RAD = 0.008, 0.02  # of the fingers from where the joints say they are
_STEP_M, _STEP_RAD = 1e-4, 2e-3  # for derivatives
_FOUND_PX = 1.0  # how well the search finds a print
_SD_TIMES = 3.0  # points close by see the same pixels, and a lens is never quite as told
_LEAST_POINTS = 150

Picture = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Patch:
    """A printed face in one picture.

    Attributes:
        camera: The picture's.
        picture: Its brightness, blurred (rows, columns).
        p_tool_m: Points (n, 3) of the face.
        printed: What is printed there (n,), mean 0 and standard deviation 1.
    """

    camera: CameraModel
    picture: Picture
    p_tool_m: Array
    printed: Array

    def residuals(self, T_world_tool: Array) -> Array:
        """By how many contrasts the picture differs from the print (n,)."""
        px = self.camera.project(apply(T_world_tool, self.p_tool_m))
        return np.asarray(_contrasts(_between_pixels(self.picture, px)) - self.printed)

    def agreement(self, T_world_tool: Array) -> float:
        """Correlation of picture and print."""
        return float(np.mean((self.residuals(T_world_tool) + self.printed) * self.printed))


def locate_tool(
    frames: Sequence[Frame],
    cameras: Mapping[str, CameraModel],
    finger: LFinger,
    T_world_tool_guess: Array,
    opening_m: float,
) -> ToolSeen:
    """The tool's pose within some 10 mm and 1.5 degrees of a guess.

    Args:
        frames: One picture a camera.
        cameras: Calibration by camera name.
        finger: Dimensions of the fingers, which carry the sleeves of `robot.sleeve`.
        T_world_tool_guess: Where the joints say that the tool is (4, 4).
        opening_m: How far the fingers are open.

    Raises:
        PerceptionError: A picture cannot be read, or the print is not seen there.
    """
    faces = list(printed_faces(finger, opening_m))
    views = [_near(view, faces, T_world_tool_guess) for view in views_of(frames, cameras)]
    centre = apply(T_world_tool_guess, np.mean([_points(face)[0].mean(axis=0) for face in faces], axis=0))
    patches = [p for view in views for p in _patches(view, faces, T_world_tool_guess)]
    T = _found(patches, T_world_tool_guess, centre)
    for blur_px in (_COARSE_PX, _FINE_PX):
        blurred = [replace(patch, picture=picture) for patch, picture in _blurred(views, patches, blur_px)]
        seen = [patch for patch in blurred if patch.agreement(T) > _AGREES]
        if sum(len(patch.printed) for patch in seen) < _LEAST_POINTS:
            _refuse(T_world_tool_guess)
        T, fit = _fitted(seen, T, centre)
    return ToolSeen(T, _covariance(fit, T[:3, 3] - centre))


def _refuse(T_world_tool: Array) -> None:
    raise PerceptionError(
        f"the print on the fingers is not seen within {_SEARCH_PX} px of where the arm says that its tip is, "
        f"{np.round(T_world_tool[:3, 3], 3).tolist()} m: see that the sleeves are on the fingers, clean and in the "
        "light, and calibrate the joints",
        reason="no-tool",
    )


def _points(face: PrintedFace) -> tuple[Array, Array]:
    """Points (n, 3) all over a face, tool frame, and whether it is white there (n,)."""
    rows, columns = np.array(face.white.shape) * _PER_CELL
    down, right = (np.arange(rows) + 0.5) / rows, (np.arange(columns) + 0.5) / columns
    v, u = (a.ravel()[:, None] for a in np.meshgrid(down, right, indexing="ij"))
    white = np.kron(face.white, np.ones((_PER_CELL, _PER_CELL))).ravel()
    return face.corner_m + v * face.down_m + u * face.right_m, white


def _between_pixels(picture: Picture, px: Array) -> Array:
    """Levels (n,) at places (n, 2) between the pixels; OpenCV's own knows but 32 places a pixel."""
    rows, columns = picture.shape
    px = np.clip(px, 0.0, [columns - 1.001, rows - 1.001])
    c, r = px.astype(np.int64).T
    x, y = (px - np.floor(px)).T
    upper = (1 - x) * picture[r, c] + x * picture[r, c + 1]
    lower = (1 - x) * picture[r + 1, c] + x * picture[r + 1, c + 1]
    return np.asarray((1 - y) * upper + y * lower)


def _near(view: View, faces: Sequence[PrintedFace], T_world_tool: Array) -> View:
    """The part of a picture in which the print is looked for."""
    px = view.camera.project(apply(T_world_tool, np.concatenate([_points(face)[0] for face in faces])))
    width, height = view.camera.size_px
    margin = _SEARCH_PX + _BEYOND_PX
    low = np.nan_to_num(px.min(axis=0) - margin).clip(0, [width - 1, height - 1]).astype(int)
    high = np.nan_to_num(px.max(axis=0) + margin + 1).clip(low + 1, [width, height]).astype(int)
    return view.cropped((int(low[0]), int(low[1]), int(high[0]), int(high[1])))


def _contrasts(levels: Array) -> Array:
    """Levels (..., n) less their mean, in standard deviations."""
    levels = levels - levels.mean(axis=-1, keepdims=True)
    return np.asarray(levels / np.maximum(levels.std(axis=-1, keepdims=True), _LEAST_CONTRAST))


def _patches(view: View, faces: Sequence[PrintedFace], T_world_tool: Array) -> list[_Patch]:
    """The faces that are turned to a camera and lie in its picture."""
    out, soft = [], _soft(view, _COARSE_PX)
    width, height = view.camera.size_px
    for face in faces:
        p_tool_m, white = _points(face)
        p_world_m = apply(T_world_tool, p_tool_m)
        way = view.camera.position_m() - p_world_m.mean(axis=0)
        facing = (T_world_tool[:3, :3] @ face.normal) @ way / np.linalg.norm(way)
        px = view.camera.project(p_world_m)
        inside = (px > _SEARCH_PX).all() and (px < np.array([width, height]) - 1 - _SEARCH_PX).all()
        if facing > _LEAST_FACING and inside:
            printed = (white - white.mean()) / white.std()
            out.append(_Patch(view.camera, soft, p_tool_m, printed))
    return out


def _soft(view: View, blur_px: float) -> Picture:
    return np.asarray(cv2.GaussianBlur(view.grey.astype(np.float32), (0, 0), blur_px), dtype=np.float32)


def _blurred(
    views: Sequence[View], patches: Sequence[_Patch], blur_px: float
) -> list[tuple[_Patch, Picture]]:
    soft = {view.camera.name: _soft(view, blur_px) for view in views}
    return [(patch, soft[patch.camera.name]) for patch in patches]


def _found(patches: Sequence[_Patch], T: Array, centre: Array) -> Array:
    """The pose (4, 4), shifted to where the pictures show the print."""
    rows, values = [np.eye(3) / _SHIFT_SD_M], [np.zeros(3)]
    for name in sorted({patch.camera.name for patch in patches}):
        own = [patch for patch in patches if patch.camera.name == name]
        agree, shift_px = _best_shift(own, T)
        if agree > _FOUND:
            camera = own[0].camera
            ends = camera.project(centre + 1e-3 * np.concatenate([np.eye(3), -np.eye(3)]))
            rows.append((ends[:3] - ends[3:]).T / 2e-3 / _FOUND_PX)
            values.append(shift_px / _FOUND_PX)
    if len(rows) == 1:
        _refuse(T)
    shift_m = np.linalg.lstsq(np.concatenate(rows), np.concatenate(values), rcond=None)[0]
    return pose(T[:3, :3], T[:3, 3] + shift_m)


def _best_shift(patches: Sequence[_Patch], T: Array) -> tuple[float, Array]:
    """Where in the plane of a picture (2,) [px] its print agrees best, and how well."""
    side = 2 * _SEARCH_PX + 1
    dv, du = (a.reshape(-1, 1) for a in np.mgrid[-_SEARCH_PX : _SEARCH_PX + 1, -_SEARCH_PX : _SEARCH_PX + 1])
    total, count = np.zeros(side * side), 0
    for patch in patches:
        px = np.round(patch.camera.project(apply(T, patch.p_tool_m[::_EVERY]))).astype(np.int64)
        levels = patch.picture[px[:, 1] + dv, px[:, 0] + du].astype(np.float64)
        total += _contrasts(levels) @ patch.printed[::_EVERY]
        count += len(px)
    k = int(total.argmax())
    return float(total[k] / count), np.array([du[k, 0], dv[k, 0]], dtype=np.float64)


def _fitted(patches: Sequence[_Patch], T: Array, centre: Array) -> tuple[Array, OptimizeResult]:
    """The pose (4, 4) near another one at which all patches agree best, by shift and turn about a point (3,)."""
    sd = np.array([_SHIFT_SD_M] * 3 + [_TURN_SD_RAD] * 3)

    def trial(x: Array) -> Array:
        R = rotation_from_vector(x[3:] * sd[3:])
        return pose(R @ T[:3, :3], centre + R @ (T[:3, 3] - centre) + x[:3] * sd[:3])

    def residuals(x: Array) -> Array:
        return np.concatenate([*(patch.residuals(trial(x)) for patch in patches), x])

    def jacobian(x: Array) -> Array:
        steps = np.diag([_STEP_M] * 3 + [_STEP_RAD] * 3) / sd
        return np.stack([(residuals(x + h) - residuals(x - h)) / (2 * h.sum()) for h in steps], axis=1)

    fit = least_squares(residuals, np.zeros(6), jacobian, max_nfev=20, xtol=1e-4, ftol=1e-4)
    return trial(fit.x), fit


def _covariance(fit: OptimizeResult, arm_m: Array) -> Array:
    """Of place and turn (6, 6) of a tool that is `arm_m` (3,) from the point that was turned about."""
    sd = np.array([_SHIFT_SD_M] * 3 + [_TURN_SD_RAD] * 3)
    spread = _SD_TIMES * float(np.std(fit.fun[:-6]))
    of_x = np.linalg.inv(fit.jac.T @ fit.jac / spread**2)
    x, y, z = arm_m
    move = np.diag(sd)
    move[:3, 3:] = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]) * sd[3:]
    return np.asarray(move @ of_x @ move.T)
