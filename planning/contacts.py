"""Where blocks of neighbouring layers can touch: the corners of the patches in which they overlap, seen from above.

Everything here is compiled and takes arrays. A tower is `bodies` (n, 9), one row a block in order of layer, and `starts`
(layers + 1,): the blocks of layer k (from 0) are rows `starts[k]` to `starts[k + 1] - 1`. The columns are named below;
lengths in metres, yaw in radians, mass in kilograms, in a frame whose z points up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robot.compiled import compiled
from robot.frames import Array

Ints = npt.NDArray[np.int64]

X, Y, YAW, LENGTH, WIDTH, HEIGHT, TAPER, MASS, FRICTION = range(9)
COLUMNS = 9
GROUND = -1
ARM_M = 0.03  # a tilt is told as the height it makes at this distance, so that all unknowns are lengths
CORNERS = 8  # most corners that two overlapping rectangles share
_LEAST_AREA_M2 = 1e-8


class Contacts(NamedTuple):
    """Points at which an upper block may press on a lower one.

    Attributes:
        lower: Row of the lower block (c,), -1 for the ground.
        upper: Row of the upper block (c,).
        arms: Place of the point (c, 4) from the lower block's centre (x, y) and the upper one's (x, y), over `ARM_M`.
        xy_m: The same place (c, 2) in the tower's frame.
        area_m2: Share of the patch that the point stands for (c,).
        height_m: Height of the upper block's centre above the lower one's where they touch here and are level (c,).
    """

    lower: Ints
    upper: Ints
    arms: Array
    xy_m: Array
    area_m2: Array
    height_m: Array


@compiled
def find_contacts(bodies: Array, starts: Ints) -> Contacts:
    """All contacts of a tower, those of the lowest layer first."""
    most = _most(starts)
    lower, upper = np.empty(most, np.int64), np.empty(most, np.int64)
    arms, xy, area, height = np.empty((most, 4)), np.empty((most, 2)), np.empty(most), np.empty(most)
    contacts = Contacts(lower, upper, arms, xy, area, height)
    trig = _directions(bodies)
    polygon, spare = np.empty((CORNERS, 2)), np.empty((CORNERS, 2))
    n = 0
    for j in range(starts[0], starts[1]):
        n = _stand_on_ground(bodies, trig, j, contacts, n, polygon)
    for k in range(len(starts) - 2):
        for j in range(starts[k + 1], starts[k + 2]):
            for i in range(starts[k], starts[k + 1]):
                n = _touch(bodies, trig, i, j, contacts, n, polygon, spare)
    return Contacts(lower[:n], upper[:n], arms[:n], xy[:n], area[:n], height[:n])


@compiled
def _most(starts: Ints) -> int:
    pairs = 0
    for k in range(len(starts) - 2):
        pairs += (starts[k + 1] - starts[k]) * (starts[k + 2] - starts[k + 1])
    return CORNERS * pairs + 4 * (starts[1] - starts[0])


@compiled
def _directions(bodies: Array) -> Array:
    trig = np.empty((len(bodies), 2))
    for i in range(len(bodies)):
        trig[i, 0], trig[i, 1] = np.cos(bodies[i, YAW]), np.sin(bodies[i, YAW])
    return trig


@compiled
def _stand_on_ground(bodies: Array, trig: Array, j: int, contacts: Contacts, n: int, polygon: Array) -> int:
    _corners_in(bodies, trig, j, j, polygon)
    return _write(bodies, trig, GROUND, j, j, contacts, n, polygon, 4)


@compiled
def _touch(
    bodies: Array, trig: Array, i: int, j: int, contacts: Contacts, n: int, polygon: Array, spare: Array
) -> int:
    """Add the corners in which block j above overlaps block i below."""
    reach = (bodies[i, LENGTH] + bodies[i, WIDTH] + bodies[j, LENGTH] + bodies[j, WIDTH]) / 2
    if max(abs(bodies[i, X] - bodies[j, X]), abs(bodies[i, Y] - bodies[j, Y])) > reach:
        return n
    _corners_in(bodies, trig, j, i, polygon)
    corners = _clip(polygon, spare, 4, 0, bodies[i, LENGTH] / 2)
    corners = _clip(polygon, spare, corners, 1, bodies[i, WIDTH] / 2)
    return _write(bodies, trig, i, j, i, contacts, n, polygon, corners)


@compiled
def _corners_in(bodies: Array, trig: Array, j: int, frame: int, out: Array) -> None:
    """The corners of block j, counter-clockwise, in the frame of another block (its centre, its own x)."""
    half_l, half_w = bodies[j, LENGTH] / 2, bodies[j, WIDTH] / 2
    dx, dy = bodies[j, X] - bodies[frame, X], bodies[j, Y] - bodies[frame, Y]
    cj, sj, cf, sf = trig[j, 0], trig[j, 1], trig[frame, 0], trig[frame, 1]
    for k in range(4):
        u = half_l if k in (0, 3) else -half_l
        v = half_w if k < 2 else -half_w
        x, y = dx + cj * u - sj * v, dy + sj * u + cj * v
        out[k, 0], out[k, 1] = cf * x + sf * y, cf * y - sf * x


@compiled
def _clip(polygon: Array, spare: Array, n: int, axis: int, half: float) -> int:
    """Cut a convex polygon to |coordinate| <= half along one axis (Sutherland and Hodgman, 1974); its new size."""
    for side in (1.0, -1.0):
        kept = 0
        for k in range(n):
            a, b = polygon[k], polygon[(k + 1) % n]
            da, db = half - side * a[axis], half - side * b[axis]
            if da >= 0:
                spare[kept] = a
                kept += 1
            if (da > 0 > db) or (da < 0 < db):
                share = da / (da - db)
                spare[kept, 0] = a[0] + share * (b[0] - a[0])
                spare[kept, 1] = a[1] + share * (b[1] - a[1])
                kept += 1
        n = kept
        polygon[:n] = spare[:n]
    return n


@compiled
def _write(
    bodies: Array, trig: Array, i: int, j: int, frame: int, contacts: Contacts, n: int, polygon: Array, corners: int
) -> int:
    """Add a polygon's corners; each stands for a share of the area by the edges that meet in it."""
    area, around = _measure(polygon, corners)
    if area < _LEAST_AREA_M2:
        return n
    c, s = trig[frame, 0], trig[frame, 1]
    for k in range(corners):
        u, v = polygon[k]
        x, y = bodies[frame, X] + c * u - s * v, bodies[frame, Y] + s * u + c * v
        edges = _edge(polygon, k, corners) + _edge(polygon, (k - 1) % corners, corners)
        contacts.lower[n], contacts.upper[n] = i, j
        contacts.xy_m[n, 0], contacts.xy_m[n, 1] = x, y
        contacts.area_m2[n] = area * edges / (2 * around)
        contacts.height_m[n] = _half(bodies, trig, j, x, y) + (_half(bodies, trig, i, x, y) if i >= 0 else 0.0)
        contacts.arms[n, 0] = (x - bodies[i, X]) / ARM_M if i >= 0 else 0.0
        contacts.arms[n, 1] = (y - bodies[i, Y]) / ARM_M if i >= 0 else 0.0
        contacts.arms[n, 2], contacts.arms[n, 3] = (x - bodies[j, X]) / ARM_M, (y - bodies[j, Y]) / ARM_M
        n += 1
    return n


@compiled
def _measure(polygon: Array, n: int) -> tuple[float, float]:
    """Area and circumference."""
    twice, around = 0.0, 0.0
    for k in range(n):
        a, b = polygon[k], polygon[(k + 1) % n]
        twice += a[0] * b[1] - b[0] * a[1]
        around += _edge(polygon, k, n)
    return abs(twice) / 2, around


@compiled
def _edge(polygon: Array, k: int, n: int) -> float:
    a, b = polygon[k], polygon[(k + 1) % n]
    return float(np.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2))


@compiled
def _half(bodies: Array, trig: Array, i: int, x: float, y: float) -> float:
    """Half of a block's thickness at a place: it tapers along its own x."""
    along = trig[i, 0] * (x - bodies[i, X]) + trig[i, 1] * (y - bodies[i, Y])
    return float((bodies[i, HEIGHT] + bodies[i, TAPER] * along / bodies[i, LENGTH]) / 2)
