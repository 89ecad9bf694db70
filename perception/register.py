"""The shift and turn of every block under which its pixels before and after agree best, all views together.

Brightness is compared after slow changes have been taken out, so that a shadow that moves over a block matters only at
its border, and there it is an outlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import Bools, Ints
from perception.patches import Surface, brightness_jacobian, lens_of, warped
from robot.camera_model import CameraModel
from robot.compiled import compiled
from robot.frames import Array, inverse

NOISE_LEVELS = 3.0  # brightness differences of this size are noise
WINDOW_PX = 11  # slower changes of brightness than this are lighting
CELL_PX = 10
NOISE = 1.5  # mean square difference of detail that noise alone makes
UNLIKE = 0.15  # share of a cell's detail that may differ
TURN_SD_RAD = 0.005  # a block turns little when it is pushed
SHIFT_SD_M = 0.02


@dataclass(frozen=True)
class Pair:
    """One camera's pixels of blocks before, and its picture after.

    Attributes:
        where: The pixels.
        was: Their brightness before (P,).
        after: The picture after (rows, columns).
        jacobian: How a pixel's brightness changes with its block's shift and turn (P, 6).
    """

    camera: CameraModel
    where: Surface
    was: Array
    after: Array
    jacobian: Array

    def take(self, keep: Bools | Ints) -> Pair:
        """Some of the pixels."""
        return Pair(self.camera, self.where.take(keep), self.was[keep], self.after, self.jacobian[keep])

    def now(self, centre: Array, moved: Array) -> Array:
        """Brightness (P,) after, of each pixel's point if its block moved so; NaN outside the picture."""
        T = np.ascontiguousarray(inverse(self.camera.T_world_camera)[:3])
        w = self.where
        return warped(self.after, lens_of(self.camera), T, w.p_world_m, w.block, centre, moved)

    def detail(self, now: Array) -> tuple[Array, Array]:
        """Fine detail (P,) before and after: what is left without slow changes; 0 where nothing can be compared."""
        known = np.isfinite(now)
        was, now = np.where(known, self.was, 0.0), np.where(known, now, 0.0)
        size = np.maximum(self._around(known.astype(np.float32)), 1.0)
        mean_was, mean_now = self._around(was) / size, self._around(now) / size
        gain = np.maximum(mean_now / np.maximum(mean_was, 1.0), 0.1)
        return np.where(known, was - mean_was, 0.0), np.where(known, (now - mean_now) / gain, 0.0)

    def _around(self, values: Array) -> Array:
        """Sum (P,) of the values (P,) around each pixel."""
        row, column = self.where.row, self.where.column
        top, left = row.min(), column.min()
        image = np.zeros((row.max() - top + 1, column.max() - left + 1), np.float32)
        image[row - top, column - left] = values
        summed = cv2.boxFilter(
            image, -1, (WINDOW_PX, WINDOW_PX), normalize=False, borderType=cv2.BORDER_CONSTANT
        )
        return np.asarray(summed[row - top, column - left], dtype=float)


def pair_of(
    camera: CameraModel, where: Surface, before: Array, after: Array, centre: Array, blur_px: float
) -> Pair:
    """Pixels ready to be compared, both pictures blurred so that what falls between pixels is not lost."""
    before, after = (
        np.asarray(cv2.GaussianBlur(grey, (0, 0), blur_px), dtype=float) for grey in (before, after)
    )
    jacobian = brightness_jacobian(camera, before, where, centre)
    return Pair(camera, where, before[where.row, where.column], after, jacobian)


@compiled
def _accumulate(
    normal: Array, right: Array, block: Ints, jacobian: Array, residual: Array, weight: Array
) -> None:
    """Add pixels (P,) to the normal equations (blocks, 6, 6) and right sides (blocks, 6) of their blocks."""
    for i in range(len(block)):
        b = block[i]
        for j in range(6):
            scaled = weight[i] * jacobian[i, j]
            right[b, j] -= scaled * residual[i]
            for k in range(6):
                normal[b, j, k] += scaled * jacobian[i, k]


def followed(pairs: Sequence[Pair], centre: Array, moved: Array, rounds: int) -> tuple[Array, Array]:
    """Normal equations (N, 6, 6) and motions (N, 6) after some rounds of least squares from `moved`."""
    normal = np.zeros((len(centre), 6, 6))
    for _ in range(rounds):
        normal, step = _round(pairs, centre, moved)
        moved = moved + step
    return normal, moved


def _round(pairs: Sequence[Pair], centre: Array, moved: Array) -> tuple[Array, Array]:
    prior = np.diag([1 / SHIFT_SD_M**2] * 3 + [1 / TURN_SD_RAD**2] * 3)
    normal, right = np.tile(prior, (len(centre), 1, 1)), -moved @ prior
    for pair in pairs:
        was, now = pair.detail(pair.now(centre, moved))
        residual = now - was
        weight = 1 / (1 + (residual / (2 * NOISE_LEVELS)) ** 2) ** 2 / NOISE_LEVELS**2
        _accumulate(normal, right, pair.where.block, pair.jacobian, residual, weight)
    return normal, np.linalg.solve(normal, right[..., None])[..., 0]


@dataclass(frozen=True)
class Agreement:
    """Where one view shows blocks as they were, judged in small cells.

    Attributes:
        good: Pixels (P,) in cells that look as before.
        grain: How much detail each block has (N,), summed over its pixels.
        share: Share of that (N,) that lies in good cells.
    """

    good: Bools
    grain: Array
    share: Array


def agreement(pair: Pair, centre: Array, moved: Array) -> Agreement:
    """Compare one view where `moved` (N, 6) puts the blocks."""
    where, n = pair.where, len(centre)
    was, now = pair.detail(pair.now(centre, moved))
    cell = _cells(where)
    size = np.maximum(np.bincount(cell), 1)
    apart, detail = np.bincount(cell, (now - was) ** 2) / size, np.bincount(cell, was**2) / size
    good = (apart < NOISE + UNLIKE * detail)[cell]
    rich = np.maximum(detail - NOISE, 0.0)[cell]
    grain = np.bincount(where.block, rich, minlength=n)
    share = np.bincount(where.block, rich * good, minlength=n) / np.maximum(grain, 1e-9)
    return Agreement(good, np.asarray(grain, dtype=float), share)


def _cells(where: Surface) -> Ints:
    """Number (P,) of the small square of its block that each pixel lies in."""
    row, column = where.row // CELL_PX, where.column // CELL_PX
    row, column = row - row.min(initial=0), column - column.min(initial=0)
    return np.asarray((where.block * (row.max(initial=0) + 1) + row) * (column.max(initial=0) + 1) + column)
