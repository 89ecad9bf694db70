"""Towers by the batch: loads, pushes, and each block thought away. Compiled; `planning.mechanics` is its front."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planning.contacts import MASS, Contacts, Ints, find_contacts
from planning.equilibrium import FALLS, GRAVITY_M_S2, STANDS, Equilibrium, at_rest, settle
from planning.pushing import find_pushes
from planning.support import NO_BLOCK, Interfaces, find_interfaces, margin_without_m
from robot.compiled import compiled
from robot.frames import Array

# Pressure a metre of approach. Where rough faces meet, the pressure p grows e-fold in 0.4 of the rms height of their
# roughness (Persson, Phys. Rev. Lett. 99, 125502, 2007), so the stiffness is p over that; 0.5 to 2 kPa in a tower and
# 10 to 20 um of sanded wood make 0.6e8 to 5e8.
STIFFNESS_N_M3 = 1e8
FIELDS = ("top_n", "bottom_n", "slide_n", "drag_n", "hold", "tip_plus_n", "tip_minus_n")


class Assessed(NamedTuple):
    """States (t,) and (t, n), margins (t, n) and the fields of every block (t, n, 7)."""

    state: Ints
    of_block: Array
    without: Ints
    margin_m: Array


@compiled
def load_towers(bodies: Array, starts: Ints, stiffness_n_m3: float) -> tuple[Ints, Array, Array, Array]:
    """State of each tower (t,), the load on top of and below each block, and its centre's height (t, n)."""
    towers, n = bodies.shape[0], bodies.shape[1]
    state, height_m = np.empty(towers, np.int64), np.empty((towers, n))
    top_n, bottom_n = np.zeros((towers, n)), np.zeros((towers, n))
    for t in range(towers):
        contacts = find_contacts(bodies[t], starts)
        begin = at_rest(bodies[t], starts)
        found = _settle(bodies[t], starts, contacts, stiffness_n_m3, begin, NO_BLOCK)
        state[t] = found.state
        height_m[t] = found.rest[:, 0]
        _add_up(contacts, found.force_n, top_n[t], bottom_n[t])
    return state, top_n, bottom_n, height_m


@compiled
def assess_towers(bodies: Array, starts: Ints, stiffness_n_m3: float, thorough: bool) -> Assessed:
    """Everything about each block of each tower (t, n, 9).

    `thorough`: what is left without a block is settled; else it stands where its margin is not negative, which says
    nothing of single blocks that lose their balance.
    """
    towers, n = bodies.shape[0], bodies.shape[1]
    state, without = np.empty(towers, np.int64), np.empty((towers, n), np.int64)
    of_block, margin_m = np.zeros((towers, n, 7)), np.empty((towers, n))
    layer_of = _layers(starts, n)
    for t in range(towers):
        contacts = find_contacts(bodies[t], starts)
        faces = find_interfaces(bodies[t], starts, contacts)
        found = _settle(bodies[t], starts, contacts, stiffness_n_m3, at_rest(bodies[t], starts), NO_BLOCK)
        state[t] = found.state
        _describe(bodies[t], starts, contacts, faces, found, of_block[t])
        for b in range(n):
            margin_m[t, b] = margin_without_m(bodies[t], layer_of, contacts, faces, b)
            without[t, b] = STANDS if n == 1 or margin_m[t, b] >= 0.0 else FALLS
            if thorough and n > 1 and margin_m[t, b] >= 0.0:
                without[t, b] = _settle(bodies[t], starts, contacts, stiffness_n_m3, found.rest, b).state
    return Assessed(state, of_block, without, margin_m)


@compiled
def _describe(
    bodies: Array, starts: Ints, contacts: Contacts, faces: Interfaces, found: Equilibrium, of_block: Array
) -> None:
    """Loads and pushes of each block (n, 7) of a tower at rest."""
    _add_up(contacts, found.force_n, of_block[:, 0], of_block[:, 1])
    push = find_pushes(bodies, starts, contacts, faces, found.force_n, found.rest[:, 0].copy())
    of_block[:, 2], of_block[:, 3] = push.slide_n, push.drag_n
    of_block[:, 4] = push.hold
    of_block[:, 5], of_block[:, 6] = push.tip_plus_n, push.tip_minus_n


@compiled
def _settle(
    bodies: Array, starts: Ints, contacts: Contacts, stiffness_n_m3: float, begin: Array, gone: int
) -> Equilibrium:
    """The equilibrium of a tower, or of what is left when a block is taken away."""
    stiffness, weight_n = contacts.area_m2 * stiffness_n_m3, bodies[:, MASS] * GRAVITY_M_S2
    if gone >= 0:
        weight_n[gone] = 0.0
        for c in range(len(stiffness)):
            if contacts.lower[c] == gone or contacts.upper[c] == gone:
                stiffness[c] = 0.0
    return settle(starts, contacts, stiffness, weight_n, begin)


@compiled
def _add_up(contacts: Contacts, force_n: Array, top_n: Array, bottom_n: Array) -> None:
    for c in range(len(force_n)):
        bottom_n[contacts.upper[c]] += force_n[c]
        if contacts.lower[c] >= 0:
            top_n[contacts.lower[c]] += force_n[c]


@compiled
def _layers(starts: Ints, n: int) -> Ints:
    layer_of = np.empty(n, np.int64)
    for k in range(len(starts) - 1):
        layer_of[starts[k] : starts[k + 1]] = k
    return layer_of
