from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, HalfspaceIntersection

from planning.contacts import ARM_M, HEIGHT, LENGTH, WIDTH, YAW, Contacts, X, Y, find_contacts
from planning.overlap import CORNERS, clip, measure
from robot.frames import Array
from support.stacks import HEIGHT_M, LENGTH_M, WIDTH_M, stack

turns = st.floats(-3.2, 3.2)
shifts = st.floats(-0.03, 0.03)
compiled = settings(deadline=None)


def contacts_of(turn: float, dx: float, dy: float) -> tuple[Array, Contacts]:
    """A block on a single one, turned and shifted; the contacts between the two."""
    towers = stack("010/010", yaw={"2.2": turn}, x={"2.2": dx}, y={"2.2": dy})
    bodies = towers.bodies[0]
    return bodies, find_contacts(bodies, towers.starts)


def half_planes(body: Array) -> Array:
    """The four sides (4, 3) of a block seen from above, as n·p + c <= 0."""
    rows = []
    for angle, size in ((body[YAW], body[LENGTH]), (body[YAW] + np.pi / 2, body[WIDTH])):
        for turned in (angle, angle + np.pi):
            normal = np.array([np.cos(turned), np.sin(turned)])
            rows.append([*normal, -normal @ body[[X, Y]] - size / 2])
    return np.array(rows)


@compiled
@given(turns, shifts, shifts)
def test_patch_is_the_intersection_of_both_rectangles(turn: float, dx: float, dy: float) -> None:
    bodies, contacts = contacts_of(turn, dx, dy)
    patch = contacts.lower == 0
    sides = np.concatenate([half_planes(body) for body in bodies])
    inside = bodies[:, [X, Y]].mean(axis=0)
    if (sides[:, :2] @ inside + sides[:, 2]).max() > -1e-4:
        return
    expected = ConvexHull(HalfspaceIntersection(sides, inside).intersections)
    assert contacts.area_m2[patch].sum() == pytest.approx(expected.volume, rel=1e-6)
    assert (sides[:, :2] @ contacts.xy_m[patch].T + sides[:, 2:]).max() < 1e-9
    assert 3 <= patch.sum() <= CORNERS


@compiled
@given(turns, shifts, shifts)
def test_arms_lead_from_both_centres_to_the_contact(turn: float, dx: float, dy: float) -> None:
    bodies, contacts = contacts_of(turn, dx, dy)
    for c in range(len(contacts.upper)):
        assert bodies[contacts.upper[c], :2] + ARM_M * contacts.arms[c, 2:] == pytest.approx(contacts.xy_m[c])
        if contacts.lower[c] >= 0:
            assert bodies[contacts.lower[c], :2] + ARM_M * contacts.arms[c, :2] == pytest.approx(
                contacts.xy_m[c]
            )


def test_crossing_blocks_touch_at_the_corners_of_a_square() -> None:
    bodies, contacts = contacts_of(0.0, 0.0, 0.0)
    patch = contacts.lower == 0
    assert sorted(map(tuple, np.round(contacts.xy_m[patch] * 1e3, 6).tolist())) == [
        (-12.5, -12.5),
        (-12.5, 12.5),
        (12.5, -12.5),
        (12.5, 12.5),
    ]
    assert contacts.area_m2[patch] == pytest.approx(np.full(4, WIDTH_M**2 / 4))
    assert contacts.height_m[patch] == pytest.approx(np.full(4, HEIGHT_M))
    assert contacts.height_m[~patch] == pytest.approx(np.full(4, bodies[0, HEIGHT] / 2))


def test_blocks_beside_each_other_do_not_touch() -> None:
    _, contacts = contacts_of(0.0, 0.0, (LENGTH_M + WIDTH_M) / 2 + 1e-6)
    assert (contacts.lower == -1).all()


def test_clipping_away_everything_leaves_no_corner() -> None:
    polygon = np.zeros((CORNERS, 2))
    polygon[:4] = [[3, 1], [2, 1], [2, 0], [3, 0]]
    assert clip(polygon, np.zeros((CORNERS, 2)), 4, 0, 1.0) == 0
    assert measure(polygon, 0) == (0.0, 0.0)
