"""Patches of change that are thick enough for a hand, outside the tower itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import Bools, Ints
from perception.watching_change import COLUMNS, Change
from robot.camera_model import CameraModel
from robot.frames import Array, apply

THICK_M = 0.020  # what is thinner is a shadow's edge, or the edge of something whose sides are lit otherwise
AROUND_M = 0.085  # half a tower's width, and how far its blocks may stand out
ABOVE_M = 0.06
ROOM_M = 0.05  # about an arm: a block in its hand, its cables, and what it is off by
LEAST_DEPTH_M = 0.05  # of what a camera can show


@dataclass(frozen=True)
class Patch:
    """Connected pixels that changed.

    Attributes:
        substance_m2: How much of it light cannot explain, as large as it would be at the tower.
        area_m2: All of it.
        at_border: Whether it reaches the picture's border, as everything does that comes in from outside.
    """

    substance_m2: float
    area_m2: float
    at_border: bool


@dataclass(frozen=True)
class Outlook:
    """One camera's picture of a tower, in the small pixels that are compared.

    Attributes:
        m_per_px: At the tower's distance.
        outside: Pixels (rows, columns) that show something else than the tower and what is close to it.
    """

    m_per_px: float
    outside: Bools

    @property
    def thick_px(self) -> int:
        """As many pixels as something must be thick."""
        return max(3, round(THICK_M / self.m_per_px))

    def patches(self, change: Change, hidden: Bools | None = None) -> list[Patch]:
        """What changed outside the tower, the largest changes of substance first; `hidden` pixels tell nothing."""
        asked = self.outside if hidden is None else self.outside & ~hidden
        substance = self._thick(change.substance) & asked
        every = (self._thick(change.any) & asked) | substance
        _, labelled, counted, _ = cv2.connectedComponentsWithStats(every.astype(np.uint8))
        label, stats = np.asarray(labelled, dtype=np.int64), np.asarray(counted, dtype=np.int64)
        of_substance = np.bincount(label[substance], minlength=len(stats))
        unit = self.m_per_px**2
        found = [
            Patch(
                float(of_substance[k] * unit),
                float(stats[k, cv2.CC_STAT_AREA] * unit),
                _at_border(stats[k], label),
            )
            for k in range(1, len(stats))
        ]
        return sorted(found, key=lambda patch: -patch.substance_m2)

    def scattered_m2(self, change: Change) -> float:
        """How much changed outside the tower, thick or thin, as large as it would be at the tower."""
        return float((change.any & self.outside).sum() * self.m_per_px**2)

    def _thick(self, changed: Bools) -> Bools:
        """The pixels without what is thin; the picture goes on beyond its border."""
        n = self.thick_px
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (n, n))
        wide = cv2.copyMakeBorder(changed.astype(np.uint8), n, n, n, n, cv2.BORDER_REPLICATE)
        return np.asarray(cv2.morphologyEx(wide, cv2.MORPH_OPEN, disc)[n:-n, n:-n].astype(bool))


def _at_border(stats: Ints, label: Ints) -> bool:
    left, top, width, height = (int(x) for x in stats[:4])
    rows, columns = label.shape
    return left == 0 or top == 0 or left + width == columns or top + height == rows


def arm_in(camera: CameraModel, parts: Sequence[Array]) -> Bools:
    """Pixels (rows, COLUMNS) that may show an arm, what it holds, or an edge of its shadow.

    Args:
        camera: Whose picture it is.
        parts: Points (n, 3) of each part of the arm, world frame, in whose convex hull it lies.
    """
    share = COLUMNS / camera.size_px[0]
    shown = np.zeros((round(camera.size_px[1] * share), COLUMNS), np.uint8)
    for p in parts:
        if float(np.min(camera.depth_m(p))) > LEAST_DEPTH_M:
            hull = cv2.convexHull((camera.project(p) * share).astype(np.float32)).round().astype(np.int32)
            room_px = round(ROOM_M * float(camera.K[0, 0]) * share / float(np.min(camera.depth_m(p))))
            cv2.fillConvexPoly(shown, hull, 1)
            cv2.polylines(shown, [hull], True, 1, 2 * room_px + 1)
    return np.asarray(shown > 0)


def outlook(camera: CameraModel, T_world_tower: Array, height_m: float) -> Outlook:
    """What a camera shows beside a tower of some height."""
    share = COLUMNS / camera.size_px[0]
    shape = (round(camera.size_px[1] * share), COLUMNS)
    depth_m = float(camera.depth_m(T_world_tower[:3, 3] + height_m / 2 * T_world_tower[:3, 2]))
    h, top = AROUND_M, height_m + ABOVE_M
    corners = np.array([[x, y, z] for x in (-h, h) for y in (-h, h) for z in (0.0, top)])
    hull = cv2.convexHull((camera.project(apply(T_world_tower, corners)) * share).astype(np.float32))
    inside = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(inside, hull.round().astype(np.int32), 1)
    return Outlook(depth_m / float(camera.K[0, 0]) / share, inside == 0)
