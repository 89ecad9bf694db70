"""What a servo arm does when its servos fail in motion: it stands still first, and says who does not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from hardware.bus import BusError
from hardware.dynamixel import OVERHEAD
from hardware.emulated_bus import Answer
from robot.errors import DeviceError
from robot.frames import Array
from steadyhand.wiring import PARK_RAD
from support.servo_arms import Emulated, emulated

OVERLOAD = 0x20
GOAL = 116


@pytest.fixture
def on() -> Iterator[Emulated]:
    """One that is switched on and has just moved."""
    with emulated(PARK_RAD) as far:
        far.arm.energise()
        wave(far, periods=5)
        far.forget()
        yield far


def nudged(by_rad: float) -> Array:
    return PARK_RAD + by_rad * np.eye(len(PARK_RAD))[0]


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


def test_port_lost_while_the_arm_waits_is_what_the_next_command_tells(on: Emulated) -> None:
    def hung_up(_data: bytes) -> Iterator[Answer]:
        raise BusError("port 'memory' did not take a packet: it is unplugged or has hung up")

    on.wire.answers = hung_up
    on.wait(0.2)
    with pytest.raises(BusError, match="port 'memory' did not take a packet"):
        on.arm.command(nudged(0.01), np.zeros(6))
    with pytest.raises(DeviceError, match="not connected; connect first"):
        on.arm.command(nudged(0.01), np.zeros(6))


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
    on.arm.command(PARK_RAD + 0.02 * np.eye(6)[1], np.zeros(6))
    on.wait(0.1)
    with pytest.raises(DeviceError, match=r"but the goal of servo 3 \(shoulder, shadow\) is \d+, not \d+"):
        on.arm.stop()
