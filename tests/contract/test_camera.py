"""What every camera must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from hardware.fake_video import FakeSensor
from robot.clock import ManualClock
from robot.errors import DeviceError
from robot.fakes import StillCamera
from robot.ports import Camera, Clock
from sim.viewpoints import default_places
from support import bench
from support import live as live_bench
from support.linked import Drawer


@dataclass
class Looking:
    camera: Camera
    clock: Clock


@contextmanager
def simulated(name: str) -> Iterator[Looking]:
    table = bench.simulation("111/111", seed=1, looks=True)
    yield Looking(next(camera for camera in table.cameras if camera.model.name == name), table.world)
    table.close()


@contextmanager
def still() -> Iterator[Looking]:
    clock = ManualClock(7.0)
    picture = np.zeros((960, 1280, 3), np.uint8)
    yield Looking(StillCamera(default_places()[0].model(), picture, clock), clock)


@contextmanager
def live(*, stamps: bool) -> Iterator[Looking]:
    it = live_bench.Bench(FakeSensor(stamps=stamps))
    with it.camera as camera:
        yield Looking(camera, it.clock)


@contextmanager
def recorded() -> Iterator[Looking]:
    with TemporaryDirectory() as folder:
        path = live_bench.record(Path(folder) / "a.avi", live_bench.noisy(200))
        with live_bench.playing(path) as (camera, clock):
            yield Looking(camera, clock)


@contextmanager
def linked() -> Iterator[Looking]:
    with TemporaryDirectory() as folder:
        drawer = Drawer(Path(folder))
        with drawer.camera() as camera:
            yield Looking(camera, drawer.clock)


CAMERAS: dict[str, Callable[[], AbstractContextManager[Looking]]] = {
    "simulated left": lambda: simulated("left"),
    "simulated right": lambda: simulated("right"),
    "simulated front": lambda: simulated("front"),
    "still": still,
    "live with stamps": lambda: live(stamps=True),
    "live without stamps": lambda: live(stamps=False),
    "live from a recording": recorded,
    "linked": linked,
}


@pytest.fixture(scope="module", params=CAMERAS)
def looking(request: pytest.FixtureRequest) -> Iterator[Looking]:
    with CAMERAS[request.param]() as it:
        yield it


def test_picture_has_the_size_of_the_calibration(looking: Looking) -> None:
    frame = looking.camera.capture()
    width, height = looking.camera.model.size_px
    assert frame.image.shape == (height, width, 3)
    assert frame.image.dtype == np.uint8
    assert frame.image.flags["C_CONTIGUOUS"]


def test_picture_names_its_camera_and_its_moment(looking: Looking) -> None:
    asked_s = looking.clock.now_s()
    frame = looking.camera.capture()
    assert frame.camera == looking.camera.model.name
    assert asked_s <= frame.t_s <= looking.clock.now_s()


def test_later_picture_is_of_later(looking: Looking) -> None:
    first = looking.camera.capture()
    looking.clock.sleep_until(looking.clock.now_s() + 0.1)
    assert looking.camera.capture().t_s > first.t_s


def test_picture_belongs_to_whoever_took_it(looking: Looking) -> None:
    first = looking.camera.capture().image
    kept = first.copy()
    looking.camera.capture().image[:] = 255
    assert np.array_equal(first, kept)


def test_time_runs_forward_from_picture_to_picture(looking: Looking) -> None:
    times = [looking.camera.capture().t_s for _ in range(4)]
    assert times == sorted(times)


def test_fault_on_demand_is_a_device_error() -> None:
    camera = StillCamera(default_places()[0].model(), np.zeros((2, 2, 3), np.uint8), ManualClock())
    camera.dead = True
    with pytest.raises(DeviceError, match="camera 'left': no picture came"):
        camera.capture()


def test_unplugged_live_camera_is_a_device_error() -> None:
    it = live_bench.Bench().connected()
    it.plug.gone = True
    with pytest.raises(DeviceError, match="camera 'left': no picture came"):
        it.camera.capture()


def test_linked_camera_that_nobody_draws_for_is_a_device_error(tmp_path: Path) -> None:
    drawer = Drawer(tmp_path, ended=True)
    with pytest.raises(DeviceError, match="camera 'left': no picture came"):
        drawer.camera().capture()
