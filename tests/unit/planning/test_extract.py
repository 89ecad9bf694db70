from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planning import along, extract
from planning.extract import Drag
from planning.eyes import View
from planning.grasp import MissedError
from planning.habits import ExtractHabits, Habits
from planning.observation import BlockMotion, TowerObservation
from planning.poses import push_aim
from planning.probe import ProbeReport, Verdict
from planning.tower import Slot
from planning.watch import TowerFellError
from robot.errors import MotionError, PerceptionError
from robot.guarded import Ended, PushResult, Sample
from robot.hand import need
from robot.ports import Held
from robot.trajectory import Line
from support.toy import PARK, ToyTable, toy_table

S, NEAR = Slot(2, 2), Slot(3, 1)


def probed(table: ToyTable) -> ProbeReport:
    seen = table.tower.observe(table.tower.look())
    aim = push_aim(seen.blocks[S].T_world_block, 0.075, 1, 0.045)
    report = table.actors.prober.probe(S, 1, need(table.hand.line(aim, 0.0), "the push"), seen, 0.35)
    assert report.verdict is Verdict.LOOSE
    return report


def looks(table: ToyTable) -> list[float]:
    """How far [mm] the block was out at each look of an extraction."""
    report, seen = probed(table), []
    look = table.tower.look
    table.tower.look = lambda: (seen.append(abs(table.tower.along_m(S)) * 1e3), look())[1]  # type: ignore[method-assign]
    table.actors.extractor.push_out(report)
    return seen


def test_block_is_pushed_out_at_the_far_side_and_the_finger_leaves_it() -> None:
    table = toy_table()
    report = probed(table)
    assert table.actors.extractor.push_out(report) is None
    assert table.tower.along_m(S) == pytest.approx(-0.021, abs=4e-4)
    assert table.hand.q() == pytest.approx(report.line.q(0.0), abs=1e-6)
    assert table.actors.extractor.peak_n == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize(("push_out_mm", "at_mm"), [(21, [12, 19, 21]), (18, [12, 18]), (30, [12, 19, 30])])
def test_neighbours_are_looked_at_on_the_way_and_the_block_never_goes_back(
    push_out_mm: float, at_mm: list[float]
) -> None:
    habits = Habits(extract=ExtractHabits(push_out_m=push_out_mm * 1e-3))
    assert looks(toy_table(habits=habits)) == pytest.approx(at_mm, abs=0.5)


def test_neighbour_that_comes_along_ends_it() -> None:
    table = toy_table(drags={S: {NEAR: 0.08}})  # 0.5 mm after the probe, 0.96 after 12 mm
    drag = table.actors.extractor.push_out(probed(table))
    assert isinstance(drag, Drag)
    assert drag.reason == "3.1 came along by 0.9 mm"
    assert drag.out_m == pytest.approx(0.012, abs=1e-4)
    assert drag.others[NEAR] == pytest.approx(0.00094, abs=1e-4)
    assert S not in drag.others
    assert table.tower.along_m(S) == pytest.approx(-0.012, abs=4e-4)


def test_force_ends_it_where_it_rose() -> None:
    table = toy_table()
    report = probed(table)
    table.tower.friction_n = {S: 4.0}
    drag = table.actors.extractor.push_out(report)
    assert isinstance(drag, Drag)
    limit_n = 4 * report.peak_n
    assert drag.reason == f"force reached {limit_n:.2f} N"
    assert drag.out_m < 0.010
    assert limit_n <= table.actors.extractor.peak_n < 1.1 * limit_n


@pytest.mark.parametrize(("probed_n", "limit_n"), [(0.05, 0.4), (0.2, 0.8), (0.6, 1.2)])
def test_block_may_take_four_times_what_its_probe_took_within_bounds(probed_n: float, limit_n: float) -> None:
    table = toy_table()
    report = replace(probed(table), trace=(Sample(0.0, 0.06, probed_n),))
    table.actors.extractor.push_out(report)
    assert table.actors.extractor.limit_n == pytest.approx(limit_n)


def test_block_half_out_has_not_fallen_but_others_may() -> None:
    table = toy_table()
    report = probed(table)
    table.tower.fallen_slots = (Slot(4, 2),)
    with pytest.raises(TowerFellError) as fell:
        table.actors.extractor.push_out(report)
    assert fell.value.slots == (Slot(4, 2),)


def test_force_of_an_extraction_forgets_the_one_before() -> None:
    table = toy_table()
    report = probed(table)
    table.tower.friction_n = {S: 0.4}
    table.actors.extractor.push_out(report)
    first_n = table.actors.extractor.peak_n
    table.tower.out_m[S] = np.zeros(3)
    table.tower.friction_n = {S: 0.1}
    table.actors.extractor.push_out(probed(table))
    assert first_n > 0.35 > table.actors.extractor.peak_n


def test_end_that_cannot_be_reached_with_open_fingers_is_a_miss() -> None:
    table = toy_table()
    report = probed(table)
    table.actors.extractor.push_out(report)
    table.obstacles.what = lambda _q: "plinth"
    with pytest.raises(MissedError, match="cannot be reached with open fingers") as missed:
        table.actors.extractor.pull(report, report.before)
    assert missed.value.pulled_m == 0.0


def test_fingers_that_close_on_nothing_have_missed_and_open_again() -> None:
    table = toy_table()
    report = probed(table)
    table.actors.extractor.push_out(report)
    with pytest.raises(
        MissedError, match=r"pinch of 2\.2: the fingers closed to 0\.0 mm, the block is 15\.0 mm thick"
    ):
        table.actors.extractor.pull(report, report.before)
    assert table.arm.state().opening_m == 0.0
    tip_m = np.linalg.norm(table.hand.T_world_tool()[:3, 3] - table.tower.now(S)[:3, 3])
    assert tip_m > 0.075 / 2 + 0.04, "they are away from the block"


def pinching(table: ToyTable) -> ProbeReport:
    """A block that is pushed out, and fingers that get hold of it."""
    report = probed(table)
    table.actors.extractor.push_out(report)
    table.hand.pinch = lambda: 0.015  # type: ignore[method-assign]
    return report


def test_block_is_let_go_where_a_neighbour_is_seen_to_come_along_before_it_leaves() -> None:
    table = toy_table()
    report = pinching(table)
    table.tower.out_m[NEAR] = np.array([0.0, 0.0015, 0.0])
    with pytest.raises(MissedError, match=r"pull of 2\.2: 3\.1 came along by 1\.5 mm after 9 mm") as given_up:
        table.actors.extractor.pull(report, report.before)
    assert given_up.value.pulled_m == pytest.approx(0.0, abs=1e-4), (
        "pushed back in the grip to where it was pinched"
    )
    assert given_up.value.others[NEAR] == pytest.approx(0.0015)
    assert table.arm.state().opening_m == 0.0
    tip_m = np.linalg.norm(table.hand.T_world_tool()[:3, 3] - table.tower.now(S)[:3, 3])
    assert tip_m > 0.075 / 2 + 0.02, "the fingers are away from the block"


def test_pull_looks_every_nine_millimetres_before_the_block_leaves() -> None:
    table = toy_table()
    report, at_mm = pinching(table), []
    began_m = table.hand.T_world_tool()[:3, 3]
    look = table.tower.look

    def noted() -> object:
        at_mm.append(float(np.linalg.norm(table.hand.T_world_tool()[:3, 3] - began_m)) * 1e3)
        return look()

    table.tower.look = noted  # type: ignore[method-assign, assignment]
    with pytest.raises(
        PerceptionError, match="not seen between the fingers"
    ):  # the toy's blocks are not pulled
        table.actors.extractor.pull(report, report.before)
    before_leaving = at_mm[1:-1]
    assert len(before_leaving) == 4
    assert np.diff(before_leaving) == pytest.approx([9, 9, 9], abs=0.5)


def stands_aside(table: ToyTable) -> bool:
    return bool(abs(table.hand.q()[0]) > 0.25)


def test_what_seems_to_have_come_along_is_looked_at_again_with_the_arm_away() -> None:
    table = toy_table()
    clear = table.tower.look()
    report = pinching(table)
    held = Held(np.eye(4), report.seen.blocks[S].size_m)
    assert max(table.actors.extractor.drawn_along(report, held, clear).values()) < 1e-4
    assert not stands_aside(table), "nothing to look at again"
    table.tower.out_m[NEAR] = np.array([0.0, 0.0012, 0.0])
    befores, motions = [], table.actors.watcher.motions
    table.actors.watcher.motions = lambda before, *a, **k: (befores.append(before), motions(before, *a, **k))[
        1
    ]  # type: ignore[method-assign]
    assert table.actors.extractor.drawn_along(report, held, clear)[NEAR] == pytest.approx(0.0012)
    assert stands_aside(table)
    assert befores == [report.before, clear], "the second time beside a view that had no arm in front either"


def test_neighbour_that_is_not_found_again_is_looked_for_with_the_arm_away() -> None:
    table = toy_table()
    seen_clear = table.tower.look()
    report = pinching(table)
    held = Held(np.eye(4), report.seen.blocks[S].size_m)
    table.tower.out_m[NEAR] = np.array([0.0, 0.0012, 0.0])
    motions = table.actors.watcher.motions

    def hidden_by_the_arm(before: View, *a: Any, clear: bool = False, **k: Any) -> dict[Slot, BlockMotion]:
        found = motions(before, *a, clear=clear, **k)
        return found if clear else {slot: motion for slot, motion in found.items() if slot != NEAR}

    table.actors.watcher.motions = hidden_by_the_arm  # type: ignore[method-assign]
    assert table.actors.extractor.drawn_along(report, held, seen_clear)[NEAR] == pytest.approx(0.0012)
    assert stands_aside(table)


@pytest.mark.parametrize(("by_mm", "after_mm", "left_mm"), [(0.7, 9, 0), (0.45, None, None), (0.95, 9, 0)])
def test_less_may_come_along_while_the_block_can_still_be_let_go(
    by_mm: float, after_mm: int | None, left_mm: float | None
) -> None:
    table = toy_table()
    report = pinching(table)
    table.tower.out_m[NEAR] = np.array([0.0, by_mm * 1e-3, 0.0])
    with pytest.raises(MissedError if after_mm else PerceptionError) as ended:
        table.actors.extractor.pull(report, report.before)
    if after_mm and left_mm is not None:
        assert f"after {after_mm} mm" in str(ended.value)
        assert ended.value.pulled_m == pytest.approx(left_mm * 1e-3, abs=1e-4)  # type: ignore[attr-defined]


def hidden_by(table: ToyTable, parked: list[bool]) -> None:
    """Fingers near a block above hide it; `parked` hears of each look whether the arm was away."""
    motions = table.actors.watcher.motions

    def seen(before: View, *a: Any, clear: bool = False, **k: Any) -> dict[Slot, BlockMotion]:
        away = bool(np.allclose(table.hand.q(), PARK, atol=1e-6))
        parked.append(away)
        found = motions(before, *a, clear=clear, **k)
        return found if away else {slot: motion for slot, motion in found.items() if slot != NEAR}

    table.actors.watcher.motions = seen  # type: ignore[method-assign]


def test_pull_lets_go_and_looks_where_a_block_above_is_hidden_by_the_fingers() -> None:
    table, parked = toy_table(), []
    clear = table.tower.look()
    report = pinching(table)
    hidden_by(table, parked)
    table.tower.out_m[NEAR] = np.array([0.0, 0.0035, 0.0])
    with pytest.raises(MissedError, match=r"pull of 2\.2: 3\.1 came along by 3\.5 mm after 9 mm") as given_up:
        table.actors.extractor.pull(report, clear)
    assert given_up.value.pulled_m == pytest.approx(0.009, abs=1e-4)
    assert given_up.value.others[NEAR] == pytest.approx(0.0035)
    assert table.arm.state().opening_m == 0.0
    assert parked[-1]


@pytest.mark.parametrize(("by_mm", "given_up"), [(2.9, True), (0.3, False)])
def test_block_whose_grain_is_not_found_again_even_then_is_read_afresh(by_mm: float, given_up: bool) -> None:
    table = toy_table(plain={NEAR})
    clear = table.tower.look()
    report = pinching(table)
    table.tower.out_m[NEAR] = np.array([0.0, by_mm * 1e-3, 0.0])
    with pytest.raises(MissedError if given_up else PerceptionError) as ended:
        table.actors.extractor.pull(report, clear)
    if given_up:
        assert "3.1 came along by 2.9 mm after 9 mm" in str(ended.value)
        assert ended.value.others[NEAR] == pytest.approx(2.9e-3)  # type: ignore[attr-defined]


def test_block_whose_grain_seems_to_have_stayed_is_read_afresh_too() -> None:
    table, parked = toy_table(), []
    clear = table.tower.look()
    report = pinching(table)
    hidden_by(table, parked)
    table.tower.out_m[NEAR] = np.array([0.0, 0.0029, 0.0])
    motions = table.actors.watcher.motions

    def stayed(*a: Any, **k: Any) -> dict[Slot, BlockMotion]:
        return {slot: BlockMotion(np.zeros(3), 5e-5) for slot in motions(*a, **k)}

    table.actors.watcher.motions = stayed  # type: ignore[method-assign]
    with pytest.raises(MissedError, match=r"3\.1 came along by 2\.9 mm"):
        table.actors.extractor.pull(report, clear)


@pytest.mark.parametrize(("from_nothing_mm", "again_mm"), [(2.1, 2.1), (3.5, 0.1)])
def test_grain_that_stayed_is_believed_where_readings_err(from_nothing_mm: float, again_mm: float) -> None:
    """Games were conceded for a block that a reading had seen 1.3 to 2.7 mm off, and that had never moved."""
    table, parked = toy_table(), []
    clear = table.tower.look()
    report = pinching(table)
    hidden_by(table, parked)
    misread(table, from_nothing_mm, again_mm)
    with pytest.raises(PerceptionError):  # the toy has no more to show once the block is out
        table.actors.extractor.pull(report, clear)
    assert parked[-1] is False


def misread(table: ToyTable, from_nothing_mm: float, again_mm: float) -> None:
    """Readings err about the block above, the one from nothing in its own way."""
    observe = table.tower.observe

    def wrong(view: View, prior: TowerObservation | None = None) -> TowerObservation:
        seen = observe(view, prior)
        T = seen.blocks[NEAR].T_world_block.copy()
        T[0, 3] += (from_nothing_mm if prior is None else again_mm) * 1e-3
        return replace(seen, blocks=seen.blocks | {NEAR: replace(seen.blocks[NEAR], T_world_block=T)})

    table.tower.observe = wrong  # type: ignore[method-assign]


STEADY = (Slot(2, 1), Slot(2, 3), Slot(1, 1), Slot(1, 2), Slot(1, 3))


def lean(table: ToyTable, above_mm: float, others_mm: float) -> None:
    """All of the tower leans along the pull, the block above a little more than those beside and below."""
    table.tower.out_m |= {slot: np.array([0.0, others_mm * 1e-3, 0.0]) for slot in STEADY}
    table.tower.out_m[NEAR] = np.array([0.0, above_mm * 1e-3, 0.0])


@pytest.mark.parametrize(("others_mm", "ends"), [(0.4, PerceptionError), (0.0, MissedError)])
def test_tower_that_the_pull_left_leaning_is_not_taken_along(others_mm: float, ends: type[Exception]) -> None:
    table = toy_table()
    clear = table.tower.look()
    report = pinching(table)
    hidden_by(table, [])
    lean(table, 0.6, others_mm)
    with pytest.raises(ends):
        table.actors.extractor.pull(report, clear)


@pytest.mark.parametrize(("others_mm", "gives_up"), [(0.85, False), (0.0, True)])
def test_tower_that_leans_while_the_fingers_bear_the_block_is_not_taken_along(
    others_mm: float, gives_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        extract, "stands_out_m", lambda *_: 0.0
    )  # let go, it would tip from the first moment on
    table = toy_table()
    report = pinching(table)
    lean(table, 1.2, others_mm)
    with pytest.raises(MissedError if gives_up else PerceptionError):
        table.actors.extractor.pull(report, report.before)


def test_block_that_nobody_sees_even_then_counts_as_having_come_along() -> None:
    table = toy_table()
    clear = table.tower.look()
    report = pinching(table)
    table.tower.hidden = {NEAR}
    with pytest.raises(MissedError, match=r"3\.1 came along by 1\.0 mm"):
        table.actors.extractor.pull(report, clear)


def test_pull_goes_on_where_it_let_go_if_nothing_hidden_came_along() -> None:
    table, parked = toy_table(), []
    clear = table.tower.look()
    report = pinching(table)
    hidden_by(table, parked)
    pinches, advance = [], table.hand.pusher.advance
    table.hand.pinch = lambda: (pinches.append(table.hand.T_world_tool()[:3, 3]), 0.015)[1]  # type: ignore[method-assign]
    ends = []

    def noted(line: Line, from_m: float, to_m: float, *a: float) -> PushResult:
        result = advance(line, from_m, to_m, *a)
        ends.append(table.hand.T_world_tool()[:3, 3])
        return result

    table.hand.pusher.advance = noted  # type: ignore[method-assign]
    with pytest.raises(
        PerceptionError, match="not seen between the fingers"
    ):  # the toy's blocks are not pulled
        table.actors.extractor.pull(report, clear)
    assert parked.count(True) == 1, "one look is enough"
    assert len(pinches) == 2
    assert pinches[1] == pytest.approx(ends[0], abs=5e-4)
    assert np.linalg.norm(ends[-1] - pinches[0]) == pytest.approx(0.075 - 0.021 + 0.004, abs=1e-3)


def test_block_that_is_gone_after_the_look_is_missed_where_it_was_let_go() -> None:
    table, parked, thick = toy_table(), [], [0.015, 0.0]
    clear = table.tower.look()
    report = pinching(table)
    hidden_by(table, parked)
    table.hand.pinch = lambda: thick.pop(0)  # type: ignore[method-assign]
    with pytest.raises(MissedError, match="they missed it") as missed:
        table.actors.extractor.pull(report, clear)
    assert missed.value.pulled_m == pytest.approx(0.009, abs=1e-4)


def test_what_springs_back_as_the_fingers_give_way_has_not_come_along() -> None:
    table = toy_table()
    report, given = pinching(table), []
    give_way = table.hand.give_way

    def springs_back() -> None:
        given.append(table.tower.out_m.get(NEAR, np.zeros(3)))
        table.tower.out_m[NEAR] = np.zeros(3)
        give_way()

    table.hand.give_way = springs_back  # type: ignore[method-assign]
    table.tower.out_m[NEAR] = np.array([0.0, 0.0007, 0.0])
    with pytest.raises(
        PerceptionError, match="not seen between the fingers"
    ):  # the toy's blocks are not pulled
        table.actors.extractor.pull(report, report.before)
    assert given[0][1] == pytest.approx(0.0007)


def test_block_is_pushed_back_in_the_grip_however_far_it_was_pulled() -> None:
    table = toy_table()
    report = pinching(table)
    look, looks = table.tower.look, []

    def drags_late() -> object:
        looks.append(look())
        if len(looks) == 4:  # pinched, then after 9, 18 and 27 mm
            table.tower.out_m[NEAR] = np.array([0.0, 0.0015, 0.0])
        return look()

    table.tower.look = drags_late  # type: ignore[method-assign, assignment]
    with pytest.raises(MissedError, match="after 27 mm") as given_up:
        table.actors.extractor.pull(report, report.before)
    assert given_up.value.pulled_m == pytest.approx(0.0, abs=1e-4)
    assert table.arm.state().opening_m == 0.0


def test_block_that_sticks_far_out_on_its_way_back_stays_in_the_fingers() -> None:
    table = toy_table()
    report = pinching(table)
    table.tower.out_m[NEAR] = np.array([0.0, 0.0015, 0.0])
    advance, pulls = table.hand.pusher.advance, []

    def sticks(line: Line, from_m: float, to_m: float, speed_m_s: float, limit_n: float) -> PushResult:
        pulls.append(to_m)
        if len(pulls) == 1:  # far out before anyone looks
            return replace(advance(line, from_m, to_m, speed_m_s, limit_n), end_m=0.020)
        return PushResult(Ended.FORCE, 0.001, None, ())

    table.hand.pusher.advance = sticks  # type: ignore[method-assign]
    with pytest.raises(MotionError, match="Take the block from the fingers and resume"):
        table.actors.extractor.pull(report, report.before)
    assert table.arm.state().opening_m == pytest.approx(0.026), "not opened any farther"


def test_block_that_sticks_far_out_on_its_way_back_is_drawn_on_where_it_still_comes() -> None:
    table = toy_table()
    report = pinching(table)
    table.tower.out_m[NEAR] = np.array([0.0, 0.0015, 0.0])
    advance, limits_n = table.hand.pusher.advance, []

    def sticks_on_its_way_back(
        line: Line, from_m: float, to_m: float, speed_m_s: float, limit_n: float
    ) -> PushResult:
        limits_n.append(limit_n)
        if len(limits_n) == 1:  # far out before anyone looks
            return replace(advance(line, from_m, to_m, speed_m_s, limit_n), end_m=0.020)
        if len(limits_n) == 2:
            return PushResult(Ended.FORCE, 0.001, None, ())
        return advance(line, from_m, to_m, speed_m_s, limit_n)

    table.hand.pusher.advance = sticks_on_its_way_back  # type: ignore[method-assign]
    with pytest.raises(PerceptionError, match="not seen between the fingers"):  # out; the toy's block stays
        table.actors.extractor.pull(report, report.before)
    assert limits_n[1] == pytest.approx(0.3), "back it goes as gently as it came, not as hard as may be"
    assert limits_n[0] == pytest.approx(4 * report.peak_n), (
        "first no harder than its probe tells that it needs"
    )
    assert limits_n[2:] == [1.2] * len(limits_n[2:]), "once there is no way but out, as hard as may be"
    assert len(limits_n) > 2


@pytest.mark.parametrize(("safe_m", "raised"), [(0.030, MissedError), (0.005, MotionError)])
def test_block_that_sticks_on_its_way_back_is_let_go_only_where_the_layer_below_bears_it(
    monkeypatch: pytest.MonkeyPatch, safe_m: float, raised: type[MotionError]
) -> None:
    table = toy_table()
    report = pinching(table)
    table.tower.out_m[NEAR] = np.array([0.0, 0.0015, 0.0])
    monkeypatch.setattr(extract, "stands_out_m", lambda *_: safe_m)
    advance, pulls = table.hand.pusher.advance, []

    def sticks(line: Line, from_m: float, to_m: float, speed_m_s: float, limit_n: float) -> PushResult:
        pulls.append(to_m)
        if len(pulls) == 1:
            return advance(line, from_m, to_m, speed_m_s, limit_n)
        return PushResult(Ended.FORCE, 0.003, None, ())  # 6 mm short of where it was pinched

    table.hand.pusher.advance = sticks  # type: ignore[method-assign]
    with pytest.raises(MotionError) as ended:
        table.actors.extractor.pull(report, report.before)
    assert type(ended.value) is raised


def test_what_the_tower_gives_way_under_the_force_has_not_come_along(monkeypatch: pytest.MonkeyPatch) -> None:
    table = toy_table(drags={S: {NEAR: 0.08}})  # 0.96 mm after 12 mm, which else ends it
    monkeypatch.setattr(along, "sway_m", lambda layer, force_n: 0.01 * layer * abs(force_n))
    assert table.actors.extractor.push_out(probed(table)) is None
