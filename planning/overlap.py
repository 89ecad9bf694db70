"""The polygon that two rectangles share. Compiled; a polygon is the first rows of an array (8, 2), left turns only."""

from __future__ import annotations

import numpy as np

from robot.compiled import compiled
from robot.frames import Array

CORNERS = 8  # most corners that two overlapping rectangles share


@compiled
def clip(polygon: Array, spare: Array, n: int, axis: int, half_m: float) -> int:
    """Cut a convex polygon to |coordinate| <= half along one axis (Sutherland and Hodgman, 1974); its new size.

    Args:
        polygon: Its corners, replaced by those of the cut one.
        spare: Room of the same shape.
        n: How many corners it has.
        axis: 0 or 1.
        half_m: Where to cut on both sides.
    """
    for side in (1.0, -1.0):
        kept = 0
        for k in range(n):
            m = k + 1 if k + 1 < n else 0
            da, db = half_m - side * polygon[k, axis], half_m - side * polygon[m, axis]
            if da >= 0:
                spare[kept, 0], spare[kept, 1] = polygon[k, 0], polygon[k, 1]
                kept += 1
            if (da > 0 > db) or (da < 0 < db):
                share = da / (da - db)
                spare[kept, 0] = polygon[k, 0] + share * (polygon[m, 0] - polygon[k, 0])
                spare[kept, 1] = polygon[k, 1] + share * (polygon[m, 1] - polygon[k, 1])
                kept += 1
        n = kept
        for k in range(n):
            polygon[k, 0], polygon[k, 1] = spare[k, 0], spare[k, 1]
    return n


@compiled
def measure(polygon: Array, n: int) -> tuple[float, float]:
    """Area and circumference."""
    twice, around = 0.0, 0.0
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        twice += polygon[k, 0] * polygon[m, 1] - polygon[m, 0] * polygon[k, 1]
        around += edge(polygon, k, n)
    return abs(twice) / 2, around


@compiled
def edge(polygon: Array, k: int, n: int) -> float:
    """Length of the edge that begins at corner k."""
    m = k + 1 if k + 1 < n else 0
    return np.sqrt((polygon[m, 0] - polygon[k, 0]) ** 2 + (polygon[m, 1] - polygon[k, 1]) ** 2)  # type: ignore[no-any-return]
