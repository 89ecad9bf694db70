from __future__ import annotations

import numpy as np
import pytest

from planning.notes import Note
from robot.errors import StoppedError
from robot.fakes import Button
from robot.frames import inverse
from steadyhand.showing import BLOCKS, Show, show_finger
from support.toy import PARK, T_WORLD_TOWER, ToyTable, toy_table

FLAW = np.array([0.004, -0.003, 0.005, 0.004, 0.002, -0.006])


def show(table: ToyTable, count: int = 6, seed: int = 1) -> Show:
    notes: list[Note] = []
    return show_finger(table.actors, T_WORLD_TOWER, count, np.random.default_rng(seed), notes.append)


def test_each_posture_has_what_the_joints_said_beside_where_the_tip_truly_was() -> None:
    table = toy_table(flaw_rad=FLAW)
    shown = show(table)
    assert len(shown.postures) == 6
    forward = table.hand.body.kinematics.forward
    for posture in shown.postures:
        assert forward(posture.q_rad + FLAW)[:3, 3] == pytest.approx(posture.seen, abs=1e-9)


def test_postures_are_apart_and_none_is_at_the_tower() -> None:
    table = toy_table(flaw_rad=FLAW)
    tips = np.array([posture.seen for posture in show(table, 12).postures])
    away_m = np.linalg.norm((tips - T_WORLD_TOWER[:3, 3])[:, :2], axis=1)
    assert away_m.min() > 0.09
    assert np.ptp(tips, axis=0).min() > 0.15, "in every direction"


def test_hand_that_is_not_steered_shows_its_finger_too() -> None:
    table = toy_table()
    forward = table.hand.body.kinematics.forward
    for posture in show(table).postures:
        assert forward(posture.q_rad)[:3, 3] == pytest.approx(posture.seen, abs=1e-9)


def test_hidden_finger_is_counted_and_given_up_after_some_tries() -> None:
    table = toy_table(flaw_rad=FLAW, tool_hidden=True)
    shown = show(table, 3)
    assert (shown.postures, shown.unseen) == ([], 12)


def test_arm_is_parked_afterwards() -> None:
    table = toy_table(flaw_rad=FLAW)
    show(table, 2)
    assert table.hand.q() == pytest.approx(PARK, abs=1e-3)


def test_way_round_a_tower_that_is_not_read_is_that_round_a_full_one() -> None:
    table = toy_table(flaw_rad=FLAW)
    table.tower.unreadable = True
    show(table, 2)
    boxes = table.obstacles.boxes
    assert len(boxes) == BLOCKS
    p_tower = np.array([(inverse(T_WORLD_TOWER) @ T)[:3, 3] for T, _ in boxes])
    assert np.abs(p_tower[:, :2]).max() < 0.03
    assert p_tower[:, 2].max() == pytest.approx(17.5 * 0.015, abs=0.005)


def test_nothing_moves_after_a_stop() -> None:
    button = Button()
    table = toy_table(flaw_rad=FLAW, button=button)
    button.press()
    with pytest.raises(StoppedError):
        show(table)
    assert table.arm.state().q_rad == pytest.approx(PARK)
