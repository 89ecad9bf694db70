from __future__ import annotations

from collections.abc import Sequence

import pytest

from planning.company import AGAIN_S, PATIENCE_S, Nobody
from planning.eyes import View
from planning.notes import Note
from planning.wary_eyes import WaryEyes
from robot.errors import DeviceError, StoppedError
from robot.fakes import Button
from robot.frames import Array
from support.toy import ToyTable, toy_table


class Passer(Nobody):
    """Reaches in for so many views."""

    def __init__(self, views: int) -> None:
        self._left = views

    def reaching_in(self, view: View, arm: Sequence[Array]) -> str | None:
        self._left -= 1
        return "a hand" if self._left >= 0 else None


def eyes_with(table: ToyTable, views: int, notes: list[Note]) -> WaryEyes:
    return WaryEyes(table.tower, Passer(views), table.hand, notes.append)


def test_view_with_nobody_in_it_is_taken_at_once() -> None:
    table, notes = toy_table(), list[Note]()
    assert eyes_with(table, 0, notes).look().t_s == 0
    assert notes == []


def test_view_with_somebody_in_it_is_never_handed_out() -> None:
    table, notes = toy_table(), list[Note]()
    view = eyes_with(table, 3, notes).look()
    assert view.t_s == pytest.approx(3 * AGAIN_S)
    assert [note.text for note in notes] == ["waits: a hand"]


def test_arm_stands_still_while_it_waits() -> None:
    table = toy_table()
    before = table.hand.q()
    eyes_with(table, 5, []).look()
    assert table.hand.q() == pytest.approx(before)


def test_somebody_who_does_not_leave_ends_in_a_fault() -> None:
    table = toy_table()
    with pytest.raises(DeviceError, match=r"waited 60 s and does not move .* a hand"):
        eyes_with(table, 10_000, []).look()
    assert table.tower.clock.now_s() == pytest.approx(PATIENCE_S, abs=AGAIN_S)


def test_stop_ends_the_waiting() -> None:
    table = toy_table(button=Button(after=3))
    with pytest.raises(StoppedError):
        eyes_with(table, 10_000, []).look()
