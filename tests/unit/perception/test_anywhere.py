"""A tower looked for all over the table, in painted pictures, held against where it was painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from perception.anywhere import Place, find_anywhere, find_near
from perception.lines import Steps, lines_of
from perception.screening import screened
from perception.stack import Stack
from perception.views import View
from planning.tower import Slot
from robot.camera_model import CameraModel
from robot.frames import Array, pose, rot_z
from support import geometry
from support.geometry import BLOCKSET, boxes, camera, painted

SIZE_PX, F_PX, AWAY_M = (800, 640), 950.0, 0.62
LAYERS, NOISE_LEVELS = 17, 3.0
GONE = ("2.2", "4.1", "5.2", "6.3", "8.2", "9.1", "9.3", "11.2", "13.1", "14.2")
LENS = np.array([-0.3, 0.1, 0.002, -0.002, 0.0])
OFF_M, TURNED_DEG = 6e-3, 3.0
CORNER = (0.09, -0.07, 20.0)  # x [m], y [m], yaw [deg] of a tower
GRID_M = np.arange(-0.1, 0.1 + 1e-9, 6e-3)
At = tuple[float, float, float]


def eye(azimuth_deg: float) -> CameraModel:
    azimuth, elevation = np.radians([azimuth_deg, 25.0])
    target = np.array([0.0, 0.0, 0.12])
    level = np.cos(elevation) * np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    return camera(target + AWAY_M * (level + np.array([0.0, 0.0, np.sin(elevation)])), target, SIZE_PX, F_PX)


EYES = (eye(10.0), eye(100.0))


def noisy(model: CameraModel, grey: Array, seed: int = 1) -> View:
    noise = np.random.default_rng(seed).normal(0.0, NOISE_LEVELS, grey.shape)
    image = (grey + noise).round().clip(0, 255).astype(np.uint8)
    return View(model, np.repeat(image[..., None], 3, axis=2), image.astype(np.float64))


def standing(at: At, gone: Sequence[str] = ()) -> Stack:
    """A tower on the table, without some of its blocks."""
    x_m, y_m, yaw_deg = at
    full = geometry.tower(LAYERS, pose(rot_z(np.radians(yaw_deg)), [x_m, y_m, 0.0]))
    taken = {Slot.parse(text) for text in gone}
    return full.take(np.array([slot not in taken for slot in full.slots()]))


def views(stack: Stack, eyes: Sequence[CameraModel] = EYES) -> list[View]:
    return [noisy(model, painted(model, stack).grey) for model in eyes]


@lru_cache(maxsize=1)
def clear() -> list[Place]:
    """Where a full tower was found by one view."""
    return find_anywhere(views(standing(CORNER), EYES[:1]), BLOCKSET, np.zeros(2))


def assert_found(found: Sequence[Place], at: At) -> None:
    scores = [place.score for place in found]
    assert scores == sorted(scores, reverse=True)
    T = found[0].T_world_tower
    assert np.hypot(*(T[:2, 3] - at[:2])) < OFF_M
    assert T[2, 3] == 0.0
    turned = np.degrees(np.arctan2(T[1, 0], T[0, 0])) - at[2]
    assert abs((turned + 90.0) % 180.0 - 90.0) < TURNED_DEG, "half a turn is no difference, a quarter is"


def test_full_tower_is_found_by_two_views() -> None:
    at = (-0.05, -0.09, 65.0)
    found = find_anywhere(views(standing(at)), BLOCKSET, np.zeros(2))
    assert_found(found, at)
    assert found[0].thickness == pytest.approx(1.0, abs=0.006), "blocks were painted as thick as the mean"


@pytest.mark.parametrize("at", [(-0.085, 0.06, 100.0), (0.02, 0.095, 155.0)], ids=str)
def test_tower_without_some_blocks_is_found_by_two_views(at: At) -> None:
    assert_found(find_anywhere(views(standing(at, GONE)), BLOCKSET, np.zeros(2)), at)


def test_full_tower_is_found_by_one_view() -> None:
    assert_found(clear(), CORNER)


def test_tower_without_some_blocks_is_found_by_one_view() -> None:
    at = (0.07, 0.03, 130.0)
    assert_found(find_anywhere(views(standing(at, GONE), EYES[:1]), BLOCKSET, np.zeros(2)), at)


def test_tower_is_found_through_a_lens_that_distorts_where_it_is_found_without_one() -> None:
    model = replace(EYES[0], distortion=LENS)
    grey = _bent(painted(EYES[0], standing(CORNER)).grey, model)
    found = find_anywhere([noisy(model, grey)], BLOCKSET, np.zeros(2))
    assert_found(found, CORNER)
    off_m = found[0].T_world_tower[:2, 3] - clear()[0].T_world_tower[:2, 3]
    assert np.hypot(*off_m) < 2e-3
    assert found[0].score > 0.95 * clear()[0].score


def _bent(grey: Array, model: CameraModel) -> Array:
    """A picture without distortion as a lens that distorts shows it."""
    pixels = np.stack(np.meshgrid(np.arange(SIZE_PX[0]), np.arange(SIZE_PX[1])), axis=-1).astype(np.float64)
    straight = cv2.undistortPoints(pixels.reshape(-1, 1, 2), model.K, model.distortion, P=model.K)
    at = straight.reshape(pixels.shape).astype(np.float32)
    return np.asarray(
        cv2.remap(grey, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    )


def test_tower_that_was_pushed_by_a_centimetre_is_found_from_where_it_stood() -> None:
    x_m, y_m, yaw_deg = CORNER
    T = pose(rot_z(np.radians(yaw_deg + 3.0)), [x_m - 0.008, y_m + 0.006, 0.0])
    found = find_near(views(standing(CORNER)), BLOCKSET, Place(T, 1.0, 0.0))
    assert_found([found], CORNER)


@pytest.mark.parametrize("at", [CORNER, (-0.05, -0.09, 65.0), (0.07, 0.03, 130.0)], ids=str)
def test_screening_leaves_the_places_nearest_to_the_tower(at: At) -> None:
    steps = [Steps.of(view, 4, 0.7) for view in views(standing(at, GONE), EYES[:1])]
    yaw = np.radians(at[2])
    grid = [(x, y, w, 1.0, 0.0) for w in np.arange(0.0, np.pi, 0.07) for x in GRID_M for y in GRID_M]
    left = screened(steps, lines_of(BLOCKSET, 1, 14, 4), np.array(grid))
    turned = np.abs((left[:, 2] - yaw + np.pi / 2) % np.pi - np.pi / 2)
    near = (np.abs(left[:, :2] - at[:2]).max(axis=1) <= 3e-3 + 1e-9) & (turned <= 0.035 + 1e-9)
    assert len(left) < len(grid) / 20
    assert near.any()


def test_empty_table_scores_well_below_a_tower() -> None:
    """Though one side of it is brighter than the other."""
    ramp = np.tile(np.linspace(40.0, 160.0, SIZE_PX[0]), (SIZE_PX[1], 1))
    assert find_anywhere([noisy(EYES[0], ramp)], BLOCKSET, np.zeros(2))[0].score < clear()[0].score / 6


def test_box_of_a_towers_size_scores_well_below_a_tower() -> None:
    """It has the outline of a tower, and no lines."""
    one = np.ones(1, dtype=np.int64)
    box = boxes(pose(rot_z(0.4), [0.05, -0.03, 0.125]), size_m=(0.075, 0.075, 0.25))
    assert (
        find_anywhere(views(Stack(one, one, box), EYES[:1]), BLOCKSET, np.zeros(2))[0].score
        < clear()[0].score / 2
    )


@pytest.mark.parametrize(("layer", "face_with_ends"), [(1, "x"), (2, "y"), (3, "x")])
def test_odd_layers_show_ends_on_the_faces_across_x_and_even_ones_on_the_others(
    layer: int, face_with_ends: str
) -> None:
    lines = lines_of(BLOCKSET, layer, layer, 4)
    between = lines[lines[:, 5] > 1.0]
    column = 3 if face_with_ends == "x" else 4
    assert np.abs(between[:, column]) == pytest.approx(1.0)
    across_m = np.abs(between[:, 1] if face_with_ends == "x" else between[:, 0])
    assert across_m == pytest.approx((BLOCKSET.width_m.mean + BLOCKSET.gap_m) / 2)


def test_lines_lie_in_the_faces_and_in_their_layers() -> None:
    lines = lines_of(BLOCKSET, 3, 5, 6)
    out_m = (lines[:, :2] * lines[:, 3:5]).sum(axis=1)
    assert out_m == pytest.approx(BLOCKSET.length_m.mean / 2, abs=0.5e-3)
    assert (lines[:, 3:5] * lines[:, 6:8]).sum(axis=1) == pytest.approx(0.0), "no line leaves its face"
    thick = BLOCKSET.height_m.mean
    assert lines[:, 2].min() > 2 * thick
    assert lines[:, 2].max() == pytest.approx(5 * thick)
