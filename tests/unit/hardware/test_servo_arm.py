"""What the driver of a servo arm says to the wire, and what it does when something is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from hardware import dynamixel
from hardware.bus import BusError
from hardware.packets import BROADCAST
from hardware.wire_faults import FOR_EVER, Order, WireFault
from robot.arm_models import VIPERX_300S
from robot.errors import DeviceError
from robot.frames import Array
from robot.limits import ArmLimits
from support.servo_arms import Emulated, emulated

Q0 = VIPERX_300S.park_rad
OVERLOAD = 0x20
TORQUE, GOAL = 64, 116


@pytest.fixture
def far() -> Iterator[Emulated]:
    with emulated(Q0) as it:
        yield it


@pytest.fixture
def on(far: Emulated) -> Emulated:
    """One that is switched on."""
    far.arm.energise()
    far.forget()
    return far


def nudged(by_rad: float, joint: int = 0) -> Array:
    return Q0 + by_rad * np.eye(len(Q0))[joint]


def written(far: Emulated, address: int) -> list[bytes]:
    """Parameters of the writes that touch a register."""
    return [told.params for told in far.writes() if int.from_bytes(told.params[:2], "little") == address]


def wave(far: Emulated, periods: int = 25) -> None:
    """A motion of the first joint, a goal each 8 ms."""
    for k in range(1, periods + 1):
        far.arm.command(nudged(0.001 * k), np.zeros(6))
        far.clock.sleep_until(far.clock.now_s() + 0.006)


def test_connecting_only_reads(far: Emulated) -> None:
    far.arm.connect()
    assert far.bus.told, "it has looked"
    assert far.writes() == []
    assert all(motor.limp for motor in far.motors.values())


def test_without_a_persons_word_nothing_moves_and_nothing_is_written(far: Emulated) -> None:
    far.arm.connect()
    with pytest.raises(
        DeviceError, match=r"ViperX-300s: not switched on since it was connected; nothing was sent"
    ):
        far.arm.command(nudged(0.1), np.zeros(6))
    with pytest.raises(DeviceError, match="not switched on"):
        far.arm.command_opening(0.02)
    far.arm.stop()
    assert far.writes() == []


def test_arm_that_is_not_connected_has_no_state(far: Emulated) -> None:
    with pytest.raises(DeviceError, match="ViperX-300s: not connected; connect first"):
        far.arm.state()


def test_port_that_is_gone_is_told_each_time_until_the_arm_is_connected_anew(
    on: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hung_up(_data: bytes) -> None:
        raise BusError("port 'memory' has hung up; check its cable")

    with monkeypatch.context() as broken:
        broken.setattr(on.wire, "write", hung_up)
        on.wait(0.5)
        with pytest.raises(BusError, match="'memory' has hung up; check its cable"):
            on.arm.command(nudged(0.1), np.zeros(6))
        with pytest.raises(BusError, match="'memory' has hung up; check its cable"):
            on.arm.state()
    on.arm.connect()
    assert on.arm.state().q_rad == pytest.approx(Q0, abs=on.arm.step_rad)


def test_goal_is_the_present_place_before_any_torque(far: Emulated) -> None:
    far.arm.energise()
    touched = [int.from_bytes(told.params[:2], "little") for told in far.writes()]
    assert touched.count(GOAL) == 7, "each joint and the gripper, each one confirmed"
    assert max(k for k, at in enumerate(touched) if at == GOAL) < touched.index(TORQUE)
    for servo in far.bus.servos:
        assert servo.torque
        assert abs(servo.get("goal_position") - servo.get("present_position")) <= 1
    assert far.arm.state().q_rad == pytest.approx(Q0, abs=far.arm.step_rad)


def test_firmware_holds_ceilings_profile_and_watchdog(on: Emulated) -> None:
    shoulder, shadow = on.servo(2), on.servo(3)
    assert shoulder.get("operating_mode") == 5
    assert shoulder.get("goal_current") * 2.69e-3 == pytest.approx(2.6, abs=2e-3)
    assert shadow.get("goal_current") == shoulder.get("goal_current")
    assert shoulder.get("profile_velocity") == 20
    assert shoulder.get("drive_mode") == 5, "reverse, and a profile by time"
    assert shoulder.get("bus_watchdog") == 10
    assert on.motors[2].limit_nm == pytest.approx(2.6 * 2.41, rel=2e-3)


def test_goals_of_all_joints_go_out_in_one_packet(on: Emulated) -> None:
    on.arm.command(nudged(0.1), np.zeros(6))
    (told,) = on.writes()
    assert (told.servo, told.code) == (BROADCAST, dynamixel.SYNC_WRITE)
    assert told.params[4::5] == bytes([1, 2, 4, 6, 7, 8])
    on.wait(0.5)
    assert on.arm.state().q_rad == pytest.approx(nudged(0.1), abs=on.arm.step_rad)


def test_shadow_follows_its_lead_the_other_way_round(on: Emulated) -> None:
    on.arm.command(nudged(0.1, joint=1), np.zeros(6))
    on.wait(0.5)
    assert on.motors[2].position_rad() == pytest.approx(-on.motors[3].position_rad(), abs=1e-3)
    lead, shadow = (on.servo(n).count_of(on.motors[n].position_rad()) for n in (2, 3))
    assert shadow == pytest.approx(lead, abs=1)


def test_stop_is_one_packet_with_the_present_place_and_every_servo_is_asked(on: Emulated) -> None:
    wave(on)
    on.forget()
    on.arm.stop()
    (told,) = on.writes()
    assert (told.servo, told.code) == (BROADCAST, dynamixel.SYNC_WRITE)
    assert told.params[4::5] == bytes([1, 2, 4, 6, 7, 8, 9])
    asked = [t for t in on.bus.told if t.code == dynamixel.SYNC_READ]
    assert asked[-1].params[:2] == TORQUE.to_bytes(2, "little"), (
        "whether it holds, and up to where its goal is"
    )
    assert asked[-1].params[4:] == bytes(range(1, 10)), "shadows too"
    before = on.arm.state().q_rad
    on.wait(1.0)
    assert on.arm.state().q_rad == pytest.approx(before, abs=1e-9), "it stands still"
    assert all(servo.torque for servo in on.bus.servos), "and nothing drops"


def test_stop_names_the_servo_that_does_not_hear_it_and_stops_the_others(on: Emulated) -> None:
    wave(on)
    on.servo(4).silent = True
    with pytest.raises(
        DeviceError, match=r"ViperX-300s: told to stand still, but servo 4 \(elbow\) on 'memory'"
    ) as caught:
        on.arm.stop()
    assert "cut the power if it moves" in str(caught.value)
    at_rad = on.motors[1].position_rad()
    on.wait(0.5)
    assert on.motors[1].position_rad() == at_rad
    with pytest.raises(DeviceError, match="not switched on"):
        on.arm.command_opening(0.0)


def test_one_missed_answer_ages_and_the_second_in_a_row_stops_the_arm(on: Emulated) -> None:
    wave(on)
    old = on.arm.state()
    on.servo(6).silent = True
    on.clock.sleep_until(on.clock.now_s() + 0.01)
    aged = on.arm.state()
    assert aged.t_s == old.t_s < on.clock.now_s(), "its age is told, and nothing is made up"
    assert aged.q_rad[3] == old.q_rad[3]
    on.clock.sleep_until(on.clock.now_s() + 0.01)
    on.forget()
    with pytest.raises(DeviceError, match=r"servo 6 \(forearm_roll\).* does not answer|told to stand still"):
        on.arm.state()
    assert written(on, GOAL), "the others were told to stop"


def test_overload_stops_the_arm_and_is_told_with_its_remedy(on: Emulated) -> None:
    wave(on)
    on.servo(4).fail(OVERLOAD)
    on.clock.sleep_until(on.clock.now_s() + 0.01)
    with pytest.raises(
        DeviceError, match=r"servo 4 \(elbow\): overload \(alarm register 0x20\): support the arm"
    ):
        on.arm.state()
    assert written(on, GOAL)


def test_brown_out_in_motion_is_seen_within_a_second(on: Emulated) -> None:
    on.servo(8).voltage_v = 9.8
    with pytest.raises(
        DeviceError, match=r"servo 8 \(wrist_rotate\): 9\.8 V, allowed 11 to 13 V: check the supply"
    ):
        wave(on, periods=250)


def test_fault_while_the_arm_waits_is_told_by_the_next_command(on: Emulated) -> None:
    on.servo(7).fail(OVERLOAD)
    on.wait(0.5)
    with pytest.raises(DeviceError, match=r"servo 7 \(wrist_angle\): overload"):
        on.arm.command(nudged(0.05), np.zeros(6))


def test_backstop_that_somebody_took_away_is_missed_before_the_next_motion(on: Emulated) -> None:
    wave(on)
    on.servo(2).put("goal_current", 2047)
    on.wait(0.4)
    with pytest.raises(DeviceError, match=r"servo 2 \(shoulder\): goal_current 2047, set was 967"):
        on.arm.command(nudged(0.05), np.zeros(6))
    assert written(on, GOAL) == written(on, GOAL)[:25], "no goal went out"


def test_shadow_that_went_limp_is_missed_before_the_next_motion(on: Emulated) -> None:
    wave(on)
    on.servo(3).put("torque_enable", 0)
    on.wait(0.4)
    with pytest.raises(DeviceError, match=r"servo 3 \(shoulder, shadow\): its torque is off"):
        on.arm.command(nudged(0.05), np.zeros(6))


def test_silent_program_lets_the_watchdog_stop_the_arm_and_it_goes_on_afterwards(on: Emulated) -> None:
    wave(on)
    on.clock.sleep_until(on.clock.now_s() + 1.0)
    on.bus.tick(on.clock.now_s())
    assert on.servo(1).get("bus_watchdog") == -1
    on.arm.command(nudged(0.05), np.zeros(6))
    on.wait(0.5)
    assert on.servo(1).get("bus_watchdog") == 10
    assert on.servo(1).get("profile_velocity") == 20
    assert on.arm.state().q_rad == pytest.approx(nudged(0.05), abs=on.arm.step_rad)


def test_stop_frees_servos_whose_watchdog_has_bitten(on: Emulated) -> None:
    wave(on)
    on.clock.sleep_until(on.clock.now_s() + 1.0)
    on.arm.stop()
    assert on.servo(1).get("bus_watchdog") in (-1, 10)
    on.arm.command(nudged(0.03), np.zeros(6))
    on.wait(0.3)
    assert on.arm.state().q_rad == pytest.approx(nudged(0.03), abs=on.arm.step_rad)


def _missing(far: Emulated) -> None:
    far.servo(5).silent = True
    far.servo(8).silent = True


def _other_model(far: Emulated) -> None:
    far.servo(8).put("model", 1060)


def _old_firmware(far: Emulated) -> None:
    far.servo(1).put("firmware", 38)


def _counts_backwards(far: Emulated) -> None:
    far.servo(2).put("drive_mode", 0)


def _no_shadow(far: Emulated) -> None:
    far.servo(3).put("shadow_id", 255)


def _obeys_another(far: Emulated) -> None:
    far.servo(6).put("shadow_id", 1)


def _pair_apart(far: Emulated) -> None:
    far.servo(3).put("homing_offset", 100)


def _held_in_another_mode(far: Emulated) -> None:
    far.servo(1).put("torque_enable", 1)


def _hot(far: Emulated) -> None:
    far.servo(9).temperature_c = 71.0


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_missing, r"servo 5 \(elbow, shadow\) does not answer.*; servo 8 \(wrist_rotate\) does not answer"),
        (_other_model, r"servo 8 \(wrist_rotate\) is a model 1060, the arm's file says XM430-W350 \(1020\)"),
        (_old_firmware, r"servo 1 \(waist\) has firmware 38, needed is 42: update it"),
        (_counts_backwards, r"servo 2 \(shoulder\): its drive mode 0 counts the other way"),
        (_no_shadow, r"servo 3 \(shoulder, shadow\): its shadow ID is 255, it must be 2"),
        (
            _obeys_another,
            r"servo 6 \(forearm_roll\): its shadow ID is 1, so it obeys servo 1 too, it must be 255",
        ),
        (_pair_apart, r"servo 3 \(shoulder, shadow\) stands 8\.8 degrees apart from servo 2, allowed 5"),
        (_held_in_another_mode, r"servo 1 \(waist\): operating mode 3, needed is 5: support the arm"),
        (_hot, r"servo 9 \(gripper\): 71 degrees C, allowed 60: let the arm rest"),
    ],
)
def test_arm_that_is_not_fit_is_refused_with_every_fault_and_nothing_is_written(
    far: Emulated, spoil: Callable[[Emulated], None], told: str
) -> None:
    spoil(far)
    with pytest.raises(DeviceError, match=told) as caught:
        far.arm.energise()
    assert "Nothing was written" in str(caught.value)
    assert far.writes() == []


def test_servo_that_counts_its_position_over_a_turn_is_refused() -> None:
    with emulated(np.zeros(5), "so-101", wide_limits(5)) as far:
        far.servo(2).put("phase", 0x1C)
        with pytest.raises(
            DeviceError, match=r"servo 2 \(shoulder_lift\): its phase 0x1c .* bit 0x10 of it must be 0"
        ):
            far.arm.energise()
        assert far.writes() == []


def test_slow_answers_are_a_warning(far: Emulated) -> None:
    far.servo(6).put("return_delay", 250)
    far.arm.connect()
    assert far.arm.warnings == (
        "servo 6 (forearm_roll): waits 0.50 ms before it answers: set its return delay to 0",
    )


def test_turns_that_the_encoder_counted_on_are_taken_off(far: Emulated) -> None:
    far.motors[6].drive(far.motors[6].position_rad() + 2 * np.pi, 0.0, None)
    far.arm.energise()
    assert far.arm.state().q_rad == pytest.approx(Q0, abs=far.arm.step_rad)
    far.arm.command(nudged(0.1, joint=3), np.zeros(6))
    far.wait(0.5)
    assert far.arm.state().q_rad[3] == pytest.approx(0.1, abs=far.arm.step_rad)
    assert far.motors[6].position_rad() == pytest.approx(2 * np.pi + 0.1, abs=2e-3)


def test_place_that_may_be_either_end_of_the_range_is_refused() -> None:
    ends = Q0 + np.array([np.pi - 0.02, 0, 0, 0, 0, 0])
    with (
        emulated(ends) as far,
        pytest.raises(DeviceError, match=r"joint waist: at 179 degrees it may be at either end"),
    ):
        far.arm.connect()


def test_lost_answer_is_asked_for_again_and_nobody_notices(on: Emulated) -> None:
    wave(on)
    on.faults.order(Order(WireFault.CORRUPTED, times=2, servo=2))
    on.clock.sleep_until(on.clock.now_s() + 0.01)
    state = on.arm.state()
    assert state.t_s == pytest.approx(on.clock.now_s(), abs=0.2)
    assert state.q_rad[1] == pytest.approx(Q0[1], abs=on.arm.step_rad)


@pytest.mark.parametrize("kind", [WireFault.LOST, WireFault.CORRUPTED, WireFault.SILENT, WireFault.DOUBLED])
def test_wire_that_stays_bad_is_an_error_and_never_a_number(on: Emulated, kind: WireFault) -> None:
    wave(on)
    on.faults.order(Order(kind, times=FOR_EVER))
    with pytest.raises(DeviceError, match=r"servo \d"):
        wave(on, periods=5)


def wide_limits(n: int) -> ArmLimits:
    one = np.ones(n)
    return ArmLimits(-2.0 * one, 2.0 * one, 2.0 * one, 6.0 * one, 60.0 * one, opening_max_m=0.04)


@pytest.mark.parametrize(("name", "n"), [("widowx-250s", 6), ("so-101", 5)])
def test_other_arms_are_switched_on_moved_and_stopped(name: str, n: int) -> None:
    q = np.linspace(-0.4, 0.5, n)
    with emulated(q, name, wide_limits(n)) as far:
        far.arm.energise()
        assert far.arm.state().q_rad == pytest.approx(q, abs=far.arm.step_rad)
        goal = q + 0.1
        far.arm.command(goal, np.zeros(n))
        far.arm.command_opening(0.02)
        far.wait(0.5)
        assert far.arm.state().q_rad == pytest.approx(goal, abs=far.arm.step_rad)
        assert far.arm.state().opening_m == pytest.approx(0.02, abs=1e-3)
        far.forget()
        far.arm.stop()
        assert sum(told.servo == BROADCAST for told in far.writes()) == 1
        assert all(servo.torque for servo in far.bus.servos)


def test_ceilings_of_servos_without_current_are_shares() -> None:
    with emulated(Q0, "widowx-250s", wide_limits(6)) as far:
        far.arm.energise()
        assert far.servo(8).get("goal_pwm") == round(0.5 * 885)
        assert far.servo(8).get("operating_mode") == 3
        assert far.servo(6).get("operating_mode") == 5
    with emulated(np.zeros(5), "so-101", wide_limits(5)) as far:
        far.arm.energise()
        assert far.servo(2).get("torque_limit") == 800
