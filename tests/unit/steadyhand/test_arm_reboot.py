from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.emulated_dynamixel import EmulatedDynamixel
from robot.arm_models import VIPERX_300S
from steadyhand.arm_reboot import Request, run
from support.arm_ports import ArmPort, arm_port
from support.servo_arms import WRITES

OVERLOAD, REBOOT = 0x20, 0x08


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[ArmPort]:
    monkeypatch.setattr(EmulatedDynamixel, "boot_s", 0.01)
    with arm_port(VIPERX_300S.park_rad) as it:
        yield it


def order(port: ArmPort, folder: Path, typed: str = "", yes: int = 2) -> tuple[int, list[str]]:
    said: list[str] = []
    return run(Request(port.settings(folder), "", yes), io.StringIO(typed), said.append), said


def codes(port: ArmPort) -> list[tuple[int, int]]:
    return [(told.code, told.servo) for told in port.told() if told.code in WRITES | {REBOOT}]


def test_person_is_told_which_servos_and_what_sinks_and_how_to_go_on(port: ArmPort, tmp_path: Path) -> None:
    port.servo(6).fail(OVERLOAD)
    code, said = order(port, tmp_path, typed="yes\nyes\n", yes=0)
    assert code == 0
    assert said[0].startswith("servo 6 (forearm_roll): overload (alarm register 0x20)")
    assert "and their shadows with them" in said[1]
    assert "SINKS: support the arm" in said[1]
    assert said[-1].endswith("`steadyhand arm hold` takes hold of the arm again")
    assert (REBOOT, 6) in codes(port)


def test_without_an_alarm_nobody_is_asked_and_nothing_is_sent(port: ArmPort, tmp_path: Path) -> None:
    code, said = order(port, tmp_path, yes=0)
    assert code == 0
    assert said == [
        "no servo reports an alarm: nothing was sent; --joint NAME starts a joint's servos anew all the same"
    ]
    assert codes(port) == []


@pytest.mark.parametrize("typed", ["yes\n", "yes\nno\n"])
def test_without_two_yeses_nothing_is_sent(port: ArmPort, tmp_path: Path, typed: str) -> None:
    port.servo(6).fail(OVERLOAD)
    code, said = order(port, tmp_path, typed=typed, yes=0)
    assert code == 1
    assert said[-1] == "not said yes twice: nothing was sent to the arm"
    assert codes(port) == []
