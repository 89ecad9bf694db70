"""What this tower's wood looks like in each view, learned from the picture itself: colour, and brightness a side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perception.paint import paint, painting_order, window_of
from perception.sides import side_picture
from perception.stack import Stack
from perception.views import View
from robot.frames import Array

CHROMA_SD_LEAST = 0.05
CHROMA_RANGE = 2.0  # colour ratios of other things are thought to lie anywhere in a square of this side
LLR_MOST, LLR_LEAST = 2.5, -8.0


@dataclass(frozen=True)
class Appearance:
    """How one view shows wood.

    Attributes:
        wood: Log likelihood ratio (rows, columns), from colour alone, that a pixel shows this tower's wood.
        side_level: Median brightness (4,) of the tower's sides +x, -x, +y, -y; that of all sides where not seen.
    """

    wood: Array
    side_level: Array


def appearance(view: View, stack: Stack) -> Appearance:
    """Learned from where the blocks of a stack should be; what is not as supposed is outvoted by the rest."""
    camera = view.camera
    window = window_of(camera, stack.boxes, 0)
    order = painting_order(stack.layer, stack.boxes, camera.position_m())
    labels = paint(camera, stack.boxes, order, 2e-3, window).labels
    left, top, right, bottom = window
    side = side_picture(labels, stack)
    whole = view.chroma()
    grey, chroma = view.grey[top:bottom, left:right], whole[top:bottom, left:right]
    walls = side >= 0
    levels = np.array([_median(grey[side == s], grey[walls]) for s in range(4)])
    return Appearance(_wood(whole, chroma[walls]), levels)


def _median(values: Array, otherwise: Array) -> float:
    return float(np.median(values if len(values) >= 30 else otherwise))


def _wood(chroma: Array, samples: Array) -> Array:
    middle = np.median(samples, axis=0)
    sd = np.maximum(1.48 * np.median(np.abs(samples - middle), axis=0), CHROMA_SD_LEAST)
    z = (chroma - middle.astype(np.float32)) / sd.astype(np.float32)
    ratio = -0.5 * (z**2).sum(axis=-1) + np.log(CHROMA_RANGE**2 / (2 * np.pi * sd[0] * sd[1]))
    return np.asarray(np.clip(ratio, LLR_LEAST, LLR_MOST), dtype=np.float64)
