"""Sheets to print, at true size: the marker mat that lies under the tower, and the board that a lens is calibrated by.

Every sheet has rulers of 100 mm both ways and says what to measure: printers scale.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.calibration_board import CHARUCO, Board, black_squares, marker_cells
from robot.errors import BadInputError
from robot.mat import DICTIONARY, PAPERS_M, Mat, printed_mat
from steadyhand.files import need_place, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".pdf", ".png")
_DPI = 300  # of a PNG
_INCH_MM = 25.4
_RULER_MM = 100.0
_TICK_MM, _END_MM, _LINE_PT = 2.0, 4.0, 0.6
_ROOM_MM = 12.0  # beside a board for ruler and words, and for the white rim that markers need
_TEXT_PT = 7.0
_GREY = "#777777"

Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True)
class Sheet:
    """What is printed. Page coordinates are in mm from the page's lower left corner, y up.

    Attributes:
        size_mm: Width and height of the page.
        black: Rectangles (left, bottom, width, height).
        rulers: Where each begins, and whether it goes up (else to the right).
        words: Lines of text and the place (left, top) of the first.
        axes_at: Where the world's axes are drawn, or None.
    """

    size_mm: tuple[float, float]
    black: Sequence[Rectangle]
    rulers: Sequence[tuple[float, float, bool]]
    words: Sequence[str]
    words_at: tuple[float, float]
    axes_at: tuple[float, float] | None = None


def mat_sheet(paper: str) -> Sheet:
    """The marker mat (`robot.mat.printed_mat`): the world's origin in the middle, x up on the page, y to the left."""
    mat = printed_mat(paper)
    width, height = (side * 1e3 for side in PAPERS_M[paper])
    middle = width / 2, height / 2
    up, aside = (abs(v) * 1e3 for v in mat.centres_m[0])
    words = [
        f"steadyhand mat, {paper.upper()}, {DICTIONARY} 0 to 3. Print at 100 %, not fitted to the page.",
        f"Measure: both rulers {_RULER_MM:g} mm, black squares {mat.marker_m * 1e3:g} mm,",
        f"left edges of the squares {2 * aside:g} mm apart, upper edges {2 * up:g} mm.",
        "Glue it down flat, x away from the arm's base.",
    ]
    half = _RULER_MM / 2
    return Sheet(
        (width, height),
        _mat_black(mat, middle),
        [(middle[0] - half, middle[1] - up, False), (middle[0] - aside, middle[1] - half, True)],
        words,
        (middle[0] - half, middle[1] + up + 8),
        middle,
    )


def _mat_black(mat: Mat, middle: tuple[float, float]) -> list[Rectangle]:
    black = list[Rectangle]()
    for number, (x, y) in mat.centres_m.items():
        left, top = -y - mat.marker_m / 2, -x - mat.marker_m / 2  # page right is -y, page down is -x
        cells = marker_cells(DICTIONARY, number, left, top, mat.marker_m)
        black += _on_page(cells, middle)
    return black


def _on_page(rectangles_m: Sequence[Rectangle], origin_mm: tuple[float, float]) -> list[Rectangle]:
    """Rectangles with y down from an origin, as they lie on a page."""
    x0, y0 = origin_mm
    mm = ((a * 1e3, b * 1e3, w * 1e3, h * 1e3) for a, b, w, h in rectangles_m)
    return [(x0 + left, y0 - top - h, w, h) for left, top, w, h in mm]


def board_sheet(board: Board, paper: str) -> Sheet:
    """The board in the middle of a page, lying or upright as it fits.

    Raises:
        BadInputError: It does not fit.
    """
    need = [n * board.square_m * 1e3 + 2 * _ROOM_MM for n in board.squares]
    short, long = (side * 1e3 for side in PAPERS_M[paper])
    width, height = (long, short) if need[0] > need[1] else (short, long)
    if need[0] > width or need[1] > height:
        raise BadInputError(
            f"a board of {need[0]:g} x {need[1]:g} mm, rim included, does not fit on {paper.upper()} ({long:g} x "
            f"{short:g} mm): use fewer or smaller squares, or --paper a3"
        )
    left, top = (width - need[0]) / 2 + _ROOM_MM, (height + need[1]) / 2 - _ROOM_MM
    columns, rows = board.squares
    markers = f", markers {board.marker_m * 1e3:g} mm, {board.dictionary}" if board.kind == CHARUCO else ""
    words = [
        f"steadyhand {board.kind} {columns}x{rows} squares of {board.square_m * 1e3:g} mm{markers}. Print at 100 %; "
        f"measure both rulers: {_RULER_MM:g} mm."
    ]
    bottom = top - rows * board.square_m * 1e3
    return Sheet(
        (width, height),
        _on_page(black_squares(board), (left, top)),
        [(left, bottom - 6, False), (left - 6, bottom, True)],
        words,
        (left, top + 7),
    )


def encoded(sheet: Sheet, ending: str) -> bytes:
    """The sheet as a file of the format that the ending names; a PDF's shapes are vectors of true size."""
    figure, out = _figure(sheet), io.BytesIO()
    kind = ending.lower().lstrip(".")
    undated = {"CreationDate": None} if kind == "pdf" else None  # the same sheet is the same file
    figure.savefig(out, format=kind, dpi=_DPI, metadata=undated)
    return out.getvalue()


def write(sheet: Sheet, path: Path) -> None:
    """Write a sheet as the ending of the path says.

    Raises:
        BadInputError: It cannot be written, or the ending is none of `FORMATS`.
    """
    need_place(path)
    if path.suffix.lower() not in FORMATS:
        raise BadInputError(f"{path}: a sheet ends in {' or '.join(FORMATS)}; name it so")
    write_whole(path, encoded(sheet, path.suffix))


def _figure(sheet: Sheet) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = sheet.size_mm
    figure = Figure(figsize=(width / _INCH_MM, height / _INCH_MM))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    _draw_black(axes, sheet.black)
    for x, y, upward in sheet.rulers:
        _draw_ruler(axes, x, y, upward=upward)
    axes.text(*sheet.words_at, "\n".join(sheet.words), fontsize=_TEXT_PT, va="top")
    if sheet.axes_at is not None:
        _draw_axes(axes, *sheet.axes_at)
    return figure


def _draw_black(axes: Axes, rectangles: Sequence[Rectangle]) -> None:
    """All black as one shape: drawn one by one, cells would show hairlines between them."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    corners = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)] for x, y, w, h in rectangles]
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(corners)
    path = Path([point for corner in corners for point in corner], codes)
    axes.add_patch(PathPatch(path, facecolor="black", edgecolor="none", linewidth=0, snap=False))


def _draw_ruler(axes: Axes, x: float, y: float, *, upward: bool) -> None:
    steps = round(_RULER_MM / 10)
    for k in range(steps + 1):
        long = _END_MM if k in (0, steps) else _TICK_MM
        a, b = ((0.0, 10.0 * k), (long, 10.0 * k)) if upward else ((10.0 * k, 0.0), (10.0 * k, long))
        axes.plot([x + a[0], x + b[0]], [y + a[1], y + b[1]], color=_GREY, linewidth=_LINE_PT, snap=False)
    end = (x, y + _RULER_MM) if upward else (x + _RULER_MM, y)
    axes.plot([x, end[0]], [y, end[1]], color=_GREY, linewidth=_LINE_PT, snap=False)


def _draw_axes(axes: Axes, x: float, y: float) -> None:
    """The world's axes: x up on the page, y to the left."""
    for name, (dx, dy) in {"x": (0.0, 15.0), "y": (-15.0, 0.0)}.items():
        axes.annotate(
            "",
            (x + dx, y + dy),
            (x, y),
            arrowprops={
                "arrowstyle": "->",
                "color": _GREY,
                "linewidth": _LINE_PT,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        axes.text(x + 1.3 * dx, y + 1.3 * dy, name, fontsize=_TEXT_PT, color=_GREY, ha="center", va="center")
