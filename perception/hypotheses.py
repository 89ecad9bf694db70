"""Which of several arrangements of blocks the views tell of: each is painted and judged by what the pictures show.

A view may be hidden by an arm or a hand. So each view's likelihood is mixed with that of something unknown in front:
a hidden view then says the same of every arrangement, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perception.appearance import Appearance
from perception.boxes import Bools, Boxes, Ints
from perception.chamfer import BEVEL_M, LABELS_PER_BOX
from perception.evidence import INDEPENDENT, TYPICAL, face_expectations, judge
from perception.paint import Labels, covered, painting_order, visible_quads, window_of
from perception.sides import UPRIGHT
from perception.views import View
from robot.frames import Array

MOST = 60.0  # log odds that one view alone can give
STRANGE = (
    0.03  # share of pixels that even the best arrangement does not explain, at which a view is not believed
)
HIDDEN = 0.02  # how often something unknown stands in front of a block in one view


@dataclass(frozen=True)
class Look:
    """One view with what wood looks like in it."""

    view: View
    wood: Appearance


@dataclass(frozen=True)
class Judgement:
    """Log likelihoods of A arrangements in V views.

    Attributes:
        told: (A, V), over something unknown in front.
        pixels: How many pixels each view's rest on (V,).
    """

    told: Array
    pixels: Array

    def total(self) -> Array:
        """Of all views together (A,)."""
        return np.asarray(self.told.sum(axis=1))


class Cast:
    """Blocks that may or may not be there, ready to be painted in any combination.

    Args:
        layer: Layer of each block (N,).
        boxes: The blocks.
        veiled: Blocks (N,) of which nothing is known but that they may hide what is behind them.
    """

    def __init__(self, looks: Sequence[Look], layer: Ints, boxes: Boxes, veiled: Bools) -> None:
        self.looks, self.layer, self.boxes = looks, layer, boxes
        self._scenes = [_Scene(look, layer, boxes, veiled) for look in looks]

    def judged(self, arrangements: Sequence[Ints], cell: Ints) -> Judgement:
        """How each arrangement (indices of the blocks that are there) explains what the views show of a cell.

        Only the pixels count where one of the blocks of `cell` would show a side if it stood alone.
        """
        there = np.zeros((len(arrangements), len(self.boxes)), dtype=np.bool_)
        for row, blocks in zip(there, arrangements, strict=True):
            row[blocks] = True
        views = [scene.judged(there, cell) for scene in self._scenes]
        return Judgement(np.array([told for told, _ in views]).T, np.array([pixels for _, pixels in views]))


class _Scene:
    """The cast as one view sees it."""

    def __init__(self, look: Look, layer: Ints, boxes: Boxes, veiled: Bools) -> None:
        camera = look.view.camera
        self._look, self._boxes, self._camera = look, boxes, camera
        order = painting_order(layer, boxes, camera.position_m())
        self._quads, self._values = visible_quads(camera, boxes, order, BEVEL_M)
        self._faces = face_expectations(boxes, layer, look.wood)
        self._faces[np.repeat(veiled, LABELS_PER_BOX), 1] = 0.0
        self._veiled = veiled

    def judged(self, there: Bools, cell: Ints) -> tuple[Array, int]:
        """Log likelihoods (A,) over something hidden, and on how many pixels they rest."""
        window = window_of(self._camera, Boxes(self._boxes.T[cell], self._boxes.size_m[cell]), 2)
        left, top, right, bottom = window
        quads = self._quads - [left, top]
        region = self._region(cell, (bottom - top, right - left), quads)
        part = (slice(top, bottom), slice(left, right))
        grey, wood = self._look.view.grey[part], self._look.wood.wood[part]
        told, strange = judge(grey, wood, region, quads, self._values, there | self._veiled, self._faces)
        pixels = int(np.count_nonzero(region))
        hidden = np.log(HIDDEN) - INDEPENDENT * TYPICAL * pixels
        told = np.logaddexp(np.log(1 - HIDDEN) + told, hidden) - hidden
        unexplained = strange[told.argmax()] / max(pixels, 1)
        told = told / (1 + (unexplained / STRANGE) ** 4)
        return np.maximum(told, told.max() - MOST), pixels

    def _region(self, cell: Ints, shape: tuple[int, int], quads: Array) -> Labels:
        """Not 0 where a block of the cell would show a side (rows, columns)."""
        of_cell = np.zeros(len(self._boxes), dtype=np.bool_)
        of_cell[cell] = True
        return covered(shape, quads, self._values, of_cell, UPRIGHT).astype(np.int16)
