from __future__ import annotations

from collections.abc import Iterator

import pytest

from hardware.arm_reboot import Reboot
from hardware.dynamixel_bus import DynamixelBus
from robot.arm_models import VIPERX_300S
from robot.errors import BadInputError, DeviceError
from support.servo_arms import WRITES, Emulated, emulated

OVERLOAD, VOLTAGE = 0x20, 0x01
REBOOT, WRITE, GOAL_AT = 0x08, 0x03, 116
NAMES = {6: "forearm_roll"}


@pytest.fixture
def far() -> Iterator[Emulated]:
    with emulated(VIPERX_300S.park_rad) as it:
        yield it


@pytest.fixture
def held(far: Emulated) -> Emulated:
    """An arm that holds itself, given back by the program that had it hold."""
    far.arm.energise()
    far.wait(0.2)
    far.arm.close()
    far.forget()
    return far


def asked(far: Emulated, joint: str = "") -> Reboot:
    return Reboot(DynamixelBus(far.wire, NAMES), far.parts, far.attended, joint)


def codes(far: Emulated) -> list[tuple[int, int]]:
    return [(told.code, told.servo) for told in far.bus.told if told.code in WRITES | {REBOOT}]


def test_only_the_servo_with_an_alarm_is_started_anew_and_nothing_moves(held: Emulated) -> None:
    held.servo(6).fail(OVERLOAD)
    before = {servo: motor.position_rad() for servo, motor in held.motors.items()}
    reboot = asked(held)
    assert reboot.servos == [6]
    assert reboot.told[0].startswith("servo 6 (forearm_roll): overload (alarm register 0x20)")
    assert codes(held) == [], "asking is not doing"
    reboot.run()
    assert codes(held) == [(REBOOT, 6), (WRITE, 6)]
    assert held.servo(6).get("hardware_error") == 0
    assert not held.servo(6).torque, "it stays limp until a person has it hold"
    assert all(servo.torque for servo in held.bus.servos if servo.number != 6)
    assert {servo: motor.position_rad() for servo, motor in held.motors.items()} == pytest.approx(before)


def test_its_goal_is_where_it_is_before_any_torque(far: Emulated) -> None:
    far.servo(6).fail(OVERLOAD)
    asked(far).run()
    [goal] = [told for told in far.bus.told if told.code == WRITE]
    assert int.from_bytes(goal.params[:2], "little") == GOAL_AT
    assert far.servo(6).get("goal_position") == far.servo(6).count_of(far.motors[6].position_rad())


def test_shadow_that_obeys_goes_limp_with_its_lead_and_is_waited_for(held: Emulated) -> None:
    held.servo(4).fail(OVERLOAD)
    asked(held).run()
    assert (held.servo(4).torque, held.servo(5).torque) == (False, False)
    assert held.servo(5).hears


def test_shadow_that_still_holds_is_given_no_goal(held: Emulated) -> None:
    """A lead's goal is its shadow's too: written while the shadow holds, it would be gone to."""
    held.servo(4).fail(OVERLOAD)
    held.servo(5).put("shadow_id", 255)  # so it does not obey the order; its torque stays on
    asked(held).run()
    assert codes(held) == [(REBOOT, 4)]
    assert held.servo(5).torque


def test_joint_by_name_is_started_anew_without_an_alarm_too(far: Emulated) -> None:
    reboot = asked(far, "elbow")
    assert reboot.told == ["servo 4 (elbow): no alarm", "servo 5 (elbow, shadow): no alarm"]
    reboot.run()
    assert [servo for code, servo in codes(far) if code == REBOOT] == [4, 5]


def test_alarm_that_comes_back_is_told(far: Emulated) -> None:
    far.servo(6).voltage_v = 5.0
    far.servo(6).fail(VOLTAGE)
    with pytest.raises(DeviceError, match=r"servo 6 \(forearm_roll\): input voltage .* the alarm came back"):
        asked(far).run()


def test_servo_that_does_not_come_back_is_told_in_time(far: Emulated) -> None:
    far.servo(6).fail(OVERLOAD)
    far.servo(6).boot_s = 1e9  # type: ignore[misc] - a servo that never starts
    reboot, began_s = asked(far), far.clock.now_s()
    with pytest.raises(
        DeviceError, match=r"servo 6 \(forearm_roll\) was started anew and has not answered for 3 s"
    ):
        reboot.run()
    assert far.clock.now_s() - began_s < 4.0


def test_unknown_joint_is_refused_with_the_known_ones(far: Emulated) -> None:
    with pytest.raises(BadInputError, match=r"joint 'knee': .* its joints are waist, shoulder, .*gripper"):
        asked(far, "knee")


def test_joint_that_does_not_answer_is_told_and_nothing_is_written(far: Emulated) -> None:
    far.bus.servos.remove(far.servo(6))
    with pytest.raises(DeviceError, match=r"servo 6 \(forearm_roll\) does not answer.*Nothing was written"):
        asked(far, "forearm_roll")
    assert codes(far) == []
