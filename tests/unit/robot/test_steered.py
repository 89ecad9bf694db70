from __future__ import annotations

import numpy as np
import pytest

from robot.clock import ManualClock
from robot.correction import doubt_m, learn
from robot.errors import LimitError
from robot.fakes import InstantArm
from robot.frames import pose, rotation_from_vector
from robot.limits import ArmLimits
from robot.offsets import JointOffsets
from robot.steered import SteeredArm
from support.toy import toy_table

ONE = np.ones(2)
FLAW = np.array([0.004, -0.003, 0.005, 0.004, 0.002, -0.006])
SEEN = np.diag([1e-5] * 3 + [1e-4] * 3) ** 2


def steered(offset_rad: float) -> tuple[SteeredArm, InstantArm]:
    offsets = JointOffsets(("a", "b"))
    offsets.mean_rad = offset_rad * ONE
    inner = InstantArm(("a", "b"), ArmLimits(-ONE, ONE, ONE, ONE, ONE, 0.06), ManualClock(), np.zeros(2))
    return SteeredArm(inner, offsets), inner


def test_true_angles_are_told_and_taken() -> None:
    arm, inner = steered(0.01)
    assert arm.state().q_rad == pytest.approx([0.01, 0.01])
    arm.command(np.array([0.2, 0.1]), np.zeros(2))
    assert inner.state().q_rad == pytest.approx([0.19, 0.09])
    assert arm.state().q_rad == pytest.approx([0.2, 0.1])


def test_limits_are_those_of_the_encoders() -> None:
    arm, inner = steered(-0.01)
    inner._q_rad[:] = 0.9
    arm.command(np.array([0.985, 0.9]), np.zeros(2))
    with pytest.raises(LimitError, match=r"joint a: angle 1\.0050 rad refused"):
        arm.command(np.array([0.995, 0.9]), np.zeros(2))


def test_opening_and_stop_reach_the_arm() -> None:
    arm, inner = steered(0.01)
    arm.command_opening(0.02)
    arm.stop()
    assert (inner.state().opening_m, inner.stops) == (0.02, 1)


def test_hand_that_has_learnt_says_where_its_tool_is_and_goes_where_it_is_sent() -> None:
    table = toy_table(flaw_rad=FLAW)
    hand = table.hand
    assert np.linalg.norm((hand.T_world_tool() - table.tower.tool())[:3, 3]) > 0.005
    learn(hand, table.tower.tool(), SEEN)
    assert np.allclose(hand.T_world_tool(), table.tower.tool(), atol=1e-4)
    goal = hand.q() + np.array([0.05, 0.02, -0.03, 0, 0, 0])
    hand.go(goal)
    assert table.tower.tool()[:3, 3] == pytest.approx(goal[:3], abs=2e-4)


def test_learning_moves_nothing_and_keeps_the_newest_command_for_what_it_is() -> None:
    table = toy_table(flaw_rad=FLAW)
    table.hand.go(table.hand.q() + 0.01)
    stands, sent = table.arm.state().q_rad, len(table.arm.sent)
    learn(table.hand, table.tower.tool(), SEEN)
    assert len(table.arm.sent) == sent
    assert table.hand.mover.sent_rad == pytest.approx(table.hand.q())
    table.hand.give_way()
    assert table.arm.state().q_rad == pytest.approx(stands)


def test_arm_that_is_taken_to_be_perfect_learns_nothing_and_has_no_doubt() -> None:
    hand = toy_table().hand
    before = hand.T_world_tool()
    assert doubt_m(hand) == 0.0
    learn(hand, pose(rotation_from_vector([0, 0, 0.01]), [0.1, 0.1, 0.1]), SEEN)
    assert np.array_equal(hand.T_world_tool(), before)
