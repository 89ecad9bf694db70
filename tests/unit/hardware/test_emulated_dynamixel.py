"""What a Dynamixel X without hardware does with its registers: as the e-manual says, or unkinder."""

from __future__ import annotations

import math

import pytest

from hardware import dynamixel as dxl
from hardware.emulated_bus import EmulatedBus, emulated_servo
from hardware.emulated_servo import EmulatedServo
from hardware.motor import IdleMotor
from hardware.packets import Status
from hardware.tables import CENTRE, CURRENT_POSITION, EXTENDED, VELOCITY, XL430, XM430
from robot.clock import ManualClock
from robot.errors import BadInputError, DeviceError

RANGE, LENGTH, LIMIT, ACCESS = 4, 5, 6, 7
TICK = 2 * math.pi / 4096
CODEC = dxl.DynamixelCodec()


class Loaded(IdleMotor):
    """A horn that something turns against."""

    def torque_nm(self) -> float:
        return -1.0


class Desk:
    """One or more servos on a bus, told things by name."""

    def __init__(self, *servos: EmulatedServo) -> None:
        self.clock = ManualClock(10.0)
        self.bus = EmulatedBus(servos, self.clock)

    def tell(self, servo: int, name: str, count: int) -> int | None:
        """Write; the error byte of the answer, or None for silence."""
        register = self.bus.servos[0].table[name]
        answers = self.heard(CODEC.write(servo, register.address, register.encode(count)))
        return answers[0].error if answers else None

    def ask(self, servo: int, name: str) -> int:
        register = self.bus.servos[0].table[name]
        (answer,) = self.heard(CODEC.read(servo, register.address, register.size))
        return register.decode(answer.data)

    def heard(self, packet: bytes) -> list[Status]:
        return CODEC.decoder(64, b"").feed(self.bus.answer(packet))

    def wait(self, s: float) -> None:
        self.clock.sleep_until(self.clock.now_s() + s)
        self.bus.tick(self.clock.now_s())


def desk(model: int = XM430, angle_rad: float = 0.0, **settings: int) -> Desk:
    return Desk(emulated_servo(model, 1, IdleMotor(angle_rad), settings))


def test_stored_registers_cannot_be_written_while_torque_is_on() -> None:
    it = desk()
    assert it.tell(1, "drive_mode", 4) == 0
    assert it.tell(1, "torque_enable", 1) == 0
    assert it.tell(1, "drive_mode", 0) == ACCESS
    assert it.ask(1, "drive_mode") == 4


@pytest.mark.parametrize(
    ("name", "count", "error"),
    [
        ("present_position", 0, ACCESS),
        ("operating_mode", 2, RANGE),
        ("bus_watchdog", -3, RANGE),
        ("goal_position", 4096, LIMIT),
        ("goal_current", 1200, RANGE),
        ("goal_velocity", 300, LIMIT),
    ],
)
def test_what_is_not_allowed_is_refused_with_its_number(name: str, count: int, error: int) -> None:
    it = desk()
    before = it.ask(1, name)
    assert it.tell(1, name, count) == error
    assert it.ask(1, name) == before


def test_half_a_register_and_no_register_are_refused() -> None:
    it = desk()
    assert it.heard(CODEC.write(1, 116, b"\x00\x08"))[0].error == LENGTH
    assert it.heard(CODEC.write(1, 600, b"\x00"))[0].error == ACCESS
    assert it.heard(CODEC.read(1, 660, 4))[0].error == ACCESS


def test_a_change_of_mode_resets_current_ceiling_and_profile() -> None:
    it = desk()
    for name, count in (("goal_current", 200), ("profile_velocity", 50), ("profile_acceleration", 5)):
        it.tell(1, name, count)
    assert it.tell(1, "operating_mode", CURRENT_POSITION) == 0
    assert it.ask(1, "goal_current") == it.ask(1, "current_limit") == 1193
    assert it.ask(1, "profile_velocity") == it.ask(1, "profile_acceleration") == 0


@pytest.mark.parametrize("mode", [0, CURRENT_POSITION])
def test_an_xl430_has_no_modes_that_limit_current(mode: int) -> None:
    assert desk(XL430).tell(1, "operating_mode", mode) == RANGE


def test_a_current_ceiling_bounds_the_torque_in_its_mode_only() -> None:
    it = desk()
    motor = it.bus.servos[0].motor
    assert isinstance(motor, IdleMotor)
    it.tell(1, "operating_mode", CURRENT_POSITION)
    it.tell(1, "goal_current", 112)  # 0.301 A, which its maker's staff say gives 0.35 Nm
    it.tell(1, "torque_enable", 1)
    it.wait(0.01)
    assert motor.limit_nm == pytest.approx(0.35, abs=0.02)
    it.tell(1, "torque_enable", 0)
    it.tell(1, "operating_mode", EXTENDED)
    it.tell(1, "goal_current", 112)
    it.tell(1, "torque_enable", 1)
    it.wait(0.01)
    assert motor.limit_nm is not None
    assert motor.limit_nm > 3


def test_a_goal_by_time_moves_evenly_and_arrives_on_time() -> None:
    it = desk(drive_mode=4)
    it.tell(1, "torque_enable", 1)
    it.tell(1, "profile_velocity", 1000)
    it.tell(1, "goal_position", CENTRE + 1000)
    for part in (0.25, 0.5, 0.75):
        it.wait(0.25)
        assert it.ask(1, "present_position") == CENTRE + 1000 * part
        assert it.ask(1, "moving") == 1
        assert it.ask(1, "present_velocity") == round(1000 * TICK / (0.229 * 2 * math.pi / 60))
    it.wait(0.26)
    assert it.ask(1, "present_position") == CENTRE + 1000
    assert it.ask(1, "moving") == 0


def test_a_new_goal_starts_where_the_old_one_had_come_to() -> None:
    it = desk(drive_mode=4)
    it.tell(1, "torque_enable", 1)
    it.tell(1, "profile_velocity", 100)
    it.tell(1, "goal_position", CENTRE + 1000)
    it.wait(0.05)
    it.tell(1, "goal_position", CENTRE)
    it.wait(0.05)
    assert it.ask(1, "present_position") == CENTRE + 250


def test_a_goal_by_speed_takes_the_time_of_its_way() -> None:
    it = desk()
    it.tell(1, "torque_enable", 1)
    it.tell(1, "profile_velocity", 100)  # 22.9 turns a minute
    it.tell(1, "goal_position", CENTRE + 512)
    way_s = (512 / 4096) / (22.9 / 60)
    it.wait(way_s / 2)
    assert it.ask(1, "present_position") == pytest.approx(CENTRE + 256, abs=1)
    it.wait(way_s / 2)
    assert it.ask(1, "present_position") == CENTRE + 512


def test_velocity_mode_turns_on_and_on() -> None:
    it = desk(operating_mode=VELOCITY)
    it.tell(1, "torque_enable", 1)
    it.tell(1, "goal_velocity", 100)
    it.wait(60 / 22.9)
    assert it.ask(1, "present_position") == pytest.approx(CENTRE + 4096, abs=2)


def test_without_torque_the_horn_is_limp_and_a_goal_waits() -> None:
    it = desk()
    motor = it.bus.servos[0].motor
    assert isinstance(motor, IdleMotor)
    it.tell(1, "goal_position", CENTRE + 100)
    it.wait(1)
    assert motor.limp
    assert it.ask(1, "present_position") == CENTRE
    it.tell(1, "torque_enable", 1)
    it.wait(0.01)
    assert it.ask(1, "present_position") == CENTRE + 100  # an old goal is gone to at once: set it first


def test_the_watchdog_stops_the_servo_and_locks_its_goals_until_cleared() -> None:
    it = desk(drive_mode=4)
    it.tell(1, "torque_enable", 1)
    it.tell(1, "profile_velocity", 1000)
    assert it.tell(1, "bus_watchdog", 5) == 0  # 100 ms
    it.tell(1, "goal_position", CENTRE + 1000)
    for _ in range(5):
        it.wait(0.09)
        assert it.ask(1, "bus_watchdog") == 5  # asking anything feeds it
    it.wait(0.11)
    here = it.ask(1, "present_position")
    it.wait(1)
    assert it.ask(1, "present_position") == here < CENTRE + 600
    assert it.ask(1, "bus_watchdog") == -1
    for goal in ("goal_position", "goal_current", "goal_velocity", "goal_pwm"):
        assert it.tell(1, goal, 0) == RANGE
    assert it.tell(1, "bus_watchdog", 0) == 0
    assert it.tell(1, "goal_position", CENTRE) == 0


def test_the_watchdog_sleeps_while_torque_is_off() -> None:
    it = desk()
    it.tell(1, "bus_watchdog", 1)
    it.wait(5)
    assert it.ask(1, "bus_watchdog") == 1


def test_a_shadow_obeys_without_answering_and_keeps_its_stored_registers() -> None:
    it = Desk(*(emulated_servo(XM430, n, settings={"shadow_id": 2} if n == 3 else None) for n in (2, 3)))
    register = it.bus.servos[0].table["goal_position"]
    assert it.tell(2, "torque_enable", 1) == 0
    assert len(it.heard(CODEC.read(2, 132, 4))) == 1
    it.heard(CODEC.sync_write(register.address, {2: register.encode(1234)}))
    assert [servo.get("goal_position") for servo in it.bus.servos] == [1234, 1234]
    it.tell(2, "torque_enable", 0)
    it.tell(2, "drive_mode", 4)
    assert [servo.get("drive_mode") for servo in it.bus.servos] == [4, 0]
    assert it.ask(3, "goal_position") == 1234


def test_an_alarm_shows_in_every_answer_and_a_shutdown_lasts_until_a_reboot() -> None:
    it = desk()
    it.tell(1, "torque_enable", 1)
    it.bus.servos[0].fail(0x20)
    assert it.ask(1, "torque_enable") == 0
    assert it.tell(1, "torque_enable", 1) == dxl.ALERT
    assert it.ask(1, "torque_enable") == 0
    assert it.ask(1, "hardware_error") == 0x20
    assert it.heard(CODEC.reboot(1))[0].error == 0
    assert not it.heard(CODEC.ping(1))  # it is starting
    it.wait(0.5)
    assert it.tell(1, "torque_enable", 1) == 0


def test_heat_and_a_wrong_supply_raise_their_alarms() -> None:
    it = desk()
    it.bus.servos[0].temperature_c = 81
    it.bus.servos[0].voltage_v = 9.0
    it.wait(0.01)
    assert it.ask(1, "hardware_error") == 0x05
    assert it.ask(1, "voltage") == 90
    assert it.ask(1, "temperature") == 81


def test_a_reboot_loses_turns_and_what_is_not_stored() -> None:
    it = desk(operating_mode=EXTENDED)
    it.tell(1, "torque_enable", 1)
    it.tell(1, "goal_position", CENTRE + 4096)
    it.wait(0.01)
    assert it.ask(1, "present_position") == CENTRE + 4096
    it.heard(CODEC.reboot(1))
    it.wait(0.5)
    assert it.ask(1, "present_position") == CENTRE
    assert it.ask(1, "torque_enable") == 0
    assert it.ask(1, "operating_mode") == EXTENDED


def test_offset_adds_and_reverse_turns_round() -> None:
    it = desk(angle_rad=100 * TICK, homing_offset=50)
    assert it.ask(1, "present_position") == CENTRE + 150
    it.tell(1, "torque_enable", 1)
    it.tell(1, "goal_position", CENTRE)
    it.wait(0.01)
    assert it.bus.servos[0].motor.position_rad() == pytest.approx(-50 * TICK)
    it = desk(angle_rad=100 * TICK, drive_mode=1)
    assert it.ask(1, "present_position") == CENTRE - 100
    it.tell(1, "torque_enable", 1)
    it.tell(1, "goal_position", CENTRE - 300)
    it.wait(0.01)
    assert it.bus.servos[0].motor.position_rad() == pytest.approx(300 * TICK)


def test_an_offset_of_more_than_a_quarter_turn_is_ignored_in_position_mode() -> None:
    assert desk(homing_offset=1025).ask(1, "present_position") == CENTRE
    assert desk(homing_offset=1025, operating_mode=EXTENDED).ask(1, "present_position") == CENTRE + 1025


def test_position_limits_hold_in_position_mode_only() -> None:
    for mode, error in ((3, LIMIT), (EXTENDED, 0), (CURRENT_POSITION, 0)):
        assert desk(operating_mode=mode, max_position=3000).tell(1, "goal_position", 3001) == error


def test_current_tells_torque_and_friction_and_its_sign() -> None:
    it = Desk(emulated_servo(XM430, 1, Loaded()))
    assert it.ask(1, "present_current") * 2.69e-3 == pytest.approx(-(1 / 1.87 + 0.11), abs=0.003)
    load = Desk(emulated_servo(XL430, 1, Loaded()))
    assert load.ask(1, "present_load") == round(-1000 / 1.5)


def test_registered_writes_wait_for_the_action() -> None:
    it = desk()
    assert it.heard(dxl.encode(1, dxl.ACTION))[0].error == 2
    it.heard(dxl.encode(1, dxl.REG_WRITE, bytes([116, 0, 0, 4, 0, 0])))
    assert it.ask(1, "goal_position") == CENTRE
    assert it.heard(dxl.encode(1, dxl.ACTION))[0].error == 0
    assert it.ask(1, "goal_position") == 1024


def test_bulk_instructions_reach_each_servo_at_its_own_register() -> None:
    it = Desk(emulated_servo(XM430, 1), emulated_servo(XM430, 2))
    it.heard(dxl.encode(0xFE, dxl.BULK_WRITE, bytes([1, 32, 0, 2, 0, 150, 0, 2, 31, 0, 1, 0, 70])))
    answers = it.heard(dxl.encode(0xFE, dxl.BULK_READ, bytes([1, 32, 0, 2, 0, 2, 31, 0, 1, 0])))
    assert answers == [Status(1, 0, bytes([150, 0])), Status(2, 0, bytes([70]))]


def test_the_status_level_says_who_is_answered() -> None:
    it = desk()
    assert it.tell(1, "status_level", 1) is None
    assert len(it.heard(CODEC.read(1, 132, 4))) == 1
    it.tell(1, "status_level", 0)
    assert it.heard(CODEC.read(1, 132, 4)) == []
    assert len(it.heard(CODEC.ping(1))) == 1


def test_a_fast_answer_breaks_off_where_a_servo_is_silent() -> None:
    it = Desk(*(emulated_servo(XM430, n) for n in (1, 2, 3)))
    whole = it.bus.answer(CODEC.fast_sync_read([1, 2, 3], 132, 4))
    assert len(whole) == 8 + 3 * 8
    it.bus.servos[1].silent = True
    assert it.bus.answer(CODEC.fast_sync_read([1, 2, 3], 132, 4)) == whole[:16]
    it.bus.servos[0].silent = True
    assert it.bus.answer(CODEC.fast_sync_read([1, 2, 3], 132, 4)) == b""


def test_the_return_delay_is_the_factorys() -> None:
    it = desk()
    (answer,) = it.bus.answers(CODEC.ping(1))
    assert answer.delay_s == pytest.approx(500e-6)


@pytest.mark.parametrize(("option", "kept"), [(0xFF, (1, 1)), (1, (7, 1)), (2, (7, 3))])
def test_a_factory_reset_keeps_what_it_is_told_to(option: int, kept: tuple[int, int]) -> None:
    it = Desk(emulated_servo(XM430, 7, settings={"drive_mode": 4, "baud": 3}))
    it.heard(dxl.encode(7, dxl.FACTORY_RESET, bytes((option,))))
    servo = it.bus.servos[0]
    assert (servo.get("drive_mode"), servo.get("id"), servo.get("baud")) == (0, *kept)


def test_a_factory_reset_of_all_to_everybody_does_nothing() -> None:
    it = desk(drive_mode=4)
    it.heard(dxl.encode(0xFE, dxl.FACTORY_RESET, b"\xff"))
    assert it.ask(1, "drive_mode") == 4


def test_a_servo_of_no_known_model_and_a_bus_of_two_makers_are_refused() -> None:
    with pytest.raises(DeviceError, match="model 5"):
        emulated_servo(5, 1)
    with pytest.raises(BadInputError, match="one maker"):
        EmulatedBus([emulated_servo(XM430, 1), emulated_servo(777, 2)], ManualClock())
