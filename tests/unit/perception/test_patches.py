"""Pixels of blocks, and where they come to lie when their blocks move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perception.patches import Surface, brightness_jacobian, lens_of, project, surface, warped
from robot.camera_model import CameraModel
from robot.frames import Array, apply, inverse, rotation_from_vector
from support.geometry import cameras_around, painted, poses, tower

EYE = cameras_around(4)[0]
LENS = np.array([-0.2, 0.06, 1e-3, -8e-4, -0.01])
STACK = tower(4)
VIEW = painted(EYE, STACK, blur_px=1.5)
T_CAMERA_WORLD = np.ascontiguousarray(inverse(EYE.T_world_camera)[:3])


@pytest.fixture(scope="module")
def where() -> Surface:
    return surface(VIEW, VIEW, STACK)


@given(poses(0.1))
def test_projection_in_compiled_code_is_the_cameras(T: Array) -> None:
    model = CameraModel("eye", EYE.size_px, EYE.K, EYE.T_world_camera, LENS)
    assert project(T[:3, 3], lens_of(model), T_CAMERA_WORLD) == pytest.approx(
        model.project(T[:3, 3]), abs=1e-6
    )


def test_points_lie_on_their_block_and_on_their_pixels_sight_line(where: Surface) -> None:
    px = EYE.project(where.p_world_m)
    assert px == pytest.approx(np.stack([where.column, where.row], axis=1), abs=1e-6)
    for i in range(len(STACK)):
        local = apply(inverse(STACK.boxes.T[i]), where.p_world_m[where.block == i])
        if len(local):
            out = np.abs(local) - STACK.boxes.size_m[i] / 2
            assert out.max() < 0.8e-3, "on its face, or above a chamfer"
            assert np.abs(out).min(axis=1).max() < 1e-9


def test_every_block_of_a_full_tower_shows_some_of_its_pixels(where: Surface) -> None:
    """From a corner of the tower every block shows an end or a side."""
    assert np.bincount(where.block, minlength=len(STACK)).min() > 100


def test_block_that_stays_shows_the_brightness_it_showed(where: Surface) -> None:
    still = warped(
        VIEW.grey, lens_of(EYE), T_CAMERA_WORLD, where.p_world_m, where.block, STACK.boxes.centres_m.copy(),
        np.zeros((len(STACK), 6)),
    )  # fmt: skip
    assert still == pytest.approx(VIEW.grey[where.row, where.column], abs=1e-6)


MOTIONS = st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6).map(np.array)


@settings(max_examples=25)
@given(unit=MOTIONS)
def test_moved_block_shows_its_brightness_where_it_went(where: Surface, unit: Array) -> None:
    """Its own points are followed: what they show in a picture painted after the motion is what they showed before."""
    motion = unit * [1e-3, 1e-3, 1e-3, 2e-3, 2e-3, 2e-3]
    block = int(where.block[0])
    moved = np.zeros((len(STACK), 6))
    moved[block] = motion
    centre = STACK.boxes.centres_m.copy()
    only = where.take(where.block == block)
    p = centre[block] + (only.p_world_m - centre[block]) @ rotation_from_vector(motion[3:]).T + motion[:3]
    u, v = EYE.project(p).T
    columns, rows = np.round(u).astype(int), np.round(v).astype(int)
    inside = (columns > 3) & (columns < 316) & (rows > 3) & (rows < 236)
    ramp = np.tile(np.arange(320.0), (240, 1))
    got = warped(ramp, lens_of(EYE), T_CAMERA_WORLD, only.p_world_m, only.block, centre, moved)
    assert got[inside] == pytest.approx(u[inside], abs=0.02), "the ramp's brightness is its column"


def test_brightness_changes_with_motion_as_the_derivative_says(where: Surface) -> None:
    """On a picture that is smooth, so that differences of pixels are its slope."""
    rows, columns = np.mgrid[0:240, 0:320].astype(float)
    smooth = 120 + 50 * np.sin(columns / 25) * np.cos(rows / 20)
    centre, h = STACK.boxes.centres_m.copy(), 1e-5
    inside = (where.row > 4) & (where.row < 235) & (where.column > 4) & (where.column < 315)
    some = where.take(inside)
    J = brightness_jacobian(EYE, smooth, some, centre)
    for j in range(6):
        step = np.zeros((len(STACK), 6))
        step[:, j] = h
        ahead, behind = (
            warped(smooth, lens_of(EYE), T_CAMERA_WORLD, some.p_world_m, some.block, centre, s * step)
            for s in (1, -1)
        )
        scale = np.abs(J[:, j]).max()
        assert J[:, j] == pytest.approx((ahead - behind) / (2 * h), abs=0.01 * scale), f"unknown {j}"


def test_what_is_not_wood_now_or_later_is_left_out() -> None:
    """A blue glove before the tower later on hides its pixels in the comparison."""
    glove = VIEW.image.copy()
    glove[100:140, 140:180] = (200, 80, 40)
    later = type(VIEW)(EYE, glove, VIEW.grey)
    where = surface(VIEW, later, STACK)
    hidden = (where.row >= 101) & (where.row < 139) & (where.column >= 141) & (where.column < 179)
    assert not hidden.any()
    assert len(where.row) > 0.7 * len(surface(VIEW, VIEW, STACK).row)
