from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.boxes import EDGE_CORNERS, EDGE_FACES, FACE_CORNERS, FACE_NORMALS, Boxes, joined
from perception.chamfer import BEVEL_M, PART_NORMALS, PART_VERTICES, facing_parts, vertices_m
from robot.frames import Array, apply, inverse
from support.geometry import boxes, poses

SIZE_M = np.array([0.075, 0.025, 0.015])
EYES = st.tuples(*[st.floats(-2.0, 2.0)] * 3).map(np.array)


@given(poses())
def test_corners_lie_half_the_size_away_from_the_centre(T: Array) -> None:
    local = apply(inverse(T), boxes(T).corners_m()[0])
    assert np.abs(local) == pytest.approx(np.tile(SIZE_M / 2, (8, 1)), abs=1e-9)
    assert len(np.unique(np.sign(local), axis=0)) == 8, "each in an octant of its own"


@given(poses())
def test_four_corners_of_a_face_lie_on_it(T: Array) -> None:
    box = boxes(T)
    corners, normals = box.corners_m()[0], box.normals()[0]
    for face in range(6):
        depth = (corners[FACE_CORNERS[face]] - T[:3, 3]) @ normals[face]
        assert depth == pytest.approx(np.full(4, SIZE_M[face // 2] / 2), abs=1e-9)


@given(poses(), EYES)
def test_face_is_seen_from_where_a_sight_line_does_not_cross_the_box(T: Array, eye: Array) -> None:
    """An eye on the outer side of a face's plane sees it, from anywhere else the box is in the way."""
    local = apply(inverse(T), eye)
    outside = np.stack([local > SIZE_M / 2, local < -SIZE_M / 2], axis=1).ravel()
    if np.abs(np.abs(local) - SIZE_M / 2).min() > 1e-9:
        assert np.array_equal(boxes(T).facing(eye)[0], outside)


def test_box_has_twelve_edges_between_faces_that_meet() -> None:
    assert len(EDGE_FACES) == 12
    assert (
        np.einsum("ei,ei->e", FACE_NORMALS[EDGE_FACES[:, 0]], FACE_NORMALS[EDGE_FACES[:, 1]]).tolist()
        == [0.0] * 12
    )
    for faces, corners in zip(EDGE_FACES, EDGE_CORNERS, strict=True):
        for face in faces:
            assert set(corners) <= set(FACE_CORNERS[face])
    assert len({tuple(pair) for pair in EDGE_CORNERS.tolist()}) == 12


def test_joined_boxes_keep_their_order() -> None:
    one, two = boxes(np.eye(4)), Boxes(2 * np.tile(np.eye(4), (2, 1, 1)), np.ones((2, 3)))
    both = joined([one, two])
    assert len(both) == 3
    assert both.T[0, 0, 0] == 1.0
    assert both.size_m[1:].tolist() == [[1.0] * 3] * 2


@given(poses(), st.floats(1e-4, 3e-3))
def test_chamfered_parts_are_flat_and_look_outwards(T: Array, bevel_m: float) -> None:
    box = boxes(T)
    points, normals = vertices_m(box.T, box.size_m, bevel_m)[0], PART_NORMALS @ T[:3, :3].T
    for part in range(len(PART_NORMALS)):
        depth = (points[PART_VERTICES[part]] - T[:3, 3]) @ normals[part]
        assert np.ptp(depth) < 1e-9, f"part {part} is flat"
        assert depth[0] == pytest.approx(((points - T[:3, 3]) @ normals[part]).max(), abs=1e-9), (
            "nothing beyond it"
        )


def test_chamfer_cuts_off_what_it_says() -> None:
    box = boxes(np.eye(4))
    assert np.abs(vertices_m(box.T, box.size_m, 0.0)[0]).max(axis=0) == pytest.approx(SIZE_M / 2)
    local = np.sort(SIZE_M / 2 - np.abs(vertices_m(box.T, box.size_m, BEVEL_M)[0]), axis=1)
    assert local == pytest.approx(np.tile([0.0, BEVEL_M, BEVEL_M], (24, 1)), abs=1e-12)


@given(poses())
def test_outline_of_a_part_runs_round_it(T: Array) -> None:
    """Or filling it would leave a hole: successive corners turn one way."""
    box = boxes(T)
    points = vertices_m(box.T, box.size_m, 1e-3)[0][PART_VERTICES]  # (26, 4, 3)
    steps = np.roll(points, -1, axis=1) - points
    turns = np.einsum("pki,pi->pk", np.cross(steps, np.roll(steps, -1, axis=1)), PART_NORMALS @ T[:3, :3].T)
    assert ((turns > -1e-15).all(axis=1) | (turns < 1e-15).all(axis=1)).all()


@given(poses(), EYES)
def test_faces_seen_with_a_chamfer_are_those_seen_without(T: Array, eye: Array) -> None:
    box = boxes(T)
    vertices = vertices_m(box.T, box.size_m, 1e-3)
    assert np.array_equal(facing_parts(vertices, box.T, eye)[:, :6], box.facing(eye))
