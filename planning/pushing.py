"""What a push along a block's length sets in motion, and at which force: the block, all above, or the column below.

Contacts rub with friction times what they bear, which a push is taken not to change. Then the force at which a motion
begins is the least power that any motion with the block at unit speed takes (limit analysis: with given pressures, the
upper-bound theorem is exact). Tried are: all above moves along as one body, in any direction and about any point, or
not at all; and the column below tips about an edge of one of its supports (the two margins of Kimura and others, 2010).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planning.contacts import ARM_M, FRICTION, HEIGHT, YAW, Contacts, Ints
from planning.support import Interfaces, tipping_n
from robot.compiled import compiled
from robot.frames import Array

GROUND_FRICTION = 0.5  # of what the tower stands on
_ROUNDS = 30
_NO_PULL_N = 1e-6
_STUCK = 1e-3  # speed, as a share of the block's, below which a contact is taken to stick


class Push(NamedTuple):
    """Forces in newtons for every block (n,).

    Attributes:
        slide_n: Slides the block alone.
        drag_n: Slides it while all above moves or turns; never above `slide_n`, and equal where all above stays.
        hold: How many times as much the neighbours hold all above as the block pulls at it; below 1 it goes along.
        tip_plus_n: Tips the column below when the block is pushed towards its own +x.
        tip_minus_n: The same towards -x.
    """

    slide_n: Array
    drag_n: Array
    hold: Array
    tip_plus_n: Array
    tip_minus_n: Array


@compiled
def find_pushes(
    bodies: Array, starts: Ints, contacts: Contacts, faces: Interfaces, force_n: Array, height_m: Array
) -> Push:
    """What it takes to push each block.

    Args:
        bodies: The blocks (n, 9).
        starts: First row of each layer (layers + 1,).
        contacts: Where they touch (c).
        faces: The tower's supports.
        force_n: What each contact bears (c,).
        height_m: Height of each block's centre (n,).
    """
    n = len(bodies)
    push = Push(np.zeros(n), np.zeros(n), np.full(n, np.inf), np.zeros(n), np.zeros(n))
    grip_n = _grips(bodies, contacts, force_n)
    _add_up(contacts, grip_n, push.slide_n)
    levels_m, bears_n = _levels(bodies, starts, height_m), _borne(faces, force_n)
    for k in range(len(starts) - 1):
        for b in range(starts[k], starts[k + 1]):
            along = np.array([np.cos(bodies[b, YAW]), np.sin(bodies[b, YAW])])
            push.drag_n[b] = push.slide_n[b]
            if k + 2 < len(starts):
                begin, end = faces.first[k + 1], faces.first[k + 2]
                push.drag_n[b] -= _saved(contacts, grip_n, b, along, begin, end)
                push.hold[b] = _hold(contacts, grip_n, b, along, begin, end)
            push.tip_plus_n[b] = _tip(faces, bears_n, levels_m, k, along, height_m[b])
            push.tip_minus_n[b] = _tip(faces, bears_n, levels_m, k, -along, height_m[b])
    return push


@compiled
def _grips(bodies: Array, contacts: Contacts, force_n: Array) -> Array:
    """What each contact holds before it slips; the rougher of two surfaces counts."""
    grip_n = np.empty(len(force_n))
    for c in range(len(force_n)):
        i = contacts.lower[c]
        other = bodies[i, FRICTION] if i >= 0 else GROUND_FRICTION
        grip_n[c] = force_n[c] * max(bodies[contacts.upper[c], FRICTION], other)
    return grip_n


@compiled
def _add_up(contacts: Contacts, grip_n: Array, slide_n: Array) -> None:
    for c in range(len(grip_n)):
        slide_n[contacts.upper[c]] += grip_n[c]
        if contacts.lower[c] >= 0:
            slide_n[contacts.lower[c]] += grip_n[c]


@compiled
def _levels(bodies: Array, starts: Ints, height_m: Array) -> Array:
    """Height of the interface under each layer."""
    levels_m = np.zeros(len(starts) - 1)
    for k in range(1, len(levels_m)):
        a, b = starts[k], starts[k + 1]
        levels_m[k] = (height_m[a:b] - bodies[a:b, HEIGHT] / 2).mean()
    return levels_m


@compiled
def _borne(faces: Interfaces, force_n: Array) -> Array:
    """What each interface bears."""
    bears_n = np.zeros(len(faces.sizes))
    for k in range(len(bears_n)):
        bears_n[k] = force_n[faces.first[k] : faces.first[k + 1]].sum()
    return bears_n


@compiled
def _tip(
    faces: Interfaces, bears_n: Array, levels_m: Array, layer: int, direction: Array, at_m: float
) -> float:
    """The least force at a height that tips what stands on one of the interfaces under it."""
    least = np.inf
    for k in range(layer + 1):
        least = min(least, tipping_n(faces, bears_n[k], k, direction, at_m - levels_m[k]))
    return least


class _Fit(NamedTuple):
    """A plane motion (3,): velocity at the frame's origin and turning times `ARM_M`; and its normal equations."""

    motion: Array
    A: Array
    rhs: Array


@compiled
def _saved(contacts: Contacts, grip_n: Array, b: int, along: Array, begin: int, end: int) -> float:
    """How much less force it takes when all above may move along with block b.

    The least of a sum of distances, by repeated weighted least squares (Weiszfeld, 1937).
    """
    fit = _Fit(np.zeros(3), np.empty((3, 3)), np.empty(3))
    fit.motion[0], fit.motion[1] = along[0] / 2, along[1] / 2
    still, least = 0.0, np.inf
    for c in range(begin, end):
        still += grip_n[c] if contacts.lower[c] == b else 0.0
    for _ in range(_ROUNDS):
        power = 0.0
        fit.A[:], fit.rhs[:] = 0.0, 0.0
        for c in range(begin, end):
            if grip_n[c] > 0.0:
                wanted = 1.0 if contacts.lower[c] == b else 0.0
                power += _weigh(contacts.xy_m[c], grip_n[c], wanted * along, fit)
        least = min(least, power)
        _solve_3(fit)
    return max(still - least, 0.0)


@compiled
def _hold(contacts: Contacts, grip_n: Array, b: int, along: Array, begin: int, end: int) -> float:
    """The least power that the other contacts take when all above begins to move, as a share of what block b gives.

    The same method, with what block b gives as a side condition; inf where it bears nothing.
    """
    pull, given_n = _pull(contacts, grip_n, b, along, begin, end)
    if given_n < _NO_PULL_N:
        return np.inf
    fit = _Fit(np.array([along[0], along[1], 0.0]), np.empty((3, 3)), np.empty(3))
    least, still = np.inf, np.zeros(2)
    for _ in range(_ROUNDS):
        fit.motion[:] *= given_n / (pull * fit.motion).sum()
        power = 0.0
        fit.A[:] = 0.0
        for c in range(begin, end):
            if grip_n[c] > 0.0 and contacts.lower[c] != b:
                power += _weigh(contacts.xy_m[c], grip_n[c], still, fit)
        least = min(least, power / given_n)
        fit.A[2, 2] *= 1.0 + 1e-9  # a single point holds against no turn
        fit.rhs[:] = pull
        _solve_3(fit)
    return least


@compiled
def _pull(
    contacts: Contacts, grip_n: Array, b: int, along: Array, begin: int, end: int
) -> tuple[Array, float]:
    """Force and turn (3,) that block b gives to all above, and the sum of its grips."""
    pull, given_n = np.zeros(3), 0.0
    for c in range(begin, end):
        if contacts.lower[c] == b:
            x, y = contacts.xy_m[c, 0] / ARM_M, contacts.xy_m[c, 1] / ARM_M
            pull += grip_n[c] * np.array([along[0], along[1], x * along[1] - y * along[0]])
            given_n += grip_n[c]
    return pull, given_n


@compiled
def _weigh(xy_m: Array, grip_n: float, wanted: Array, fit: _Fit) -> float:
    """Add a contact that would like to move as `wanted` (2,); the power that it takes as things move now."""
    motion, A, rhs = fit.motion, fit.A, fit.rhs
    x, y = xy_m[0] / ARM_M, xy_m[1] / ARM_M
    dx, dy = motion[0] - y * motion[2] - wanted[0], motion[1] + x * motion[2] - wanted[1]
    speed = np.sqrt(dx * dx + dy * dy)
    w = grip_n / max(speed, _STUCK)
    A[0, 0] += w
    A[0, 2] -= w * y
    A[1, 2] += w * x
    A[2, 2] += w * (x * x + y * y)
    rhs[0] += w * wanted[0]
    rhs[1] += w * wanted[1]
    rhs[2] += w * (x * wanted[1] - y * wanted[0])
    return grip_n * speed  # type: ignore[no-any-return]


@compiled
def _solve_3(fit: _Fit) -> None:
    """The least-squares motion: its first two unknowns meet only in the third."""
    motion, A, rhs = fit.motion, fit.A, fit.rhs
    bend = A[2, 2] - (A[0, 2] ** 2 + A[1, 2] ** 2) / A[0, 0] if A[0, 0] > 0 else 0.0
    if bend <= 1e-12 * A[2, 2]:
        return
    motion[2] = (rhs[2] - (A[0, 2] * rhs[0] + A[1, 2] * rhs[1]) / A[0, 0]) / bend
    motion[0] = (rhs[0] - A[0, 2] * motion[2]) / A[0, 0]
    motion[1] = (rhs[1] - A[1, 2] * motion[2]) / A[0, 0]
