"""Boards found in pictures that were drawn through a known lens."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.calibration_board import Board, edge_width_px, find_board
from robot.camera_model import CameraModel
from robot.errors import BadInputError
from robot.frames import inverse
from support.boards import LENS, eye, facing, good_poses

CHARUCO, CHESSBOARD = Board(), Board(kind="chessboard")
TILTED = (25.0, -15.0, 10.0)


def true_px(board: Board, T_camera_board: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    model = CameraModel("eye", LENS.size_px, LENS.K, inverse(T_camera_board), LENS.distortion)
    return model.project(board.p_board_m)


def test_corners_of_a_charuco_board_are_found_where_the_lens_puts_them() -> None:
    T = facing(CHARUCO, (0.02, 0.0, 0.42), TILTED)
    seen = find_board(eye().picture(CHARUCO, T), CHARUCO)
    assert seen is not None
    assert seen.numbers.tolist() == list(range(35))
    assert np.abs(seen.px - true_px(CHARUCO, T)).max() < 0.3


def test_part_of_a_charuco_board_is_found_with_its_own_numbers() -> None:
    T = facing(CHARUCO, (0.16, 0.0, 0.35), (20.0, 0.0, 0.0))
    seen = find_board(eye().picture(CHARUCO, T), CHARUCO)
    assert seen is not None
    assert 8 <= len(seen.numbers) < 35
    assert np.abs(seen.px - true_px(CHARUCO, T)[seen.numbers]).max() < 0.3


def test_corners_of_a_chessboard_are_found_from_one_end_or_the_other() -> None:
    """It looks the same upside down."""
    T = facing(CHESSBOARD, (0.0, 0.0, 0.45), TILTED)
    seen = find_board(eye().picture(CHESSBOARD, T), CHESSBOARD)
    assert seen is not None
    expected = true_px(CHESSBOARD, T)
    assert min(np.abs(seen.px - expected).max(), np.abs(seen.px - expected[::-1]).max()) < 0.3


@pytest.mark.parametrize("board", [CHARUCO, CHESSBOARD])
def test_no_board_is_found_where_there_is_none(board: Board) -> None:
    blank = np.full((480, 640), 120, np.uint8)
    assert find_board(blank, board) is None


def test_board_of_other_markers_is_not_taken_for_this_one() -> None:
    other = Board(dictionary="DICT_6X6_50")
    assert find_board(eye().picture(CHARUCO, good_poses(CHARUCO)[0]), other) is None


def test_halves_of_a_board_hold_every_corner_once() -> None:
    seen = find_board(eye().picture(CHARUCO, good_poses(CHARUCO)[0]), CHARUCO)
    assert seen is not None
    first, second = seen.split(CHARUCO)
    assert sorted([*first.numbers, *second.numbers]) == seen.numbers.tolist()
    assert abs(len(first.numbers) - len(second.numbers)) <= 1


@pytest.mark.parametrize(("board", "blur_px"), [(CHARUCO, 1.4), (CHESSBOARD, 1.4), (CHESSBOARD, 2.5)])
def test_edges_are_as_wide_as_the_blur_makes_them(board: Board, blur_px: float) -> None:
    """From 10 to 90 % a step that was blurred by a Gaussian takes 2.56 standard deviations."""
    grey = eye().picture(board, facing(board, (0.0, 0.0, 0.42), (10.0, 10.0, 0.0)), blur_px=blur_px)
    seen = find_board(grey, board)
    assert seen is not None
    printed_and_sampled_px = 0.6
    expected = 2.56 * np.hypot(blur_px, printed_and_sampled_px)
    assert edge_width_px(grey, seen, board) == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("board", [CHARUCO, CHESSBOARD])
def test_blur_along_one_direction_alone_is_noticed(board: Board) -> None:
    """A board or camera that moves."""
    sharp = eye().picture(board, facing(board, (0.0, 0.0, 0.42), (10.0, 10.0, 0.0)))
    seen = find_board(sharp, board)
    assert seen is not None
    wiped = cv2.blur(sharp, (7, 1)).astype(np.uint8)
    assert edge_width_px(wiped, seen, board) > 1.8 * edge_width_px(sharp, seen, board)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Board(kind="circles"), "board 'circles' is not known: use charuco or chessboard"),
        (lambda: Board(squares=(2, 6)), "2x6 squares is too small: count its squares, not the corners"),
        (lambda: Board(square_m=0.0), "squares of 0 mm cannot be"),
        (lambda: Board(square_m=float("nan")), "squares of nan mm cannot be"),
        (lambda: Board(marker_m=0.03), "markers of 30 mm in squares of 30 mm cannot be"),
        (lambda: Board(dictionary="DICT_7"), "marker dictionary 'DICT_7' is not known"),
        (lambda: Board(squares=(20, 20)), "has 200 markers, DICT_5X5_50 only 50"),
    ],
)
def test_board_that_cannot_be_is_refused(make: object, why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        make()  # type: ignore[operator]
