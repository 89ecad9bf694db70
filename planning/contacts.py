"""Where blocks of neighbouring layers can touch: the corners of the patches in which they overlap, seen from above.

Everything here is compiled and takes arrays. A tower is `bodies` (n, 9), one row a block in order of layer, and
`starts` (layers + 1,): the blocks of layer k (from 0) are rows `starts[k]` to `starts[k + 1] - 1`. The columns are
named below; lengths in metres, yaw in radians, mass in kilograms, in a frame whose z points up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from planning.overlap import CORNERS, clip, edge, measure
from robot.compiled import compiled
from robot.frames import Array

Ints = npt.NDArray[np.int64]

X, Y, YAW, LENGTH, WIDTH, HEIGHT, TAPER, MASS, FRICTION = range(9)
COLUMNS = 9
GROUND = -1
ARM_M = 0.03  # a tilt is told as the height it makes at this distance, so that all unknowns are lengths
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


class _Work(NamedTuple):
    """The blocks, cosine and sine of their yaw (n, 2), and room for two polygons."""

    bodies: Array
    trig: Array
    polygon: Array
    spare: Array


@compiled
def find_contacts(bodies: Array, starts: Ints) -> Contacts:
    """All contacts of a tower, those of the lowest layer first."""
    most = _most(starts)
    lower, upper = np.empty(most, np.int64), np.empty(most, np.int64)
    arms, xy, area, height = np.empty((most, 4)), np.empty((most, 2)), np.empty(most), np.empty(most)
    out = Contacts(lower, upper, arms, xy, area, height)
    work = _Work(bodies, _directions(bodies), np.empty((CORNERS, 2)), np.empty((CORNERS, 2)))
    n = 0
    for j in range(starts[0], starts[1]):
        _corners_in(work, j, j)
        n = _write(work, GROUND, j, j, out, n, 4)
    for k in range(len(starts) - 2):
        for j in range(starts[k + 1], starts[k + 2]):
            for i in range(starts[k], starts[k + 1]):
                n = _touch(work, i, j, out, n)
    return Contacts(lower[:n], upper[:n], arms[:n], xy[:n], area[:n], height[:n])


@compiled
def _most(starts: Ints) -> int:
    pairs = 0
    for k in range(len(starts) - 2):
        pairs += (starts[k + 1] - starts[k]) * (starts[k + 2] - starts[k + 1])
    return int(CORNERS * pairs + 4 * (starts[1] - starts[0]))


@compiled
def _directions(bodies: Array) -> Array:
    trig = np.empty((len(bodies), 2))
    for i in range(len(bodies)):
        trig[i, 0], trig[i, 1] = np.cos(bodies[i, YAW]), np.sin(bodies[i, YAW])
    return trig


@compiled
def _touch(work: _Work, i: int, j: int, out: Contacts, n: int) -> int:
    """Add the corners in which block j above overlaps block i below."""
    bodies = work.bodies
    reach = (bodies[i, LENGTH] + bodies[i, WIDTH] + bodies[j, LENGTH] + bodies[j, WIDTH]) / 2
    if max(abs(bodies[i, X] - bodies[j, X]), abs(bodies[i, Y] - bodies[j, Y])) > reach:
        return n
    _corners_in(work, j, i)
    corners = clip(work.polygon, work.spare, 4, 0, bodies[i, LENGTH] / 2)
    corners = clip(work.polygon, work.spare, corners, 1, bodies[i, WIDTH] / 2)
    return _write(work, i, j, i, out, n, corners)


@compiled
def _corners_in(work: _Work, j: int, frame: int) -> None:
    """The corners of block j, counter-clockwise, in the frame of another block (its centre, its own x)."""
    bodies, trig = work.bodies, work.trig
    half_l, half_w = bodies[j, LENGTH] / 2, bodies[j, WIDTH] / 2
    dx, dy = bodies[j, X] - bodies[frame, X], bodies[j, Y] - bodies[frame, Y]
    cj, sj, cf, sf = trig[j, 0], trig[j, 1], trig[frame, 0], trig[frame, 1]
    for k in range(4):
        u = half_l if k in (0, 3) else -half_l
        v = half_w if k < 2 else -half_w
        x, y = dx + cj * u - sj * v, dy + sj * u + cj * v
        work.polygon[k, 0], work.polygon[k, 1] = cf * x + sf * y, cf * y - sf * x


@compiled
def _write(work: _Work, i: int, j: int, frame: int, out: Contacts, n: int, corners: int) -> int:
    """Add a polygon's corners; each stands for a share of the area by the edges that meet in it."""
    polygon, c, s = work.polygon, work.trig[frame, 0], work.trig[frame, 1]
    area, around = measure(polygon, corners)
    if area < _LEAST_AREA_M2:
        return n
    before = edge(polygon, corners - 1, corners)
    for k in range(corners):
        u, v, after = polygon[k, 0], polygon[k, 1], edge(polygon, k, corners)
        x, y = work.bodies[frame, X] + c * u - s * v, work.bodies[frame, Y] + s * u + c * v
        out.lower[n], out.upper[n] = i, j
        out.xy_m[n, 0], out.xy_m[n, 1] = x, y
        out.area_m2[n] = area * (before + after) / (2 * around)
        out.height_m[n] = _half(work, j, x, y)
        _arm(work, j, x, y, out.arms, n, 2)
        out.arms[n, 0], out.arms[n, 1] = 0.0, 0.0
        if i >= 0:
            out.height_m[n] += _half(work, i, x, y)
            _arm(work, i, x, y, out.arms, n, 0)
        n, before = n + 1, after
    return n


@compiled
def _arm(work: _Work, i: int, x: float, y: float, arms: Array, n: int, at: int) -> None:
    arms[n, at], arms[n, at + 1] = (x - work.bodies[i, X]) / ARM_M, (y - work.bodies[i, Y]) / ARM_M


@compiled
def _half(work: _Work, i: int, x: float, y: float) -> float:
    """Half of a block's thickness at a place: it tapers along its own x."""
    bodies, trig = work.bodies, work.trig
    along = trig[i, 0] * (x - bodies[i, X]) + trig[i, 1] * (y - bodies[i, Y])
    return (bodies[i, HEIGHT] + bodies[i, TAPER] * along / bodies[i, LENGTH]) / 2  # type: ignore[no-any-return]
