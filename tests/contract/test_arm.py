"""What every arm must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pytest

from hardware.servo_arm import ServoArm
from planning.blockset import load_blockset
from planning.tower import Tower
from robot.arm_models import VIPERX_300S, WIDOWX_250S
from robot.body import Body
from robot.clock import ManualClock
from robot.errors import DeviceError, LimitError
from robot.fakes import FakeForce, InstantArm
from robot.frames import Array
from robot.offsets import JointOffsets
from robot.ports import Arm, Clock
from robot.steered import SteeredArm
from sim.arm import REAL_ERRORS, SimArm
from sim.joints import ArmErrors
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.settings import Settings
from steadyhand.wired import over_the_wire
from support import bench
from support.servo_arms import emulated

Q0 = VIPERX_300S.park_rad
STEP_RAD = ServoArm.step_rad


@dataclass
class OnTable:
    """An arm at its parking posture, the time it lives in, and how hard its fingertip is pushed."""

    arm: Arm
    clock: Clock
    push: Callable[[float], None]
    slack_rad: float
    opening_max_m: float = 0.060

    def wait(self, seconds: float) -> None:
        self.clock.sleep_until(self.clock.now_s() + seconds)

    def q(self) -> Array:
        return self.arm.state().q_rad


@lru_cache
def body_of(model: str) -> Body:
    return wiring.body_of(Settings.of_arm(model))


def table_with(model: str, errors: ArmErrors) -> Simulation:
    settings, body = Settings.of_arm(model), body_of(model)
    plan = wiring.plan_of(settings, load_blockset("standard"), Tower.parse("111"), 3, looks=False)
    return Simulation(replace(plan, errors=errors), body.limits, Q0)


def simulated(errors: ArmErrors, slack_rad: float, model: str = VIPERX_300S.name) -> OnTable:
    table, limits, force_n = table_with(model, errors), body_of(model).limits, [0.0]
    force = FakeForce(lambda: force_n[0], table.world, noise_n=0.0, delay_s=0.0)
    arm = SimArm(table.world, limits, errors, 3, force)
    push = lambda n: force_n.__setitem__(0, n)  # noqa: E731
    return OnTable(arm, table.world, push, slack_rad, limits.opening_max_m)


def instant() -> OnTable:
    clock, force_n = ManualClock(), [0.0]
    force = FakeForce(lambda: force_n[0], clock, noise_n=0.0, delay_s=0.0)
    arm = InstantArm(bench.body().kinematics.joint_names, bench.body().limits, clock, Q0, force)
    return OnTable(arm, clock, lambda n: force_n.__setitem__(0, n), 1e-9)


def steered() -> OnTable:
    """One whose joints are off, in its true angles."""
    bare = instant()
    offsets = JointOffsets(bare.arm.joint_names)
    offsets.mean_rad = np.radians([0.5, -0.3, 0.2, 0.4, -0.2, 0.3])
    return replace(bare, arm=SteeredArm(bare.arm, offsets))


def servos(stack: ExitStack) -> OnTable:
    """The driver of smart servos, over an emulated bus whose motors are where they are told to be."""
    far = stack.enter_context(emulated(Q0))
    far.arm.energise()
    return OnTable(far.arm, far.attended, lambda n: far.force_n.__setitem__(0, n), STEP_RAD)


def servos_in_world(stack: ExitStack, model: str = VIPERX_300S.name) -> OnTable:
    """The same, over a pseudo-terminal, with the simulated arm's joints at the other end."""
    table, limits, force_n = table_with(model, ArmErrors()), body_of(model).limits, [0.0]
    force = FakeForce(lambda: force_n[0], table.world, noise_n=0.0, delay_s=0.0)
    devices = stack.enter_context(closing(over_the_wire(table, limits, 4.0, force)))
    push = lambda n: force_n.__setitem__(0, n)  # noqa: E731
    return OnTable(devices.arm, devices.clock, push, STEP_RAD, limits.opening_max_m)


ARMS: dict[str, Callable[[ExitStack], OnTable]] = {
    "simulated": lambda _: simulated(ArmErrors(), 5e-4),
    "simulated with a real arm's errors": lambda _: simulated(REAL_ERRORS, 2e-2),
    "simulated, of another model": lambda _: simulated(ArmErrors(), 5e-4, WIDOWX_250S.name),
    "instant": lambda _: instant(),
    "instant, steered": lambda _: steered(),
    "servos": servos,
    "servos in a world": servos_in_world,
    "servos of another model in a world": lambda stack: servos_in_world(stack, WIDOWX_250S.name),
}


@pytest.fixture(params=ARMS)
def on_table(request: pytest.FixtureRequest) -> Iterator[OnTable]:
    with ExitStack() as stack:
        yield ARMS[request.param](stack)


def nudged(q: Array, joint: int, by: float) -> Array:
    out = q.copy()
    out[joint] += by
    return out


def test_joints_are_named_and_counted(on_table: OnTable) -> None:
    state = on_table.arm.state()
    assert len(on_table.arm.joint_names) == len(state.q_rad) == len(state.dq_rad_s) == 6
    assert len(set(on_table.arm.joint_names)) == 6


def test_state_is_of_now_and_a_copy(on_table: OnTable) -> None:
    state = on_table.arm.state()
    assert state.t_s == pytest.approx(on_table.clock.now_s())
    state.q_rad[:] = 9.0
    assert on_table.q().max() < 9.0


@pytest.mark.parametrize("joint", range(6))
def test_command_is_reached(on_table: OnTable, joint: int) -> None:
    goal = nudged(Q0, joint, 0.1)
    on_table.arm.command(goal, np.zeros(6))
    on_table.wait(2.0)
    assert np.abs(on_table.q() - goal).max() <= on_table.slack_rad
    assert np.abs(on_table.arm.state().dq_rad_s).max() < 1e-2


def test_opening_is_reached(on_table: OnTable) -> None:
    for opening in (0.026, 0.0, on_table.opening_max_m):
        on_table.arm.command_opening(opening)
        on_table.wait(1.5)
        assert on_table.arm.state().opening_m == pytest.approx(opening, abs=1e-3)


@pytest.mark.parametrize(
    ("q", "dq", "what"),
    [
        (Q0 * np.nan, Q0 * 0, "angle nan"),
        (nudged(Q0, 0, 0.3), Q0 * 0, "joint waist: angle"),
        (nudged(Q0, 1, -1.0), Q0 * 0, "joint shoulder: angle"),
        (Q0, np.full(6, 99.0), "rate 99"),
        (Q0[:5], Q0 * 0, "for 6 joints"),
    ],
)
def test_refused_command_moves_nothing(on_table: OnTable, q: Array, dq: Array, what: str) -> None:
    on_table.wait(0.5)
    before = on_table.q()
    with pytest.raises(LimitError, match=what):
        on_table.arm.command(q, dq)
    on_table.wait(0.5)
    assert np.abs(on_table.q() - before).max() < 1e-3


def test_refused_opening_moves_nothing(on_table: OnTable) -> None:
    most_m = on_table.opening_max_m
    told = rf"gripper: opening {most_m * 1e3 + 10:.1f} mm refused, allowed 0 to {most_m * 1e3:.0f} mm"
    with pytest.raises(LimitError, match=told):
        on_table.arm.command_opening(most_m + 0.010)
    on_table.wait(0.3)
    assert on_table.arm.state().opening_m < 2e-3


def test_force_above_the_ceiling_stops_the_arm(on_table: OnTable) -> None:
    on_table.arm.command(nudged(Q0, 0, 0.05), np.zeros(6))
    on_table.wait(1.0)
    on_table.push(3.2)
    on_table.wait(0.05)
    before = on_table.q()
    with pytest.raises(DeviceError, match=r"fingertip: 3\.20 N, ceiling 3\.00 N; the arm was stopped"):
        on_table.arm.command(nudged(before, 0, 0.2), np.zeros(6))
    on_table.wait(1.0)
    assert np.abs(on_table.q() - before).max() <= max(1e-2, on_table.slack_rad)


def test_stop_in_motion_leaves_the_arm_where_it_is(on_table: OnTable) -> None:
    rate = np.zeros(6)
    rate[0] = 1.0
    for k in range(1, 30):
        on_table.arm.command(nudged(Q0, 0, k * 0.008), rate)
        on_table.wait(0.008)
    at = on_table.q()
    on_table.arm.stop()
    on_table.arm.stop()
    on_table.wait(1.0)
    first = on_table.q()
    assert abs(first[0] - at[0]) < 0.04, "it does not go on to where it was sent"
    assert np.abs(on_table.arm.state().dq_rad_s).max() < 1e-2
    on_table.wait(1.0)
    assert np.abs(on_table.q() - first).max() < 1e-3


def test_arm_goes_on_after_a_stop(on_table: OnTable) -> None:
    on_table.arm.stop()
    goal = nudged(Q0, 5, 0.1)
    on_table.arm.command(goal, np.zeros(6))
    on_table.wait(2.0)
    assert np.abs(on_table.q() - goal).max() <= on_table.slack_rad
