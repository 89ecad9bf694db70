"""A live camera on a fake sensor whose clock costs nothing; threads and files are in test_opencv_video.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.fake_video import FakeSensor, number_of
from hardware.stream import StreamState
from hardware.video import Patience
from robot.errors import BadInputError, DeviceError
from robot.ports import Frame
from support.live import SMALL_PX, Bench

SENSORS = {"stamped": FakeSensor(), "unstamped": FakeSensor(stamps=False)}


@pytest.fixture(params=SENSORS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(SENSORS[request.param]).connected()


def exposed_s(bench: Bench, frame: Frame) -> float:
    return bench.plug.exposed_s[number_of(frame.image)]


@given(
    stamps=st.booleans(),
    queue=st.integers(1, 6),
    period_s=st.sampled_from([1 / 60, 1 / 30, 1 / 7]),
    between_s=st.lists(st.floats(0, 2.0), min_size=1, max_size=3),
    steps_s=st.lists(st.sampled_from([0.0, 0.0, 0.01, 0.05, 0.2, 0.5]), max_size=20),
)
def test_no_picture_is_older_than_asked_however_long_the_program_was_held_up(
    stamps: bool, queue: int, period_s: float, between_s: list[float], steps_s: list[float]
) -> None:
    bench = Bench(FakeSensor(period_s, queue=queue, stamps=stamps)).connected()
    bench.grabber.held_up_s = iter(steps_s)
    for pause_s in between_s:
        bench.clock.sleep_until(bench.clock.now_s() + pause_s)  # nobody empties the driver's queue meanwhile
        asked_s = bench.clock.now_s()
        frame = bench.camera.capture()
        assert asked_s <= frame.t_s <= exposed_s(bench, frame)
        assert exposed_s(bench, frame) <= bench.clock.now_s()


@pytest.mark.parametrize(("sensor", "within_s"), [("stamped", 0.21), ("unstamped", 0.36)])
def test_picture_comes_soon(sensor: str, within_s: float) -> None:
    """The delay, a picture and its transfer; without stamps as many pictures more as the queue is long."""
    bench = Bench(SENSORS[sensor]).connected()
    for _ in range(20):
        asked_s = bench.clock.now_s()
        bench.camera.capture()
        assert bench.clock.now_s() - asked_s <= within_s


@pytest.mark.parametrize("off_s", [1.7e9, -60.0, 60.0, np.nan])
def test_stamp_of_another_clock_is_not_believed(off_s: float) -> None:
    bench = Bench(FakeSensor(stamps_off_s=off_s)).connected()
    for pause_s in (0.0, 0.7, 0.01):
        bench.clock.sleep_until(bench.clock.now_s() + pause_s)
        asked_s = bench.clock.now_s()
        frame = bench.camera.capture()
        assert asked_s <= frame.t_s <= exposed_s(bench, frame)


def test_picture_since_the_last_motion_is_handed_out_at_once(bench: Bench) -> None:
    moved_s = bench.clock.now_s()
    first = bench.camera.capture_since(moved_s)
    now_s = bench.clock.now_s()
    again = bench.camera.capture_since(moved_s)
    assert bench.clock.now_s() == now_s
    assert number_of(again.image) == number_of(first.image)
    first.image[:] = 0
    assert again.image.any(), "each has a picture of its own"


def test_pictures_from_before_the_settings_took_hold_are_not_handed_out() -> None:
    bench = Bench(patience=Patience(settle_s=1.0))
    opened_s = bench.clock.now_s()
    bench.camera.connect()
    assert exposed_s(bench, bench.camera.capture_since(0.0)) >= opened_s + 1.0


def test_unplugged_camera_is_an_error_that_says_so_and_changes_the_generation(bench: Bench) -> None:
    looked_under = bench.camera.generation
    bench.plug.gone = True
    started_s = bench.clock.now_s()
    with pytest.raises(
        DeviceError, match=r"camera 'left': no picture came within 3 s, the device is lost .*tried"
    ):
        bench.camera.capture()
    assert bench.clock.now_s() - started_s == pytest.approx(3.0, abs=0.1)
    assert bench.camera.generation != looked_under
    assert bench.camera.state is StreamState.LOST


def test_camera_plugged_in_again_goes_on_under_a_new_generation(bench: Bench) -> None:
    seen = {bench.camera.generation}
    for _ in range(3):
        bench.plug.gone = True
        bench.grabber.run(2.0)
        seen.add(bench.camera.generation)
        bench.plug.gone = False
        bench.grabber.run(10.0)
        asked_s = bench.clock.now_s()
        assert exposed_s(bench, bench.camera.capture()) >= asked_s
        seen.add(bench.camera.generation)
    assert len(seen) == 7, "no generation comes twice"


def test_picture_from_before_a_break_is_not_handed_out_after_it(bench: Bench) -> None:
    moved_s = bench.clock.now_s()
    before = number_of(bench.camera.capture_since(moved_s).image)
    bench.plug.gone = True
    bench.grabber.run(0.1)
    with pytest.raises(DeviceError, match="lost"):
        bench.camera.capture_since(moved_s)
    bench.plug.gone = False
    bench.grabber.run(10.0)
    assert number_of(bench.camera.capture_since(moved_s).image) > before


def test_lost_camera_is_tried_again_less_and_less_often(bench: Bench) -> None:
    bench.plug.gone = True
    bench.grabber.step()
    assert bench.camera.state is StreamState.LOST
    waits = []
    for _ in range(7):
        before_s = bench.clock.now_s()
        bench.grabber.step()  # wait
        waits.append(bench.clock.now_s() - before_s)
        bench.grabber.step()  # try
    assert waits == pytest.approx([0.5, 1, 2, 4, 8, 8, 8])


def test_device_is_given_back_at_every_break(bench: Bench) -> None:
    for _ in range(3):
        bench.plug.gone = True
        bench.grabber.run(1.0)
        assert bench.plug.released == bench.plug.opened
        bench.plug.gone = False
        bench.grabber.run(10.0)
        assert bench.plug.released == bench.plug.opened - 1


def test_frozen_stream_is_noticed_although_nobody_looks(bench: Bench) -> None:
    looked_under = bench.camera.generation
    bench.plug.frozen = True
    bench.grabber.run(2.0)
    assert bench.camera.generation != looked_under


def test_frozen_picture_is_never_handed_out(bench: Bench) -> None:
    bench.plug.frozen = True
    for _ in range(5):  # it is opened again in between, and still frozen
        with pytest.raises(DeviceError, match="the device is lost"):
            bench.camera.capture()
    bench.plug.frozen = False
    bench.grabber.run(12.0)
    asked_s = bench.clock.now_s()
    assert exposed_s(bench, bench.camera.capture()) >= asked_s


def test_picture_at_which_a_stream_froze_unseen_is_not_handed_out_as_new() -> None:
    """Nobody had looked at that very picture before, so that it is like none that was seen."""
    bench = Bench(FakeSensor(period_s=0.3), Patience(check_s=0.9)).connected()
    bench.grabber.run(0.5)
    bench.plug.shown = 123_456
    bench.plug.frozen = True
    with pytest.raises(DeviceError, match="it is frozen"):
        bench.camera.capture()


def test_frozen_stream_says_how_long_and_what_to_do(bench: Bench) -> None:
    bench.plug.frozen = True
    with pytest.raises(
        DeviceError,
        match=r"frozen: for 1\.\d s it sends the same picture .* allowed are 1 s .*take the cover off",
    ):
        bench.camera.capture()


def test_pictures_that_cannot_be_decoded_are_a_fault(bench: Bench) -> None:
    bench.plug.torn = True
    with pytest.raises(DeviceError, match="its pictures cannot be decoded"):
        bench.camera.capture()


def test_single_torn_or_repeated_pictures_are_passed_over(bench: Bench) -> None:
    generation = bench.camera.generation
    for flaw in ("torn", "frozen"):
        setattr(bench.plug, flaw, True)
        bench.grabber.run(0.3)
        setattr(bench.plug, flaw, False)
        asked_s = bench.clock.now_s()
        assert exposed_s(bench, bench.camera.capture()) >= asked_s
    assert bench.camera.generation == generation


def test_driver_that_hangs_is_an_error(bench: Bench) -> None:
    bench.plug.hung = True
    with pytest.raises(DeviceError, match="no picture came within 3 s"):
        bench.camera.capture()


def test_pictures_of_another_size_than_calibrated_are_an_error_with_both() -> None:
    bench = Bench()
    bench.plug.size_px = (32, 24)
    with pytest.raises(
        DeviceError, match=r"camera 'left': its pictures are 32 x 24 x 3, its calibration is for 64 x 48"
    ):
        bench.camera.connect()
    assert bench.plug.released == bench.plug.opened == 1


def test_camera_that_comes_back_with_another_size_is_not_used(bench: Bench) -> None:
    bench.plug.gone = True
    bench.grabber.run(0.1)
    bench.plug.gone, bench.plug.size_px = False, (32, 24)
    with pytest.raises(DeviceError, match="its pictures are 32 x 24"):
        bench.camera.capture()
    bench.plug.size_px = SMALL_PX
    bench.grabber.run(10.0)
    assert bench.camera.capture().image.shape == (48, 64, 3)


def test_camera_that_is_not_there_is_told_at_once_and_can_be_connected_later() -> None:
    bench = Bench()
    bench.plug.gone = True
    started_s = bench.clock.now_s()
    with pytest.raises(DeviceError, match="camera 'left': camera 'fake' cannot be opened"):
        bench.camera.connect()
    assert bench.clock.now_s() == started_s
    assert bench.camera.state is StreamState.CLOSED
    bench.plug.gone = False
    bench.camera.connect()
    assert bench.camera.capture().camera == "left"


def test_camera_that_was_not_connected_says_so() -> None:
    with pytest.raises(DeviceError, match=r"camera 'left': it is not connected: call connect\(\) first"):
        Bench().camera.capture()


def test_closing_gives_the_device_back_once(bench: Bench) -> None:
    generation = bench.camera.generation
    bench.camera.close()
    bench.camera.close()
    assert bench.plug.released == bench.plug.opened == 1
    assert bench.camera.generation != generation
    with pytest.raises(DeviceError, match="not connected"):
        bench.camera.capture_since(0.0)


def test_no_generation_comes_twice_when_it_is_closed_and_connected_again(bench: Bench) -> None:
    seen = [bench.camera.generation]
    for _ in range(3):
        bench.camera.close()
        seen.append(bench.camera.generation)
        bench.camera.connect()
        seen.append(bench.camera.generation)
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
def test_times_that_cannot_be_are_refused(value: float) -> None:
    with pytest.raises(BadInputError, match="camera: capture_s is"):
        Patience(capture_s=value)
