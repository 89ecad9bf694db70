"""The driver of a G-code arm against an emulated controller, over a pseudo-terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from hardware.emulated_grbl import EmulatedGrbl
from hardware.force_line import ForceLine
from hardware.grbl_arm import GrblArm, NoForce
from hardware.transport import Port
from robot.errors import DeviceError, LimitError
from robot.fakes import Button, Flying
from robot.follow import Mover
from robot.frames import Array
from robot.guarded import Pusher
from robot.limits import ArmLimits
from support.wired import PumpedClock

LETTERS = {f"joint {k}": letter for k, letter in enumerate("XYZABC", 1)}
ONE = np.ones(6)
LIMITS = ArmLimits(-1.5 * ONE, 1.5 * ONE, ONE, 5 * ONE, 50 * ONE, opening_max_m=0.06)
RATE = np.eye(6)[0] * 0.3


@dataclass
class Bench:
    clock: PumpedClock
    far: EmulatedGrbl
    arm: GrblArm

    def wave(self, until_rad: float, rate: Array = RATE) -> None:
        """A motion of the first joint, a command each 8 ms."""
        start = self.arm.state().q_rad[0]
        for at in np.arange(start, until_rad, rate[0] * 0.008):
            self.arm.command(np.eye(6)[0] * at, rate)
            self.wait(0.008)

    def wait(self, seconds: float) -> None:
        self.clock.sleep_until(self.clock.now_s() + seconds)


@pytest.fixture
def found() -> Iterator[Bench]:
    """One that is not connected yet."""
    clock = PumpedClock()
    far = EmulatedGrbl(clock)
    line = ForceLine(far)
    clock.tick = line.pump
    arm = GrblArm(
        Port(line.path, 115_200), LETTERS, lambda opening_m: f"M3S{opening_m * 1e3:.0f}", LIMITS, clock
    )
    yield Bench(clock, far, arm)
    arm.close()
    line.close()


@pytest.fixture
def on(found: Bench) -> Bench:
    found.arm.connect()
    return found


def test_connecting_moves_nothing(on: Bench) -> None:
    assert on.far.lines == ["M21", "G90", "G94"]
    assert on.arm.state().q_rad == pytest.approx(np.zeros(6))


def test_motion_follows_its_commands_and_hardly_anything_is_queued(on: Bench) -> None:
    on.wave(0.5)
    assert len(on.far._moves) <= 3
    goal = np.eye(6)[0] * 0.5
    on.arm.command(goal, np.zeros(6))
    on.wait(1.0)
    assert on.arm.state().q_rad == pytest.approx(goal, abs=1e-4)
    assert on.far.overrun == 0


def test_stop_holds_first_so_that_the_place_is_not_lost(on: Bench) -> None:
    on.wave(0.4)
    on.arm.stop()
    at = on.arm.state().q_rad
    assert not on.far.lost
    on.wait(2.0)
    assert on.arm.state().q_rad == pytest.approx(at, abs=1e-4)
    on.arm.command(at, np.zeros(6))
    on.arm.stop()


def test_motion_too_slow_to_be_seen_is_not_reset_before_it_has_come_to_rest(on: Bench) -> None:
    on.arm._say("G1 X10 F0.2")
    on.wait(0.01)
    on.arm.stop()
    assert not on.far.lost


def test_refused_lines_keep_nobody_from_stopping_the_arm(on: Bench) -> None:
    on.wave(0.4)
    on.arm._say("G99 nonsense")
    on.arm._say("G1 X30 F500")
    on.arm.stop()
    assert on.far.state == "Idle", "it was held and then reset, and does not wait to go on"
    assert not on.far.lost
    on.wave(0.45)


def test_arm_moves_on_after_a_stop(on: Bench) -> None:
    on.wave(0.3)
    on.arm.stop()
    on.wave(0.4)
    on.wait(0.5)
    assert on.arm.state().q_rad[0] == pytest.approx(0.4, abs=0.02)


def test_alarm_is_told_and_nothing_moves_until_a_person_has_it_home(on: Bench) -> None:
    on.far._moves.append((np.full(6, 40.0), 10.0))
    on.far.take(b"\x18")
    on.wait(0.1)
    with pytest.raises(
        DeviceError, match=r"ALARM:3, it was reset in motion and has lost its place: it moves no more"
    ):
        on.arm.command(np.eye(6)[0] * 0.01, RATE)
    on.arm.home()
    on.arm.command(np.eye(6)[0] * 0.01, RATE)


def test_controller_that_something_else_has_started_anew_moves_no_more_until_it_was_home(on: Bench) -> None:
    """It has forgotten its modes, and perhaps its place."""
    on.far.take(b"\x18")
    on.wait(0.2)
    with pytest.raises(
        DeviceError, match=r"something else has started it anew: it moves no more.*find home again"
    ):
        on.wave(0.1)
    lines = len(on.far.lines)
    on.arm.home()
    on.wave(0.1)
    assert on.far.lines[lines : lines + 2] == ["$X", "$H"]


def test_report_that_was_asked_for_before_a_stop_does_not_end_it(on: Bench) -> None:
    """What it says late is of before the hold: it stood then, and now it runs."""
    on.arm.state()
    on.wait(0.15)
    on.arm.state()  # asks, and the answer is still to come
    on.arm.command(np.eye(6)[0] * 0.05, RATE)
    on.arm.stop()
    assert not on.far.lost


def test_error_that_nothing_was_sent_for_is_no_refusal(on: Bench) -> None:
    """GRBL says `error:7` at its start where its settings are damaged."""
    on.far._say("error:7")
    on.wait(0.05)
    on.wave(0.05)
    assert on.far.lines[-1].startswith("G1")


def test_locked_controller_is_refused_at_the_start(found: Bench) -> None:
    found.far._alarm = True
    with pytest.raises(DeviceError, match=r"an alarm: it moves no more. See to the cause"):
        found.arm.connect()
    assert found.far.lines == []


def test_controller_that_is_connected_anew_is_asked_anew(on: Bench) -> None:
    on.arm.close()
    on.far._alarm = True
    on.far.lines.clear()
    with pytest.raises(DeviceError, match="an alarm: it moves no more"):
        on.arm.connect()
    assert on.far.lines == []


def test_refused_line_is_an_error_and_the_next_one_is_taken(on: Bench) -> None:
    on.arm._say("G99 nonsense")
    on.wait(0.1)
    with pytest.raises(DeviceError, match=r"refused a line \(error:20\); it was not done"):
        on.arm.state()
    on.arm.command(np.eye(6)[0] * 0.01, RATE)
    on.wait(0.2)
    on.arm.state()


def test_silent_controller_has_no_state(on: Bench) -> None:
    on.far.deaf = True
    on.wait(0.6)
    with pytest.raises(DeviceError, match=r"told no status within 1 s. Check its cable and power"):
        on.arm.state()


def test_commands_beyond_the_limits_send_nothing(on: Bench) -> None:
    before = list(on.far.lines)
    with pytest.raises(LimitError):
        on.arm.command(np.eye(6)[0] * 2.0, RATE)
    assert on.far.lines == before


def test_without_a_sensor_no_push_begins(on: Bench) -> None:
    mover = Mover(on.arm, on.clock, Button())
    pusher = Pusher(mover, Flying(), NoForce(), 500.0, ONE)
    before = list(on.far.lines)
    with pytest.raises(DeviceError, match=r"this arm tells no force over its wire.* write force\.port"):
        pusher.tare()
    with pytest.raises(LimitError, match=r"force limit 0\.800 N refused, allowed inf N"):
        pusher.check_limit(0.8)
    assert on.far.lines == before


def test_fingers_are_told_in_the_gripper_s_own_words(on: Bench) -> None:
    on.arm.command_opening(0.04)
    on.wait(0.1)
    assert on.far.lines[-1] == "M3S40"
    assert on.arm.state().opening_m == 0.04
