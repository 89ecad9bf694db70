"""What the drawing over a picture shows: 1.3 is empty, 2.1 not known."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from perception.stack import mean_size, nominal_stack
from planning.observation import Seen, as_stacked
from planning.tower import Slot, Tower
from robot.frames import Array
from robot.ports import Image
from steadyhand.seeing_picture import GREEN, RED, YELLOW, encoded, picture
from support.geometry import BLOCKSET, camera, painted

STACKED = as_stacked(Tower.parse("110/011/111"), mean_size(BLOCKSET))
SEEN = replace(STACKED, slots={**STACKED.slots, Slot(2, 1): Seen.UNKNOWN})
MODEL = camera(np.array([0.5, -0.5, 0.35]), np.array([0.0, 0.0, 0.02]))
VIEW = painted(MODEL, nominal_stack(np.eye(4), range(1, 4), BLOCKSET))
HALF = mean_size(BLOCKSET) / 2


def near(image: Image, colour: tuple[int, int, int]) -> Array:
    """Pixels (n, 2), column and row, of a colour."""
    return np.argwhere((image == colour).all(axis=2))[:, ::-1].astype(float)


@pytest.mark.parametrize(
    ("colour", "middle_m"),
    [
        (RED, [HALF[0], 2 * HALF[1], HALF[2]]),  # 1.3's end, to +x
        (YELLOW, [-2 * HALF[1], -HALF[0], 3 * HALF[2]]),  # 2.1's end, to -y
    ],
)
def test_end_of_a_slot_without_a_known_block_has_a_colour(
    colour: tuple[int, int, int], middle_m: list[float]
) -> None:
    outline = near(picture(VIEW, SEEN, BLOCKSET), colour)
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    assert middle == pytest.approx(MODEL.project(np.array(middle_m)), abs=1.5)


def test_blocks_are_outlined_where_they_are_seen_and_nowhere_else() -> None:
    image = picture(VIEW, SEEN, BLOCKSET)
    end = MODEL.project(np.array([HALF[0], -HALF[1], HALF[2]]))  # edge between the ends of 1.1 and 1.2
    hidden = MODEL.project(np.array([-HALF[0], -HALF[1], HALF[2]]))  # the same at the back
    assert np.linalg.norm(near(image, GREEN) - end, axis=1).min() < 2
    assert np.linalg.norm(near(image, GREEN) - hidden, axis=1).min() > 2


def test_picture_itself_stays_as_it_was() -> None:
    before = VIEW.image.copy()
    picture(VIEW, SEEN, BLOCKSET)
    assert (before == VIEW.image).all()


def test_pictures_of_different_sizes_stand_side_by_side() -> None:
    small = painted(
        camera(MODEL.position_m(), np.array([0.0, 0.0, 0.02]), size_px=(300, 200)),
        nominal_stack(np.eye(4), range(1, 4), BLOCKSET),
    )
    image = cv2.imdecode(
        np.frombuffer(encoded([VIEW, small], SEEN, BLOCKSET, ".PNG"), np.uint8), cv2.IMREAD_COLOR
    )
    assert image is not None
    assert image.shape == (240, 620, 3)
    assert not image[200:, 320:].any()
