"""What every camera must do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from robot.clock import ManualClock
from robot.errors import DeviceError
from robot.fakes import StillCamera
from robot.ports import Camera, Clock
from sim.viewpoints import default_places
from support import bench


@dataclass
class Looking:
    camera: Camera
    clock: Clock


@pytest.fixture(scope="module", params=["left", "right", "front", "still"])
def looking(request: pytest.FixtureRequest) -> Iterator[Looking]:
    if request.param == "still":
        clock = ManualClock(7.0)
        picture = np.zeros((960, 1280, 3), np.uint8)
        yield Looking(StillCamera(default_places()[0].model(), picture, clock), clock)
        return
    table = bench.simulation("111/111", seed=1, looks=True)
    camera = next(camera for camera in table.cameras if camera.model.name == request.param)
    yield Looking(camera, table.world)
    table.close()


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


def test_fault_on_demand_is_a_device_error() -> None:
    camera = StillCamera(default_places()[0].model(), np.zeros((2, 2, 3), np.uint8), ManualClock())
    camera.dead = True
    with pytest.raises(DeviceError, match="camera 'left': no picture came"):
        camera.capture()
