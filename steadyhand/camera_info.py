"""Camera files in the form of ROS's `camera_info` (YAML), plumb_bob lens, which other programs read as well.

ROS knows no place for where a camera stands. Two keys more say it here, as in a JSON camera file: `T_world_camera` and
`markers`; ROS's own reader passes over them. https://wiki.ros.org/camera_calibration_parsers
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from robot.errors import BadInputError
from robot.frames import Array

if TYPE_CHECKING:
    from perception.calibration_camera import Lens

ENDINGS = (".yaml", ".yml")
_MODEL, _TERMS = "plumb_bob", (4, 5)  # numbers of the lens model
# YAML 1.1, which PyYAML reads, takes 1e-05 for a text; ROS writes such numbers.
_FLOAT = re.compile(r"^[-+]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)[eE][-+]?\d+$")


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML ships no types
    """PyYAML's safe loader, which takes 1e-05 for a number, too."""


_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def values_of(path: Path, text: str) -> Mapping[str, object]:
    """What a `camera_info` file says, under the names of a JSON camera file; numbers are not checked yet.

    Raises:
        BadInputError: It is no such file, or its lens is not plumb_bob.
    """
    try:
        values = yaml.load(text, _Loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        why = " ".join(str(error).split())
        raise BadInputError(f"camera file {path}: is no YAML: {why}; write it anew") from None
    if not isinstance(values, dict):
        raise BadInputError(
            f"camera file {path}: is no camera_info file: {values!r:.80}; calibrate the camera again"
        )
    model = _needed(path, values, "distortion_model")
    if model != _MODEL:
        raise BadInputError(
            f"camera file {path}: distortion_model is {model!r}, allowed is {_MODEL}; calibrate the camera again with "
            "that model"
        )
    return {
        "width": _needed(path, values, "image_width"),
        "height": _needed(path, values, "image_height"),
        "K": _matrix(path, values, "camera_matrix"),
        "dist": _terms(path, values),
        "T_world_camera": values.get("T_world_camera"),
        "markers": _with_text_keys(values.get("markers")),
    }


def said_of(path: Path) -> tuple[str | None, dict[str, object]]:
    """The camera's name in such a file, and how good its calibration is said to be; nothing where it says neither."""
    values = yaml.load(path.read_text(encoding="utf-8"), _Loader) if path.suffix.lower() in ENDINGS else {}
    name, told = values.get("camera_name"), values.get("calibration")
    return name if isinstance(name, str) else None, dict(told) if isinstance(told, dict) else {}


def _with_text_keys(value: object) -> object:
    """Markers' numbers, which YAML may take for numbers, as JSON has them."""
    if isinstance(value, dict):
        return {str(key): _with_text_keys(inner) for key, inner in value.items()}
    return value


def _needed(path: Path, values: Mapping[str, object], key: str) -> object:
    if key not in values:
        raise BadInputError(
            f"camera file {path}: {key} is missing; it has {', '.join(map(repr, values)) or 'nothing'}; add it"
        )
    return values[key]


def _matrix(path: Path, values: Mapping[str, object], key: str) -> list[object]:
    """The rows of a matrix that is written as rows, cols and data."""
    matrix = _needed(path, values, key)
    rows, cols, data = (
        (matrix.get(k) for k in ("rows", "cols", "data")) if isinstance(matrix, dict) else (None,) * 3
    )
    whole = isinstance(rows, int) and isinstance(cols, int) and isinstance(data, list)
    if not (whole and rows >= 1 and cols >= 1 and len(data) == rows * cols):  # type: ignore[operator, arg-type]
        raise BadInputError(
            f"camera file {path}: {key} is {matrix!r:.120}, allowed is rows, cols and data of rows x cols numbers; "
            "correct the file, or calibrate the camera again"
        )
    return [data[r * cols : (r + 1) * cols] for r in range(rows)]  # type: ignore[index, operator, arg-type]


def _terms(path: Path, values: Mapping[str, object]) -> list[object]:
    """k1, k2, p1, p2, k3, the last being 0 where it is left out."""
    terms = [term for row in _matrix(path, values, "distortion_coefficients") for term in row]  # type: ignore[attr-defined]
    if len(terms) not in _TERMS:
        raise BadInputError(
            f"camera file {path}: distortion_coefficients are {len(terms)} numbers, allowed are k1, k2, p1, p2 and k3 "
            f"of {_MODEL}; calibrate the camera again with that model"
        )
    return [*terms, *[0.0] * (_TERMS[-1] - len(terms))]


def text_of(
    lens: Lens,
    name: str,
    T_world_camera: Array | None = None,
    markers: Mapping[str, object] | None = None,
    told: Mapping[str, object] | None = None,
) -> str:
    """A `camera_info` file.

    Args:
        lens: The lens.
        name: The camera's name.
        T_world_camera: Where it stands (4, 4), if that is known.
        markers: The printed markers that tell it otherwise, as in a JSON camera file.
        told: How good the calibration is, for people.
    """
    width, height = lens.size_px
    K = lens.K
    values: dict[str, object] = {
        "image_width": width,
        "image_height": height,
        "camera_name": name,
        "camera_matrix": _written(K),
        "distortion_model": _MODEL,
        "distortion_coefficients": _written(lens.distortion[None]),
        "rectification_matrix": {"rows": 3, "cols": 3, "data": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]},
        "projection_matrix": {"rows": 3, "cols": 4, "data": [float(v) for row in K for v in (*row, 0.0)]},
    }
    if T_world_camera is not None:
        values["T_world_camera"] = T_world_camera.tolist()
    if markers is not None:
        values["markers"] = dict(markers)
    if told:
        values["calibration"] = dict(told)
    return str(yaml.safe_dump(values, sort_keys=False, default_flow_style=None, width=110))


def _written(matrix: Array) -> dict[str, Any]:
    rows, cols = matrix.shape
    return {"rows": rows, "cols": cols, "data": [float(v) for v in matrix.ravel()]}


def markers_said(dictionary: str, corners_world_m: Mapping[int, Array]) -> dict[str, object]:
    """Printed markers of one size as a camera file says them."""
    first = next(iter(corners_world_m.values()))
    corners = {str(n): np.round(corners, 9).tolist() for n, corners in corners_world_m.items()}
    size_m = round(float(np.linalg.norm(first[1] - first[0])), 6)
    return {"dictionary": dictionary, "size_m": size_m, "corners_world_m": corners}
