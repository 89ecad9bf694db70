"""How a tower carries itself: the heights and tilts at which every block is borne, with contacts that only press.

The weight and the energy of the compressed contacts together are a convex function of height, pitch and roll of every
block; its least value is the equilibrium. Found by a semi-smooth Newton method (Qi and Sun, 1993) with an exact line
search; each step solves one linear system layer by layer, so the cost grows linearly with the layers. Where no
equilibrium exists the energy falls without end: the tower falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planning.contacts import HEIGHT, Contacts, Ints
from planning.layerwise import factorise, solve
from robot.compiled import compiled
from robot.frames import Array

GRAVITY_M_S2 = 9.81
STANDS, FALLS, UNSOLVED = 0, 1, 2
_STEPS = 60
_CLOSE = 1e-5  # of a block's weight may be out of balance
# No block of a standing tower is as far from where level layers would have it: at all, and more for each layer.
_FAR_M, _FAR_A_LAYER_M = 0.004, 0.0005
_HOLD = 1e-6  # a faint spring on every unknown, as a share of a patch's: keeps the equations solvable
# The stiffness that open contacts keep in a step: at most, and for each block's weight that is out of balance.
_OPEN, _OPEN_A_WEIGHT = 0.3, 1.2e-3


class Equilibrium(NamedTuple):
    """What was found.

    Attributes:
        state: STANDS, FALLS or UNSOLVED.
        steps: Newton steps taken.
        rest: Height of the centre and the two tilts of every block (n, 3), tilts as metres at `ARM_M`.
        force_n: What each contact bears (c,), 0 or more.
    """

    state: int
    steps: int
    rest: Array
    force_n: Array


class _System(NamedTuple):
    layer: Ints
    column: Ints
    sizes: Ints
    diagonal: Array
    below: Array
    rhs: Array


@compiled
def at_rest(bodies: Array, starts: Ints) -> Array:
    """Where to begin (n, 3): every layer as high as its blocks are on average, all level."""
    rest = np.zeros((len(bodies), 3))
    bottom = 0.0
    for k in range(len(starts) - 1):
        a, b = starts[k], starts[k + 1]
        if b == a:
            continue
        height = bodies[a:b, HEIGHT].mean()
        rest[a:b, 0] = bottom + height / 2
        bottom += height
    return rest


@compiled
def settle(
    starts: Ints, contacts: Contacts, stiffness_n_m: Array, weight_n: Array, begin: Array
) -> Equilibrium:
    """The equilibrium of a tower.

    Open contacts take part in a step with a little of their stiffness, less the nearer the solution: blocks that
    nothing holds for the moment then do not fly off, and the last steps are exact.

    Args:
        starts: First row of each layer (layers + 1,).
        contacts: Where the blocks can touch (c).
        stiffness_n_m: Of each contact (c,); 0 for one that is not there.
        weight_n: Of each block (n,); 0 for one that is not there.
        begin: Heights and tilts to begin with (n, 3).
    """
    system = _system(starts, len(weight_n))
    rest, step = begin.copy(), np.zeros((len(weight_n), 3))
    press, change = np.empty(len(stiffness_n_m)), np.empty(len(stiffness_n_m))
    hold, a_weight = _HOLD * stiffness_n_m.max(), weight_n.mean()
    far_m, state, count = _FAR_M + _FAR_A_LAYER_M * len(starts), UNSOLVED, 0
    _approach(contacts, rest, press)
    while count < _STEPS:
        worst_n = _balance(system, contacts, stiffness_n_m, press, weight_n)
        if worst_n < _CLOSE * a_weight:
            state = STANDS
            break
        _assemble(
            system, contacts, stiffness_n_m, press, hold, min(_OPEN, _OPEN_A_WEIGHT * worst_n / a_weight)
        )
        if not factorise(system.diagonal, system.below, system.sizes):
            break
        solve(system.diagonal, system.below, system.sizes, system.rhs)
        _gather(system, step)
        _change(contacts, step, change)
        rest += _line_search(stiffness_n_m, press, change, weight_n, step) * step
        _approach(contacts, rest, press)
        count += 1
        if np.abs(rest - begin).max() > far_m:
            state = FALLS
            break
    return Equilibrium(state, count, rest, stiffness_n_m * np.maximum(press, 0.0))


@compiled
def _system(starts: Ints, n: int) -> _System:
    layers = len(starts) - 1
    layer, column, sizes = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(layers, np.int64)
    for k in range(layers):
        sizes[k] = 3 * (starts[k + 1] - starts[k])
        for i in range(starts[k], starts[k + 1]):
            layer[i], column[i] = k, 3 * (i - starts[k])
    width = sizes.max()
    shape = (layers, width, width)
    return _System(layer, column, sizes, np.zeros(shape), np.zeros(shape), np.zeros((layers, width)))


@compiled
def _approach(contacts: Contacts, rest: Array, press: Array) -> None:
    """How far each contact is compressed; negative where it is open."""
    _change(contacts, rest, press)
    for c in range(len(press)):
        press[c] += contacts.height_m[c]


@compiled
def _change(contacts: Contacts, step: Array, change: Array) -> None:
    """How much a step compresses each contact."""
    arms = contacts.arms
    for c in range(len(change)):
        i, j = contacts.lower[c], contacts.upper[c]
        closer = -(step[j, 0] + step[j, 1] * arms[c, 2] + step[j, 2] * arms[c, 3])
        if i >= 0:
            closer += step[i, 0] + step[i, 1] * arms[c, 0] + step[i, 2] * arms[c, 1]
        change[c] = closer


@compiled
def _balance(system: _System, contacts: Contacts, stiffness: Array, press: Array, weight: Array) -> float:
    """Put what is out of balance on the right side; its largest value."""
    rhs, layer, column, arms = system.rhs, system.layer, system.column, contacts.arms
    rhs[:] = 0.0
    for i in range(len(weight)):
        rhs[layer[i], column[i]] = -weight[i]
    for c in range(len(press)):
        if press[c] <= 0.0:
            continue
        force = stiffness[c] * press[c]
        i, j = contacts.lower[c], contacts.upper[c]
        k, o = layer[j], column[j]
        rhs[k, o] += force
        rhs[k, o + 1] += force * arms[c, 2]
        rhs[k, o + 2] += force * arms[c, 3]
        if i >= 0:
            k, o = layer[i], column[i]
            rhs[k, o] -= force
            rhs[k, o + 1] -= force * arms[c, 0]
            rhs[k, o + 2] -= force * arms[c, 1]
    return float(np.abs(rhs).max())


@compiled
def _assemble(
    system: _System, contacts: Contacts, stiffness: Array, press: Array, hold: float, opened: float
) -> None:
    """The stiffness of the closed contacts and `opened` of that of the open ones, lower triangles only."""
    diagonal, below, arms = system.diagonal, system.below, contacts.arms
    diagonal[:], below[:] = 0.0, 0.0
    for k in range(len(system.sizes)):
        for o in range(system.sizes[k]):
            diagonal[k, o, o] = hold
    for c in range(len(press)):
        s = stiffness[c] * (1.0 if press[c] > 0.0 else opened)
        i, j = contacts.lower[c], contacts.upper[c]
        k, o = system.layer[j], system.column[j]
        x, y = arms[c, 2], arms[c, 3]
        _add(diagonal, k, o, s, x, y)
        if i >= 0:
            p, u, v = system.column[i], arms[c, 0], arms[c, 1]
            _add(diagonal, k - 1, p, s, u, v)
            _couple(below, k, o, p, s, u, v)
            _couple(below, k, o + 1, p, s * x, u, v)
            _couple(below, k, o + 2, p, s * y, u, v)


@compiled
def _add(D: Array, k: int, o: int, s: float, x: float, y: float) -> None:
    D[k, o, o] += s
    D[k, o + 1, o] += s * x
    D[k, o + 1, o + 1] += s * x * x
    D[k, o + 2, o] += s * y
    D[k, o + 2, o + 1] += s * x * y
    D[k, o + 2, o + 2] += s * y * y


@compiled
def _couple(B: Array, k: int, row: int, p: int, s: float, u: float, v: float) -> None:
    B[k, row, p] -= s
    B[k, row, p + 1] -= s * u
    B[k, row, p + 2] -= s * v


@compiled
def _gather(system: _System, step: Array) -> None:
    for i in range(len(step)):
        k, o = system.layer[i], system.column[i]
        for m in range(3):
            step[i, m] = system.rhs[k, o + m]


@compiled
def _line_search(stiffness: Array, press: Array, change: Array, weight: Array, step: Array) -> float:
    """How much of a step lowers the energy most, to a tenth of the slope (regula falsi, Illinois)."""
    fall = 0.0
    for i in range(len(weight)):
        fall += weight[i] * step[i, 0]
    low, high = 0.0, 1.0
    at_low = _slope(stiffness, press, change, fall, 0.0)
    at_high = _slope(stiffness, press, change, fall, 1.0)
    enough = 0.1 * abs(at_low)
    if at_high <= enough:
        return 1.0
    for _ in range(30):
        share = (low * at_high - high * at_low) / (at_high - at_low)
        slope = _slope(stiffness, press, change, fall, share)
        if abs(slope) <= enough:
            return share
        if slope < 0:
            low, at_low, at_high = share, slope, at_high / 2
        else:
            high, at_high, at_low = share, slope, at_low / 2
    return low


@compiled
def _slope(stiffness: Array, press: Array, change: Array, fall: float, share: float) -> float:
    total = fall
    for c in range(len(press)):
        now = press[c] + share * change[c]
        if now > 0.0:
            total += stiffness[c] * now * change[c]
    return total
