"""How well blocks supposed to be there explain a part of a picture: four kinds of evidence, none of which is enough.

Lines: where one face ends and another begins, brightness should step. Plain: elsewhere on a face it should not. Wood: a
face should have this tower's colour. Level: faces in the tower's wall should be as bright as the wall, and what a hole
shows is darker.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perception.boxes import Bools, Boxes, Ints
from perception.chamfer import LABELS_PER_BOX
from perception.contours import Portrait
from perception.paint import Labels, fill, painted_alike
from perception.sides import tower_side
from perception.views import Window
from robot.compiled import compiled
from robot.frames import Array

LINES, PLAIN, WOOD, LEVEL = range(4)
KINDS = 4
WALL, INNER, VEILED = range(3)  # faces in the tower's wall, inside it, and those of which nothing is known
# How much a pixel's evidence counts where blocks are looked for (neighbours are not independent); LEVEL is by face.
PIXEL_WEIGHT = np.array([0.10, 0.12, 0.03, 1.5])
INNER_PLAIN = 0.6  # as much is expected of inner faces: shadows lie on them
DARK, BRIGHT = 3.0, 1.0  # below this log brightness colour tells nothing; so much above it all
LEAST_PIXELS, ENOUGH_PIXELS = 6, 40  # of a face, for its brightness to count at all, and in full
MOST_OFF = 25.0  # squared deviations that a face's brightness costs at most
BRIGHTER, BRIGHTER_SD = 0.1, 0.25  # an inner face may be this much brighter than the wall, in log brightness
# Widths that a block's middle is away from the tower's, at least, if its long side lies in the wall.
IN_WALL = 0.6


class _Part(NamedTuple):
    """A part of a portrait, as compiled code takes it."""

    log_grey: Array
    step: Labels
    near: Labels
    wood: Array
    line: Array
    plain: Array
    spread: float


class Faces(NamedTuple):
    """What kind of face each label is (labels,), and how bright it should be in log brightness (labels,)."""

    kind: Ints
    expected: Array


class Painting(NamedTuple):
    """What may be painted: outlines (M, 4, 2) [px of the part], far to near, and their labels (M,)."""

    quads: Array
    values: Ints


@compiled
def _told(part: _Part, labels: Labels, rows: Ints, columns: Ints, faces: Faces) -> Array:
    """Evidence (KINDS,) of the given pixels under `labels`."""
    kind, expected = faces.kind, faces.expected
    log_grey, spread = part.log_grey, part.spread
    out, count, total = np.zeros(KINDS), np.zeros(len(kind)), np.zeros(len(kind))
    for i in range(len(rows)):
        r, c = rows[i], columns[i]
        k = labels[r, c]
        border, veiled = False, k >= 0 and kind[k] == VEILED
        for dr, dc in ((0, -1), (0, 1), (-1, 0), (1, 0)):
            other = labels[r + dr, c + dc]
            border = border or other != k
            veiled = veiled or (other >= 0 and kind[other] == VEILED)
        if border:
            out[LINES] += 0.0 if veiled else part.line[part.near[r, c]]
        elif k >= 0 and not veiled and k % LABELS_PER_BOX < 6:
            count[k] += 1
            total[k] += log_grey[r, c]
            out[WOOD] += part.wood[r, c] * min(1.0, max(0.0, (log_grey[r, c] - DARK) / BRIGHT))
            out[PLAIN] += part.plain[part.step[r, c]] * (1.0 if kind[k] == WALL else INNER_PLAIN)
    for k in range(len(kind)):
        if count[k] < LEAST_PIXELS:
            continue
        off = total[k] / count[k] - expected[k]
        if kind[k] == WALL:
            told = -0.5 * min((off / spread) ** 2, MOST_OFF) - np.log(spread) - 1.0
        else:
            told = -1.1 - 0.5 * min((max(0.0, off - BRIGHTER) / BRIGHTER_SD) ** 2, 12.0)
        out[LEVEL] += told * min(1.0, count[k] / ENOUGH_PIXELS)
    return out


@compiled
def _judge(part: _Part, region: Bools, painting: Painting, there: Bools, faces: Faces) -> Array:
    quads, values = painting.quads, painting.values
    rows, columns = np.nonzero(region)
    inside = (rows > 0) & (rows < region.shape[0] - 1) & (columns > 0) & (columns < region.shape[1] - 1)
    rows, columns = rows[inside], columns[inside]
    out = np.zeros((len(there), KINDS))
    shared = painted_alike(values, there)
    base = np.full(region.shape, -1, np.int16)
    fill(base, quads[:shared], values[:shared], there[0])
    for a in range(len(there)):
        labels = base.copy()
        fill(labels, quads[shared:], values[shared:], there[a])
        out[a] = _told(part, labels, rows, columns, faces)
    return out


def judge(
    look: Portrait, window: Window, region: Bools, painting: Painting, there: Bools, faces: Faces
) -> Array:
    """Evidence (A, KINDS), weighted, for arrangements of blocks in a part of a picture.

    Args:
        look: The view.
        window: The part.
        region: Which of its pixels count (rows, columns).
        painting: Of all blocks.
        there: Which blocks each arrangement has (A, blocks).
        faces: From `faces_of`.
    """
    left, top, right, bottom = window
    cut = (slice(top, bottom), slice(left, right))
    pixels = (look.log_grey[cut], look.step[cut], look.step_near[cut], look.wood[cut])
    part = _Part(*pixels, look.line, look.plain, look.spread)
    return np.asarray(_judge(part, region, painting, there, faces) * PIXEL_WEIGHT)


def faces_of(boxes: Boxes, layer: Ints, veiled: Bools, look: Portrait) -> Faces:
    """What every label of a cast of blocks is expected to look like."""
    kind = np.full((len(boxes), LABELS_PER_BOX), INNER, dtype=np.int64)
    expected = np.full((len(boxes), LABELS_PER_BOX), look.level.max())
    expected[:, :4] = look.level[tower_side(np.arange(4), layer[:, None])]
    expected[:, 4] += BRIGHTER
    kind[:, :2] = WALL
    across = np.einsum("ni,ni->n", boxes.centres_m[:, :2] - _middle(boxes), boxes.T[:, :2, 1])
    reach = IN_WALL * boxes.size_m[:, 1]
    kind[:, 2] = np.where(across > reach, WALL, INNER)
    kind[:, 3] = np.where(across < -reach, WALL, INNER)
    kind[veiled] = VEILED
    return Faces(kind.ravel(), expected.ravel())


def _middle(boxes: Boxes) -> Array:
    return np.asarray(np.median(boxes.centres_m[:, :2], axis=0))
