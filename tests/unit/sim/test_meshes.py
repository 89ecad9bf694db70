from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.meshes import bevelled, hull

SIZE = (0.075, 0.025, 0.015)
length = st.floats(0.01, 0.1)
sizes = st.tuples(length, length, length)


@given(sizes, st.floats(-0.001, 0.001))
def test_hull_has_the_mean_thickness_and_its_taper(size: tuple[float, float, float], taper: float) -> None:
    corners = hull(size, taper)
    assert corners.shape == (16, 3)
    assert np.ptp(corners[:, 0]) == pytest.approx(size[0])
    assert np.ptp(corners[:, 1]) == pytest.approx(size[1])
    at_plus, at_minus = corners[corners[:, 0] > 0], corners[corners[:, 0] < 0]
    assert np.ptp(at_plus[:, 2]) - np.ptp(at_minus[:, 2]) == pytest.approx(taper, abs=1e-12)
    assert (np.ptp(at_plus[:, 2]) + np.ptp(at_minus[:, 2])) / 2 == pytest.approx(size[2])
    assert corners.mean(axis=0) == pytest.approx(0)


@given(sizes, st.floats(-0.001, 0.001), st.floats(1e-4, 1e-3))
def test_hull_is_bevelled_across_its_ends_and_nowhere_else(
    size: tuple[float, float, float], taper: float, bevel: float
) -> None:
    corners = hull(size, taper, bevel)
    at_end = np.isclose(np.abs(corners[:, 0]), size[0] / 2)
    half_m = (size[2] + np.sign(corners[:, 0]) * taper / 2) / 2
    assert np.abs(corners[at_end, 2]) == pytest.approx(half_m[at_end] - bevel)
    assert np.abs(corners[~at_end, 2]) == pytest.approx(half_m[~at_end])
    assert np.abs(corners[~at_end, 0]) == pytest.approx(size[0] / 2 - bevel)
    assert np.abs(corners[:, 1]) == pytest.approx(size[1] / 2)


@given(sizes, st.floats(1e-4, 1e-3))
def test_skin_lies_within_the_hull_and_is_closed(size: tuple[float, float, float], bevel: float) -> None:
    skin = bevelled(size, bevel, (0.3, 0.7))
    half = np.array(size) / 2
    assert (np.abs(skin.vertices_m) <= half + 1e-12).all()
    assert np.abs(skin.vertices_m).max(axis=0) == pytest.approx(half)
    a, b, c = (skin.vertices_m[skin.triangles[:, k]] for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)  # divergence theorem, outward faces
    box = float(np.prod(size))
    assert 0 < box - volume < 3 * bevel * bevel * sum(size) + 8 * bevel**3, "only edges and corners are cut"


def test_skin_faces_outwards() -> None:
    skin = bevelled(SIZE, 0.0007, (0, 0))
    a, b, c = (skin.vertices_m[skin.triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", facing, (a + b + c) / 3) > 0).all()
    assert (np.einsum("ij,ij->i", facing, skin.normals[skin.triangles[:, 0]]) > 0).all()
    assert np.linalg.norm(skin.normals, axis=1) == pytest.approx(1)


def test_ends_show_end_grain_and_sides_side_grain() -> None:
    skin = bevelled(SIZE, 0.0007, (0.1, 0.2))
    ends = np.abs(skin.normals[:, 0]) > 0.99
    sides = np.abs(skin.normals[:, 0]) < 0.01
    assert (skin.texcoords[ends, 0] > 0.75).all()
    assert (skin.texcoords[sides, 0] < 0.73).all()
