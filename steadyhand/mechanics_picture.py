"""The tower from two sides, every block's face at its true size and place, coloured by load or by chance.

A face shows the mean of what lies on its block and what the block presses down with; with sampled towers, the chance
that it comes out safely.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from planning.contacts import HEIGHT, LENGTH, TAPER, WIDTH, YAW, X, Y
from planning.mechanics import Mechanics, Towers, loads
from robot.frames import Array
from robot.ports import Image
from steadyhand.mechanics_words import chances

_PX_M = 4000.0
_MARGIN_PX, _HEAD_PX, _APART_PX, _SCALE_PX = 50, 70, 60, 170
_INK, _PAPER, _EDGE, _NOTHING = (40, 40, 40), (250, 250, 250), (70, 70, 70), (215, 215, 215)
_TICKS = 5


@dataclass(frozen=True)
class _Shade:
    """A value a block (n,), the highest one of the scale, and what the scale says."""

    values: Array
    top: float
    title: str
    digits: int

    def colour(self, value: float) -> tuple[int, int, int]:
        """Blue first; grey where there is no value."""
        if not np.isfinite(value):
            return _NOTHING
        level = np.full((1, 1), round(255 * min(max(value / self.top, 0.0), 1.0)), np.uint8)
        b, g, r = cv2.applyColorMap(level, cv2.COLORMAP_VIRIDIS)[0, 0]
        return int(b), int(g), int(r)


@dataclass(frozen=True)
class _View:
    """One side: which coordinate runs to the right, which way is near, and where the ground's middle is [px]."""

    across: int
    near: float
    title: str
    at_px: tuple[int, int]


def encoded(towers: Towers, known: Mechanics, sampled: Mechanics | None, ending: str) -> bytes:
    """The picture as a file of the format that the ending names."""
    _, data = cv2.imencode(ending.lower(), picture(towers, known, sampled))
    return bytes(data.tobytes())


def picture(towers: Towers, known: Mechanics, sampled: Mechanics | None) -> Image:
    """Two views beside each other and the scale (rows, columns, 3), blue first.

    Args:
        towers: The tower, a batch of one.
        known: Its mechanics.
        sampled: Those of sampled towers, to colour by.
    """
    shade = _by_load(known) if sampled is None else _by_chance(sampled)
    heights_m = loads(towers).height_m[0]
    wide, high = _extent_px(towers.bodies[0], heights_m)
    rows, columns = high + _HEAD_PX + _MARGIN_PX, 2 * (wide + _MARGIN_PX) + _APART_PX + _SCALE_PX
    canvas = np.full((rows, columns, 3), _PAPER, np.uint8)
    middle, ground = _MARGIN_PX + wide // 2, rows - _MARGIN_PX
    for view in (
        _View(X, -1.0, "from the front (along y)", (middle, ground)),
        _View(Y, 1.0, "from the right (against x)", (middle + wide + _APART_PX, ground)),
    ):
        _draw(canvas, view, towers, heights_m, shade, wide)
    _scale(canvas, shade, columns - _SCALE_PX + 20)
    return canvas


def _by_load(known: Mechanics) -> _Shade:
    load_n = (known.top_n[0] + known.bottom_n[0]) / 2
    top = float(np.nanmax(load_n)) if known.stands[0] else 1.0
    return _Shade(load_n, top, "load [N]", 1)


def _by_chance(sampled: Mechanics) -> _Shade:
    return _Shade(chances(sampled) * 100, 100.0, "comes out [%]", 0)


def _extent_px(bodies: Array, heights_m: Array) -> tuple[int, int]:
    """Width and height of a view."""
    reach_m = (np.abs(bodies[:, [X, Y]]).max(axis=1) + bodies[:, LENGTH] / 2).max()
    reach_m = max(min(reach_m, 0.3), 0.05)
    top_m = (heights_m + bodies[:, HEIGHT] / 2).max()
    return int(2 * reach_m * _PX_M), int(top_m * _PX_M)


def _draw(canvas: Image, view: _View, towers: Towers, heights_m: Array, shade: _Shade, wide: int) -> None:
    """All faces that look this way, far ones first."""
    middle, ground = view.at_px
    cv2.putText(canvas, view.title, (middle - 110, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.55, _INK, 1, cv2.LINE_AA)
    cv2.line(canvas, (middle - wide // 2, ground), (middle + wide // 2, ground), _INK, 2)
    bodies = towers.bodies[0]
    for k in np.argsort(view.near * bodies[:, Y if view.across == X else X], kind="stable"):
        corners = _face_px(bodies[k], view, float(heights_m[k]))
        cv2.fillPoly(canvas, [corners], shade.colour(float(shade.values[k])), cv2.LINE_AA)
        cv2.polylines(canvas, [corners], True, _EDGE, 1, cv2.LINE_AA)
        _label(canvas, str(towers.slots[k]), corners, shade.colour(float(shade.values[k])))


def _face_px(body: Array, view: _View, height_m: float) -> np.ndarray:
    """Corners (4, 2) of the face: as wide as the block from there, and at each edge as thick as it is there."""
    turn = body[YAW] if view.across == X else body[YAW] - np.pi / 2
    half_m = abs(np.cos(turn)) * body[LENGTH] / 2 + abs(np.sin(turn)) * body[WIDTH] / 2
    along = np.cos(turn) if abs(np.cos(turn)) > 0.5 else 0.0
    corners = []
    for side, up in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        thick_m = body[HEIGHT] + body[TAPER] * side * along / 2
        x_m, z_m = body[view.across] + side * half_m, height_m + up * thick_m / 2
        corners.append([view.at_px[0] + x_m * _PX_M, view.at_px[1] - z_m * _PX_M])
    return np.round(np.array(corners)).astype(np.int32)


def _label(canvas: Image, text: str, corners: np.ndarray, ground: tuple[int, int, int]) -> None:
    """The slot's name in the middle of a face, dark on light and light on dark."""
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.45, 1)
    x, y = corners.mean(axis=0)
    ink = _INK if sum(ground) > 330 else (255, 255, 255)
    place = (int(x - w / 2), int(y + h / 2))
    cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, ink, 1, cv2.LINE_AA)


def _scale(canvas: Image, shade: _Shade, left: int) -> None:
    """A bar of all colours with its ticks."""
    top, bottom = _HEAD_PX, min(canvas.shape[0] - _MARGIN_PX, _HEAD_PX + 400)
    for y in range(top, bottom + 1):
        value = shade.top * (bottom - y) / (bottom - top)
        cv2.line(canvas, (left, y), (left + 30, y), shade.colour(value), 1)
    cv2.putText(canvas, shade.title, (left, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.55, _INK, 1, cv2.LINE_AA)
    for k in range(_TICKS + 1):
        y = round(bottom - (bottom - top) * k / _TICKS)
        cv2.line(canvas, (left + 30, y), (left + 36, y), _INK, 1)
        text = f"{shade.top * k / _TICKS:.{shade.digits}f}"
        cv2.putText(canvas, text, (left + 42, y + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.45, _INK, 1, cv2.LINE_AA)
