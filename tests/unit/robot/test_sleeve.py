from __future__ import annotations

import numpy as np
import pytest

from robot.lfinger import LFinger
from robot.sleeve import SHEET_M, PrintedFace, printed_faces

FINGER = LFinger()


def corners(face: PrintedFace) -> np.ndarray:
    a, b, c = face.corner_m, face.down_m, face.right_m
    return np.array([a, a + b, a + b + c, a + c])


@pytest.mark.parametrize("opening_m", [0.0, 0.026])
def test_faces_lie_a_sheet_above_the_strong_part_of_the_fingers(opening_m: float) -> None:
    for face in printed_faces(FINGER, opening_m):
        side = 1.0 if face.left else -1.0
        middle = np.array([-0.08, 0.0, side * (opening_m / 2 + FINGER.root_thickness_m / 2)])
        reach = abs(face.normal @ [0, FINGER.root_width_m / 2, FINGER.root_thickness_m / 2])
        for corner in corners(face):
            assert (corner - middle) @ face.normal == pytest.approx(reach + SHEET_M)
            assert -FINGER.leg_m - 0.008 - 1e-9 <= corner[0] <= -FINGER.slim_m + 1e-9


def test_every_finger_has_three_faces_that_look_different_ways() -> None:
    for left in (True, False):
        faces = [face for face in printed_faces(FINGER, 0.0) if face.left is left]
        normals = np.array([face.normal for face in faces]).round(6)
        assert len(np.unique(normals, axis=0)) == len(faces) == 3


def test_no_two_faces_are_printed_alike_even_in_part() -> None:
    faces = list(printed_faces(FINGER, 0.0))
    for k, face in enumerate(faces):
        for other in faces[k + 1 :]:
            rows = min(len(face.white), len(other.white))
            columns = min(face.white.shape[1], other.white.shape[1])
            alike = face.white[:rows, :columns] == other.white[:rows, :columns]
            assert 0.15 < alike.mean() < 0.85


def test_a_face_does_not_look_like_itself_moved_by_squares() -> None:
    for face in printed_faces(FINGER, 0.0):
        told = face.white * 2 - 1
        for by in range(1, len(told) - 2):
            assert abs((told[by:] * told[:-by]).mean()) < 0.4
