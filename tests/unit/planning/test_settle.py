from __future__ import annotations

import numpy as np
import pytest

from planning.settle import settle
from planning.tower import Slot
from planning.watch import TowerFellError
from robot.errors import StoppedError
from robot.fakes import Button
from support.toy import ToyTable, toy_table


def settled(table: ToyTable, seconds: float, ticks: list[float] | None = None) -> tuple[Slot, float] | None:
    tower, said = table.tower, ticks if ticks is not None else []
    before, seen = tower.look(), tower.observe(tower.look())
    until_s = tower.clock.now_s() + seconds
    if table.tower.fallen_slots == ():
        tower.out_m[Slot(3, 1)] = np.array([0.0, 0.0, -0.0004])
        tower.out_m[Slot(3, 2)] = np.array([0.0, 0.0002, 0.0])
    return settle(table.hand.mover, table.actors.watcher, before, seen, until_s, said.append)


@pytest.mark.parametrize("seconds", [10.0, 5.0, 0.4, 10.001, 0.0])
def test_the_whole_time_is_waited_out(seconds: float) -> None:
    table = toy_table()
    began_s = table.tower.clock.now_s()
    settled(table, seconds)
    assert table.tower.clock.now_s() - began_s == pytest.approx(seconds, abs=1e-5)
    assert table.arm.sent == [], "the arm is at rest"


def test_what_moved_most_is_told_and_judged_by_net_motion() -> None:
    slot, moved_m = settled(toy_table(), 10.0) or (None, 0.0)
    assert slot == Slot(3, 1)
    assert moved_m == pytest.approx(0.0004)


def test_every_second_is_counted_down() -> None:
    ticks: list[float] = []
    settled(toy_table(), 3.5, ticks)
    assert ticks == pytest.approx([3.5, 2.5, 1.5, 0.5])


def test_nothing_to_compare_is_nothing_told() -> None:
    table = toy_table("111")
    table.tower.hidden = {Slot(1, 1), Slot(1, 2), Slot(1, 3)}
    before, seen = table.tower.look(), table.tower.stacked
    assert settle(table.hand.mover, table.actors.watcher, before, seen, 0.0, lambda _left: None) is None


def test_fall_meanwhile_is_a_fall() -> None:
    with pytest.raises(TowerFellError):
        settled(toy_table(fallen_slots=tuple(Slot(4, p) for p in (1, 2, 3))), 10.0)


def test_stop_ends_the_waiting() -> None:
    table = toy_table(button=Button(after=5))
    with pytest.raises(StoppedError):
        settled(table, 10.0)
    assert table.tower.clock.now_s() < 1.0
