"""A camera whose pictures another program draws into a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hardware.camera_link import CameraLink, cameras_in
from hardware.linked_camera import ANSWER_S
from robot.errors import DeviceError
from support.linked import Drawer, grain, png


@pytest.fixture
def drawer(tmp_path: Path) -> Drawer:
    return Drawer(tmp_path)


def test_picture_that_lies_there_is_not_handed_out(drawer: Drawer) -> None:
    asked_s = drawer.clock.now_s()
    frame = drawer.camera().capture()
    assert np.array_equal(frame.image, grain(2)), "the first lay there before"
    assert frame.t_s == asked_s <= drawer.drawn[1]


def test_picture_drawn_for_nobody_meanwhile_does_not_answer(drawer: Drawer) -> None:
    """It was exposed before it was asked for, and put in place after that."""
    drawer.clock.passing = lambda: (drawer.draw(), setattr(drawer.clock, "passing", drawer.attend))
    assert np.array_equal(drawer.camera().capture().image, grain(3))


def test_later_moment_is_waited_for(drawer: Drawer) -> None:
    later_s = drawer.clock.now_s() + 2.0
    frame = drawer.camera().capture_since(later_s)
    assert frame.t_s >= later_s
    assert drawer.drawn[-1] >= later_s


def test_two_programs_may_ask_at_once(drawer: Drawer) -> None:
    other = CameraLink(drawer.folder, "left").ask()
    assert np.array_equal(drawer.camera().capture().image, grain(2))
    assert not other.exists(), "it is answered by the same picture"


def test_nobody_answers_is_an_error_after_the_deadline(drawer: Drawer) -> None:
    drawer.ended, began_s = True, drawer.clock.now_s()
    with pytest.raises(DeviceError, match=r"camera 'left': no picture came within 10 s .*still running"):
        drawer.camera().capture()
    assert drawer.clock.now_s() - began_s == pytest.approx(ANSWER_S, abs=0.1)
    assert drawer.link.asked() == [], "it asks no more"


def test_camera_answers_again_after_one_that_did_not_come(drawer: Drawer) -> None:
    camera = drawer.camera()
    drawer.ended = True
    with pytest.raises(DeviceError):
        camera.capture()
    drawer.ended = False
    assert np.array_equal(camera.capture().image, grain(2))


def test_ask_that_is_taken_away_for_nothing_is_an_error(drawer: Drawer) -> None:
    drawer.only_takes = True
    with pytest.raises(
        DeviceError, match=r"left\.png is the picture that lay there before one was asked for"
    ):
        drawer.camera().capture()


def test_picture_of_another_size_is_an_error_with_both(drawer: Drawer) -> None:
    drawer.size_px = (32, 24)
    with pytest.raises(
        DeviceError, match=r"left\.png is 32 x 24, its calibration is for 64 x 48: name .*left"
    ):
        drawer.camera().capture()


@pytest.mark.parametrize("data", [b"", b"no picture"])
def test_what_is_no_picture_is_an_error(drawer: Drawer, data: bytes) -> None:
    drawer.draw = lambda: drawer.link.put(data, 7)  # type: ignore[method-assign]
    with pytest.raises(DeviceError, match=r"left\.png is no picture, its calibration is for 64 x 48"):
        drawer.camera().capture()


def test_folder_that_is_gone_is_an_error(drawer: Drawer) -> None:
    camera = drawer.camera()
    for path in drawer.folder.iterdir():
        path.unlink()
    drawer.folder.rmdir()
    with pytest.raises(DeviceError, match="No such file or directory: is `steadyhand emulate`"):
        camera.capture()


def test_camera_that_the_folder_does_not_keep_is_told_with_those_it_does(tmp_path: Path) -> None:
    for name in ("front", "right"):
        link = CameraLink(tmp_path, name)
        link.camera_file.write_text("{}")
        link.put(png(grain(1)), 1)
    CameraLink(tmp_path, "back").camera_file.write_text("{}")  # without a picture yet
    drawer = Drawer(tmp_path)
    drawer.link.picture.unlink()
    with pytest.raises(DeviceError, match=r"keeps no pictures of it; it keeps those of front, right: start"):
        drawer.camera().connect()


def test_connecting_sees_that_somebody_answers(drawer: Drawer) -> None:
    with drawer.camera():
        assert len(drawer.drawn) == 2
    drawer.ended = True
    with pytest.raises(DeviceError, match="no picture came"), drawer.camera():
        pass


def test_new_picture_takes_the_place_of_the_old_one_whole(drawer: Drawer) -> None:
    old, new = png(grain(8)), png(grain(9))
    drawer.link.put(old, 8)
    with drawer.link.picture.open("rb") as reading:
        begun = reading.read(20)
        drawer.link.put(new, 9)
        assert begun + reading.read() == old, "who reads meanwhile reads the old one to its end"
    data, mark = drawer.link.read()
    assert (data, mark) == (new, drawer.link.mark())
    assert mark.changed_ns == 9, "the file's time is the exposure's"
    assert cameras_in(drawer.folder) == ["left"]
    assert sorted(p.name for p in drawer.folder.iterdir()) == ["left.camera.json", "left.png"]
