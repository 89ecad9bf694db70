from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from planning.notes import Note, Phase
from planning.tower import Slot
from robot.clock import ManualClock
from robot.errors import BadInputError
from robot.fakes import StillCamera
from sim.viewpoints import default_places
from steadyhand.strip import PictureStrip

S, TOP = Slot(2, 2), Slot(19, 1)
A_TURN = [
    Note(Phase.TURN_START),
    Note(Phase.CHOSEN, S),
    Note(Phase.PROBE_START, S),
    Note(Phase.PROBE_END, S),
    Note(Phase.EXTRACTED, S),
    Note(Phase.PLACED, TOP),
    Note(Phase.SETTLED, TOP),
]


class Counting(StillCamera):
    """A picture that is brighter each time."""

    def __init__(self) -> None:
        super().__init__(default_places()[2].model(), np.zeros((960, 1280, 3), np.uint8), ManualClock())
        self.taken = 0

    def capture(self):  # type: ignore[no-untyped-def]
        self.taken += 1
        self._image[:] = 10 * self.taken
        return super().capture()


def tiles(path: Path) -> list[int]:
    """The brightness of each picture in a strip."""
    image = cv2.imread(str(path))
    assert image is not None
    assert image.shape[0] == 388
    assert image.shape[1] % 320 == 0
    return [int(image[100, 320 * k + 100, 0]) for k in range(image.shape[1] // 320)]


def strip(path: Path, *notes: Note) -> Counting:
    camera = Counting()
    keeper = PictureStrip(camera, path)
    for note in notes:
        keeper(note)
    return camera


def test_strip_has_a_picture_of_each_moment_side_by_side(tmp_path: Path) -> None:
    camera = strip(tmp_path / "turn.png", *A_TURN)
    assert camera.taken == 5
    assert tiles(tmp_path / "turn.png") == [10, 20, 30, 40, 50]


def test_strip_is_of_the_newest_turn(tmp_path: Path) -> None:
    strip(tmp_path / "turn.png", *A_TURN, *A_TURN[:2], Note(Phase.COLLAPSE))
    assert tiles(tmp_path / "turn.png") == [60]


def test_long_turn_keeps_its_first_picture_and_the_last_ones_from_a_probe_on(tmp_path: Path) -> None:
    rejected = [Note(Phase.PROBE_END, S), Note(Phase.RESTORED, S)] * 4
    strip(tmp_path / "turn.png", A_TURN[0], *rejected, *A_TURN[3:])
    shown = tiles(tmp_path / "turn.png")
    probed_again = 80  # the picture before shows a block put back whose probe is not shown
    assert shown == [10, *range(probed_again, 140, 10)]


def test_nothing_is_written_before_the_turn_is_over(tmp_path: Path) -> None:
    strip(tmp_path / "turn.png", *A_TURN[:-1])
    assert not (tmp_path / "turn.png").exists()


def test_captions_name_the_block_and_are_readable(tmp_path: Path) -> None:
    strip(tmp_path / "turn.png", *A_TURN)
    image = cv2.imread(str(tmp_path / "turn.png"))
    assert image is not None
    feet = [image[360:, 320 * k : 320 * (k + 1)] for k in range(5)]
    assert all(foot.max() > 200 and foot.min() < 60 for foot in feet)
    assert len({foot.tobytes() for foot in feet}) == 5


def test_strip_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        BadInputError, match=r"picture strip .*turn\.png: cannot be written; name another file"
    ):
        strip(tmp_path / "gone" / "turn.png", *A_TURN)
