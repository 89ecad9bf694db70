"""What each side of a tower shows in a picture: rows of three ends, from left to right as the picture has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.blockset import BlockSet
from planning.observation import Seen, TowerObservation
from planning.tower import Axis, axis_of, row
from robot.camera_model import CameraModel
from robot.frames import Array, apply, inverse

LEAST_RAD = np.radians(12.0)  # a side seen at a flatter angle shows nothing
_MARK = {Seen.BLOCK: 1, Seen.GAP: 0, Seen.UNKNOWN: None}
Rows = list[dict[str, object]]


@dataclass(frozen=True)
class _Side:
    """One of the four upright sides.

    Attributes:
        axis: Along which it looks outward; layers whose blocks lie along it show their ends.
        middle_m: Its middle (3,) at the ground, tower frame.
        across: Unit vector (3,) from position 1 to 3 of the layers that show ends.
    """

    axis: Axis
    middle_m: Array
    across: Array

    @property
    def outward(self) -> Array:
        """Unit normal (3,), tower frame."""
        return np.asarray(self.middle_m / np.linalg.norm(self.middle_m))


def faces(image: str, camera: CameraModel, seen: TowerObservation, blockset: BlockSet) -> Rows:
    """The sides that a camera sees, as `steadyhand see` prints them: left, then right, or the front alone.

    Args:
        image: The picture's name.
        camera: Its camera.
        seen: The tower.
        blockset: How large its blocks are.
    """
    sides = [side for side in _sides(blockset.length_m.mean) if _is_seen(side, camera, seen.T_world_tower)]
    n_layers = max((slot.layer for slot in seen.slots), default=0)
    up = np.array([0.0, 0.0, n_layers / 2 * blockset.height_m.mean])
    order = np.argsort([float(_column(camera, seen, side.middle_m + up)) for side in sides])
    names = ("front",) if len(sides) == 1 else ("left", "right")
    return [
        {"image": image, "side": name, "rows": _rows(camera, seen, sides[k], n_layers, blockset)}
        for name, k in zip(names, order, strict=False)
    ]


def _sides(length_m: float) -> list[_Side]:
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    return [
        _Side(axis, sign * length_m / 2 * along, across)
        for sign in (1.0, -1.0)
        for axis, along, across in ((axis_of(1), x, y), (axis_of(2), y, x))
    ]


def _is_seen(side: _Side, camera: CameraModel, T_world_tower: Array) -> bool:
    """Whether it is turned to the camera, looked at from above."""
    to_eye = apply(inverse(T_world_tower), camera.position_m()) - side.middle_m
    level = float(np.hypot(to_eye[0], to_eye[1]))
    return bool(to_eye @ side.outward > np.sin(LEAST_RAD) * level)


def _column(camera: CameraModel, seen: TowerObservation, p_tower_m: Array) -> Array:
    """Where points (..., 3) of the tower frame lie in the picture, from the left [px] (...)."""
    return np.asarray(camera.project(apply(seen.T_world_tower, p_tower_m))[..., 0])


def _rows(
    camera: CameraModel, seen: TowerObservation, side: _Side, n_layers: int, blockset: BlockSet
) -> Rows:
    rows: Rows = []
    for layer in range(1, n_layers + 1):
        marks: list[int | None] = [None] * 3
        ends = axis_of(layer) == side.axis
        if ends:
            order = np.argsort(_column(camera, seen, _ends_m(side, layer, blockset)))
            marks = [_MARK[seen.slots.get(row(layer)[k], Seen.GAP)] for k in order]
        rows.append({"layer": layer, "shows": "ends" if ends else "side", "slots_LMR": marks})
    return rows


def _ends_m(side: _Side, layer: int, blockset: BlockSet) -> Array:
    """Middles (3, 3) of the three ends of a layer, tower frame, as stacked without a flaw."""
    pitch_m, up_m = blockset.width_m.mean + blockset.gap_m, (layer - 0.5) * blockset.height_m.mean
    across = np.array([-1.0, 0.0, 1.0])[:, None] * pitch_m * side.across
    return np.asarray(side.middle_m + across + [0.0, 0.0, up_m])
