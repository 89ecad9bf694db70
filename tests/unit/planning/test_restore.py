from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planning import restore
from planning.eyes import View
from planning.habits import Habits, ProbeHabits
from planning.observation import BlockSeen
from planning.poses import APPROACH_M
from planning.restore import NotRestoredError, Restored, home_aim
from planning.shove import WayHome
from planning.tower import Slot
from planning.watch import TowerFellError
from robot.errors import MotionError, StoppedError
from robot.fakes import Button
from robot.frames import Array, apply, inverse
from support.toy import SIZE_M, ToyTable, toy_table

S = Slot(2, 2)


def displaced(table: ToyTable, along_mm: float = 0.0, across_mm: float = 0.0, slot: Slot = S) -> Array:
    """Put a block out of its place; how far (3,) in the world."""
    R = table.tower.stacked.blocks[slot].T_world_block[:3, :3]
    out = R @ np.array([along_mm, across_mm, 0.0]) * 1e-3
    table.tower.out_m[slot] = out
    return np.asarray(out)


def restored(table: ToyTable, slot: Slot = S, peak_n: float = 0.1, sprung_mm: float = 0.0) -> Restored:
    """Put back what is out of its place now, as seen before it was; it has sprung back so far already."""
    moment = table.tower.look()
    before = type(moment)(moment.t_s, {s: np.zeros(3) for s in moment.out_m}, moment.hidden)
    seen = table.tower.observe(before)
    along = seen.blocks[slot].T_world_block[:3, 0]
    known_m = table.tower.out_m[slot] + sprung_mm * 1e-3 * along
    return table.actors.restorer.restore(slot, (before, before), seen, peak_n, 0.35, known_m)


@pytest.mark.parametrize("along_mm", [6.0, -6.0, 2.0, -1.2])
def test_block_is_pushed_home_from_the_side_it_stands_out_at(along_mm: float) -> None:
    table = toy_table()
    displaced(table, along_mm)
    done = restored(table)
    assert abs(table.tower.along_m(S)) < 5e-4
    assert done.pushes == 1
    assert np.linalg.norm(done.left_m) < 5e-4
    assert done.peak_n == pytest.approx(0.1, abs=0.03)


def test_block_that_is_nearly_home_is_left_alone() -> None:
    table = toy_table()
    displaced(table, 0.4)
    done = restored(table)
    assert (done.pushes, done.limit_n, done.peak_n) == (0, 0.35, 0.0)
    assert table.arm.sent == []


@pytest.mark.parametrize(("out_mm", "pushes"), [(0.45, 1), (0.25, 0)])
def test_block_that_seems_to_have_sprung_back_nearly_home_is_pushed_to_be_sure(
    out_mm: float, pushes: int
) -> None:
    table = toy_table()
    displaced(table, out_mm)
    assert restored(table, sprung_mm=0.8).pushes == pushes
    assert abs(table.tower.along_m(S)) < 3e-4


@pytest.mark.parametrize("across_mm", [2.0, -2.0])
def test_block_that_was_dragged_sideways_is_pushed_by_the_outermost_of_its_layer(across_mm: float) -> None:
    table = toy_table(drags={Slot(2, 1): {S: 1.0}, Slot(2, 3): {S: 1.0}})
    out = displaced(table, 0.0, across_mm)
    for other in (Slot(2, 1), Slot(2, 3)):
        table.tower.out_m[other] = out.copy()
    done = restored(table)
    assert done.pushes == 1
    assert np.linalg.norm(table.tower.out_m[S]) < 5e-4


def test_tight_block_is_pushed_harder_from_the_third_push_on() -> None:
    table = toy_table(friction_n={S: 0.65})
    displaced(table, 4.0)
    done = restored(table, peak_n=0.2)  # 2.5 * 0.2 = 0.5 N do not move it, 0.75 N do
    assert done.pushes == 3
    assert done.limit_n == pytest.approx(0.75)
    assert done.peak_n == pytest.approx(0.65, abs=0.03)
    assert abs(table.tower.along_m(S)) < 5e-4


@pytest.mark.parametrize(("peak_n", "limit_n"), [(0.05, 0.5), (0.2, 0.5), (0.4, 1.0), (5.0, 1.5)])
def test_limit_of_the_first_push_is_what_moved_it_and_more_within_bounds(
    peak_n: float, limit_n: float
) -> None:
    table = toy_table()
    displaced(table, 4.0)
    assert restored(table, peak_n=peak_n).limit_n == pytest.approx(limit_n)


def test_block_that_does_not_move_is_given_up_after_all_tries() -> None:
    table = toy_table(sticky={S})
    displaced(table, 4.0)
    with pytest.raises(
        NotRestoredError, match=r"block 2\.2 is 4\.0 mm from its place after 5 pushes of up to 1\.5 N"
    ):
        restored(table, peak_n=0.2)


def test_number_of_tries_is_the_habits() -> None:
    table = toy_table(habits=Habits(probe=ProbeHabits(tries=1)), sticky={S})
    displaced(table, 4.0)
    with pytest.raises(NotRestoredError, match="after 1 pushes"):
        restored(table)


@pytest.mark.parametrize(("left_mm", "pushes"), [(0.6, 3), (0.9, 5)])
def test_block_within_a_millimetre_is_restored_though_the_habit_asks_for_less(
    left_mm: float, pushes: int
) -> None:
    table = toy_table(sticky={S})
    displaced(table, left_mm)
    done = restored(table)
    assert done.pushes == pushes, "a look may be wrong by tenths, so what is nearly a millimetre is pushed on"
    assert np.linalg.norm(done.left_m) == pytest.approx(left_mm * 1e-3)


def test_block_out_of_sight_is_looked_for_from_the_park_and_else_not_called_restored() -> None:
    table = toy_table()
    displaced(table, 4.0)
    moment = table.tower.look()
    before = type(moment)(moment.t_s, {s: np.zeros(3) for s in moment.out_m}, frozenset())
    seen = table.tower.observe(before)
    table.tower.hidden = {S}
    table.hand.go(table.hand.q() + 0.1)
    with pytest.raises(
        NotRestoredError, match=r"block 2\.2 cannot be seen, so nobody can say whether it is back"
    ):
        table.actors.restorer.restore(S, (before, before), seen, 0.1, 0.35, np.zeros(3))
    assert table.hand.q() == pytest.approx(table.hand.body.park_rad)


def test_block_far_out_is_put_back_though_it_has_left_its_place() -> None:
    """A block that was nearly drawn out is farther from its slot than a fallen one need be."""
    table = toy_table()
    displaced(table, 20.0)
    done = restored(table)
    assert done.pushes == 1
    assert abs(table.tower.along_m(S)) < 5e-4


def test_block_far_out_that_does_not_move_has_not_fallen() -> None:
    table = toy_table(sticky={S})
    displaced(table, 20.0)
    with pytest.raises(NotRestoredError, match=r"block 2\.2 is 20\.0 mm from its place"):
        restored(table)


def test_fall_of_another_block_meanwhile_is_a_fall() -> None:
    table = toy_table(fallen_slots=(Slot(4, 1), S))
    displaced(table, 4.0)
    with pytest.raises(TowerFellError) as fell:
        restored(table)
    assert fell.value.slots == (Slot(4, 1),)


def test_side_that_cannot_be_reached_is_told() -> None:
    table = toy_table()
    displaced(table, 4.0)
    table.obstacles.what = lambda q: "wall" if np.linalg.norm(q[:3]) < 0.25 else None
    with pytest.raises(MotionError, match=r"pushing 2\.2 back: out of reach"):
        restored(table)


def test_block_that_the_arm_reaches_from_near_only_is_pushed_from_near() -> None:
    table = toy_table()
    displaced(table, 4.0)
    block = table.tower.stacked.blocks[S].T_world_block

    def out_of_reach(q: Array) -> str | None:
        """The part of the block's own axis in which a long approach would begin."""
        along, *aside = apply(
            inverse(block), (table.hand.body.T_world_base @ table.hand.body.kinematics.forward(q))[:3, 3]
        )
        return "the end of reach" if 0.090 < abs(along) < 0.120 and np.linalg.norm(aside) < 0.004 else None

    table.obstacles.what = out_of_reach
    assert restored(table).pushes >= 1
    assert abs(table.tower.along_m(S)) < 1e-3


@pytest.mark.parametrize(("friction_n", "tries"), [(0.8, 1), (0.3, 3)])
def test_block_is_looked_for_where_the_push_ended_not_where_it_should_be(
    friction_n: float, tries: int
) -> None:
    """At home there may be edges that look like a block's, though it got stuck on the way."""
    habits = Habits(probe=ProbeHabits(tries=tries))
    table = toy_table(friction_n={S: friction_n}, plain={S}, habits=habits)
    displaced(table, 24.0)
    off_mm: list[float] = []
    locate = table.tower.locate

    def noted(view: View, T: Array, *more: Any) -> BlockSeen:
        off_mm.append(float(np.linalg.norm(T[:3, 3] - table.tower.now(S)[:3, 3])) * 1e3)
        return locate(view, T, *more)

    table.tower.locate = noted  # type: ignore[method-assign]
    with suppress(NotRestoredError):
        restored(table)
    assert len(off_mm) >= 2
    assert max(off_mm) < 1.0


def test_harder_pushes_are_for_blocks_that_stick_and_not_for_the_last_tenths() -> None:
    table = toy_table(sticky={S})
    displaced(table, 0.6)
    assert restored(table).limit_n == pytest.approx(0.75), "the third push, not the fifth"


def test_ways_go_round_the_block_where_it_stands_before_each_push() -> None:
    table = toy_table(friction_n={S: 0.8}, habits=Habits(probe=ProbeHabits(tries=3)))
    displaced(table, 24.0)
    told_mm, home = [], table.tower.stacked.blocks[S].T_world_block
    line = table.hand.line

    def noted(*aim: Any) -> Any:
        places = [apply(inverse(home), T[:3, 3]) for T, _ in table.obstacles.boxes]
        told_mm.append(min((p for p in places if abs(p[1]) < 1e-6 and abs(p[2]) < 1e-6), key=abs_x)[0] * 1e3)
        stands_mm.append(table.tower.along_m(S) * 1e3)
        return line(*aim)

    stands_mm: list[float] = []
    table.hand.line = noted  # type: ignore[method-assign]
    with suppress(NotRestoredError):
        restored(table)
    assert len(told_mm) == 3
    assert told_mm == pytest.approx(stands_mm, abs=0.5)


def abs_x(point: Array) -> float:
    return abs(float(point[0]))


def test_stop_while_restoring_leaves_the_arm_still() -> None:
    table = toy_table(button=Button(after=300))
    displaced(table, 4.0)
    with pytest.raises(StoppedError):
        restored(table)
    assert table.arm.stops >= 1


@pytest.mark.parametrize("slot", [Slot(2, 2), Slot(3, 1), Slot(1, 3)])
@pytest.mark.parametrize(("along_mm", "across_mm"), [(5, 1), (-5, 1), (0.2, 2), (0.2, -2)])
def test_aim_goes_home_through_where_the_block_stands(slot: Slot, along_mm: float, across_mm: float) -> None:
    table = toy_table()
    left = displaced(table, along_mm, across_mm, slot)
    aim, length = home_aim(slot, left, table.tower.stacked)
    assert length == pytest.approx(max(abs(along_mm), abs(across_mm)) * 1e-3)
    touch = aim.starts[0][:3, 3] + APPROACH_M * aim.direction
    block = table.tower.now(slot)
    assert aim.direction @ left < 0, "homewards"
    if abs(along_mm) > abs(across_mm):
        expected = [np.sign(along_mm) * SIZE_M[0] / 2, 0, 0]
        assert apply(inverse(block), touch) == pytest.approx(expected, abs=1e-9)
    else:
        row = [apply(inverse(block), table.tower.stacked.blocks[Slot(slot.layer, p)].T_world_block[:3, 3])[1]
               for p in (1, 2, 3)]  # fmt: skip
        farthest = max(row, key=lambda y: np.sign(across_mm) * y)
        own_face = apply(inverse(block), touch)[1]
        expected_face = farthest + np.sign(across_mm) * SIZE_M[1] / 2 + across_mm * 1e-3
        assert own_face == pytest.approx(expected_face, abs=1e-9)


def test_block_is_pushed_back_no_harder_than_its_layer_bears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restore, "hardest_n", lambda layer, _most_m: 0.3 * layer)
    table = toy_table(sticky={S})
    displaced(table, 4.0)
    with pytest.raises(NotRestoredError, match=r"after 5 pushes of up to 0\.6 N"):
        restored(table, peak_n=0.2)


@pytest.mark.parametrize(("peak_n", "limit_n"), [(0.05, 0.2), (0.12, 0.3)])
def test_first_push_is_gentle_where_the_tower_is_light(
    peak_n: float, limit_n: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block 30 mm out that caught on the one above turned the top of a tower by 19 degrees at 0.5 N."""
    monkeypatch.setattr(restore, "hardest_n", lambda _layer, most_m: 200.0 * most_m)
    table = toy_table()
    displaced(table, 6.0)
    assert restored(table, peak_n=peak_n).limit_n == pytest.approx(limit_n)


@pytest.mark.parametrize(("along_mm", "across_mm"), [(6.0, 0.0), (-6.0, 0.0), (0.0, 2.5)])
def test_push_that_fell_short_is_followed_by_one_that_goes_so_much_farther_and_no_harder(
    along_mm: float, across_mm: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finger that is seen 0.8 mm ahead of where it is left a block 0.8 mm out, five times in a row."""
    real = restore.shove

    def short(hand: Any, eyes: Any, way: WayHome, *more: Any) -> Any:
        return real(hand, eyes, replace(way, home_m=way.home_m - 0.0008), *more)

    monkeypatch.setattr(restore, "shove", short)
    table = toy_table(drags={Slot(2, 1): {S: 1.0}, Slot(2, 3): {S: 1.0}})
    out = displaced(table, along_mm, across_mm)
    if across_mm:
        for other in (Slot(2, 1), Slot(2, 3)):
            table.tower.out_m[other] = out.copy()
    done = restored(table)
    assert done.pushes == 2
    assert done.limit_n == pytest.approx(0.5)
    assert np.linalg.norm(table.tower.out_m[S]) < 3e-4


def test_push_after_one_that_slipped_past_its_place_goes_no_farther_than_home(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, pushes = restore.shove, []

    def slips(hand: Any, eyes: Any, way: WayHome, *more: Any) -> Any:
        pushes.append(way)
        past_m = 0.0008 if len(pushes) == 1 else 0.0
        return real(hand, eyes, replace(way, home_m=way.home_m + past_m), *more)

    monkeypatch.setattr(restore, "shove", slips)
    table = toy_table()
    displaced(table, 6.0)
    assert restored(table).pushes == 2
    assert np.linalg.norm(table.tower.out_m[S]) < 3e-4
