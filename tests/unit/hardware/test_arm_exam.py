"""What `doctor` asks an arm's servos, on a wire in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from hardware.arm_exam import ArmExam, examine
from hardware.dynamixel_bus import DynamixelBus
from hardware.emulated_bus import emulated_servo
from hardware.feetech_bus import FeetechBus
from hardware.tables import XL430
from hardware.wire_faults import FOR_EVER, Order, WireFault
from robot.arm_models import VIPERX_300S
from support import bench
from support.servo_arms import Emulated, emulated


@pytest.fixture
def far() -> Iterator[Emulated]:
    with emulated(VIPERX_300S.park_rad) as it:
        yield it


def exam_of(far: Emulated) -> ArmExam:
    limits = bench.body().limits
    return examine(DynamixelBus(far.wire), far.parts, far.clock, limits.q_min_rad, limits.q_max_rad)


def test_healthy_arm_tells_models_firmware_volts_degrees_and_angles(far: Emulated) -> None:
    exam = exam_of(far)
    assert (exam.faults, exam.warnings, exam.strangers) == ((), (), ())
    assert [servo.servo for servo in exam.servos] == list(far.parts.servos)
    shoulder = exam.servos[1]
    assert (shoulder.joint, shoulder.model, shoulder.firmware) == ("shoulder", "XM540-W270", "46")
    assert shoulder.volts == pytest.approx(12.0)
    assert shoulder.holds is False
    angles = {servo.joint: servo.angle_rad for servo in exam.servos}
    joints = [angles[name] for name in far.arm.joint_names]
    assert joints == pytest.approx(list(VIPERX_300S.park_rad), abs=far.arm.step_rad)


def test_only_questions_are_asked(far: Emulated) -> None:
    exam_of(far)
    assert far.bus.told
    assert far.writes() == []


def test_round_trip_is_the_wires_own_time(far: Emulated) -> None:
    trips = exam_of(far).round_trips
    assert trips is not None
    # 14 bytes and one a servo go out, 11 and the eight asked for come back from each; a byte takes 10 us here
    assert trips.median_s == pytest.approx(1e-5 * (14 + 9 + 9 * 19), abs=2e-5)
    assert trips.late_s >= trips.median_s
    assert trips.incomplete == 0


def test_servo_that_does_not_answer_has_no_values_at_all(far: Emulated) -> None:
    far.faults.order(Order(WireFault.SILENT, times=FOR_EVER, servo=4))
    exam = exam_of(far)
    assert any("servo 4 (elbow) does not answer" in fault for fault in exam.faults)
    assert 4 not in [servo.servo for servo in exam.servos]


def test_missing_servo_hides_nobody_elses_alarm(far: Emulated) -> None:
    far.bus.servos.remove(far.servo(9))
    far.servo(6).fail(0x20)
    faults = exam_of(far).faults
    assert any(fault.startswith("servo 9 (gripper) does not answer") for fault in faults)
    assert any(fault.startswith("servo 6 (forearm_roll): overload") for fault in faults)


def test_stranger_on_the_bus_is_told(far: Emulated) -> None:
    far.bus.servos.append(emulated_servo(XL430, 42))
    assert exam_of(far).strangers == (42,)


def test_servo_of_an_unknown_model_is_named_by_its_number(far: Emulated) -> None:
    far.servo(8).put("model", 4711)
    exam = exam_of(far)
    [row] = [servo for servo in exam.servos if servo.servo == 8]
    assert row.model == "model 4711"
    assert row.volts is None
    assert any("servo 8 (wrist_rotate) is a model 4711" in fault for fault in exam.faults)


def test_feetech_arm_is_asked_questions_only_and_tells_the_same_things() -> None:
    with emulated(np.zeros(5), "so-101") as far:
        low, high = np.full(5, -np.pi), np.full(5, np.pi)
        exam = examine(FeetechBus(far.wire), far.parts, far.clock, low, high)
        assert far.writes() == []
    assert [servo.model for servo in exam.servos] == ["STS3215"] * 6
    assert exam.faults == ()
    assert all(servo.volts is not None and servo.celsius is not None for servo in exam.servos)
    assert exam.round_trips is not None
    assert exam.round_trips.incomplete == 0
