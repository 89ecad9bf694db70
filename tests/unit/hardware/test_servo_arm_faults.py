"""What a servo arm does when its servos fail in motion: it stands still first, and says who does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hardware.arm_file import BUILT_IN
from hardware.arm_power import relax
from hardware.bus import BusError
from hardware.dynamixel import OVERHEAD
from hardware.emulated_bus import Answer
from hardware.servos import Servos
from hardware.wire_faults import Order, WireFault
from robot.arm_models import VIPERX_300S
from robot.errors import DeviceError, StoppedError
from robot.frames import Array
from support.servo_arms import Emulated, emulated

OVERLOAD = 0x20
TORQUE, GOAL = 64, 116


@pytest.fixture
def on() -> Iterator[Emulated]:
    """One that is switched on and has just moved."""
    with emulated(VIPERX_300S.park_rad) as far:
        far.arm.energise()
        wave(far, periods=5)
        far.forget()
        yield far


def nudged(by_rad: float) -> Array:
    return VIPERX_300S.park_rad + by_rad * np.eye(len(VIPERX_300S.park_rad))[0]


def wave(far: Emulated, periods: int) -> None:
    """A motion of the first joint, a goal each 8 ms."""
    for k in range(1, periods + 1):
        far.arm.command(nudged(0.0005 * k), np.zeros(6))
        far.clock.sleep_until(far.clock.now_s() + 0.006)


def goals(far: Emulated) -> list[bytes]:
    """Parameters of the packets that set goals."""
    return [told.params for told in far.writes() if int.from_bytes(told.params[:2], "little") == GOAL]


def keep_the_alarm_secret(far: Emulated, servo: int) -> None:
    """A servo raises its alarm, and from then on answers no question for a single byte."""
    far.servo(servo).fail(OVERLOAD)

    def answers(data: bytes) -> Iterator[Answer]:
        secret = (servo, OVERHEAD + 1)
        return (one for one in far.bus.answers(data) if (one.servo, len(one.data)) != secret)

    far.wire.answers = answers


def test_alarm_that_cannot_be_read_stops_the_arm_all_the_same(on: Emulated) -> None:
    keep_the_alarm_secret(on, servo=4)
    with pytest.raises(DeviceError, match=r"servo 4 \(elbow\): an alarm that cannot be read") as told:
        on.arm.state()
    assert "support the arm, and cut its power" in str(told.value)
    assert goals(on), "it was told to stand still"


def test_stop_is_sent_though_an_alarm_cannot_be_read(on: Emulated) -> None:
    keep_the_alarm_secret(on, servo=4)
    with pytest.raises(DeviceError, match="an alarm that cannot be read"):
        on.arm.stop()
    assert goals(on)


def test_port_lost_while_the_arm_waits_is_what_every_later_command_tells(on: Emulated) -> None:
    def hung_up(_data: bytes) -> Iterator[Answer]:
        raise BusError("port 'memory' did not take a packet: it is unplugged or has hung up")

    on.wire.answers = hung_up
    on.wait(0.2)
    for _ in range(2):
        with pytest.raises(DeviceError, match="port 'memory' did not take a packet"):
            on.arm.command(nudged(0.01), np.zeros(6))


class Overtaken:
    """A turn to talk that somebody else has first, the second time that it is asked for."""

    def __init__(self, others_turn: Callable[[], None]) -> None:
        self._lock, self._others_turn, self._asked = threading.RLock(), others_turn, 0

    def __enter__(self) -> None:
        self._asked += 1
        if self._asked == 2:  # the first is for the look before a goal, the second to send it
            self._others_turn()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_goal_that_waited_while_the_arm_gave_up_is_not_sent(on: Emulated) -> None:
    def give_up() -> None:
        on.clock.sleep_until(on.clock.now_s() + 0.01)
        on.servo(4).fail(OVERLOAD)
        on.arm.attend()

    on.arm._turn = Overtaken(give_up)  # type: ignore[assignment]
    with pytest.raises(DeviceError, match=r"servo 4 \(elbow\): overload"):
        on.arm.command(nudged(0.02), np.zeros(6))
    (stay,) = {told[4::5] for told in goals(on)}
    assert stay == bytes([1, 2, 4, 6, 7, 8, 9]), "the only goals that went out are those of the stop"


def test_opening_that_was_refused_is_not_taken_up_by_the_stop(on: Emulated) -> None:
    on.arm.command_opening(0.03)
    on.wait(0.4)
    on.servo(2).put("goal_current", 2047)
    with pytest.raises(DeviceError, match="goal_current 2047"):
        on.arm.command_opening(0.0)
    on.arm.stop()
    on.wait(0.4)
    assert on.arm.state().opening_m == pytest.approx(0.03, abs=1e-3)


@pytest.mark.parametrize(
    ("register", "counts", "told"),
    [
        ("goal_current", 2047, "goal_current 2047, set was 967"),
        ("profile_velocity", 0, "profile_velocity 0, set was 20"),
        ("bus_watchdog", 0, "its watchdog is off or has bitten"),
    ],
)
def test_backstop_that_a_shadow_did_not_take_is_missed_before_the_next_motion(
    on: Emulated, register: str, counts: int, told: str
) -> None:
    on.servo(3).put(register, counts)
    on.wait(0.4)
    with pytest.raises(DeviceError, match=rf"servo 3 \(shoulder, shadow\): {told}"):
        on.arm.command(nudged(0.01), np.zeros(6))
    assert not goals(on), "nothing moved"


def test_servo_that_is_in_another_mode_is_missed_before_the_next_motion(on: Emulated) -> None:
    on.servo(9).put("operating_mode", 3)  # in which its current has no ceiling
    on.wait(0.4)
    with pytest.raises(DeviceError, match=r"servo 9 \(gripper\): operating_mode 3, set was 5"):
        on.arm.command_opening(0.0)
    assert not goals(on), "nothing moved"


def test_shadow_whose_watchdog_alone_has_bitten_is_freed_before_the_next_motion(on: Emulated) -> None:
    on.servo(3).put("bus_watchdog", -1)
    on.servo(3).put("profile_velocity", 0)
    on.wait(0.4)
    on.arm.command(nudged(0.01), np.zeros(6))
    assert (on.servo(3).get("bus_watchdog"), on.servo(3).get("profile_velocity")) == (10, 20)


def test_shadow_that_overloads_in_motion_stops_the_arm(on: Emulated) -> None:
    on.servo(3).fail(OVERLOAD)
    with pytest.raises(DeviceError, match=r"servo 3 \(shoulder, shadow\): overload"):
        wave(on, periods=2)
    assert goals(on), "it was told to stand still"


def test_shadow_that_falls_silent_in_motion_stops_the_arm(on: Emulated) -> None:
    on.servo(5).silent = True
    with pytest.raises(
        DeviceError, match=r"servo 5 \(elbow\) on 'memory' does not answer.*2 cycles in a row"
    ):
        wave(on, periods=3)
    assert goals(on), "it was told to stand still"


def test_stop_names_the_servo_that_nothing_holds(on: Emulated) -> None:
    on.servo(4).put("torque_enable", 0)
    with pytest.raises(
        DeviceError, match=r"told to stand still, but servo 4 \(elbow\) is limp: its torque is off"
    ):
        on.arm.stop()


def test_stop_names_the_shadow_that_did_not_hear_it(on: Emulated) -> None:
    shadow, write = on.servo(3), on.servo(3).write
    shadow.write = lambda address, data: 0 if address == GOAL else write(address, data)  # type: ignore[method-assign]
    on.arm.command(VIPERX_300S.park_rad + 0.02 * np.eye(6)[1], np.zeros(6))
    on.wait(0.1)
    with pytest.raises(DeviceError, match=r"but the goal of servo 3 \(shoulder, shadow\) is \d+, not \d+"):
        on.arm.stop()


def test_servo_that_does_not_stand_still_is_told_when_the_arm_is_given_back(on: Emulated) -> None:
    on.servo(7).put("torque_enable", 0)
    with pytest.raises(DeviceError, match=r"servo 7 \(wrist_angle\) is limp"):
        on.arm.close()
    with pytest.raises(DeviceError, match="not connected"):
        on.arm.state()


def test_giving_the_arm_back_does_not_hide_why_it_is_given_back(on: Emulated) -> None:
    on.servo(7).put("torque_enable", 0)
    with pytest.raises(StoppedError), on.arm:
        raise StoppedError("stopped by a person")


def opened(far: Emulated) -> None:
    far.arm.energise()
    far.arm.command_opening(0.03)
    far.wait(0.5)


def hold_something(far: Emulated) -> None:
    """Fingers that close on a block, which lets them come no nearer to each other."""
    drive, at_rad = far.motors[9].drive, far.motors[9].position_rad()
    far.motors[9].drive = lambda *_: drive(at_rad, 0.0, None)  # type: ignore[method-assign]
    far.arm.command_opening(0.0)
    far.wait(0.5)


@pytest.mark.parametrize("after_s", [0.0, 0.01])
def test_fingers_that_close_stop_where_they_are(after_s: float) -> None:
    with emulated(VIPERX_300S.park_rad) as far:
        opened(far)
        far.arm.command_opening(0.0)
        far.clock.sleep_until(far.clock.now_s() + after_s)
        far.bus.tick(far.clock.now_s())
        far.arm.stop()
        at_m = far.arm.state().opening_m
        far.wait(0.5)
        assert at_m > 0.005
        assert far.arm.state().opening_m == pytest.approx(at_m, abs=5e-3)


@pytest.mark.parametrize("turns", [0, 1])
@pytest.mark.parametrize("jaw", [False, True])
def test_fingers_that_hold_something_keep_pressing_whatever_turn_their_servo_counts(
    tmp_path: Path, turns: int, jaw: bool
) -> None:
    file, viperx = tmp_path / "arm.toml", (BUILT_IN / "viperx-300s.toml").read_text(encoding="utf-8")
    jawed = viperx[: viperx.index("horn_mm")] + "jaw_mm = 100.0\n"
    file.write_text(jawed if jaw else viperx, encoding="utf-8")
    with emulated(VIPERX_300S.park_rad, str(file)) as far:
        far.motors[9].drive(far.motors[9].position_rad() + 2 * np.pi * turns, 0.0, None)
        opened(far)
        hold_something(far)
        told = far.servo(9).get("goal_position")
        far.arm.stop()
        assert far.servo(9).get("goal_position") == told
        assert abs(told - far.servo(9).get("present_position")) > 10, "it presses"


def test_servo_that_missed_the_order_to_let_go_is_told_once_more(on: Emulated) -> None:
    missed, write = [], on.servo(4).write

    def hears_the_second(address: int, data: bytes) -> int:
        if address == TORQUE and not missed:
            missed.append(address)
            return 0
        return write(address, data)

    on.servo(4).write = hears_the_second  # type: ignore[method-assign]
    models = {servo: part.model for servo, (_, part) in on.parts.servos.items()}
    relax(Servos(on.arm._bus, models), on.parts)
    assert missed
    assert not any(servo.torque for servo in on.bus.servos)


def test_servo_whose_answer_to_all_was_spoilt_is_asked_by_itself() -> None:
    with emulated(VIPERX_300S.park_rad) as far:
        far.faults.order(Order(WireFault.CORRUPTED, servo=4))
        far.arm.connect()
        assert far.arm.state().q_rad == pytest.approx(VIPERX_300S.park_rad, abs=far.arm.step_rad)
