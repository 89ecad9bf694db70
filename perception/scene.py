"""Blocks that may or may not be there, as each view would show them in any combination."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from perception.boxes import N_FACES, Bools, Boxes, Ints
from perception.chamfer import BEVEL_M
from perception.contours import Portrait
from perception.judging import Painting, faces_of, judge
from perception.paint import covered, painting_order, visible_quads, window_of
from robot.frames import Array

MOST = 60.0  # by which one view can prefer one arrangement to another
MARGIN_PX = 3


class Scenes:
    """A cast of blocks before all views.

    Args:
        looks: The views.
        layer: Layer of each block (N,).
        boxes: The blocks.
        veiled: Blocks (N,) of which nothing is known but that they may hide what is behind them.
    """

    def __init__(self, looks: Sequence[Portrait], layer: Ints, boxes: Boxes, veiled: Bools) -> None:
        self.boxes = boxes
        self._scenes = [_Scene(look, layer, boxes, veiled) for look in looks]

    def told(self, arrangements: Sequence[Ints], cell: Ints) -> Array:
        """Evidence (A, views, KINDS) for arrangements (indices of the blocks that are there).

        Only pixels count where one of the blocks of `cell` would show a face if it stood alone.
        """
        there = np.zeros((len(arrangements), len(self.boxes)), dtype=np.bool_)
        for row, blocks in zip(there, arrangements, strict=True):
            row[blocks] = True
        return np.stack([scene.told(there, cell) for scene in self._scenes], axis=1)


def total(told: Array) -> Array:
    """Evidence (A,) of all views and kinds together."""
    by_view = told.sum(axis=2)
    return np.asarray(np.maximum(by_view, by_view.max(axis=0) - MOST).sum(axis=1))


class _Scene:
    """The cast as one view sees it."""

    def __init__(self, look: Portrait, layer: Ints, boxes: Boxes, veiled: Bools) -> None:
        self._look, self._boxes, self._veiled = look, boxes, veiled
        camera = look.view.camera
        order = painting_order(layer, boxes, camera.position_m())
        self._quads, self._values = visible_quads(camera, boxes, order, BEVEL_M)
        self._faces = faces_of(boxes, layer, veiled, look)

    def told(self, there: Bools, cell: Ints) -> Array:
        alone = Boxes(self._boxes.T[cell], self._boxes.size_m[cell])
        window = window_of(self._look.view.camera, alone, MARGIN_PX)
        quads = self._quads - [window[0], window[1]]
        region = self._region(cell, (window[3] - window[1], window[2] - window[0]), quads)
        return judge(
            self._look, window, region, Painting(quads, self._values), there | self._veiled, self._faces
        )

    def _region(self, cell: Ints, shape: tuple[int, int], quads: Array) -> Bools:
        """Where a block of the cell would show a face (rows, columns), and a pixel around."""
        of_cell = np.zeros(len(self._boxes), dtype=np.bool_)
        of_cell[cell] = True
        region = covered(shape, quads, self._values, of_cell, N_FACES)
        return np.asarray(cv2.dilate(region.astype(np.uint8), np.ones((3, 3))) > 0)
