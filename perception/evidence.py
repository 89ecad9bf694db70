"""How well a supposed arrangement of blocks explains a part of a picture.

Every visible face should be of one brightness, apart from grain, and of this tower's colour. The log likelihood is
taken against plain wood, which reaches 0; a pixel where anything at all may be seen reaches -TYPICAL. Brightness of a
face is free within what this side of the tower shows elsewhere, and each separate face pays for its own freedom: thus
a block's end explains an even cell better than a hole in which several surfaces should show, and a hole explains them.
"""

from __future__ import annotations

import numpy as np

from perception.appearance import Appearance
from perception.boxes import Bools, Boxes, Ints
from perception.chamfer import LABELS_PER_BOX
from perception.paint import Labels, fill, painted_alike
from perception.sides import tower_side
from robot.compiled import compiled
from robot.frames import Array

GRAIN_LEVELS = 8.0  # standard deviation of brightness within a face
SATURATED = 3.0  # most that one pixel's brightness can cost
INDEPENDENT = 0.08  # share of pixels that speak for themselves; grain and blur tie neighbours together
TYPICAL = 4.3  # what a pixel of plain wood reaches over one of anything at all
SURELY_WOOD, SURELY_NOT = 0.0, -3.0  # log likelihood ratios of a pixel's colour
END_SPREAD = 0.18  # relative spread of brightness of a face in the tower's wall
INNER_SPREAD = 0.45  # the same of surfaces that a hole shows, which may be in shadow
_EVEN = float(np.log(256.0 / (GRAIN_LEVELS * np.sqrt(2 * np.pi)))) - TYPICAL


@compiled
def _level(grey: Array, labels: Labels, rows: Ints, columns: Ints, mean: Array, n: int) -> None:
    """Mean brightness (n,) of every label over the given pixels, outliers left out the second time."""
    for step in range(2):
        count, total = np.zeros(n), np.zeros(n)
        for i in range(len(rows)):
            k = labels[rows[i], columns[i]]
            if k >= 0 and (step == 0 or abs(grey[rows[i], columns[i]] - mean[k]) < 2.5 * GRAIN_LEVELS):
                count[k] += 1
                total[k] += grey[rows[i], columns[i]]
        for k in range(n):
            if count[k] > 0:
                mean[k] = total[k] / count[k]


@compiled
def _pure(labels: Labels, r: int, c: int) -> bool:
    """Whether a pixel's neighbours show the same part."""
    k = labels[r, c]
    return bool(
        labels[r, c - 1] == k and labels[r, c + 1] == k and labels[r - 1, c] == k and labels[r + 1, c] == k
    )


@compiled
def _told(
    grey: Array, wood: Array, labels: Labels, rows: Ints, columns: Ints, faces: Array
) -> tuple[float, float]:
    """Log likelihood of the given pixels under `labels`, and how many of them are strange.

    `faces` (labels, 2): expected brightness of a face and its spread. Parts of spread 0 (chamfers, veiled blocks) and
    pixels on the border of a part are not judged. Strange is what has not wood's colour where a face should be, or has
    it where there should be none.
    """
    n = len(faces)
    use = np.zeros(len(rows), dtype=np.bool_)
    out, strange = 0.0, 0.0
    for i in range(len(rows)):
        r, c = rows[i], columns[i]
        if not _pure(labels, r, c):
            out -= INDEPENDENT * TYPICAL if labels[r, c] < 0 else 0.0
        elif labels[r, c] < 0:
            out -= INDEPENDENT * TYPICAL
            strange += wood[r, c] > SURELY_WOOD
        else:
            use[i] = faces[labels[r, c], 1] > 0
    rows, columns = rows[use], columns[use]
    mean, count = np.zeros(n), np.zeros(n)
    _level(grey, labels, rows, columns, mean, n)
    for i in range(len(rows)):
        r, c = rows[i], columns[i]
        k = labels[r, c]
        away = (grey[r, c] - mean[k]) / GRAIN_LEVELS
        count[k] += 1
        strange += wood[r, c] < SURELY_NOT
        out += INDEPENDENT * (wood[r, c] + _EVEN - min(0.5 * away * away, SATURATED))
    for k in range(n):
        if count[k] > 0:
            free = 1 + INDEPENDENT * count[k] * (faces[k, 1] / GRAIN_LEVELS) ** 2
            z = (mean[k] - faces[k, 0]) / faces[k, 1]
            out -= 0.5 * np.log(free) + 2.0 * np.log(1 + z * z / 3)
    return out, strange


@compiled
def judge(
    grey: Array, wood: Array, region: Labels, quads: Array, values: Ints, there: Bools, faces: Array
) -> tuple[Array, Array]:
    """Log likelihood (A,) of arrangements of blocks in a part of a picture, and the number of strange pixels (A,).

    `grey`, `wood`, `region` (rows, columns): the part; pixels count where `region` is not 0. `quads` (M, 4, 2) [px of
    the part], `values` (M,): what may be painted, far to near. `there` (A, blocks): which blocks each arrangement has.
    """
    rows, columns = np.nonzero(region)
    inside = (rows > 0) & (rows < region.shape[0] - 1) & (columns > 0) & (columns < region.shape[1] - 1)
    rows, columns = rows[inside], columns[inside]
    told, strange = np.zeros(len(there)), np.zeros(len(there))
    shared = painted_alike(values, there)
    base = np.full(region.shape, -1, np.int16)
    fill(base, quads[:shared], values[:shared], there[0])
    for a in range(len(there)):
        labels = base.copy()
        fill(labels, quads[shared:], values[shared:], there[a])
        told[a], strange[a] = _told(grey, wood, labels, rows, columns, faces)
    return told, strange


def face_expectations(boxes: Boxes, layer: Ints, look: Appearance) -> Array:
    """Expected mean brightness and its spread for every label of a label picture (labels, 2)."""
    expected = np.zeros((len(boxes), LABELS_PER_BOX))
    spread = np.zeros_like(expected)
    expected[:, :4] = look.side_level[tower_side(np.arange(4), layer[:, None])]
    expected[:, 4:6] = look.side_level.mean()
    spread[:, :2] = END_SPREAD * expected[:, :2]
    spread[:, 2:6] = INNER_SPREAD * expected[:, 2:6]
    return np.stack([expected.ravel(), spread.ravel()], axis=1)
