"""How well a supposed arrangement of blocks explains a part of a picture.

Every visible face should be of one brightness, apart from grain, and of this tower's colour. The log likelihood is
taken against anything at all being seen there, so that 0 means: no more likely than by chance. Brightness of a face
is free within what this side of the tower shows elsewhere, and each separate face pays for its own freedom; thus a
block's end explains an even cell better than a hole in which several surfaces should show, and a hole explains them.
"""

from __future__ import annotations

import numpy as np

from perception.appearance import Appearance
from perception.boxes import Boxes, Ints
from perception.chamfer import LABELS_PER_BOX
from perception.compiled import compiled
from perception.paint import Labels
from robot.frames import Array

GRAIN_LEVELS = 8.0  # standard deviation of brightness within a face
SATURATED = 3.0  # most that one pixel's brightness can cost
INDEPENDENT = 0.08  # share of pixels that speak for themselves; grain and blur tie neighbours together
END_SPREAD = 0.18  # relative spread of brightness of a face in the tower's wall
INNER_SPREAD = 0.45  # the same of surfaces that a hole shows, which may be in shadow
RANGE_LEVELS = 256.0
TYPICAL = 4.3  # what a pixel of plain wood reaches over one of anything at all


@compiled
def log_likelihood(
    grey: Array, wood: Array, labels: Labels, region: Labels, expected: Array, spread: Array
) -> float:
    """Of a part of a picture, 0 being what pixels of plain wood would reach each.

    `grey`, `wood`, `labels`, `region` (rows, columns) cover the same window; `region` is not 0 where pixels count.
    `expected`, `spread` (labels,) of a face's mean brightness; spread 0 marks parts that are not judged.
    """
    rows, columns = labels.shape
    n = len(expected)
    count, mean, total = np.zeros(n), np.zeros(n), np.zeros(n)
    nothing = 0.0
    for step in range(3):
        new_count, new_sum = np.zeros(n), np.zeros(n)
        for r in range(1, rows - 1):
            for c in range(1, columns - 1):
                k = labels[r, c]
                if region[r, c] == 0:
                    continue
                if k < 0:
                    if step == 2:
                        nothing -= 4.3
                    continue
                if spread[k] <= 0:
                    continue
                if labels[r, c - 1] != k or labels[r, c + 1] != k or labels[r - 1, c] != k or labels[r + 1, c] != k:
                    continue
                away = grey[r, c] - mean[k]
                if step == 0 or abs(away) < 2.5 * 8.0:
                    new_count[k] += 1
                    new_sum[k] += grey[r, c]
                if step == 2:
                    count[k] += 1
                    total[k] += wood[r, c] - min(away * away / (2 * 64.0), 3.0)
        if step < 2:
            for k in range(n):
                if new_count[k] > 0:
                    mean[k] = new_sum[k] / new_count[k]
    out = 0.08 * nothing
    for k in range(n):
        if count[k] == 0:
            continue
        base = np.log(256.0 / (8.0 * 2.5066))
        out += 0.08 * (total[k] + count[k] * (base - 4.3))
        free = 1 + 0.08 * count[k] * (spread[k] / 8.0) ** 2
        z = (mean[k] - expected[k]) / spread[k]
        out -= 0.5 * np.log(free) + 2.0 * np.log(1 + z * z / 3)
    return float(out)


def face_expectations(boxes: Boxes, layer: Ints, look: Appearance) -> tuple[Array, Array]:
    """Expected mean brightness and its spread for every label of a label picture."""
    expected = np.zeros((len(boxes), LABELS_PER_BOX))
    spread = np.zeros_like(expected)
    turned = np.array([2, 3, 1, 0])
    side = np.where((layer % 2 == 1)[:, None], np.arange(4), turned)
    expected[:, :4] = look.side_level[side]
    expected[:, 4:6] = look.side_level.mean()
    spread[:, :2] = END_SPREAD * expected[:, :2]
    spread[:, 2:6] = INNER_SPREAD * expected[:, 2:6]
    return expected.ravel(), spread.ravel()
