"""A block's face points to the side of the tower that its pose turns it to."""

from __future__ import annotations

import numpy as np
import pytest

from perception.boxes import FACE_NORMALS
from perception.sides import UPRIGHT, tower_side
from perception.stack import nominal_block
from planning.blockset import load_blockset
from planning.tower import Slot


@pytest.mark.parametrize("layer", [1, 2, 7, 18])
@pytest.mark.parametrize("part", range(UPRIGHT))
def test_face_points_to_the_side_that_its_normal_does(layer: int, part: int) -> None:
    T_tower_block, _ = nominal_block(np.eye(4), Slot(layer, 2), load_blockset("standard"))
    normal = T_tower_block[:3, :3] @ FACE_NORMALS[part]
    side = int(tower_side(np.array(part), np.array(layer)))
    assert FACE_NORMALS[side] == pytest.approx(normal)
