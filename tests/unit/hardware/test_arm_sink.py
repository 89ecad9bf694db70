"""A stopped arm lowers itself where it is set to, by the bytes on the wire; motors that give way to a load."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from hardware.arm_parts import JointParts, ServoPart
from hardware.motor import IdleMotor
from hardware.packets import Instruction
from robot.arm_models import VIPERX_300S
from robot.errors import DeviceError
from steadyhand.emulated_arm import horn_rad
from support.servo_arms import Emulated, emulated

PARK = VIPERX_300S.park_rad
RATE_RAD_S = math.radians(6.0)
GOAL, TICK_RAD = 116, 2 * math.pi / 4096
LEADS = [1, 2, 4, 6, 7, 8, 9]


class Laden(IdleMotor):
    """Stands past its goal by what its load bends it, down to what the arm comes to lie on."""

    def __init__(
        self, joint: JointParts, part: ServoPart, at_rad: float, sag_rad: float, floor_rad: float
    ) -> None:
        super().__init__(horn_rad(joint, part, at_rad))
        self._zero = horn_rad(joint, part, 0.0)
        self._sense = horn_rad(joint, part, 1.0) - self._zero
        self._sag_rad, self._floor_rad = sag_rad, floor_rad
        self.fell = False

    @property
    def angle_rad(self) -> float:
        """Of the joint."""
        return (self.position_rad() - self._zero) / self._sense

    def drive(self, goal_rad: float | None, velocity_rad_s: float, torque_limit_nm: float | None) -> None:
        if goal_rad is None:
            if not self.limp:
                self.fell = True
            return  # until it is held for the first time it rests on a stand
        goal = (goal_rad - self._zero) / self._sense + self._sag_rad
        below = min(goal, self._floor_rad) if self._sag_rad > 0 else max(goal, self._floor_rad)
        super().drive(self._zero + self._sense * below, velocity_rad_s, torque_limit_nm)


Loads = Mapping[str, Sequence[tuple[float, float]]]
SHOULDER_TO = float(PARK[1]) + 0.5
ON_THE_SHOULDER: Loads = {"shoulder": [(0.015, SHOULDER_TO)] * 2}


@contextmanager
def arm_with(loads: Loads, rate_rad_s: float = RATE_RAD_S) -> Iterator[Emulated]:
    """An arm that is switched on, with a load on each servo of some joints: how far it sags, and where it lies."""

    def make(joint: JointParts, part: ServoPart, at_rad: float) -> IdleMotor:
        load = loads.get(joint.name)
        if load is None:
            return IdleMotor(horn_rad(joint, part, at_rad))
        return Laden(joint, part, at_rad, *load[joint.servos.index(part)])

    with emulated(PARK, sinks_rad_s=rate_rad_s, make=make) as far:
        far.arm.energise()
        far.wait(0.2)
        far.forget()
        yield far


def angle(far: Emulated, servo: int) -> float:
    motor = far.motors[servo]
    assert isinstance(motor, Laden)
    assert not motor.fell
    return motor.angle_rad


def goals(far: Emulated) -> list[dict[int, int]]:
    """What every sync write of goals said, servo by servo."""
    return [_goals(told) for told in far.writes() if told.code == 0x83 and _address(told) == GOAL]


def _address(told: Instruction) -> int:
    return int.from_bytes(told.params[:2], "little")


def _goals(told: Instruction) -> dict[int, int]:
    rest = told.params[4:]
    rows = (rest[at : at + 5] for at in range(0, len(rest), 5))
    return {row[0]: int.from_bytes(row[1:], "little", signed=True) for row in rows}


def test_stopped_arm_lowers_itself_slowly_until_it_lies_and_holds_there() -> None:
    with arm_with(ON_THE_SHOULDER) as far:
        far.arm.stop()
        began_s = far.clock.now_s()
        far.arm.close()
        assert [angle(far, servo) for servo in (2, 3)] == pytest.approx([SHOULDER_TO] * 2, abs=1e-6)
        assert 0.4 / RATE_RAD_S < far.clock.now_s() - began_s < 0.5 / RATE_RAD_S + 4.0
        assert all(servo.torque for servo in far.bus.servos)


def test_no_goal_goes_faster_than_is_set_and_nothing_but_goals_is_written() -> None:
    down = [(-0.012, float(PARK[2]) - 0.2)] * 2
    with arm_with({**ON_THE_SHOULDER, "elbow": down}) as far:
        far.arm.stop()
        far.forget()
        far.arm.close()
        told = goals(far)
        assert angle(far, 4) == pytest.approx(PARK[2] - 0.2, abs=1e-6)
        assert len(told) == len(far.writes()), "every write is one of goals, to all at once"
        assert all(sorted(row) == LEADS for row in told)
        most = RATE_RAD_S / TICK_RAD * 0.02 + 1
        for one, other in pairwise(told[1:]):
            assert max(abs(one[servo] - other[servo]) for servo in LEADS) <= most
        for servo in (1, 6, 7, 8, 9):
            assert {row[servo] for row in told[1:]} == {told[1][servo]}, (
                "no load on it, so it stays; fingers too"
            )


def test_goals_are_read_back_servo_by_servo_and_one_that_is_not_taken_ends_it() -> None:
    with arm_with(ON_THE_SHOULDER) as far:
        far.arm.stop()
        shadow, write, heard = far.servo(3), far.servo(3).write, []

        def deaf_after_a_while(address: int, data: bytes) -> int:
            heard.append(address)
            return 0 if address == GOAL and len(heard) > 20 else write(address, data)

        shadow.write = deaf_after_a_while  # type: ignore[method-assign]
        with pytest.raises(
            DeviceError, match=r"sinking, but the goal of servo 3 \(shoulder, shadow\) is \d+, not"
        ):
            far.arm.close()
        assert angle(far, 2) < PARK[1] + 0.2


def test_servo_that_falls_silent_on_the_way_ends_it_with_all_others_still() -> None:
    with arm_with(ON_THE_SHOULDER) as far:
        far.arm.stop()
        ended_s, tick = far.clock.now_s() + 1.0, far.bus.tick

        def fails(now_s: float) -> None:
            far.servo(6).silent = now_s > ended_s
            tick(now_s)

        far.bus.tick = fails  # type: ignore[method-assign]
        with pytest.raises(DeviceError, match=r"servo 6 \(forearm_roll\).* does not answer"):
            far.arm.close()
        assert angle(far, 2) < PARK[1] + 0.3
        last = goals(far)[-1]
        assert last[2] == pytest.approx(
            far.servo(2).count_of(far.motors[2].position_rad()), abs=0.03 / TICK_RAD + 2
        )


def test_pair_that_pulls_at_each_other_is_no_load() -> None:
    """A lead that stands past its goal since its shadow pulls there would walk on for ever."""
    with arm_with({"shoulder": [(0.015, 9.0), (-0.015, -9.0)]}) as far:
        far.arm.stop()
        far.arm.close()
        told = [row[2] for row in goals(far)[1:]]
        assert max(told) - min(told) <= 2


def test_arm_sinks_no_farther_than_its_joints_may() -> None:
    with arm_with({"shoulder": [(0.015, 9.0)] * 2}) as far:
        high = far.arm.limits.q_max_rad.copy()
        high[1] = PARK[1] + 0.1
        far.arm.limits = replace(far.arm.limits, q_max_rad=high)
        far.arm.stop()
        far.arm.close()
        assert PARK[1] + 0.1 < angle(far, 2) < PARK[1] + 0.1 + 0.03 + 2 * TICK_RAD


def test_sinking_ends_after_a_minute_whatever_pulls() -> None:
    with arm_with({"shoulder": [(0.015, 9.0)] * 2}, math.radians(0.5)) as far:
        far.arm.stop()
        began_s = far.clock.now_s()
        far.arm.close()
        assert 58.0 < far.clock.now_s() - began_s < 62.0
        assert PARK[1] + 0.4 < angle(far, 2) < PARK[1] + 0.6
        assert all(servo.torque for servo in far.bus.servos)


@pytest.mark.parametrize(("rate_rad_s", "stopped"), [(0.0, True), (RATE_RAD_S, False)])
def test_arm_that_is_set_to_hold_or_was_not_stopped_stays(rate_rad_s: float, stopped: bool) -> None:
    with arm_with(ON_THE_SHOULDER, rate_rad_s) as far:
        far.arm.command(PARK, np.zeros(6))
        if stopped:
            far.arm.stop()
        far.arm.close()
        assert angle(far, 2) < PARK[1] + 0.1, "told to stay where it is, it sags once"
        assert len(goals(far)) <= 3
