"""Layer 1 lies along x: its ends show on the sides to +x and -x, those of layer 2 on the sides to +y and -y."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from perception.stack import mean_size
from planning.observation import Seen, TowerObservation, as_stacked
from planning.tower import Slot, Tower
from robot.camera_model import CameraModel
from robot.frames import apply, pose, rot_z
from steadyhand.faces import faces
from support.geometry import BLOCKSET, camera

SEEN = as_stacked(Tower.parse("110/011/111"), mean_size(BLOCKSET))
MIDDLE = np.array([0.0, 0.0, 0.022])


def eye(azimuth_deg: float, distance_m: float = 0.6, up_m: float = 0.2) -> CameraModel:
    """A camera that looks at the tower from a direction, +x at 0 and +y at 90 degrees."""
    a = np.radians(azimuth_deg)
    return camera(np.array([distance_m * np.cos(a), distance_m * np.sin(a), up_m]), MIDDLE)


def told(model: CameraModel, seen: TowerObservation = SEEN) -> dict[str, list[dict[str, Any]]]:
    return {str(side["side"]): side["rows"] for side in faces("a.jpg", model, seen, BLOCKSET)}  # type: ignore[misc]


@pytest.mark.parametrize(
    ("azimuth_deg", "left", "right"),
    [
        (-45, [None, [0, 1, 1], None], [[1, 1, 0], None, [1, 1, 1]]),  # -y | +x
        (45, [[1, 1, 0], None, [1, 1, 1]], [None, [1, 1, 0], None]),  # +x | +y
        (135, [None, [1, 1, 0], None], [[0, 1, 1], None, [1, 1, 1]]),  # +y | -x
        (-135, [[0, 1, 1], None, [1, 1, 1]], [None, [0, 1, 1], None]),  # -x | -y
    ],
)
def test_corner_view_has_two_sides_from_left_to_right(
    azimuth_deg: float, left: list[list[int] | None], right: list[list[int] | None]
) -> None:
    sides = told(eye(azimuth_deg))
    assert list(sides) == ["left", "right"]
    for side, rows in (("left", left), ("right", right)):
        assert [row["layer"] for row in sides[side]] == [1, 2, 3]
        assert [row["slots_LMR"] for row in sides[side]] == [row or [None] * 3 for row in rows]
        assert [row["shows"] for row in sides[side]] == ["ends" if row else "side" for row in rows]


@pytest.mark.parametrize(("azimuth_deg", "first"), [(0, [1, 1, 0]), (180, [0, 1, 1])])
def test_side_seen_alone_is_the_front(azimuth_deg: float, first: list[int]) -> None:
    sides = told(eye(azimuth_deg))
    assert list(sides) == ["front"]
    assert sides["front"][0]["slots_LMR"] == first


@pytest.mark.parametrize(("azimuth_deg", "n_sides"), [(15, 1), (17, 2), (73, 2), (75, 1)])
def test_side_seen_at_a_flat_angle_does_not_count(azimuth_deg: float, n_sides: int) -> None:
    """At 60 cm, 12 degrees from the side's own middle are 16 from the tower's."""
    assert len(told(eye(azimuth_deg))) == n_sides


def test_turned_tower_shows_the_sides_that_are_turned_to_the_camera() -> None:
    moved = pose(rot_z(np.radians(-45)), [0.02, 0.01, 0.0])
    seen = TowerObservation(0.0, moved, SEEN.slots, SEEN.blocks, SEEN.layer_top_m)
    model = camera(apply(moved, [0.6, 0.0, 0.2]), apply(moved, MIDDLE))
    assert told(model, seen) == told(eye(0))


def test_picture_that_stands_on_its_head_is_told_as_it_shows() -> None:
    upright = eye(-45)
    turned = CameraModel(
        "eye", upright.size_px, upright.K, upright.T_world_camera @ pose(rot_z(np.pi), [0, 0, 0])
    )
    sides = told(turned)
    assert sides["left"][0]["slots_LMR"] == [0, 1, 1]
    assert sides["right"][1]["slots_LMR"] == [1, 1, 0]


def test_slot_that_is_not_known_is_null() -> None:
    seen = TowerObservation(
        0.0, SEEN.T_world_tower, {**SEEN.slots, Slot(1, 2): Seen.UNKNOWN}, SEEN.blocks, SEEN.layer_top_m
    )
    assert told(eye(0), seen)["front"][0]["slots_LMR"] == [1, None, 0]


def test_camera_above_the_tower_sees_no_side() -> None:
    assert faces("a.jpg", camera(np.array([1e-3, 0.0, 0.6]), MIDDLE), SEEN, BLOCKSET) == []


def test_sides_bear_the_name_of_the_picture() -> None:
    assert [side["image"] for side in faces("b.jpg", eye(45), SEEN, BLOCKSET)] == ["b.jpg", "b.jpg"]
