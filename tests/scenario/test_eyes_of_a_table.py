"""The eyes that the wiring gives to a turn: they do not look past somebody who reaches in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.notes import Note, Phase
from robot.errors import BadInputError, StoppedError
from robot.fakes import Button
from robot.ports import Camera, Frame
from steadyhand.acting import Seen, actors_of
from steadyhand.devices import Devices
from support import bench

_SLEEVE_BGR = (150, 62, 60)


class Visited:
    """Implements `Camera`: over the pictures of another one, a sleeve reaches to the tower while somebody is there."""

    def __init__(self, camera: Camera) -> None:
        self._camera, self.model = camera, camera.model
        self.somebody = False

    def capture(self) -> Frame:
        """A picture of the other camera, with or without a visitor."""
        frame = self._camera.capture()
        if not self.somebody:
            return frame
        image = frame.image.copy()
        height, width = image.shape[:2]
        image[height // 4 : height // 2, : width // 2] = np.array(_SLEEVE_BGR)
        return replace(frame, image=image)


class Watched:
    """A simulated table with visitors; a person presses stop as soon as the arm says that it waits."""

    def __init__(self) -> None:
        self.simulation = bench.simulation(looks=True)
        self.cameras = [Visited(camera) for camera in self.simulation.cameras]
        self.said: list[str] = []
        self._stop = Button()
        seen = Seen(self.cameras, len(self.simulation.world.blocks), True, self._hear)
        devices = Devices(self.simulation.arm, self.simulation.world, self.simulation.force)
        self.actors = actors_of(
            bench.exact_settings(), load_blockset("standard"), bench.body(), seen, devices, 1, self._stop
        )

    def _hear(self, note: Note) -> None:
        if note.phase is Phase.WAITING:
            self.said.append(note.text)
            self._stop.press()


@pytest.fixture
def table() -> Iterator[Watched]:
    try:
        it = Watched()
    except BadInputError as error:
        pytest.skip(f"no pictures on this machine: {error}")
    yield it
    it.simulation.close()


def test_look_in_the_middle_of_a_turn_waits_while_somebody_reaches_in(table: Watched) -> None:
    watcher, company = table.actors.watcher, table.actors.company
    for _ in range(2):
        company.someone_there()
        table.simulation.world.sleep_until(table.simulation.world.now_s() + 1.5)
    company.keep(watcher.look(), table.actors.hand.outline())
    watcher.look()
    assert table.said == []
    table.cameras[0].somebody = True
    with pytest.raises(StoppedError):
        watcher.look()
    assert len(table.said) == 1
    assert f"reaches into the picture of camera {table.cameras[0].model.name}" in table.said[0]
