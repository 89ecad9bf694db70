"""The motions a person orders: asked for twice, through the limits, and nothing before that."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hardware import dynamixel
from robot.arm_models import VIPERX_300S
from robot.errors import BadInputError, DeviceError, MotionError, StoppedError
from robot.fakes import Button
from robot.follow import Mover
from robot.frames import Array
from steadyhand.arm_motions import WARNINGS, Request, open_fingers, park, run
from steadyhand.settings import Settings
from support import bench
from support.arm_ports import ArmPort, arm_port
from support.servo_arms import WRITES, Emulated, emulated

TICK_RAD = 2 * np.pi / 4096
ASIDE = VIPERX_300S.park_rad + np.array([0.5, 0.2, -0.1, 0.0, 0.2, 0.3])


@pytest.fixture
def port() -> Iterator[ArmPort]:
    with arm_port(VIPERX_300S.park_rad) as it:
        yield it


def order(port: ArmPort, folder: Path, motion: str, typed: str = "", yes: int = 0) -> tuple[int, list[str]]:
    said: list[str] = []
    return run(Request(motion, port.settings(folder), yes), io.StringIO(typed), said.append), said


def torque(port: ArmPort) -> set[int]:
    return {servo.get("torque_enable") for servo in port.bus.servos}


@pytest.mark.parametrize(
    ("motion", "typed", "yes"),
    [
        ("hold", "", 0),
        ("park", "yes\n", 0),
        ("open", "yes\nno\n", 0),
        ("relax", "no\nyes\nyes\n", 0),
        ("relax", "y\ny\n", 0),
        ("relax", "", 1),
    ],
)
def test_without_two_yeses_nothing_is_written(
    port: ArmPort, tmp_path: Path, motion: str, typed: str, yes: int
) -> None:
    code, said = order(port, tmp_path, motion, typed, yes)
    assert code == 1
    assert said[-1] == "not said yes twice: nothing was sent to the arm"
    assert {told.code for told in port.told()}.isdisjoint(WRITES)


@pytest.mark.parametrize(("typed", "yes"), [("YES \n yes\n", 0), ("yes\n", 1)])
def test_hold_takes_hold_and_moves_nothing(port: ArmPort, tmp_path: Path, typed: str, yes: int) -> None:
    before = [motor.position_rad() for motor in port.motors.values()]
    assert order(port, tmp_path, "hold", typed, yes)[0] == 0
    assert torque(port) == {1}
    assert [motor.position_rad() for motor in port.motors.values()] == pytest.approx(before, abs=TICK_RAD)


def test_relax_warns_that_the_arm_sinks_and_lets_every_servo_go(port: ArmPort, tmp_path: Path) -> None:
    order(port, tmp_path, "hold", yes=2)
    code, said = order(port, tmp_path, "relax", yes=2)
    assert code == 0
    assert any("THE ARM SINKS" in line for line in said)
    assert torque(port) == {0}


def test_relax_lets_go_an_arm_that_nothing_else_would_touch(port: ArmPort, tmp_path: Path) -> None:
    order(port, tmp_path, "hold", yes=2)
    port.servo(6).fail(0x20)  # an overload: no other motion begins
    with pytest.raises(DeviceError, match="overload"):
        order(port, tmp_path, "hold", yes=2)
    assert order(port, tmp_path, "relax", yes=2)[0] == 0
    assert torque(port) == {0}


def test_relax_tells_of_a_servo_that_is_not_there_and_lets_the_others_go(
    port: ArmPort, tmp_path: Path
) -> None:
    order(port, tmp_path, "hold", yes=2)
    port.bus.servos.remove(port.servo(9))
    with pytest.raises(DeviceError, match=r"servo 9 \(gripper\).*The other servos are off"):
        order(port, tmp_path, "relax", yes=2)
    assert torque(port) == {0}


def test_arm_is_looked_at_before_anybody_is_asked(port: ArmPort, tmp_path: Path) -> None:
    port.bus.servos.remove(port.servo(7))
    with pytest.raises(DeviceError, match=r"servo 7 \(wrist_angle\) does not answer"):
        order(port, tmp_path, "park", yes=2)
    assert {told.code for told in port.told()} == {dynamixel.PING}


@pytest.mark.parametrize("motion", sorted(WARNINGS))
def test_settings_without_a_port_are_refused_with_how_to_name_one(motion: str) -> None:
    with pytest.raises(BadInputError, match="ls /dev/serial/by-id"):
        run(Request(motion, None, yes=2), io.StringIO(), print)


def test_arm_of_other_joints_can_only_be_relaxed(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[arm]\nport = "/dev/none"\nkind = "so-101"\n')
    with pytest.raises(BadInputError, match=r"does not know the joints and lengths of a SO-101"):
        run(Request("park", file, yes=2), io.StringIO(), print)
    with pytest.raises(DeviceError, match="cannot be opened"):
        run(Request("relax", file, yes=2), io.StringIO(), print)


def moving(q_rad: Array) -> Iterator[tuple[Emulated, Mover]]:
    with emulated(q_rad) as far:
        far.arm.energise()
        yield far, Mover(far.arm, far.attended, Button())


@pytest.fixture
def aside() -> Iterator[tuple[Emulated, Mover]]:
    yield from moving(ASIDE)


def test_park_reaches_the_parking_posture_slowly(aside: tuple[Emulated, Mover]) -> None:
    far, mover = aside
    began_s = far.clock.now_s()
    park(Settings(), bench.body(), mover)
    assert far.arm.state().q_rad == pytest.approx(VIPERX_300S.park_rad, abs=2e-3)
    fastest = 0.25 * bench.body().limits.dq_max_rad_s.max()
    assert far.clock.now_s() - began_s > 0.5 / fastest


def test_park_that_would_begin_in_the_towers_place_moves_nothing() -> None:
    at_the_tower = np.array([0.0, 0.75, -0.35, 0.0, -0.4, 0.0])
    for far, mover in moving(at_the_tower):
        far.forget()
        with pytest.raises(MotionError, match=r"start posture touches.*Nothing moved: support the arm"):
            park(Settings(), bench.body(), mover)
        assert far.writes() == []


def test_stop_ends_parking_where_the_arm_is() -> None:
    with emulated(ASIDE) as far:
        far.arm.energise()
        stop = Button()
        began_s = far.clock.now_s()
        mover = Mover(far.arm, StoppingClock(far, stop, began_s + 0.5), stop)
        with pytest.raises(StoppedError):
            park(Settings(), bench.body(), mover)
        here = far.arm.state().q_rad
        assert np.abs(here - VIPERX_300S.park_rad).max() > 0.1
        far.wait(1.0)
        assert far.arm.state().q_rad == pytest.approx(here, abs=2e-3)


class StoppingClock:
    """The arm's time; somebody presses the button in the midst of it."""

    def __init__(self, far: Emulated, stop: Button, at_s: float) -> None:
        self._far, self._stop, self._at_s = far, stop, at_s

    def now_s(self) -> float:
        return self._far.clock.now_s()

    def sleep_until(self, t_s: float) -> None:
        self._far.attended.sleep_until(t_s)
        if self.now_s() >= self._at_s:
            self._stop.press()


def test_fingers_open_slowly_to_their_limit(aside: tuple[Emulated, Mover]) -> None:
    far, mover = aside
    began_s = far.clock.now_s()
    open_fingers(bench.body(), mover)
    far.wait(0.2)
    most_m = bench.body().limits.opening_max_m
    assert far.arm.state().opening_m == pytest.approx(most_m, abs=1e-3)
    assert far.clock.now_s() - began_s > most_m / 0.035
