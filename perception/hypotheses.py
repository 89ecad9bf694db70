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
from perception.chamfer import LABELS_PER_BOX
from perception.evidence import INDEPENDENT, TYPICAL, face_expectations, log_likelihood
from perception.paint import NOTHING, Labels, fill, painting_order, visible_quads, window_of
from perception.views import View
from robot.frames import Array

BEVEL_M = 0.7e-3
HIDDEN = 0.02  # how often something unknown stands in front of a block in one view


@dataclass(frozen=True)
class Look:
    """One view with what wood looks like in it."""

    view: View
    wood: Appearance


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

    def judged(self, arrangements: Sequence[Ints], cell: Ints) -> Array:
        """Log likelihood (A, V) of each arrangement (indices of the blocks that are there) in each view.

        Only the pixels count where one of the blocks of `cell` would show a side if it stood alone.
        """
        return np.array([scene.judged(arrangements, cell) for scene in self._scenes]).T


class _Scene:
    """The cast as one view sees it."""

    def __init__(self, look: Look, layer: Ints, boxes: Boxes, veiled: Bools) -> None:
        camera = look.view.camera
        self._look, self._boxes, self._camera = look, boxes, camera
        order = painting_order(layer, boxes, camera.position_m())
        self._quads, self._values = visible_quads(camera, boxes, order, BEVEL_M)
        self._owner = self._values // LABELS_PER_BOX
        self._expected, self._spread = face_expectations(boxes, layer, look.wood)
        self._spread[np.repeat(veiled, LABELS_PER_BOX)] = 0.0
        self._veil = np.flatnonzero(veiled)

    def judged(self, arrangements: Sequence[Ints], cell: Ints) -> Array:
        left, top, right, bottom = window_of(self._camera, Boxes(self._boxes.T[cell], self._boxes.size_m[cell]), 2)
        region = self._region(cell, (left, top, right, bottom))
        grey = self._look.view.grey[top:bottom, left:right]
        wood = self._look.wood.wood[top:bottom, left:right]
        hidden = np.log(HIDDEN) - INDEPENDENT * TYPICAL * region.sum()
        out = []
        for there in arrangements:
            labels = self._labels(np.append(there, self._veil), (left, top, right, bottom))
            told = log_likelihood(grey, wood, labels, region, self._expected, self._spread)
            out.append(np.logaddexp(np.log(1 - HIDDEN) + told, hidden) - hidden)
        return np.array(out)

    def _labels(self, there: Ints, window: tuple[int, int, int, int]) -> Labels:
        left, top, right, bottom = window
        labels = np.full((bottom - top, right - left), NOTHING, np.int16)
        kept = np.isin(self._owner, there)
        fill(labels, self._quads[kept] - [left, top], self._values[kept])
        return labels

    def _region(self, cell: Ints, window: tuple[int, int, int, int]) -> Labels:
        region = np.zeros((window[3] - window[1], window[2] - window[0]), np.int16)
        for block in cell:
            alone = self._labels(np.array([block]), window)
            region |= ((alone != NOTHING) & (alone % LABELS_PER_BOX < 4)).astype(np.int16)
        return region

    def area(self, cell):
        win = window_of(self._camera, Boxes(self._boxes.T[cell], self._boxes.size_m[cell]), 2)
        return self._region(cell, win).sum()
