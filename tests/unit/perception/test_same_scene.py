from __future__ import annotations

import numpy as np
import pytest

from perception.same_scene import SameScene
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame
from support.painted import TOWER, arm, camera, table


class Session:
    """One camera's pictures, with noise."""

    def __init__(self) -> None:
        self.scene, self._rng, self._t_s = (
            SameScene({"left": camera()}, TOWER, 0.3),
            np.random.default_rng(2),
            0.0,
        )

    def frames(self, picture: Array) -> tuple[Frame, ...]:
        self._t_s += 1.0
        noisy = picture + self._rng.normal(0, 1, picture.shape)
        return (Frame(noisy.clip(0, 255).round().astype(np.uint8), self._t_s, "left"),)


@pytest.fixture
def session() -> Session:
    return Session()


def test_nothing_is_said_of_a_camera_before_its_first_picture(session: Session) -> None:
    session.scene.check(session.frames(table(2)))


def test_camera_that_stands_still_may_see_somebody_pass(session: Session) -> None:
    assert session.scene.cautions(session.frames(table())) == []
    session.scene.check(session.frames(table()))
    session.scene.check(session.frames(arm(table())))
    assert session.scene.cautions(session.frames(table())) == []


def test_camera_that_was_moved_is_named(session: Session) -> None:
    session.scene.cautions(session.frames(table()))
    with pytest.raises(PerceptionError, match="camera 'left' was moved") as caught:
        session.scene.check(session.frames(np.roll(table(), 3, axis=1)))
    assert caught.value.reason == "camera-moved"


def test_camera_that_shows_nothing_fixed_is_not_called_moved(session: Session) -> None:
    plain = np.broadcast_to(np.linspace(60, 180, 320)[:, None], (240, 320, 3))
    session.scene.cautions(session.frames(plain))
    session.scene.check(session.frames(plain))


def test_change_of_light_is_told_once(session: Session) -> None:
    session.scene.cautions(session.frames(table()))
    dimmed = table() * 0.6
    (said,) = session.scene.cautions(session.frames(dimmed))
    assert said.startswith("camera 'left': brightness changed by a factor of 0.6")
    assert session.scene.cautions(session.frames(dimmed)) == []
