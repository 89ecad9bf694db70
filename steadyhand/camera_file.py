"""A camera file: the size of a camera's pictures, its lens, and where it stands or which printed markers tell that.

`{"width", "height", "K": 3x3, "dist": [k1, k2, p1, p2, k3], "T_world_camera": 4x4 or null, "markers": {"dictionary",
"size_m", "corners_world_m": {"0": 4x3, ...}} or null}`: pixels and metres, conventions as in `robot.camera_model`.
The same may be said in YAML, in the form of ROS (`camera_info`).
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perception.markers import Markers
from robot.errors import BadInputError
from robot.frames import Array, is_pose, pose
from steadyhand import camera_info

_MOST_PX = 30_000
_ROUNDED = 1e-3  # poses are written with few digits: so far from rigid is still one
_UNEVEN = 0.1  # share by which a marker's side may differ from its size


@dataclass(frozen=True)
class CameraFile:
    """What a camera file says; at least one of the last two is there, unless only the lens was asked for.

    Attributes:
        path: The file.
        size_px: Width and height of the pictures.
        K: Intrinsic matrix (3, 3) [px].
        distortion: k1, k2, p1, p2, k3.
        T_world_camera: Pose (4, 4), or None where the markers tell it.
        markers: The printed markers, or None.
    """

    path: Path
    size_px: tuple[int, int]
    K: Array
    distortion: Array
    T_world_camera: Array | None
    markers: Markers | None


def read_camera_file(path: Path, *, placed: bool = True) -> CameraFile:
    """Read a camera file; `placed` asks for one that says where the camera stands, too.

    Raises:
        BadInputError: It is not there, is no JSON (no YAML), or something in it is missing or cannot be.
    """
    values = _values(path)
    place, markers = values.get("T_world_camera"), values.get("markers")
    if placed and place is None and markers is None:
        raise BadInputError(
            f"camera file {path}: neither T_world_camera nor markers is given, so that nobody knows where the camera "
            "stands: one of them must be; add the pose (4x4), or the markers that the picture shows: `steadyhand "
            "calibrate pose` does"
        )
    return CameraFile(
        path,
        (_pixels(path, values, "width"), _pixels(path, values, "height")),
        _intrinsics(path, values),
        _numbers(path, "dist", _needed(path, values, "dist"), (5,)),
        None if place is None else _pose(path, place),
        None if markers is None else _markers(path, markers),
    )


def _values(path: Path) -> Mapping[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix.lower() in camera_info.ENDINGS:
            return camera_info.values_of(path, text)
        values = json.loads(text)
    except FileNotFoundError:
        raise BadInputError(
            f"camera file {path}: no such file; name the file that belongs to the picture"
        ) from None
    except OSError as error:
        raise BadInputError(
            f"camera file {path}: cannot be read: {error.strerror}; name a file that can"
        ) from None
    except (ValueError, RecursionError) as error:  # not UTF-8, no JSON, or a number without end
        raise BadInputError(f"camera file {path}: is no {_form(path)}: {error}; write it anew") from None
    if not isinstance(values, dict):
        raise _wrong(path, "the file", values, "one JSON object with width, height, K and dist")
    return values


def _form(path: Path) -> str:
    return "YAML" if path.suffix.lower() in camera_info.ENDINGS else "JSON"


def _wrong(path: Path, what: str, value: object, allowed: str) -> BadInputError:
    return BadInputError(
        f"camera file {path}: {what} is {reprlib.repr(value)}, allowed is {allowed}; correct the file, or calibrate "
        "the camera again"
    )


def _needed(path: Path, values: Mapping[str, object], key: str, inside: str = "") -> object:
    if key not in values:
        raise BadInputError(
            f"camera file {path}: {inside}{key} is missing; it has {', '.join(map(repr, values)) or 'nothing'}; add it"
        )
    return values[key]


def _pixels(path: Path, values: Mapping[str, object], key: str) -> int:
    value = _needed(path, values, key)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST_PX:
        raise _wrong(path, key, value, f"a whole number of pixels from 1 to {_MOST_PX}")
    return value


def _numbers(path: Path, what: str, value: object, shape: tuple[int, ...]) -> Array:
    """Finite numbers of a shape."""
    sizes = "x".join(map(str, shape))
    try:
        array = np.array(value, dtype=np.float64) if _is_numeric(value) else np.array(np.nan)
    except (ValueError, OverflowError):  # rows of different lengths, or beyond every float
        array = np.array(np.nan)
    if array.shape != shape or not np.isfinite(array).all():
        raise _wrong(path, what, value, f"{sizes} finite numbers" if shape else "a finite number")
    return array


def _is_numeric(value: object) -> bool:
    """Whether there is nothing but numbers in lists, which NumPy would not mind."""
    if isinstance(value, list):
        return all(_is_numeric(part) for part in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _intrinsics(path: Path, values: Mapping[str, object]) -> Array:
    K = _numbers(path, "K", _needed(path, values, "K"), (3, 3))
    lower = K[[1, 2, 2], [0, 0, 1]]
    if lower.any() or K[2, 2] != 1 or K[0, 0] <= 0 or K[1, 1] <= 0:
        allowed = "[[fx, s, cx], [0, fy, cy], [0, 0, 1]] with fx and fy above 0 (pixels)"
        raise _wrong(path, "K", K.tolist(), allowed)
    return K


def _pose(path: Path, value: object) -> Array:
    """A rigid transform, what was lost by rounding made up for."""
    T = _numbers(path, "T_world_camera", value, (4, 4))
    if not is_pose(T, _ROUNDED):
        raise _wrong(
            path,
            "T_world_camera",
            T.tolist(),
            "a rotation and a shift in metres, with the last row 0, 0, 0, 1",
        )
    u, _, vt = np.linalg.svd(T[:3, :3])
    return pose(u @ vt, T[:3, 3])


def _markers(path: Path, value: object) -> Markers:
    if not isinstance(value, dict):
        raise _wrong(path, "markers", value, "null, or an object with dictionary, size_m and corners_world_m")
    dictionary, size, corners = (
        _needed(path, value, key, "markers.") for key in ("dictionary", "size_m", "corners_world_m")
    )
    if not isinstance(dictionary, str):
        raise _wrong(path, "markers.dictionary", dictionary, "OpenCV's name of one, such as DICT_4X4_50")
    size_m = float(_numbers(path, "markers.size_m", size, ()))
    if size_m <= 0:
        raise _wrong(path, "markers.size_m", size, "a length in metres above 0")
    if not isinstance(corners, dict) or not corners:
        raise _wrong(
            path, "markers.corners_world_m", corners, "an object with the corners of one marker or more"
        )
    numbered = {_number(path, key): _corners(path, key, it, size_m) for key, it in corners.items()}
    return Markers(dictionary, numbered)


def _number(path: Path, key: str) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 6):
        raise _wrong(path, "a key of markers.corners_world_m", key, "a marker's number, such as 0")
    return int(key)


def _corners(path: Path, key: str, value: object, size_m: float) -> Array:
    """Corners (4, 3) of a square marker."""
    what = f"markers.corners_world_m[{key!r}]"
    corners = _numbers(path, what, value, (4, 3))
    sides_m = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    if (np.abs(sides_m - size_m) > _UNEVEN * size_m).any():
        raise _wrong(
            path,
            f"{what}, its sides {np.round(sides_m, 4).tolist()} m long,",
            value,
            f"a square with sides of size_m = {size_m:g} m, corners in the order of its outline",
        )
    return corners
