"""What the emulation draws, and when: its own thread draws, the test is the world's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hardware.camera_link import CameraLink, Mark, cameras_in
from hardware.linked_camera import LinkedCamera
from robot.errors import BadInputError, DeviceError
from sim.simulation import Simulation
from steadyhand import emulated_cameras
from steadyhand.camera_file import read_camera_file
from steadyhand.emulated_cameras import EmulatedCameras
from support import bench

PATIENCE_S = 60.0  # of real time, on a machine that runs other tests
NAMES = ["front", "left", "right"]


class Stepping:
    """A clock that lets the world go on a little whenever somebody waits, as fast as it can."""

    def __init__(self, table: Simulation, cameras: EmulatedCameras, *, stands: bool = False) -> None:
        self.world, self.cameras, self.stands = table.world, cameras, stands

    def now_s(self) -> float:
        """Of the machine: deadlines are real."""
        return time.monotonic()

    def sleep_until(self, t_s: float) -> None:
        """Let both threads do something."""
        self.cameras.exposures.attend()
        if not self.stands:
            self.world.step()
        time.sleep(min(max(t_s - self.now_s(), 0.0), 0.002))

    def until(self, done: Callable[[], bool]) -> None:
        end_s = self.now_s() + PATIENCE_S
        while not done():
            assert self.now_s() < end_s, "it does not come"
            self.sleep_until(self.now_s() + 0.002)


@pytest.fixture(scope="module")
def table() -> Simulation:
    it = bench.simulation("111/111", seed=1, looks=True)
    it.world.sleep_until(2.0)
    return it


@pytest.fixture
def cameras(table: Simulation, tmp_path: Path) -> Iterator[EmulatedCameras]:
    table.world.sleep_until(table.world.now_s() + 3.0)  # what an earlier test has moved comes to rest
    it = EmulatedCameras(table, tmp_path / "cams", lambda: None)
    it.start()
    yield it
    it.close()


def test_first_pictures_that_do_not_come_are_told(
    table: Simulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulated_cameras, "_FIRST_S", 0.0)
    late = EmulatedCameras(table, tmp_path / "late", lambda: None)
    with pytest.raises(DeviceError, match=r"have drawn nothing into .*late within 0 s: end other programs"):
        late.start()
    late.close()


def marks(folder: Path) -> dict[str, Mark]:
    return {name: CameraLink(folder, name).mark() for name in NAMES}


@pytest.mark.usefixtures("cameras")
def test_each_camera_has_a_picture_and_its_file_before_anybody_asks(
    table: Simulation, tmp_path: Path
) -> None:
    folder = tmp_path / "cams"
    assert cameras_in(folder) == NAMES
    for camera in table.cameras:
        file = read_camera_file(folder / f"{camera.model.name}.camera.json")
        assert np.allclose(file.K, camera.model.K)
        assert np.allclose(file.T_world_camera, camera.model.T_world_camera)
        assert file.markers is not None


@pytest.mark.parametrize("stands", [False, True])
def test_linked_camera_sees_the_world_as_it_is_when_it_asks(
    table: Simulation, cameras: EmulatedCameras, tmp_path: Path, stands: bool
) -> None:
    clock = Stepping(table, cameras, stands=stands)
    camera = LinkedCamera(table.cameras[0].model, tmp_path / "cams", clock, PATIENCE_S)
    before = camera.capture().image.astype(int)
    table.world.data.joint("b06").qpos[2] += 0.01
    table.world.data.xfrc_applied[table.world.model.body("b06").id, 2] = 1e-6  # or it would sleep on
    table.world.step()
    after = camera.capture().image.astype(int)
    same = camera.capture().image.astype(int)
    assert (np.abs(after - before) > 40).sum() > 500, "the block is elsewhere"
    assert not np.array_equal(after, same), "grain is new in every picture"


def test_nobody_is_drawn_for_while_nothing_moves(
    table: Simulation, cameras: EmulatedCameras, tmp_path: Path
) -> None:
    clock, folder = Stepping(table, cameras), tmp_path / "cams"
    before, end_s = marks(folder), table.world.now_s() + 6.0
    clock.until(lambda: table.world.now_s() >= end_s)
    assert marks(folder) == before


def test_what_has_moved_is_drawn_when_it_rests_though_nobody_asks(
    table: Simulation, cameras: EmulatedCameras, tmp_path: Path
) -> None:
    clock, folder = Stepping(table, cameras), tmp_path / "cams"
    before = marks(folder)
    table.world.data.joint("b06").qpos[2] += 0.01
    table.world.data.xfrc_applied[table.world.model.body("b06").id, 2] = 1e-6
    clock.until(lambda: all(now != before[name] for name, now in marks(folder).items()))


def test_folder_that_cannot_be_made_is_refused(table: Simulation, tmp_path: Path) -> None:
    with pytest.raises(
        BadInputError, match=r"--camera-link .*cams: no folder can be made there: No such file"
    ):
        EmulatedCameras(table, tmp_path / "gone" / "cams", lambda: None).start()


def test_emulation_that_cannot_draw_any_more_ends_and_says_why(table: Simulation, tmp_path: Path) -> None:
    ended = list[bool]()
    it = EmulatedCameras(table, tmp_path / "cams", lambda: ended.append(True))
    it.start()
    for path in (tmp_path / "cams").iterdir():
        path.unlink()
    (tmp_path / "cams").rmdir()
    Stepping(table, it).until(lambda: bool(ended))
    with pytest.raises(DeviceError, match=r"pictures in .*cams ended: .*No such file or directory"):
        it.close()
    it.close()
