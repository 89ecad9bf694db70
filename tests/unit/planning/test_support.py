from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from planning.contacts import MASS, X, Y, find_contacts
from planning.mechanics import Towers
from planning.stability import inside_m as inside_hull_m
from planning.support import find_interfaces, inside_m, margin_without_m
from support.stacks import rough, stack

layer = st.sampled_from(["111", "110", "011", "101", "010", "100", "001"])
texts = st.lists(layer, min_size=1, max_size=8).map("/".join)
compiled = settings(deadline=None)


def margin(towers: Towers, gone: int = -2) -> float:
    bodies, starts = towers.bodies[0], towers.starts
    contacts = find_contacts(bodies, starts)
    layers = np.array([slot.layer - 1 for slot in towers.slots])
    return margin_without_m(bodies, layers, contacts, find_interfaces(bodies, starts, contacts), gone)


@compiled
@given(texts, st.integers(0, 2**31))
def test_supports_are_the_hulls_of_the_contacts(text: str, seed: int) -> None:
    """A tower of crossing blocks always touches its neighbours; the other way needs a library of its own."""
    towers = rough(text, seed)
    bodies, starts = towers.bodies[0], towers.starts
    contacts = find_contacts(bodies, starts)
    faces = find_interfaces(bodies, starts, contacts)
    expected = []
    for k in range(len(faces.sizes)):
        points = contacts.xy_m[faces.first[k] : faces.first[k + 1]]
        above = bodies[starts[k] :]
        middle = np.average(above[:, [X, Y]], axis=0, weights=above[:, MASS])
        hull = ConvexHull(points)
        assert faces.mass_kg[k] == pytest.approx(above[:, MASS].sum())
        found = faces.hulls_m[k, : faces.sizes[k]]
        assert ConvexHull(found).volume == pytest.approx(hull.volume, rel=1e-6)
        expected.append(inside_hull_m(hull, middle))
        assert inside_m(found, len(found), *middle) == pytest.approx(expected[-1], abs=1e-9)
    assert margin(towers) == pytest.approx(min(expected), abs=1e-9)


def test_no_support_is_infinitely_far_from_an_edge() -> None:
    assert inside_m(np.zeros((4, 2)), 2, 0.0, 0.0) == -np.inf
    assert margin(stack("111/010/111"), gone=3) == -np.inf


def test_heavier_blocks_pull_the_middle_to_their_side() -> None:
    even, uneven = stack("010/010/101"), stack("010/010/101", mass={"3.1": 0.02})
    assert margin(even) == pytest.approx(0.0125)
    assert margin(uneven) == pytest.approx(0.0125 - 0.025 / 4)
