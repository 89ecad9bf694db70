from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planning import probe
from planning.habits import Habits, ProbeHabits
from planning.observation import BlockMotion
from planning.poses import APPROACH_M, push_aim
from planning.probe import ProbeReport, Verdict, judge
from planning.tower import Slot
from planning.watch import TowerFellError
from robot.errors import StoppedError
from robot.fakes import Button
from robot.guarded import Ended, PushResult
from robot.hand import need
from support.toy import ToyTable, toy_table

S, NEAR, FAR = Slot(2, 2), Slot(3, 1), Slot(1, 1)
HABIT = ProbeHabits()


def ended(how: Ended) -> PushResult:
    return PushResult(how, 0.066, None, ())


def motion(mm: float) -> BlockMotion:
    return BlockMotion(np.array([0.0, -mm * 1e-3, 0.0]), 5e-5)


@pytest.mark.parametrize(
    ("how", "own_mm", "other_mm", "verdict"),
    [
        (Ended.TRAVEL, 6.0, 0.1, Verdict.LOOSE),
        (Ended.TRAVEL, 6.0, 0.51, Verdict.DRAGS),
        (Ended.TRAVEL, 6.0, 0.50, Verdict.LOOSE),
        (Ended.TRAVEL, 2.9, 0.1, Verdict.TIGHT),
        (Ended.TRAVEL, 3.0, 0.1, Verdict.LOOSE),
        (Ended.TRAVEL, None, 0.1, Verdict.UNSEEN),
        (Ended.FORCE, 6.0, 0.1, Verdict.TIGHT),
        (Ended.FORCE, None, 0.1, Verdict.TIGHT),
        (Ended.FORCE, 0.0, 0.9, Verdict.DRAGS),
        (Ended.TRAVEL, None, 0.9, Verdict.DRAGS),
    ],
)
def test_verdict_takes_force_displacement_and_neighbours_together(
    how: Ended, own_mm: float | None, other_mm: float, verdict: Verdict
) -> None:
    own = None if own_mm is None else motion(own_mm)
    assert judge(ended(how), own, {NEAR: other_mm * 1e-3, FAR: 0.0}, 0.003, 0.0005) is verdict


def test_nobody_to_watch_drags_nobody() -> None:
    assert judge(ended(Ended.TRAVEL), motion(6), {}, 0.003, 0.0005) is Verdict.LOOSE


def probed(table: ToyTable, slot: Slot = S, end: int = 1, limit_n: float = 0.35) -> ProbeReport:
    seen = table.tower.observe(table.tower.look())
    block = seen.blocks[slot]
    aim = push_aim(block.T_world_block, float(block.size_m[0]), end, 0.025)
    line = need(table.hand.line(aim, 0.0), "the push")
    return table.actors.prober.probe(slot, end, line, seen, limit_n)


@pytest.mark.parametrize(("aside_mm", "verdict"), [(0.7, Verdict.LOOSE), (1.2, Verdict.TURNS)])
def test_block_that_goes_aside_under_the_push_turns(aside_mm: float, verdict: Verdict) -> None:
    table = toy_table()
    across, motions = table.tower.now(S)[:3, 1], table.actors.watcher.motions

    def turned(*a: Any, **k: Any) -> dict[Slot, BlockMotion]:
        found = motions(*a, **k)
        return found | {S: replace(found[S], moved_m=found[S].moved_m + aside_mm * 1e-3 * across)}

    table.actors.watcher.motions = turned  # type: ignore[method-assign]
    assert probed(table).verdict is verdict


@pytest.mark.parametrize("end", [1, -1])
@pytest.mark.parametrize("slot", [Slot(2, 2), Slot(1, 3), Slot(3, 1)])
def test_loose_block_is_pushed_by_a_whole_probe(slot: Slot, end: int) -> None:
    table = toy_table()
    report = probed(table, slot, end)
    assert report.verdict is Verdict.LOOSE
    assert table.tower.along_m(slot) == pytest.approx(-end * 0.006, abs=4e-4)
    assert report.moved_m == pytest.approx(table.tower.along_m(slot), abs=1e-4)
    assert report.peak_n == pytest.approx(0.1, abs=0.03)
    assert report.at_m == pytest.approx(APPROACH_M + 0.006, abs=1e-4)
    assert (report.slot, report.end, report.limit_n) == (slot, end, 0.35)
    assert max(report.others.values()) == 0
    assert slot not in report.others


def test_tight_block_is_given_up_at_the_limit_and_moves_nothing() -> None:
    table = toy_table(friction_n={S: 5.0})
    report = probed(table)
    assert report.verdict is Verdict.TIGHT
    assert table.tower.along_m(S) == 0
    assert 0.35 <= report.peak_n <= 0.42
    assert report.at_m < APPROACH_M + 0.002, "it stopped at the first step"


def test_tip_that_gives_way_at_first_is_pushed_on_until_the_limit() -> None:
    table = toy_table(friction_n={S: 5.0})
    report = probed(table, limit_n=1.5)
    assert report.verdict is Verdict.TIGHT
    assert table.tower.along_m(S) == 0
    assert 1.5 <= report.peak_n <= 1.6
    assert APPROACH_M + 0.002 < report.at_m < APPROACH_M + 0.004


def test_finger_that_feels_nothing_stops_at_the_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "judge", lambda *_: Verdict.TIGHT)  # as where it has missed the block
    report = probed(toy_table(friction_n={S: 0.0}))
    assert report.at_m == pytest.approx(APPROACH_M + 0.002, abs=1e-4)


def test_block_that_takes_another_along_is_given_up_at_the_first_look() -> None:
    table = toy_table(drags={S: {NEAR: 0.5}})
    report = probed(table)
    assert report.verdict is Verdict.DRAGS
    assert abs(table.tower.along_m(S)) < 0.0025, "two millimetres, not six"
    worst = report.worst
    assert worst is not None
    assert worst[0] == NEAR
    assert worst[1] == pytest.approx(0.5 * abs(table.tower.along_m(S)), abs=1e-4)


def test_slow_drag_shows_at_the_second_look() -> None:
    table = toy_table(drags={S: {NEAR: 0.12}})
    report = probed(table)
    assert report.verdict is Verdict.DRAGS
    assert abs(table.tower.along_m(S)) > 0.005


def test_what_the_tower_gives_way_under_the_push_is_no_drag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "sway_m", lambda layer, force_n: 0.01 * layer * force_n)
    leaning = probed(
        toy_table(drags={S: {NEAR: 0.12}})
    )  # 0.7 mm under 0.1 N, of which 2 mm a newton are the lean
    assert leaning.verdict is Verdict.LOOSE
    assert leaning.others[NEAR] < 0.0005, "nor is it told as come along"
    assert probed(toy_table(drags={S: {NEAR: 0.9}})).verdict is Verdict.DRAGS


def test_block_out_of_sight_is_not_called_loose() -> None:
    table = toy_table(hidden={S})
    table.tower.hidden = set()
    seen = table.tower.observe(table.tower.look())
    table.tower.hidden = {S}
    line = need(table.hand.line(push_aim(seen.blocks[S].T_world_block, 0.075, 1, 0.025), 0.0), "the push")
    report = table.actors.prober.probe(S, 1, line, seen, 0.35)
    assert report.verdict is Verdict.UNSEEN
    assert report.moved_m == pytest.approx(table.tower.along_m(S), abs=3e-4), (
        "by the push, for it was not seen"
    )


def test_fall_during_a_probe_is_a_fall() -> None:
    table = toy_table(fallen_slots=(Slot(4, 1),))
    with pytest.raises(TowerFellError, match=r"blocks have fallen: 4\.1"):
        probed(table)


def test_stop_during_a_probe_leaves_the_arm_still() -> None:
    table = toy_table(button=Button(after=400))
    with pytest.raises(StoppedError):
        probed(table)
    assert table.arm.stops >= 1
    assert table.arm.state().dq_rad_s == pytest.approx(0)


def test_fingers_close_before_they_go_to_the_block() -> None:
    table = toy_table()
    table.arm.command_opening(0.05)
    probed(table)
    assert table.arm.state().opening_m == 0.0
    assert {opening for opening, _, room in table.obstacles.asked if room > 0} == {0.0}


def test_what_a_probe_showed_is_put_into_words() -> None:
    words = probed(toy_table(drags={S: {NEAR: 0.5}})).in_words()
    assert re.fullmatch(r"2\.2: drags its neighbours, 1\.8 mm at 0\.1\d N, 3\.1 moved 0\.89 mm", words)
    assert probed(toy_table()).in_words().startswith("2.2: loose, 5.8 mm at 0.1")


def test_depths_are_those_of_the_habits() -> None:
    habits = Habits(probe=ProbeHabits(first_look_m=0.001, full_m=0.010))
    table = toy_table(habits=habits)
    assert abs(probed(table).moved_m) == pytest.approx(0.010, abs=4e-4)
