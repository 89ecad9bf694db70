from __future__ import annotations

import cv2
import pytest

from hardware.camera_controls import Locks, lock
from robot.errors import DeviceError
from support.webcam import Webcam

ALL = Locks(exposure_s=0.0100, gain=20, focus=35, white_balance_k=4500)


def test_everything_is_held_fast_in_the_devices_units() -> None:
    webcam = Webcam()
    lock(webcam, ALL)
    assert webcam.values == {
        cv2.CAP_PROP_AUTO_EXPOSURE: 1.0,
        cv2.CAP_PROP_EXPOSURE: 100.0,
        cv2.CAP_PROP_GAIN: 20.0,
        cv2.CAP_PROP_AUTOFOCUS: 0.0,
        cv2.CAP_PROP_FOCUS: 35.0,
        cv2.CAP_PROP_AUTO_WB: 0.0,
        cv2.CAP_PROP_WB_TEMPERATURE: 4500.0,
    }


def test_what_is_left_out_is_left_alone_and_told() -> None:
    webcam, before = Webcam(), Webcam().values
    locks = Locks(gain=20)
    lock(webcam, locks)
    assert webcam.values == before | {cv2.CAP_PROP_GAIN: 20.0}
    assert locks.left_free() == ["exposure", "focus", "white balance"]
    assert ALL.left_free() == []


def test_all_that_a_device_ignores_is_told_in_one_message() -> None:
    webcam = Webcam(
        without=(cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTOFOCUS),
        stubborn=(cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_GAIN),
    )
    with pytest.raises(DeviceError) as told:
        lock(webcam, ALL)
    for part in (
        "exposure by hand: 1 asked, 3 read back",
        "exposure [0.1 ms]: 100 asked, 333 read back",
        "gain: 20 asked, 64 read back",
        "autofocus off: 0 asked, the device has no such control",
        "focus: 35 asked, the device has no such control",
        "v4l2-ctl --list-ctrls",
    ):
        assert part in str(told.value)
    assert "white balance" not in str(told.value)


def test_rounding_to_the_devices_steps_is_no_disobedience_but_more_is() -> None:
    lock(Webcam(step=5.0), Locks(exposure_s=0.0102))
    with pytest.raises(DeviceError, match=r"exposure \[0\.1 ms\]: 102 asked, 150 read back"):
        lock(Webcam(step=150.0), Locks(exposure_s=0.0102))


def test_switch_that_reads_back_otherwise_is_a_fault_though_it_is_near() -> None:
    with pytest.raises(DeviceError, match="automatic white balance off: 0 asked, 1 read back"):
        lock(Webcam(stubborn=(cv2.CAP_PROP_AUTO_WB,)), Locks(white_balance_k=4000))
