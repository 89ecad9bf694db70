from __future__ import annotations

import numpy as np
import pytest

from perception.same_scene import SameScene
from perception.watching import Watch
from planning.blockset import load_blockset
from planning.company import wait_until_alone
from planning.notes import Note
from robot.errors import DeviceError, PerceptionError
from robot.frames import Array
from robot.lfinger import LFinger
from robot.ports import Frame
from steadyhand.onlookers import Onlookers
from steadyhand.sight import Sight
from support.painted import TOWER, arm, camera, table
from support.toy import ToyTable, toy_table


class Webcam:
    """Shows one painted picture after another, with noise; the last one goes on for ever."""

    def __init__(self, toy: ToyTable, pictures: list[Array]) -> None:
        self.model = camera()
        self._toy, self._pictures, self._rng = toy, pictures, np.random.default_rng(1)

    def capture(self) -> Frame:
        shown = self._pictures.pop(0) if len(self._pictures) > 1 else self._pictures[0]
        noisy = np.clip(shown + self._rng.normal(0, 1, shown.shape), 0, 255).round().astype(np.uint8)
        return Frame(noisy, self._toy.tower.clock.now_s(), self.model.name)


def onlookers(toy: ToyTable, pictures: list[Array]) -> tuple[Onlookers, Sight]:
    webcam = Webcam(toy, pictures)
    sight = Sight([webcam], load_blockset("standard"), TOWER, LFinger())
    models = {"left": webcam.model}
    watch, scene = Watch(models, TOWER, 0.3, lambda _views: False), SameScene(models, TOWER, 0.3)
    return Onlookers(sight, watch, scene), sight


def test_arm_waits_for_a_hand_to_leave_and_is_told_which_camera_sees_it() -> None:
    toy, notes = toy_table(), list[Note]()
    company, sight = onlookers(toy, [*[table()] * 4, *[arm(table())] * 6, table()])
    wait_until_alone(company, toy.hand.mover, notes.append)
    company.keep(sight.look(), [])
    wait_until_alone(company, toy.hand.mover, notes.append)
    assert [note.text for note in notes] == [
        "waits: the table has not been watched for long enough (0.0 of 1 s)",
        "waits: somebody or something reaches into the picture of camera left",
        "waits: something moves in the picture of camera left",
    ]


def test_cameras_that_see_nothing_let_nobody_move() -> None:
    toy = toy_table()
    company, _ = onlookers(toy, [*[table()] * 4, table() * 0.02])
    wait_until_alone(company, toy.hand.mover, lambda _note: None)
    assert company.someone_there() is None
    with pytest.raises(DeviceError, match=r"does not move .* too dark"):
        wait_until_alone(company, toy.hand.mover, lambda _note: None)


def test_camera_that_was_moved_after_the_first_view_is_named() -> None:
    company, sight = onlookers(toy_table(), [table(), table(), np.roll(table(), 3, axis=1)])
    assert company.keep(sight.look(), []) == []
    company.check_place(sight.look())
    with pytest.raises(PerceptionError, match="camera 'left' was moved"):
        company.check_place(sight.look())
