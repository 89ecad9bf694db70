from __future__ import annotations

import numpy as np
import pytest

from planning import steering
from planning.grasp import Grasp, MissedError
from planning.habits import Habits
from planning.poses import APPROACH_M, end_point, push_aim
from planning.probe import Verdict
from planning.steering import LostFingerError, Steering
from planning.tower import Slot
from robot.frames import Array
from robot.hand import need
from robot.trajectory import Line
from support.toy import SIZE_M, ToyTable, toy_table

FLAW = np.array([0.004, -0.003, 0.005, 0.004, 0.002, -0.006])
S = Slot(2, 2)
STOP_M = APPROACH_M - 0.003


def line_to(table: ToyTable, slot: Slot = S) -> Line:
    line = need(table.hand.line(push_aim(table.tower.now(slot), float(SIZE_M[0]), 1, 0.010), 0.0), "push")
    table.hand.go(line.q(0.0))
    return line


def approach(table: ToyTable, slot: Slot = S) -> None:
    line = line_to(table, slot)
    Steering(table.hand, table.tower).approach(line, APPROACH_M, STOP_M, 0.12)


def aside_m(table: ToyTable, slot: Slot = S) -> float:
    T: Array = table.tower.now(slot)
    off = table.tower.tool()[:3, 3] - end_point(T, float(SIZE_M[0]), 1)
    return float(np.linalg.norm(off - (off @ T[:3, 0]) * T[:3, 0]))


def test_flawed_arm_that_is_not_steered_comes_aside_of_the_block_s_middle() -> None:
    table = toy_table(flaw_rad=FLAW)
    line = line_to(table)
    table.hand.along(line, 0.0, STOP_M, 0.12)
    assert aside_m(table) > 0.004


def test_steered_tip_comes_to_the_middle_of_the_block_s_end() -> None:
    table = toy_table(flaw_rad=FLAW)
    approach(table)
    assert aside_m(table) < 4e-4
    assert 1 < table.tower.tool_looks <= 4


def test_what_was_learnt_serves_the_next_block_which_takes_one_look() -> None:
    table = toy_table(flaw_rad=FLAW)
    approach(table)
    looks = table.tower.tool_looks
    approach(table, Slot(3, 1))
    assert table.tower.tool_looks == looks + 1
    assert aside_m(table, Slot(3, 1)) < 4e-4


def test_arm_without_offsets_to_learn_is_not_looked_at() -> None:
    table = toy_table()
    approach(table)
    assert table.tower.tool_looks == 0
    assert aside_m(table) < 1e-4


def test_finger_that_nobody_sees_goes_no_farther_than_where_it_was_looked_for() -> None:
    table = toy_table(flaw_rad=FLAW, tool_hidden=True)
    with pytest.raises(LostFingerError, match="steering: no fingers there; the finger has touched nothing"):
        approach(table)
    assert (end_point(table.tower.now(S), float(SIZE_M[0]), 1) - table.tower.tool()[:3, 3]) @ (
        table.tower.tool()[:3, 0]
    ) > 0.020


def test_finger_that_is_hidden_but_known_well_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        steering, "_MOST_BLIND_M", 0.002
    )  # the toy's joints are lengths, with play of a millimetre
    table = toy_table(flaw_rad=FLAW)
    approach(table)
    table.tower.tool_hidden = True
    approach(table, Slot(3, 1))
    assert aside_m(table, Slot(3, 1)) < 4e-4


def test_wrong_arm_is_refused_before_it_touches() -> None:
    table = toy_table(flaw_rad=np.array([0.0, 0.050, 0.0, 0.0, 0.0, 0.0]))
    with pytest.raises(
        LostFingerError, match=r"joint y: .*off by 2\.\d degrees, allowed 2: calibrate the joints"
    ):
        approach(table)


def test_tip_that_cannot_be_brought_onto_its_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = toy_table(flaw_rad=FLAW)
    line = line_to(table)
    steered = Steering(table.hand, table.tower)
    monkeypatch.setattr(table.hand, "go", lambda *_: None)
    monkeypatch.setattr(table.hand, "along", lambda *_: None)
    with pytest.raises(LostFingerError, match=r"after 4 looks the tip is still \d+\.\d mm off its line"):
        steered.approach(line, APPROACH_M, STOP_M, 0.12)


@pytest.mark.parametrize("act", ["probe", "restore"])
def test_flawed_arm_probes_and_puts_back_as_a_perfect_one_does(act: str) -> None:
    table = toy_table(flaw_rad=FLAW)
    line, seen = line_to(table), table.tower.stacked
    report = table.actors.prober.probe(S, 1, line, seen, 0.8)
    assert report.verdict is Verdict.LOOSE
    assert abs(table.tower.along_m(S) + 0.006) < 1e-3
    table.hand.along(report.line, report.at_m, 0.0, 0.12)
    if act == "restore":
        done = table.actors.restorer.restore(
            S, (report.before, report.before), seen, report.peak_n, report.limit_n, report.displaced_m
        )
        assert done.pushes >= 1
        assert np.linalg.norm(table.tower.out_m[S]) < 6e-4


def test_pinch_whose_fingers_nobody_sees_is_a_miss_and_the_block_is_not_called_dropped() -> None:
    table = toy_table(flaw_rad=FLAW, tool_hidden=True)
    grasp = Grasp(table.hand, table.actors.watcher, Habits())
    line = need(table.hand.line(push_aim(table.tower.now(S), float(SIZE_M[0]), 1, 0.015), 0.026), "pinch")
    with pytest.raises(MissedError, match="no fingers there"):
        grasp.approach(line)
