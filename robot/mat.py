"""The marker mat on the table around the tower's plinth: what is printed, and where that is in the world.

Dictionary, numbering and corner order are those of OpenCV's ArUco module (top-left corner first, clockwise as
printed). The mat lies flat with its centre at the world's origin, its printed up along the world's +x, so that a
camera in front of the robot sees it the right way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.frames import Array

DICTIONARY = "DICT_4X4_50"
PAPERS_M = {"a4": (0.210, 0.297), "a3": (0.297, 0.420)}  # width and height, upright


@dataclass(frozen=True)
class Mat:
    """Markers of one size around the plinth.

    Attributes:
        marker_m: Side of a marker's black square.
        centres_m: Marker number to the centre (x, y) in the world.
        size_m: Side of the square sheet, or of the square that holds one of another shape.
    """

    marker_m: float
    centres_m: dict[int, tuple[float, float]]
    size_m: float

    def corners_world_m(self) -> dict[int, Array]:
        """Marker number to its corners (4, 3) in the world, z = 0, in OpenCV's order."""
        h = self.marker_m / 2
        square = np.array([[h, h, 0.0], [h, -h, 0.0], [-h, -h, 0.0], [-h, h, 0.0]])
        return {number: square + np.array([x, y, 0.0]) for number, (x, y) in self.centres_m.items()}


def default_mat() -> Mat:
    """Eight markers of 40 mm around a plinth of at most 85 mm, on a sheet of 300 mm."""
    near, far = 0.095, 0.125
    centres = {
        0: (far, 0.0),
        1: (near, near),
        2: (0.0, far),
        3: (-near, near),
        4: (-far, 0.0),
        5: (-near, -near),
        6: (0.0, -far),
        7: (near, -near),
    }
    return Mat(marker_m=0.040, centres_m=centres, size_m=0.300)


def printed_mat(paper: str) -> Mat:
    """The mat for the printer: markers 0 to 3 of 40 mm, clockwise from the top left, on an upright sheet.

    Args:
        paper: One of `PAPERS_M`; on A4 the markers stand nearer to the tower at its sides.
    """
    up, aside = {"a4": (0.115, 0.078), "a3": (0.100, 0.100)}[paper]
    centres = {0: (up, aside), 1: (up, -aside), 2: (-up, -aside), 3: (-up, aside)}
    return Mat(marker_m=0.040, centres_m=centres, size_m=max(PAPERS_M[paper]))
