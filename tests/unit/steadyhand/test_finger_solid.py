"""The printable finger: a closed surface with the dimensions of the settings and the spring that they ask for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.errors import BadInputError
from robot.frames import Array
from robot.lfinger import LFinger
from steadyhand.finger_solid import Print, finger_of, mirrored, read_stl, stl, strain_of, triangles
from steadyhand.settings import Settings

PRINTED = Path(__file__).parents[3] / "docs" / "printing"


def edges(surface: Array) -> Counter[tuple[tuple[float, ...], tuple[float, ...]]]:
    """How often each edge is walked in each direction."""
    points = np.round(surface, 6)
    found: Counter[tuple[tuple[float, ...], tuple[float, ...]]] = Counter()
    for corners in points:
        for a, b in ((0, 1), (1, 2), (2, 0)):
            found[tuple(corners[a]), tuple(corners[b])] += 1
    return found


def volume(surface: Array) -> float:
    return float(np.einsum("ni,ni->n", surface[:, 0], np.cross(surface[:, 1], surface[:, 2])).sum() / 6)


def is_closed(surface: Array) -> bool:
    """Each edge is walked once each way: every side of the surface has just one neighbour, and none is flipped."""
    walked = edges(surface)
    return all(count == 1 and walked[b, a] == 1 for (a, b), count in walked.items())


@pytest.fixture(scope="module")
def surface() -> Array:
    return triangles(finger_of(LFinger(), Print()))


def test_surface_is_closed_and_every_triangle_has_an_area(surface: Array) -> None:
    assert is_closed(surface)
    across = np.cross(surface[:, 1] - surface[:, 0], surface[:, 2] - surface[:, 0])
    assert np.linalg.norm(across, axis=1).min() > 1e-6


def test_a_surface_with_a_hole_in_it_or_a_flipped_triangle_would_be_noticed(surface: Array) -> None:
    assert not is_closed(surface[1:])
    flipped = surface.copy()
    flipped[0] = flipped[0, ::-1]
    assert not is_closed(flipped)


def test_volume_is_that_of_its_boxes_less_window_and_holes(surface: Array) -> None:
    solid = finger_of(LFinger(), Print())
    leaf, length = solid.leaf_mm
    bar = 40.5 * 8 * 16 - length * (8 * 16 - 2 * leaf * 4)
    sides = 32
    round_mm2 = sides / 2 * np.sin(2 * np.pi / sides) * 1.6**2
    leg = 14 * 8 * (40 - 8) + 10 * 4 * 60
    assert volume(surface) == pytest.approx(bar + leg - 2 * 8 * round_mm2, rel=1e-9)


def test_its_ends_are_where_the_settings_put_them(surface: Array) -> None:
    finger = Settings().finger
    points = surface.reshape(-1, 3)
    assert points[:, 2].max() == pytest.approx(finger.leg_mm)
    nose = points[points[:, 2] > finger.leg_mm - 0.1]
    assert np.ptp(nose[:, 0]) == pytest.approx(finger.nose_width_mm)
    assert np.ptp(nose[:, 1]) == pytest.approx(finger.nose_thickness_mm)
    assert nose[:, 1].min() == 0.0, "the pinching face is flat"
    step = sorted(set(np.round(points[:, 2], 6)))
    assert finger.leg_mm - finger.slim_mm in step


@given(
    leg_mm=st.integers(70, 140),
    slim_mm=st.integers(40, 55),
    nose_width_mm=st.sampled_from([6.0, 10.0, 14.0]),
    nose_thickness_mm=st.sampled_from([2.0, 4.0, 5.0]),
    stiffness_n_mm=st.floats(0.4, 20),
    hole_mm=st.floats(1.6, 4.0),
)
def test_every_finger_that_can_be_set_is_closed(
    leg_mm: int,
    slim_mm: int,
    nose_width_mm: float,
    nose_thickness_mm: float,
    stiffness_n_mm: float,
    hole_mm: float,
) -> None:
    finger = LFinger(leg_mm / 1e3, slim_mm / 1e3, nose_width_mm / 1e3, nose_thickness_mm / 1e3)
    made = Print(stiffness_n_mm=stiffness_n_mm, hole_mm=hole_mm)
    found = triangles(finger_of(finger, made))
    assert is_closed(found)
    assert volume(found) > 0


def test_leaves_bend_as_the_settings_say() -> None:
    made = Print(stiffness_n_mm=0.5)
    thick, length = finger_of(LFinger(), made).leaf_mm
    inertia = made.leaf_width_mm * thick**3 / 12
    one_leaf = 12 * made.modulus_mpa * inertia / length**3
    assert 2 * 2 * one_leaf == pytest.approx(0.5), "two leaves a finger, two fingers"


def test_stress_of_the_leaves_is_that_of_the_moment_at_their_ends() -> None:
    made = Print()
    solid = finger_of(LFinger(), made)
    thick, length = solid.leaf_mm
    gives_mm, stress_mpa = strain_of(solid, made, 2.0)
    assert gives_mm == pytest.approx(4.0)
    each_n = 2.0 / 4  # two leaves a finger, two fingers
    moment = each_n * length / 2
    assert stress_mpa == pytest.approx(moment * (thick / 2) / (made.leaf_width_mm * thick**3 / 12))


def test_leaves_that_no_printer_can_make_are_refused() -> None:
    with pytest.raises(BadInputError, match=r"needs leaves of 0\.2. mm, printable are 0\.4 mm"):
        finger_of(LFinger(), Print(stiffness_n_mm=0.05))


@pytest.mark.parametrize(("hole_mm", "apart_mm"), [(6.5, 8.0), (3.2, 4.0), (3.2, 12.0)])
def test_holes_that_do_not_fit_the_foot_are_refused(hole_mm: float, apart_mm: float) -> None:
    with pytest.raises(BadInputError, match="do not fit on a foot of 8 x 16 mm"):
        finger_of(LFinger(), Print(hole_mm=hole_mm, holes_apart_mm=apart_mm))


def test_other_finger_is_the_mirror_image(surface: Array) -> None:
    other = mirrored(surface)
    assert is_closed(other)
    assert volume(other) == pytest.approx(volume(surface))
    assert other[:, :, 1].max() == 0.0


def test_file_holds_the_surface(surface: Array) -> None:
    assert read_stl(stl(surface, "finger")) == pytest.approx(surface, abs=1e-5)


@pytest.mark.parametrize(("name", "turn"), [("finger", False), ("finger-mirrored", True)])
def test_printed_files_are_those_of_the_default_settings(surface: Array, name: str, turn: bool) -> None:
    wanted = mirrored(surface) if turn else surface
    assert read_stl((PRINTED / f"{name}.stl").read_bytes()) == pytest.approx(wanted, abs=1e-5)
