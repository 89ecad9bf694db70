"""Sheets to print: what is drawn is found by a detector, and the PDF has its true size."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from perception.calibration_board import Board, find_board
from perception.markers import Markers, marker_corners
from robot.errors import BadInputError
from robot.frames import Array
from robot.mat import DICTIONARY, PAPERS_M, printed_mat
from steadyhand.sheets import Sheet, board_sheet, encoded, mat_sheet, write

MM_PX = 300 / 25.4  # of a PNG
POINT_MM = 25.4 / 72  # of a PDF


def rastered(sheet: Sheet, scale: float = 1.0) -> Array:
    image = cv2.imdecode(np.frombuffer(encoded(sheet, ".png"), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert image is not None
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return small.astype(np.float64)


def page_mm(pdf: bytes) -> tuple[float, float]:
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", pdf)
    assert box is not None
    return float(box[1]) * POINT_MM, float(box[2]) * POINT_MM


def shapes_mm(pdf: bytes) -> list[Array]:
    """Closed outlines (n, 2) of all that is filled, in mm from the page's lower left corner."""
    for data in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            text = zlib.decompress(data).decode("latin-1")
        except zlib.error:
            continue
        if " m\n" in text:
            break
    outlines = list[Array]()
    for outline in re.findall(r"((?:-?[\d.]+ -?[\d.]+ [ml]\n)+)h\n", text):
        points = [line.split()[:2] for line in outline.splitlines()]
        outlines.append(np.array(points, dtype=np.float64) * POINT_MM)
    return outlines[1:]  # the first is the page


@pytest.mark.parametrize("paper", list(PAPERS_M))
def test_markers_of_the_mat_are_found_where_the_program_believes_them(paper: str) -> None:
    mat = printed_mat(paper)
    corners_world_m = mat.corners_world_m()
    scale = 0.4
    grey = rastered(mat_sheet(paper), scale)
    found = marker_corners(grey, Markers(DICTIONARY, corners_world_m))
    assert set(found) == {0, 1, 2, 3}
    width_mm, height_mm = (side * 1e3 for side in PAPERS_M[paper])
    for number, px in found.items():
        right, down = (px + 0.5).T / MM_PX / scale
        world = np.stack([height_mm / 2 - down, width_mm / 2 - right], axis=1)
        assert world == pytest.approx(corners_world_m[number][:, :2] * 1e3, abs=0.15)


def test_mat_on_a3_is_the_sheet_of_240_mm() -> None:
    corners = np.concatenate(list(printed_mat("a3").corners_world_m().values()))
    assert np.ptp(corners, axis=0) == pytest.approx([0.24, 0.24, 0.0])


@pytest.mark.parametrize("paper", list(PAPERS_M))
def test_markers_keep_their_white_rim_on_the_page(paper: str) -> None:
    mat, (width, height) = printed_mat(paper), PAPERS_M[paper]
    rim = mat.marker_m / 6  # a cell
    for x, y in mat.centres_m.values():
        assert abs(y) + mat.marker_m / 2 + rim < width / 2
        assert abs(x) + mat.marker_m / 2 + rim < height / 2


@pytest.mark.parametrize("paper", list(PAPERS_M))
def test_mat_pdf_has_true_size(paper: str) -> None:
    pdf = encoded(mat_sheet(paper), ".pdf")
    width, height = (side * 1e3 for side in PAPERS_M[paper])
    assert page_mm(pdf) == pytest.approx((width, height), abs=0.05)
    black = np.concatenate(shapes_mm(pdf))
    mat = printed_mat(paper)
    corners = np.concatenate(list(mat.corners_world_m().values())) * 1e3
    page = np.stack([width / 2 - corners[:, 1], height / 2 + corners[:, 0]], axis=1)
    assert black.min(axis=0) == pytest.approx(page.min(axis=0), abs=0.01)
    assert black.max(axis=0) == pytest.approx(page.max(axis=0), abs=0.01)
    cells = [np.ptp(outline, axis=0) for outline in shapes_mm(pdf)]
    assert np.array(cells) == pytest.approx(mat.marker_m * 1e3 / 6, abs=0.01)


@pytest.mark.parametrize(
    ("board", "paper"),
    [
        (Board(), "a4"),
        (Board(squares=(5, 7), square_m=0.035, marker_m=0.026, dictionary="DICT_4X4_50"), "a3"),
        (Board(kind="chessboard"), "a4"),
    ],
)
def test_board_is_found_with_all_corners_in_their_places(board: Board, paper: str) -> None:
    scale = 0.4
    grey = cv2.resize(
        rastered(board_sheet(board, paper)), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA
    )
    seen = find_board(grey.astype(np.uint8), board)
    assert seen is not None
    assert len(seen.numbers) == len(board.p_board_m)
    px = seen.px - seen.px.mean(axis=0)
    true = (board.p_board_m - board.p_board_m.mean(axis=0))[seen.numbers, :2] * 1e3 * MM_PX * scale
    assert (
        min(np.abs(px - true).max(), np.abs(px + true).max()) < 0.3
    )  # a chessboard may be read from its end


def test_board_pdf_has_squares_of_true_size() -> None:
    board = Board(square_m=0.028, marker_m=0.0196)
    pdf = encoded(board_sheet(board, "a4"), ".pdf")
    assert page_mm(pdf) == pytest.approx((297.0, 210.0), abs=0.05)
    sides = np.array([np.ptp(outline, axis=0) for outline in shapes_mm(pdf)])
    large = sides[sides[:, 0] > 10]
    assert len(large) == 24
    assert large == pytest.approx(28.0, abs=0.01)
    assert sides[sides[:, 0] <= 10] == pytest.approx(19.6 / 7, abs=0.01)


def test_rulers_are_100_mm_both_ways() -> None:
    """Dark lines run from 0 to 100 mm, and no farther, where the sheet says that rulers begin."""
    sheet = mat_sheet("a4")
    grey = rastered(sheet)
    for x, y, upward in sheet.rulers:
        row, column = grey.shape[0] - y * MM_PX, x * MM_PX
        line = grey[:, round(column) - 2 : round(column) + 3].min(axis=1)[::-1] if upward else (
            grey[round(row) - 2 : round(row) + 3].min(axis=0)
        )  # fmt: skip
        begin = y if upward else x
        dark = np.flatnonzero(line[round((begin - 5) * MM_PX) : round((begin + 105) * MM_PX)] < 200)
        assert np.ptp(dark) / MM_PX == pytest.approx(100.0, abs=0.4)


def test_same_sheet_is_the_same_file() -> None:
    assert encoded(mat_sheet("a4"), ".pdf") == encoded(mat_sheet("a4"), ".pdf")


def test_board_that_does_not_fit_its_paper_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"354 x 264 mm.*does not fit on A4 .*--paper a3"):
        board_sheet(Board(squares=(11, 8)), "a4")


def test_sheet_of_another_format_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"mat\.gif: a sheet ends in \.pdf or \.png"):
        write(mat_sheet("a4"), tmp_path / "mat.gif")
    assert list(tmp_path.iterdir()) == []
