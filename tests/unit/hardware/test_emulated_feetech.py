"""What a Feetech STS without hardware does with its registers."""

from __future__ import annotations

import math

import pytest

from hardware import feetech
from hardware.emulated_bus import EmulatedBus, emulated_servo
from hardware.motor import IdleMotor
from hardware.packets import Status
from hardware.tables import CENTRE, STS3215
from robot.clock import ManualClock

TICK = 2 * math.pi / 4096
CODEC = feetech.FeetechCodec()


class Desk:
    def __init__(self, angle_rad: float = 0.0, **settings: int) -> None:
        self.clock = ManualClock(10.0)
        self.servo = emulated_servo(STS3215, 1, IdleMotor(angle_rad), settings)
        self.bus = EmulatedBus([self.servo], self.clock)

    def tell(self, name: str, count: int) -> list[Status]:
        register = self.servo.table[name]
        return self.heard(CODEC.write(1, register.address, register.encode(count)))

    def ask(self, name: str) -> int:
        register = self.servo.table[name]
        (answer,) = self.heard(CODEC.read(1, register.address, register.size))
        return register.decode(answer.data)

    def heard(self, packet: bytes) -> list[Status]:
        return CODEC.decoder(64, b"").feed(self.bus.answer(packet))

    def wait(self, s: float) -> None:
        self.clock.sleep_until(self.clock.now_s() + s)
        self.bus.tick(self.clock.now_s())


def test_a_locked_servo_drops_stored_values_without_a_word() -> None:
    it = Desk()
    assert it.tell("homing_offset", 100) == [Status(1, 0, b"")]
    assert it.ask("homing_offset") == 0
    it.tell("lock", 0)
    it.tell("homing_offset", -100)
    assert it.ask("homing_offset") == -100


def test_the_position_is_told_less_the_offset_within_a_turn() -> None:
    it = Desk(angle_rad=(628 - CENTRE) * TICK, homing_offset=904)
    assert it.ask("present_position") == 3820  # as feetech-cli's author measured on a servo


def test_a_goal_switches_torque_on_by_itself() -> None:
    it = Desk(homing_offset=-50)
    it.tell("goal_position", 1000)
    assert it.ask("torque_enable") == 1
    it.wait(0.01)
    assert it.ask("present_position") == 1000
    assert it.servo.motor.position_rad() == pytest.approx((950 - CENTRE) * TICK)


def test_a_goal_moves_at_its_speed() -> None:
    it = Desk()
    it.tell("profile_velocity", 1000)
    it.tell("goal_position", CENTRE + 500)
    it.wait(0.25)
    assert it.ask("present_position") == CENTRE + 250
    assert it.ask("present_velocity") == 1000
    assert it.ask("moving") == 1
    it.wait(0.26)
    assert it.ask("present_position") == CENTRE + 500


def test_speed_backwards_has_its_sign_in_bit_15() -> None:
    it = Desk()
    it.tell("profile_velocity", 1000)
    it.tell("goal_position", CENTRE - 500)
    it.wait(0.1)
    assert it.bus.answer(CODEC.read(1, 58, 2))[5:7] == (1000 | 0x8000).to_bytes(2, "little")


def test_a_goal_outside_the_stored_limits_stops_at_them() -> None:
    it = Desk(min_position=1000, max_position=3000)
    it.tell("goal_position", 3500)
    it.wait(0.01)
    assert it.ask("present_position") == 3000


def test_128_into_torque_enable_makes_this_the_middle() -> None:
    it = Desk(angle_rad=300 * TICK)
    it.tell("torque_enable", 128)
    assert it.ask("present_position") == CENTRE
    assert it.ask("torque_enable") == 0


def test_the_torque_limit_bounds_the_torque_and_comes_from_the_store_at_power_on() -> None:
    it = Desk(max_torque=500)
    assert it.ask("torque_limit") == 500
    it.tell("torque_enable", 1)
    it.tell("torque_limit", 100)
    it.wait(0.01)
    assert isinstance(it.servo.motor, IdleMotor)
    assert it.servo.motor.limit_nm == pytest.approx(0.294)


def test_there_is_no_watchdog() -> None:
    it = Desk()
    it.tell("profile_velocity", 100)
    it.tell("goal_position", CENTRE + 1000)
    it.wait(10.0)
    assert it.ask("present_position") == CENTRE + 1000


def test_the_error_byte_tells_alarms_and_these_end_with_their_reason() -> None:
    it = Desk()
    it.tell("torque_enable", 1)
    it.servo.temperature_c = 75
    it.wait(0.01)
    (answer,) = it.heard(CODEC.read(1, 56, 2))
    assert (answer.error, len(answer.data)) == (0x04, 2)
    assert it.ask("torque_enable") == 0  # it unloads
    it.servo.temperature_c = 40
    it.wait(0.01)
    assert it.heard(CODEC.ping(1)) == [Status(1, 0, b"")]


def test_an_overload_stays_until_the_power_goes() -> None:
    it = Desk()
    it.servo.fail(0x20)
    it.tell("goal_position", 1000)
    it.wait(0.1)
    assert it.ask("torque_enable") == 0
    assert it.ask("hardware_error") == 0x20
    it.servo.boot()
    assert it.ask("hardware_error") == 0


def test_status_level_0_answers_no_writes() -> None:
    it = Desk(status_level=0)
    assert it.tell("goal_position", 5) == []
    assert it.ask("goal_position") == 5


def test_wheel_mode_turns_on_and_on() -> None:
    it = Desk(operating_mode=1)
    it.tell("torque_enable", 1)
    it.tell("profile_velocity", -4096)
    it.wait(1.25)
    assert it.ask("present_position") == CENTRE - 1024


def test_a_phase_that_counts_turns_tells_more_than_one() -> None:
    it = Desk(angle_rad=5000 * TICK, phase=feetech.MULTI_TURN)
    assert it.ask("present_position") == CENTRE + 5000
