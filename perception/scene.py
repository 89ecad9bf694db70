"""Blocks that may or may not be there, as each view would show them in any combination."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perception.boxes import N_FACES, Boxes, Ints, joined
from perception.chamfer import BEVEL_M, PARTS
from perception.contours import Portrait
from perception.judging import Actors, Faces, Stage, faces_of, judge
from perception.outlines import Eye, eye_of, outlines
from perception.paint import NOTHING, Labels, far_to_near, put, room_for
from perception.repaint import Bytes
from perception.stack import Stack, empty_stack
from robot.compiled import compiled
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


class _Scene:
    """The seats as one view sees them."""

    def __init__(self, look: Portrait, k: int, around: Stack, seats: Sequence[Boxes], veil: Stack) -> None:
        self._look = look
        eye, fixed = eye_of(look.view.camera), len(around) + len(veil)
        every = joined([around.boxes, veil.boxes, *seats])
        layer = np.concatenate([around.layer, veil.layer, np.full(len(every) - fixed, k)]).astype(np.int64)
        counts = np.array([fixed, *(len(seat) for seat in seats)])
        self._size = np.array(look.view.camera.size_px)
        self._actors, self._far_to_near, self._windows, self._whole, self._set, self._faces = _set(
            eye, self._size, every.T, every.size_m, layer, counts, len(veil), look.level
        )
        self._cells = dict[bytes, tuple[Ints, Bytes]]()

    def told(self, ways: Ints, cell: Ints) -> Array:
        key = cell.tobytes()
        if key not in self._cells:
            self._cells[key] = _cell(self._windows, self._size, self._actors, cell)
        window, region = self._cells[key]
        (left, top), (height, width) = (int(v) for v in window[:2] - self._whole[:2]), region.shape
        cut = (slice(top, top + height), slice(left, left + width))
        stage = Stage(self._set[0][cut], self._set[1][cut], int(window[0]), int(window[1]))
        ordered = np.ascontiguousarray(ways[:, self._far_to_near])
        return judge(self._look.pixels, stage, region, self._actors, ordered, self._faces)


@compiled
def _set(
    eye: Eye, size_px: Ints, T: Array, size_m: Array, layer: Ints, counts: Ints, veiled: int, level: Array
) -> tuple[Actors, Ints, Array, Ints, tuple[Labels, Labels], Faces]:
    """The blocks in question, the seats far to near, windows of blocks, the stage's window, the stage, and its faces.

    `counts`: number of fixed blocks, `veiled` of which come last, and of each seat's.
    """
    fixed, seats = counts[0], len(counts) - 1
    px, facing = outlines(eye, T, size_m, BEVEL_M)
    first, box = np.empty(seats, np.int64), np.empty(len(T) - fixed, np.int64)
    at = fixed
    for seat in range(seats):
        first[seat] = at
        box[at - fixed : at - fixed + counts[seat + 1]] = fixed + seat
        at += counts[seat + 1]
    some = np.concatenate((np.arange(fixed), first))
    order = far_to_near(layer[some], T[some], eye.position_m)
    actors = Actors(px[fixed:], facing[fixed:], box)
    windows = np.empty((len(box), 4))
    for i in range(len(box)):
        windows[i, 0], windows[i, 1] = (
            np.floor(px[fixed + i, :, 0].min()),
            np.floor(px[fixed + i, :, 1].min()),
        )
        windows[i, 2], windows[i, 3] = np.ceil(px[fixed + i, :, 0].max()), np.ceil(px[fixed + i, :, 1].max())
    whole = _window(windows, size_px)
    height, width = whole[3] - whole[1], whole[2] - whole[0]
    behind, before = np.full((height, width), NOTHING, np.int16), np.full((height, width), NOTHING, np.int16)
    room, passed, seen = room_for(height), 0, np.empty(seats, np.int64)
    for i in order:
        if i >= fixed:
            seen[passed] = i - fixed
            passed += 1
        else:
            put(before if passed else behind, px[i], facing[i], PARTS, i, whole[0], whole[1], room)
    faces = faces_of(T, size_m, layer, T[:, :2, 3], some, (fixed - veiled, fixed), level)
    return actors, seen, windows, whole, (behind, before), faces


@compiled
def _window(windows: Array, size_px: Ints) -> Ints:
    """Left, top, right and bottom (4,) of the part of the picture that blocks' windows (n, 4) fill, with a margin."""
    out = np.empty(4, np.int64)
    for a in range(2):
        low, high = windows[:, a].min() - MARGIN_PX, windows[:, 2 + a].max() + MARGIN_PX
        out[a] = int(min(max(low, 0), size_px[a] - 1))
        out[2 + a] = int(min(max(high, out[a] + 1), size_px[a]))
    return out


@compiled
def _cell(windows: Array, size_px: Ints, actors: Actors, cell: Ints) -> tuple[Ints, Bytes]:
    """The part of the picture in which blocks of a cell would show a face, and where in it, and a pixel around."""
    window = _window(windows[cell], size_px)
    height, width = window[3] - window[1], window[2] - window[0]
    labels, room = np.full((height, width), NOTHING, np.int16), room_for(height)
    for i in cell:
        put(labels, actors.px[i], actors.facing[i], N_FACES, 0, window[0], window[1], room)
    wide, region = np.zeros((height, width), np.bool_), np.zeros((height, width), np.uint8)
    for r in range(height):
        for c in range(1, width - 1):
            wide[r, c] = (labels[r, c - 1] & labels[r, c] & labels[r, c + 1]) != NOTHING
    for r in range(1, height - 1):
        for c in range(width):
            region[r, c] = wide[r - 1, c] | wide[r, c] | wide[r + 1, c]
    return window, region
