from __future__ import annotations

import itertools

import numpy as np

from robot.mat import default_mat

MAT = default_mat()


def test_corners_are_squares_of_the_markers_size_in_opencvs_order() -> None:
    for corners in MAT.corners_world_m().values():
        sides = np.diff(np.vstack([corners, corners[:1]]), axis=0)
        assert np.allclose(np.linalg.norm(sides, axis=1), MAT.marker_m)
        assert np.allclose(corners[:, 2], 0.0)
        # Clockwise as seen from above: the cross product of neighbouring sides points down.
        assert (np.cross(sides[0], sides[1])[2]) < 0


def test_printed_up_is_the_worlds_x() -> None:
    for corners in MAT.corners_world_m().values():
        top_left, top_right, _, bottom_left = corners
        assert top_left[0] > bottom_left[0]
        assert top_left[1] > top_right[1], "seen from the front of the robot, left is the world's +y"


def test_corners_stand_about_the_markers_centre() -> None:
    for number, corners in MAT.corners_world_m().items():
        assert np.allclose(corners.mean(axis=0)[:2], MAT.centres_m[number])


def test_markers_lie_on_the_sheet_apart_from_each_other_and_from_the_plinth() -> None:
    half, plinth = MAT.marker_m / 2, 0.085 / 2
    for x, y in MAT.centres_m.values():
        assert max(abs(x), abs(y)) + half <= MAT.size_m / 2
        assert max(abs(x), abs(y)) - half > plinth * np.sqrt(2), "the plinth stands turned by 45 degrees"
    for a, b in itertools.combinations(MAT.centres_m.values(), 2):
        assert max(abs(a[0] - b[0]), abs(a[1] - b[1])) > MAT.marker_m + 0.005, "a white rim keeps them apart"
