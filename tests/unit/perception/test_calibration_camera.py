"""Lenses found again from pictures that were drawn through them, and pictures that tell no lens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from perception.calibration_board import Board
from perception.calibration_camera import CameraCalibration, Picture, calibrate_camera
from perception.calibration_checks import NO_BOARD
from robot.frames import Array
from support.boards import LENS, SIZE_PX, facing, good_poses, pictures

BOARD = Board()


@pytest.fixture(scope="module")
def good() -> list[Picture]:
    return pictures(BOARD, good_poses(BOARD))


@pytest.fixture(scope="module")
def calibrated(good: list[Picture]) -> CameraCalibration:
    return calibrate_camera(good, BOARD)


def reasons(found: CameraCalibration) -> list[str]:
    return [r.reason for r in found.refusals]


def rays(K: Array, distortion: Array) -> Array:
    """Where light comes from that falls on points all over the picture."""
    width, height = SIZE_PX
    px = np.stack(np.meshgrid(np.linspace(50, width - 50, 9), np.linspace(50, height - 50, 7)), axis=-1)
    return cv2.undistortPoints(px.reshape(-1, 1, 2), K, distortion).reshape(-1, 2)


def test_lens_is_found_again(calibrated: CameraCalibration) -> None:
    assert calibrated.refusals == ()
    assert calibrated.lens is not None
    assert calibrated.lens.size_px == SIZE_PX
    assert calibrated.lens.K[[0, 1], [0, 1]] == pytest.approx(LENS.K[[0, 1], [0, 1]], rel=2e-3)
    assert calibrated.lens.K[:2, 2] == pytest.approx(LENS.K[:2, 2], abs=1.0)


def test_found_lens_bends_light_as_the_true_one_does_out_to_the_border(calibrated: CameraCalibration) -> None:
    assert calibrated.lens is not None
    off = rays(calibrated.lens.K, calibrated.lens.distortion) - rays(LENS.K, LENS.distortion)
    turned = off - off.mean(axis=0)  # a lens that looks a little aside is as good
    assert np.abs(turned).max() * LENS.K[0, 0] < 0.5


def test_error_is_told_in_pixels_and_in_millimetres_where_the_board_was(
    calibrated: CameraCalibration,
) -> None:
    assert calibrated.held_out_px is not None
    assert calibrated.held_out_mm is not None
    assert calibrated.away_m is not None
    assert 0.01 < calibrated.held_out_px < 0.12
    assert calibrated.away_m == pytest.approx(0.43, abs=0.05)
    by_hand = calibrated.held_out_px * calibrated.away_m / LENS.K[0, 0] * 1e3
    assert calibrated.held_out_mm == pytest.approx(by_hand, rel=0.2)


def zoomed(picture: Picture) -> Picture:
    height, width = picture.grey.shape
    M = cv2.getRotationMatrix2D((width * 0.45, height * 0.55), 0.0, 1.1)
    grey = cv2.warpAffine(picture.grey, M, (width, height), borderValue=100.0)
    return replace(picture, grey=grey.astype(np.uint8))


def test_every_picture_is_tested_by_a_lens_that_never_saw_it(
    good: list[Picture], calibrated: CameraCalibration
) -> None:
    """A picture and those left out along with it are told by the others alone, whatever it shows."""
    other = calibrate_camera([zoomed(good[0]), *good[1:]], BOARD)
    before, after = ([p.held_out_px for p in found.pictures] for found in (calibrated, other))
    same = [a == pytest.approx(b, rel=1e-3) for a, b in zip(before, after, strict=True)]
    assert all(px is not None for px in before)
    assert same == [k in {4, 8, 12} for k in range(16)]


def test_lens_is_found_by_a_chessboard_as_well() -> None:
    board = Board(kind="chessboard")
    found = calibrate_camera(pictures(board, good_poses(board)[:12]), board)
    assert found.lens is not None
    assert found.lens.K[[0, 1], [0, 1]] == pytest.approx(LENS.K[[0, 1], [0, 1]], rel=3e-3)
    assert found.held_out_px is not None
    assert found.held_out_px < 0.1


def test_pictures_that_do_not_show_this_board_count_for_nothing(good: list[Picture]) -> None:
    blank = Picture("wall.png", np.full_like(good[0].grey, 130))
    found = calibrate_camera([*good[:12], blank], BOARD)
    assert found.pictures[-1].left_out == NO_BOARD
    assert "coverage" not in reasons(found)
    few = calibrate_camera([*good[:9], blank], BOARD)
    assert reasons(few) == ["too-few"]
    assert "9 of 10 pictures can be used, at least 10 are needed" in few.refusals[0].detail
    assert "wall.png (no such board seen" in few.refusals[0].detail
    assert few.lens is None


def test_blurred_pictures_are_named_and_left_out(good: list[Picture]) -> None:
    blurred = [
        replace(p, name=f"soft-{p.name}", grey=cv2.blur(p.grey, (5, 1)).astype(np.uint8)) for p in good[:3]
    ]
    found = calibrate_camera([*blurred, *good[3:]], BOARD)
    left_out = {p.name for p in found.pictures if p.left_out}
    assert left_out == {"soft-00.png", "soft-01.png", "soft-02.png"}
    assert all("blurred: edges" in p.left_out for p in found.pictures[:3])


def test_blurred_pictures_that_leave_too_few_are_refused_by_name(good: list[Picture]) -> None:
    blurred = [
        replace(p, name=f"soft-{p.name}", grey=cv2.blur(p.grey, (5, 1)).astype(np.uint8)) for p in good[:4]
    ]
    found = calibrate_camera([*blurred, *good[4:12]], BOARD)
    assert reasons(found) == ["too-blurred"]
    assert "soft-00.png (blurred: edges" in found.refusals[0].detail
    assert "with more light, board and camera still" in found.refusals[0].detail


def looking_at(places: Sequence[Sequence[float]], tilts: Sequence[Sequence[float]]) -> list[Picture]:
    poses = [facing(BOARD, place, tilt) for place, tilt in zip(places, tilts, strict=True)]
    return pictures(BOARD, poses)


def test_boards_in_the_middle_alone_are_refused_with_what_is_not_covered() -> None:
    tilts = [(t * np.cos(a), t * np.sin(a), 0.0) for t in (20, 30) for a in np.arange(6) * np.pi / 3]
    found = calibrate_camera(looking_at([(0.0, 0.0, 0.75)] * 12, tilts), BOARD)
    assert "coverage" in reasons(found)
    detail = found.refusals[0].detail
    assert "top left, top centre, top right" in detail
    assert "add pictures with the board there" in detail


def test_parallel_boards_are_refused_with_how_to_tilt_them() -> None:
    spots = [(x, y, z) for z in (0.38, 0.44) for x in (-0.1, 0.0, 0.1) for y in (-0.07, 0.07)]
    found = calibrate_camera(looking_at(spots, [(0.0, 0.0, 0.0)] * 12), BOARD)
    assert "parallel" in reasons(found)
    detail = next(r.detail for r in found.refusals if r.reason == "parallel")
    assert "needed are 8 and 4" in detail
    assert "tilt the board by 20 to 40 degrees" in detail


def test_boards_tilted_about_one_axis_alone_are_refused() -> None:
    spots = [(x, y, 0.42) for x in (-0.1, 0.0, 0.1) for y in (-0.07, 0.07)] * 2
    tilts = [(0.0, 35.0 * (-1) ** (k // 2), 0.0) for k in range(12)]
    found = calibrate_camera(looking_at(spots, tilts), BOARD)
    assert found.spread_deg is not None
    assert found.spread_deg[0] > 20
    assert found.spread_deg[1] < 4
    assert "parallel" in reasons(found)


def test_pictures_between_which_the_lens_changed_are_refused(good: list[Picture]) -> None:
    """Every third one is from a camera that was zoomed."""
    mixed = [zoomed(p) if k % 3 == 0 else p for k, p in enumerate(good)]
    found = calibrate_camera(mixed, BOARD)
    assert reasons(found) == ["lens-changed"]
    assert "switch autofocus off" in found.refusals[0].detail


def test_limit_of_the_held_out_error_is_the_callers(good: list[Picture]) -> None:
    found = calibrate_camera(good, BOARD, most_mm=0.001)
    assert reasons(found) == ["held-out"]
    assert "allowed are 1.0 px and 0.001 mm; worst are" in found.refusals[0].detail
    assert ".png" in found.refusals[0].detail


def test_pictures_of_two_sizes_are_refused_with_both(good: list[Picture]) -> None:
    small = replace(good[0], name="small.png", grey=cv2.resize(good[0].grey, (480, 360)).astype(np.uint8))
    found = calibrate_camera([*good[1:], small], BOARD)
    assert reasons(found) == ["wrong-resolution"]
    assert "small.png has 480x360 px, others 640x480" in found.refusals[0].detail
    assert found.lens is None
