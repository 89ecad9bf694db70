"""How far the weight above each layer is from the edge of what supports it, in the tower as it is and without a block.

The weight above a layer can only be borne where it lies over the convex hull of the points at which the layers touch.
Compiled; see `planning.contacts` for the arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planning.contacts import MASS, Contacts, Ints, X, Y
from robot.compiled import compiled
from robot.frames import Array

NO_BLOCK = -2  # -1 is the ground
_STRAIGHT_M2 = 1e-14  # corners that span less with their neighbours are none


class Interfaces(NamedTuple):
    """Interface k lies under layer k (from 0; interface 0 is the ground).

    Attributes:
        hulls_m: Corners of its support (layers, most, 2), counter-clockwise.
        sizes: How many corners (layers,).
        mass_kg: Of all above (layers,).
        moment_kg_m: Mass times place of all above (layers, 2).
        first: Its first contact (layers + 1,).
    """

    hulls_m: Array
    sizes: Ints
    mass_kg: Array
    moment_kg_m: Array
    first: Ints


@compiled
def find_interfaces(bodies: Array, starts: Ints, contacts: Contacts) -> Interfaces:
    """The supports of a tower and what each has to bear."""
    layers = len(starts) - 1
    first = _first_contacts(starts, contacts)
    most = 2 + (first[1:] - first[:-1]).max()
    hulls, sizes = np.zeros((layers, most, 2)), np.zeros(layers, np.int64)
    mass, moment = np.zeros(layers + 1), np.zeros((layers + 1, 2))
    for k in range(layers - 1, -1, -1):
        mass[k], moment[k] = mass[k + 1], moment[k + 1]
        for i in range(starts[k], starts[k + 1]):
            mass[k] += bodies[i, MASS]
            moment[k, 0] += bodies[i, MASS] * bodies[i, X]
            moment[k, 1] += bodies[i, MASS] * bodies[i, Y]
        sizes[k] = _hull(contacts, first[k], first[k + 1], NO_BLOCK, hulls[k])
    return Interfaces(hulls, sizes, mass[:layers], moment[:layers], first)


@compiled
def margin_without_m(
    bodies: Array, layer_of: Ints, contacts: Contacts, faces: Interfaces, gone: int
) -> float:
    """Distance of the weight above from the edge of its support at the worst interface, a block thought away.

    Args:
        bodies: The blocks (n, 9).
        layer_of: Layer of each block (n,).
        contacts: Of the whole tower.
        faces: Of the whole tower.
        gone: Row of the block that is thought away, or `NO_BLOCK`.

    Returns:
        Negative where it falls; -inf where something lies on nothing; inf where nothing is left.
    """
    worst = np.inf
    spare = np.empty_like(faces.hulls_m[0])
    for k in range(len(faces.sizes)):
        mass, x, y = faces.mass_kg[k], faces.moment_kg_m[k, 0], faces.moment_kg_m[k, 1]
        hull, size = faces.hulls_m[k], faces.sizes[k]
        if gone >= 0 and layer_of[gone] >= k:
            mass -= bodies[gone, MASS]
            x -= bodies[gone, MASS] * bodies[gone, X]
            y -= bodies[gone, MASS] * bodies[gone, Y]
            if layer_of[gone] == k:
                hull, size = spare, _hull(contacts, faces.first[k], faces.first[k + 1], gone, spare)
        elif gone >= 0 and layer_of[gone] == k - 1:
            hull, size = spare, _hull(contacts, faces.first[k], faces.first[k + 1], gone, spare)
        if mass > 1e-9:
            worst = min(worst, inside_m(hull, size, x / mass, y / mass))
    return worst


@compiled
def tipping_n(faces: Interfaces, weight_n: float, k: int, direction: Array, lever_m: float) -> float:
    """The horizontal force that tips all above interface k about the edge of its support.

    Args:
        faces: Of the tower.
        weight_n: Of all above.
        k: The interface.
        direction: Of the force (2,), a unit vector.
        lever_m: How far above the interface it acts.

    Returns:
        inf where no edge lies that way; 0 where it tips by itself.
    """
    hull, size, least = faces.hulls_m[k], faces.sizes[k], np.inf
    x, y = faces.moment_kg_m[k] / faces.mass_kg[k]
    for a in range(size):
        b = (a + 1) % size
        nx, ny = hull[b, 1] - hull[a, 1], hull[a, 0] - hull[b, 0]
        length = np.sqrt(nx * nx + ny * ny)
        towards = (nx * direction[0] + ny * direction[1]) / length
        if towards > 1e-6:
            room = ((hull[a, 0] - x) * nx + (hull[a, 1] - y) * ny) / length
            least = min(least, weight_n * max(room, 0.0) / (towards * lever_m))
    return least


@compiled
def inside_m(hull: Array, size: int, x: float, y: float) -> float:
    """Distance of a point from the nearest edge of a convex polygon; negative outside, -inf where there is none."""
    if size < 3:
        return -np.inf
    least = np.inf
    for a in range(size):
        b = (a + 1) % size
        ex, ey = hull[b, 0] - hull[a, 0], hull[b, 1] - hull[a, 1]
        cross = ex * (y - hull[a, 1]) - ey * (x - hull[a, 0])
        least = min(least, cross / np.sqrt(ex * ex + ey * ey))
    return least


@compiled
def _first_contacts(starts: Ints, contacts: Contacts) -> Ints:
    layers = len(starts) - 1
    first = np.zeros(layers + 1, np.int64)
    c = 0
    for k in range(layers):
        first[k] = c
        while c < len(contacts.upper) and contacts.upper[c] < starts[k + 1]:
            c += 1
    first[layers] = c
    return first


@compiled
def _hull(contacts: Contacts, begin: int, end: int, gone: int, out: Array) -> int:
    """Corners of the convex hull of some contacts, without those of one block (monotone chain; Andrew, 1979)."""
    order, n = _sorted(contacts, begin, end, gone)
    if n < 3:
        return 0
    xy, size = contacts.xy_m, 0
    for turn in range(2):  # the lower side from left to right, then the upper one back
        floor = size + 1
        for m in range(n):
            c = order[m] if turn == 0 else order[n - 1 - m]
            while size > floor and _turn(out, size, xy[c, 0], xy[c, 1]) <= _STRAIGHT_M2:
                size -= 1
            out[size, 0], out[size, 1] = xy[c, 0], xy[c, 1]
            size += 1
        size -= 1  # the last one begins the other side
    return size


@compiled
def _sorted(contacts: Contacts, begin: int, end: int, gone: int) -> tuple[Ints, int]:
    """Contacts from left to right, those at one x upwards, and how many there are."""
    xy, order, n = contacts.xy_m, np.empty(end - begin, np.int64), 0
    for c in range(begin, end):
        if contacts.lower[c] == gone or contacts.upper[c] == gone:
            continue
        m = n
        while m > 0 and _before(xy, c, order[m - 1]):
            order[m] = order[m - 1]
            m -= 1
        order[m] = c
        n += 1
    return order, n


@compiled
def _before(xy: Array, a: int, b: int) -> bool:
    return bool(xy[a, 0] < xy[b, 0] or (xy[a, 0] == xy[b, 0] and xy[a, 1] < xy[b, 1]))


@compiled
def _turn(out: Array, size: int, x: float, y: float) -> float:
    """Twice the area that the last two corners span with a point; above 0 where it lies to their left."""
    ax, ay = out[size - 1, 0] - out[size - 2, 0], out[size - 1, 1] - out[size - 2, 1]
    return float(ax * (y - out[size - 2, 1]) - ay * (x - out[size - 2, 0]))
