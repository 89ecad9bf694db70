from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from robot.body import Body
from robot.clock import ManualClock
from robot.errors import DeviceError, MotionError, StoppedError
from robot.fakes import Button, FakeForce, Gantry, InstantArm, Obstacles
from robot.follow import Mover
from robot.frames import Array, pose, rot_y, rot_z, unit
from robot.guarded import Pusher
from robot.hand import Aim, Hand, need
from robot.limits import ArmLimits
from robot.ports import Held
from robot.trajectory import Line

T_WORLD_BASE = pose(rot_z(np.pi / 2), [0.1, 0.2, 0.0])  # the base's x is the world's y
DOWN = np.array([0.0, 0.0, -1.0])
PARK = np.array([0.0, 0.0, 0.5])


class ArmOnATable(InstantArm):
    """An arm whose tool does not go below a table's top, whatever it is sent."""

    table_m = -9.0

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        super()._send(q_rad, dq_rad_s)
        self._q_rad[2] = max(self._q_rad[2], self.table_m)


class SaggingArm(InstantArm):
    """An arm that sinks, and swings aside, the more the lower it is."""

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        lower_m = 0.3 - q_rad[2]
        super()._send(q_rad + np.array([0.02, 0.0, -0.02]) * lower_m, dq_rad_s)


class SteppingArm(InstantArm):
    """An arm whose joints go, and are measured, in steps; what strains it puts it off."""

    step_rad = 0.002

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        super()._send(np.round(q_rad / self.step_rad) * self.step_rad, dq_rad_s)


class Bench:
    def __init__(
        self, what: Callable[[Array], str | None] = lambda _q: None, button: Button | None = None
    ) -> None:
        self.clock = ManualClock()
        limits = ArmLimits(
            np.full(3, -1.0), np.ones(3), np.full(3, 0.5), np.full(3, 2.0), np.full(3, 20.0), 0.06
        )
        self.force = FakeForce(lambda: 0.0, self.clock)
        self.arm = ArmOnATable(("x", "y", "z"), limits, self.clock, np.array([0.0, 0.0, 0.3]), self.force)
        self.obstacles = Obstacles(what)
        mover = Mover(self.arm, self.clock, button or Button())
        pusher = Pusher(mover, Gantry(), self.force, 500.0, limits.dq_max_rad_s)
        body = Body(Gantry(), T_WORLD_BASE, limits, PARK)
        self.hand = Hand(mover, pusher, body, self.obstacles, seed=1)

    def aim(
        self, start_base: tuple[float, float, float], direction: Array = DOWN, length_m: float = 0.1
    ) -> Aim:
        return Aim([T_WORLD_BASE @ pose(None, start_base)], direction, length_m, free_m=0.08)

    def down(self, length_m: float = 0.1) -> Line:
        return need(self.hand.line(self.aim((0.0, 0.0, 0.3), DOWN, length_m), 0.0), "down")


def test_line_follows_the_aim_in_the_world() -> None:
    bench = Bench()
    line = bench.hand.line(bench.aim((0.1, 0.2, 0.3), np.array([0.0, 1.0, 0.0])), 0.0)
    assert line is not None
    assert line.q(0.0) == pytest.approx([0.1, 0.2, 0.3])
    assert line.q(0.1) == pytest.approx([0.2, 0.2, 0.3]), "the world's y is the base's x"
    assert np.allclose(bench.hand.T_at(line, 0.05)[:3, 3], (T_WORLD_BASE @ [0.15, 0.2, 0.3, 1])[:3])


def test_line_must_be_free_only_as_far_as_the_aim_asks() -> None:
    bench = Bench(lambda q: "tower" if q[2] < 0.215 else None)
    assert bench.hand.line(bench.aim((0, 0, 0.3)), 0.0) is not None
    assert Bench(lambda q: "tower" if q[2] < 0.225 else None).hand.line(bench.aim((0, 0, 0.3)), 0.0) is None


def test_what_stands_in_the_way_is_told() -> None:
    bench, why = Bench(lambda _q: "left_nose and block3"), []
    assert list(bench.hand.lines(bench.aim((0, 0, 0.3)), 0.0, why=why)) == []
    assert why == ["left_nose and block3"]


def test_any_of_the_starts_will_do() -> None:
    bench = Bench()
    aim = bench.aim((0, 0, 0.3))
    turned = aim.starts[0] @ pose(rot_y(0.5))  # the gantry cannot turn its tool
    assert bench.hand.line(Aim([turned], DOWN, 0.1, 0.08), 0.0) is None
    assert bench.hand.line(Aim([turned, aim.starts[0]], DOWN, 0.1, 0.08), 0.0) is not None


def test_continuing_beyond_the_reach_is_refused() -> None:
    bench = Bench()
    line = bench.down()
    assert bench.hand.continues(line, np.array([1.0, 0, 0]), 0.2)
    assert not bench.hand.continues(line, np.array([1.0, 0, 0]), 1.2)


def test_line_from_here_starts_where_the_tool_stands() -> None:
    bench = Bench()
    line = bench.hand.line_from_here(DOWN, 0.05)
    assert line.q(0.0) == pytest.approx([0, 0, 0.3])
    assert line.q(0.05) == pytest.approx([0, 0, 0.25])
    with pytest.raises(
        MotionError, match=r"5000 mm straight on: out of reach, or something stands in the way"
    ):
        bench.hand.line_from_here(DOWN, 5.0)


def stepping() -> Bench:
    bench = Bench()
    bench.hand.mover.arm = SteppingArm(
        ("x", "y", "z"), bench.arm.limits, bench.clock, np.array([0.0, 0.0, 0.3])
    )
    return bench


def test_line_from_here_starts_where_an_arm_of_coarse_steps_was_sent() -> None:
    bench = stepping()
    sent = np.array([0.0007, 0.0, 0.3005])
    bench.hand.mover.step(sent, np.zeros(3), 0.01)
    assert bench.hand.q() == pytest.approx([0.0, 0.0, 0.3])
    assert bench.hand.line_from_here(DOWN, 0.05).q(0.0) == pytest.approx(sent)
    bench.hand.mover.sent_rad = sent + np.array([0.0, 0.0, 0.01])
    assert bench.hand.line_from_here(DOWN, 0.05).q(0.0)[2] == pytest.approx(0.3), (
        "it is not where it was sent"
    )


def test_rounding_is_no_strain_to_give_way_to_but_more_is() -> None:
    bench = stepping()
    sent = np.array([0.0007, 0.0, 0.3])
    bench.hand.mover.step(sent, np.zeros(3), 0.01)
    bench.hand.give_way()
    assert bench.hand.mover.sent_rad == pytest.approx(sent)
    bench.hand.mover.sent_rad = sent + np.array([0.01, 0.0, 0.0])
    bench.hand.mover.arm.jammed = {0}  # type: ignore[attr-defined]
    bench.hand.give_way()
    assert bench.hand.mover.sent_rad[0] == pytest.approx(0.002, abs=2e-4), "to within a step"


def test_going_keeps_room_and_arrives() -> None:
    bench = Bench()
    bench.hand.go(np.array([0.3, -0.2, 0.4]))
    assert bench.hand.q() == pytest.approx([0.3, -0.2, 0.4])
    assert {(opening, held, room) for opening, held, room in bench.obstacles.asked} == {(0.0, None, 0.008)}


def test_going_is_refused_where_the_goal_touches() -> None:
    bench = Bench(lambda q: "plinth" if q[0] > 0.2 else None)
    with pytest.raises(MotionError, match="goal posture touches: plinth"):
        bench.hand.go(np.array([0.3, 0, 0.3]))
    assert bench.arm.sent == []


def test_park_hides_nothing_from_the_cameras() -> None:
    bench = Bench()
    bench.hand.park()
    assert bench.hand.q() == pytest.approx(PARK)


def test_held_block_is_carried_slowly_and_level() -> None:
    held = Held(np.eye(4), np.array([0.075, 0.025, 0.015]))
    bench, free = Bench(), Bench()
    bench.hand.go(np.array([0.5, 0, 0.3]), held)
    free.hand.go(np.array([0.5, 0, 0.3]))
    assert bench.clock.now_s() > 1.5 * free.clock.now_s()
    assert all(block is held for _, block, _ in bench.obstacles.asked)


def test_arm_close_to_something_leaves_it_with_less_room() -> None:
    bench = Bench()
    hit, rooms = bench.obstacles.hit, []

    def close(q: Array, opening_m: float, held: Held | None, room_m: float = 0.0) -> str | None:
        rooms.append(room_m)
        return "block1 and upper_arm_link" if room_m > 0.0 else hit(q, opening_m, held, room_m)

    bench.obstacles.hit = close  # type: ignore[method-assign]
    bench.hand.go(np.array([0.3, 0.0, 0.3]))
    assert bench.hand.q()[0] == pytest.approx(0.3)
    assert rooms[0] > 0.0
    assert set(rooms[1:]) == {0.0}


def test_held_block_is_not_carried_where_it_would_tilt() -> None:
    class Tilting(Gantry):
        def forward(self, q_rad: Array) -> Array:
            return pose(rot_y(1.0 if q_rad[0] > 0.2 else 0.0), q_rad)

    bench = Bench()
    tilting = Body(Tilting(), T_WORLD_BASE, bench.arm.limits, PARK)
    hand = Hand(bench.hand.mover, bench.hand.pusher, tilting, bench.obstacles, seed=1)
    with pytest.raises(MotionError, match="the held block tilted too far"):
        hand.go(np.array([0.3, 0, 0.3]), Held(np.eye(4), np.ones(3)))
    hand.go(np.array([0.3, 0, 0.3]))


def test_along_goes_both_ways_and_sees_each_step() -> None:
    bench, steps = Bench(), []
    line = bench.down()
    bench.hand.along(line, 0.0, 0.08, 0.1, lambda: steps.append(bench.hand.q()[2]))
    assert bench.hand.q() == pytest.approx([0, 0, 0.22])
    assert len(steps) > 50
    bench.hand.along(line, 0.08, 0.0, 0.1)
    assert bench.hand.q() == pytest.approx([0, 0, 0.3])
    sent = len(bench.arm.sent)
    bench.hand.along(line, 0.0, 0.0, 0.1)
    assert len(bench.arm.sent) == sent, "nowhere to go is no motion"


@pytest.mark.parametrize("table_m", [0.23, 0.25, 0.2705])
def test_lowering_finds_where_something_bears(table_m: float) -> None:
    bench = Bench()
    bench.arm.table_m = table_m
    at = bench.hand.lower(bench.down(), 0.0, 0.1, 0.03, lag_m=0.0005)
    assert 0.3 - at == pytest.approx(table_m, abs=0.0008)
    assert bench.arm.sent[-1][1] == pytest.approx(0), "it holds there"
    assert bench.arm.sent[-1][0][2] == pytest.approx(0.3 - at)


def test_sag_and_swinging_aside_bear_nothing() -> None:
    bench = Bench()
    bench.hand.mover.arm = SaggingArm(
        ("x", "y", "z"), bench.arm.limits, bench.clock, np.array([0.0, 0.0, 0.3])
    )
    assert bench.hand.lower(bench.down(), 0.0, 0.1, 0.03, lag_m=0.0005) == pytest.approx(0.1)


def test_lowering_where_nothing_bears_ends_at_its_end() -> None:
    bench = Bench()
    assert bench.hand.lower(bench.down(), 0.0, 0.1, 0.03, lag_m=0.0005) == pytest.approx(0.1)
    assert bench.hand.q() == pytest.approx([0, 0, 0.2])


def test_lag_that_was_there_from_the_first_is_no_bearing() -> None:
    class Sagging(ArmOnATable):
        def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
            super()._send(q_rad, dq_rad_s)
            self._q_rad[2] -= 0.002

    bench = Bench()
    bench.arm.__class__ = Sagging
    assert bench.hand.lower(bench.down(), 0.0, 0.1, 0.03, lag_m=0.0005) == pytest.approx(0.1)


def test_stop_while_lowering_leaves_the_arm_still() -> None:
    bench = Bench(button=Button(after=30))
    with pytest.raises(StoppedError):
        bench.hand.lower(bench.down(), 0.0, 0.1, 0.03, lag_m=0.0005)
    assert bench.arm.stops >= 1
    assert len(bench.arm.sent) == 30


def test_fault_while_lowering_leaves_the_arm_still() -> None:
    bench = Bench()
    line = bench.down()
    bench.force.broken = True
    with pytest.raises(DeviceError, match="no answer"):
        bench.hand.lower(line, 0.0, 0.1, 0.03, lag_m=0.0005)
    assert bench.arm.stops == 1


def test_grip_tells_the_opening_that_was_reached() -> None:
    assert Bench().hand.grip(0.015) == pytest.approx(0.015)


def test_line_is_shortened_to_what_the_arm_reaches_but_not_below_the_least() -> None:
    bench = Bench()
    longest = max(mm for mm in range(20, 1500, 5) if reaches(bench, mm * 1e-3))
    line = bench.hand.line_from_here(DOWN, (longest + 10) * 1e-3, least_m=0.02)
    assert longest - 5 < line.length_m * 1e3 <= longest + 5, "within a step of the longest"
    with pytest.raises(MotionError, match=f"{longest + 10} mm straight on"):
        bench.hand.line_from_here(DOWN, (longest + 15) * 1e-3, least_m=(longest + 10) * 1e-3)


def reaches(bench: Bench, length_m: float) -> bool:
    try:
        bench.hand.line_from_here(DOWN, length_m)
    except MotionError:
        return False
    return True


def test_unit_vector_keeps_the_direction() -> None:
    assert unit(np.array([3.0, 0.0, -4.0])) == pytest.approx([0.6, 0.0, -0.8])


def test_pinched_end_is_weighed_down_by_a_hair() -> None:
    bench = Bench()
    before = bench.hand.T_world_tool()[2, 3]
    bench.hand.pinch()
    assert bench.hand.T_world_tool()[2, 3] == pytest.approx(before - 1e-4, abs=2e-5)
