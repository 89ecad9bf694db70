"""Which side of the tower the faces of its blocks point to."""

from __future__ import annotations

import numpy as np

from perception.boxes import Ints
from perception.chamfer import LABELS_PER_BOX
from perception.paint import NOTHING, Labels
from perception.stack import Stack

UPRIGHT = 4  # faces of a block, numbered first
TURNED: Ints = np.array([2, 3, 1, 0])  # sides of the tower to which those of blocks in even layers point


def tower_side(part: Ints, layer: Ints) -> Ints:
    """Side of the tower (0 to 3: +x, -x, +y, -y) to which faces (0 to 3) of blocks in layers point.

    The +x face of a block in an even layer looks along the tower's +y, and so on.
    """
    return np.asarray(np.where(layer % 2 == 1, part, TURNED[part]), dtype=np.int64)


def side_picture(labels: Labels, stack: Stack) -> Ints:
    """Tower side that each pixel of a label picture shows (rows, columns); -1 for tops, edges and nothing."""
    part = np.where(labels == NOTHING, -1, labels % LABELS_PER_BOX)
    layer = stack.layer[np.maximum(labels, 0) // LABELS_PER_BOX]
    upright = (part >= 0) & (part < UPRIGHT)
    return np.where(upright, tower_side(np.clip(part, 0, UPRIGHT - 1), layer), -1)
