"""Blocks that may or may not be there, as each view would show them in any combination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import N_FACES, Boxes, Ints, joined
from perception.chamfer import BEVEL_M, LABELS_PER_BOX, PART_VERTICES
from perception.contours import Portrait
from perception.judging import Actors, Bytes, Faces, Stage, faces_of, judge
from perception.outlines import eye_of, outlines
from perception.paint import NOTHING, Labels, fill, painting_order
from perception.stack import Stack, empty_stack
from perception.views import Window
from robot.frames import Array

MOST = 60.0  # by which one view can prefer one arrangement to another
MARGIN_PX = 3


class Scenes:
    """The seats of a layer, with the blocks that may take them, before all views.

    Args:
        looks: The views.
        k: The layer.
        around: Blocks that are there; of layer k only if there is but one seat.
        seats: For each seat the blocks of which it may hold one.
        veil: Blocks of which nothing is known but that they may hide what is behind them.
    """

    def __init__(
        self,
        looks: Sequence[Portrait],
        k: int,
        around: Stack,
        seats: Sequence[Boxes],
        veil: Stack | None = None,
    ) -> None:
        veil = empty_stack() if veil is None else veil
        self._scenes = [_Scene(look, k, around, seats, veil) for look in looks]

    def told(self, ways: Ints, cell: Ints) -> Array:
        """Evidence (A, views, KINDS) for ways to fill the seats.

        Blocks are numbered through all seats. Only pixels count where one of the blocks of `cell` would show a face if
        it stood alone.

        Args:
            ways: The block in each seat (A, seats), or -1.
            cell: Numbers of blocks.
        """
        return np.stack([scene.told(ways, cell) for scene in self._scenes], axis=1)


def total(told: Array) -> Array:
    """Evidence (A,) of all views and kinds together."""
    by_view = told.sum(axis=2)
    return np.asarray(np.maximum(by_view, by_view.max(axis=0) - MOST).sum(axis=1))


@dataclass(frozen=True)
class _Cell:
    """A part of a picture, and where in it pixels count."""

    window: Window
    region: Bytes


class _Scene:
    """The seats as one view sees them."""

    def __init__(self, look: Portrait, k: int, around: Stack, seats: Sequence[Boxes], veil: Stack) -> None:
        self._look = look
        fixed = joined([around.boxes, veil.boxes])
        layer = np.concatenate([around.layer, veil.layer]).astype(np.int64)
        self._faces = _faces(look, k, fixed, layer, len(veil), seats)
        eye, m = eye_of(look.view.camera), len(fixed)
        actors = joined(list(seats))
        box = m + np.repeat(np.arange(len(seats)), [len(seat) for seat in seats])
        self._actors = Actors(*outlines(eye, actors.T, actors.size_m, BEVEL_M), box)
        first = joined([fixed, *(Boxes(seat.T[:1], seat.size_m[:1]) for seat in seats)])
        order = painting_order(np.append(layer, [k] * len(seats)), first, eye.position_m)
        place = np.flatnonzero(order >= m)
        self._far_to_near = order[place] - m
        self._windows = _windows(self._actors.px)
        self._whole = self._window(np.arange(len(actors)))
        px, facing = outlines(eye, fixed.T, fixed.size_m, BEVEL_M)
        self._behind, self._before = (
            _painted(px, facing, some[some < m], self._whole) for some in (order[: place[0]], order[place[0] :])
        )
        self._cells = dict[bytes, _Cell]()

    def told(self, ways: Ints, cell: Ints) -> Array:
        key = cell.tobytes()
        if key not in self._cells:
            self._cells[key] = self._cell(cell)
        window, region = self._cells[key].window, self._cells[key].region
        left, top = window[0] - self._whole[0], window[1] - self._whole[1]
        cut = (slice(top, top + len(region)), slice(left, left + region.shape[1]))
        stage = Stage(self._behind[cut], self._before[cut], window[0], window[1])
        ordered = np.ascontiguousarray(ways[:, self._far_to_near])
        return judge(self._look.pixels, stage, region, self._actors, ordered, self._faces)

    def _window(self, cell: Ints) -> Window:
        """The part of the picture that some blocks fill, with a margin."""
        low, high = self._windows[cell, 0].min(axis=0), self._windows[cell, 1].max(axis=0)
        width, height = self._look.view.camera.size_px
        left, top = (int(np.clip(v - MARGIN_PX, 0, most - 1)) for v, most in zip(low, (width, height), strict=True))
        right, bottom = int(high[0]) + MARGIN_PX, int(high[1]) + MARGIN_PX
        return left, top, int(np.clip(right, left + 1, width)), int(np.clip(bottom, top + 1, height))

    def _cell(self, cell: Ints) -> _Cell:
        """Where a block of the cell would show a face, and a pixel around."""
        window = self._window(cell)
        labels = _painted(self._actors.px, self._actors.facing[:, :N_FACES], cell, window)
        region = cv2.dilate((labels != NOTHING).astype(np.uint8), np.ones((3, 3)))
        return _Cell(window, np.asarray(region, dtype=np.uint8))


def _windows(px: Array) -> Array:
    """Lowest and highest column and row (N, 2, 2) of vertices (N, V, 2), as whole numbers."""
    return np.stack([np.floor(px.min(axis=1)), np.ceil(px.max(axis=1))], axis=1)


def _painted(px: Array, facing: Array, order: Ints, window: Window) -> Labels:
    """Labels of a part of the picture under some blocks, painted one after another."""
    left, top, right, bottom = window
    labels = np.full((bottom - top, right - left), NOTHING, np.int16)
    row, part = np.nonzero(facing[order])
    box = order[row]
    quads = px[box[:, None], PART_VERTICES[part]] - np.array([left, top])
    fill(labels, quads, LABELS_PER_BOX * box + part, np.ones(len(px), dtype=np.bool_))
    return labels


def _faces(look: Portrait, k: int, fixed: Boxes, layer: Ints, veiled: int, seats: Sequence[Boxes]) -> Faces:
    """Of the fixed blocks, then of the seats: the blocks of one seat show the same kinds of faces."""
    every, m = joined([fixed, *seats]), len(fixed)
    of = np.concatenate([layer, np.full(len(every) - m, k)])
    hidden = np.arange(len(every))
    faces = faces_of(every, of, (hidden >= m - veiled) & (hidden < m), look.level)
    starts = np.cumsum([m, *(len(seat) for seat in seats[:-1])])
    rows = np.append(np.arange(m), starts)
    kind, expected = (it.reshape(-1, LABELS_PER_BOX)[rows].ravel() for it in faces)
    return Faces(kind, expected)
