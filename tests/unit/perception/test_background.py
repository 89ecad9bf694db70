"""Whether a camera was moved: pictures rendered from a camera that was bumped, and copies that were shifted."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.background import around_tower, camera_shift, check_by_markers, check_same_place
from perception.boxes import Bools
from perception.markers import Markers
from perception.views import View, views_of
from planning.tower import Slot
from robot.errors import PerceptionError
from robot.frames import Array, apply, pose
from robot.mat import DICTIONARY, default_mat
from support.geometry import T_WORLD_TOWER, camera
from support.pictures import Scene, Shot

NAMES = ["left", "right", "front"]
TOP_M = 18 * 0.0148
STILL = np.zeros(3)
MAT = Markers(DICTIONARY, default_mat().corners_world_m())


def view(scene: Scene, shot: Shot, name: str) -> View:
    return next(v for v in views_of(shot.frames, scene.cameras) if v.camera.name == name)


def fixed(scene: Scene, name: str) -> Bools:
    return around_tower(scene.cameras[name], scene.T_world_tower, TOP_M)


def with_noise(grey: Array, seed: int, sd: float = 2.0) -> Array:
    noise = np.random.default_rng(seed).normal(0, sd, grey.shape)
    return np.asarray((grey + noise).round().clip(0, 255))


@pytest.fixture(scope="module")
def later(scene: Scene) -> Shot:
    """The same tower a moment later, with blocks pushed, one gone and a few levels elsewhere."""
    pushed = {Slot(5, 1): 0.03, Slot(9, 3): -0.02, Slot(14, 2): 0.006}
    return scene.shot(pushed=pushed, without=[Slot(12, 1), Slot(18, 2)], seed=7)


@pytest.mark.parametrize("name", NAMES)
def test_camera_that_stands_still_is_not_called_moved_whatever_is_done_to_the_tower(
    scene: Scene, standing: Shot, later: Shot, name: str
) -> None:
    shift = check_same_place(view(scene, standing, name), view(scene, later, name), fixed(scene, name))
    assert shift.px < 0.1
    assert shift.share > 0.8


@pytest.mark.parametrize("name", NAMES)
def test_camera_that_was_turned_by_a_pixel_is_called_moved_by_that(
    scene: Scene, standing: Shot, name: str
) -> None:
    focal_px = scene.cameras[name].K[0, 0]
    with scene.bumped(name, STILL, np.array([0.0, 0.0, 1.0 / focal_px])):
        shot = scene.shot(seed=8)
    with pytest.raises(
        PerceptionError, match=f"camera '{name}' was moved.*allowed are 0.5 px.*calibrate"
    ) as told:
        check_same_place(view(scene, standing, name), view(scene, shot, name), fixed(scene, name))
    assert told.value.reason == "camera-moved"
    # Seen from above, a turn about the vertical shifts the picture by a little less than a pixel, and turns it.
    grey = [view(scene, s, name).grey for s in (standing, shot)]
    assert camera_shift(*grey, fixed(scene, name)).px == pytest.approx(0.9, abs=0.15)


@pytest.mark.parametrize(
    ("name", "by_m"), [("left", [0, 0.002, 0]), ("right", [0, 0, -0.002]), ("front", [0.002, 0, 0])]
)
def test_camera_that_was_shifted_by_two_millimetres_is_called_moved(
    scene: Scene, standing: Shot, name: str, by_m: list[float]
) -> None:
    with scene.bumped(name, np.array(by_m), STILL):
        shot = scene.shot(seed=8)
    with pytest.raises(PerceptionError, match="was moved") as told:
        check_same_place(view(scene, standing, name), view(scene, shot, name), fixed(scene, name))
    assert told.value.reason == "camera-moved"


@pytest.mark.parametrize(
    ("x_px", "y_px", "turn_deg", "scale", "brighter"),
    [
        (0.4, -0.3, 0.0, 1.0, 0.7),
        (0.4, -0.3, 0.0, 1.0, 1.3),
        (3.0, 4.0, 0.0, 1.0, 0.3),
        (-16.0, 12.0, 0.0, 1.0, 0.8),
        (2.0, 0.0, 0.3, 1.0, 1.0),
        (0.0, 0.0, 0.0, 1.004, 1.2),
    ],
)
def test_shift_turn_and_scale_are_measured_in_any_light(
    scene: Scene, standing: Shot, x_px: float, y_px: float, turn_deg: float, scale: float, brighter: float
) -> None:
    grey = view(scene, standing, "front").grey
    height, width = grey.shape
    M = cv2.getRotationMatrix2D((width / 2, height / 2), -turn_deg, scale)
    M[:, 2] += [x_px, y_px]
    moved = cv2.warpAffine(
        cv2.GaussianBlur(grey, (0, 0), 0.7), M, (width, height), borderMode=cv2.BORDER_REPLICATE
    )
    shift = camera_shift(grey, with_noise(moved * brighter, 3), fixed(scene, "front"))
    if turn_deg == 0 and scale == 1:
        assert shift.px == pytest.approx(np.hypot(x_px, y_px), abs=0.1)
    assert np.degrees(shift.turn_rad) == pytest.approx(turn_deg, abs=0.02)
    assert shift.scale == pytest.approx(scale, abs=3e-4)


def test_camera_that_was_knocked_far_away_is_called_moved(scene: Scene, standing: Shot) -> None:
    with scene.bumped("left", np.array([0.05, 0, 0.02]), np.array([0.0, 0, 0.3])):
        shot = scene.shot(seed=8)
    with pytest.raises(
        PerceptionError, match=r"only \d+% of what stood around the tower is found again"
    ) as told:
        check_same_place(view(scene, standing, "left"), view(scene, shot, "left"), fixed(scene, "left"))
    assert told.value.reason == "camera-moved"


def test_what_moves_in_a_part_of_the_picture_is_not_taken_for_a_motion(scene: Scene, standing: Shot) -> None:
    """It has a pattern of its own, with more corners than everything else has."""
    first = view(scene, standing, "right").grey
    pattern = np.kron(np.random.default_rng(5).uniform(40, 220, (15, 12)), np.ones((16, 16)))
    before, after = first.copy(), with_noise(first, 4)
    before[400:640, 60:252] = pattern
    after[400:640, 100:292] = pattern
    shift = camera_shift(before, after, fixed(scene, "right"))
    assert shift.px < 0.2
    assert shift.share > 0.4


@pytest.mark.parametrize("sd", [0.0, 3.0])
def test_surroundings_without_a_pattern_are_told_with_what_to_do(sd: float) -> None:
    model = camera(np.array([0.8, 0, 0.5]), np.array([0, 0, 0.2]))
    blank = [with_noise(np.full((240, 320), 120.0), seed, sd) for seed in (1, 2)]
    plain = [View(model, np.repeat(b.astype(np.uint8)[..., None], 3, axis=2), b) for b in blank]
    with pytest.raises(PerceptionError, match=r"only 0 corners .* at least 12 .* lay the marker mat") as told:
        check_same_place(*plain, np.ones((240, 320), dtype=np.bool_))
    assert told.value.reason == "no-contrast"


@pytest.mark.parametrize("name", NAMES)
def test_tower_and_blocks_that_stand_out_are_left_out(scene: Scene, name: str) -> None:
    model = scene.cameras[name]
    around = around_tower(model, scene.T_world_tower, TOP_M)
    reach = np.array(
        [[x, y, z] for x in (-0.07, 0.07) for y in (-0.0375, 0.0375) for z in (0.0, TOP_M + 0.02)]
    )
    for p in (reach, reach[:, [1, 0, 2]]):
        columns, rows = model.project(apply(scene.T_world_tower, p)).round().astype(int).T
        assert not around[rows, columns].any()
    assert around.mean() > 0.6


def test_camera_of_another_pose_in_the_tower_frame_leaves_other_pixels_out() -> None:
    model = camera(np.array([0.8, 0.0, 0.5]), np.array([0.0, 0.0, 0.2]), (640, 480))
    here = around_tower(model, T_WORLD_TOWER, 0.1)
    aside = around_tower(model, pose(None, [0, 0.05, 0]) @ T_WORLD_TOWER, 0.1)
    assert (here != aside).any()


def test_markers_agree_with_a_camera_that_stands_where_it_was_calibrated(
    scene: Scene, standing: Shot
) -> None:
    tower = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.1 + TOP_M]])
    for name in NAMES:
        assert check_by_markers(view(scene, standing, name), MAT, tower) < 4.0


def test_markers_tell_that_a_camera_no_longer_stands_there(scene: Scene) -> None:
    tower = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.1 + TOP_M]])
    with scene.bumped("front", np.array([0.0, 0.008, 0.0]), STILL):
        bumped = view(scene, scene.shot(seed=8), "front")
    with pytest.raises(
        PerceptionError, match=r"does not stand where its calibration says.*px away.*lay the mat"
    ) as told:
        check_by_markers(bumped, MAT, tower)
    assert told.value.reason == "camera-moved"
