from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from planning.company import AGAIN_S, PATIENCE_S, Nobody, wait_until_alone
from planning.eyes import View
from planning.notes import Note, Phase
from planning.scribe import Scribe
from planning.states import State
from planning.turn import Turn
from robot.errors import DeviceError, PerceptionError, StoppedError
from robot.fakes import Button
from robot.frames import Array
from support.records import Paper
from support.script import Stage
from support.toy import ToyTable, toy_table


class Guests:
    """Somebody is there for so many looks; where the arm was at each is kept."""

    def __init__(self, table: ToyTable, looks: int, why: str = "a hand") -> None:
        self._table, self._left, self._why = table, looks, why
        self.arm_was: list[tuple[float, ...]] = []
        self.kept: list[View] = []
        self.cautions: list[str] = []
        self.moved = ""  # which camera

    def someone_there(self) -> str | None:
        self.arm_was.append(tuple(self._table.arm.state().q_rad))
        self._left -= 1
        return f"{self._why} ({self._left} left)" if self._left >= 0 else None

    def check_place(self, view: View) -> None:
        if self.moved:
            raise PerceptionError(f"camera {self.moved!r} was moved", reason="camera-moved")

    def keep(self, view: View, arm: Sequence[Array]) -> list[str]:
        self.kept.append(view)
        return self.cautions

    def reaching_in(self, view: View, arm: Sequence[Array]) -> str | None:
        return None


@pytest.fixture
def table() -> ToyTable:
    return toy_table()


def waited(table: ToyTable, guests: Guests) -> list[Note]:
    notes: list[Note] = []
    wait_until_alone(guests, table.hand.mover, notes.append)
    return notes


def turn_with(stage: Stage, guests: Guests, notes: list[Note]) -> Turn:
    scribe = Scribe(stage.paper, stage.table.tower.clock, "Robot", -stage.paper.game.t_s)
    return Turn(replace(stage.actors, company=guests), scribe, stage.player, notes.append, None)


def test_nobody_costs_no_time_and_says_nothing(table: ToyTable) -> None:
    assert waited(table, Guests(table, 0)) == []
    assert table.tower.clock.now_s() == 0
    assert Nobody().someone_there() is None


def test_somebody_is_waited_for_and_told_once(table: ToyTable) -> None:
    notes = waited(table, Guests(table, 5))
    assert [note.phase for note in notes] == [Phase.WAITING]
    assert notes[0].text == "waits: a hand (4 left)"
    assert table.tower.clock.now_s() == pytest.approx(5 * AGAIN_S)


def test_somebody_who_does_not_go_is_a_fault_after_a_minute(table: ToyTable) -> None:
    with pytest.raises(
        DeviceError, match=r"waited 60 s and does not move .* a hand .*Clear the table"
    ) as fault:
        waited(table, Guests(table, 10_000))
    assert "resume" in str(fault.value)
    assert table.tower.clock.now_s() == pytest.approx(PATIENCE_S, abs=1.0)


def test_a_stop_ends_the_waiting() -> None:
    button = Button()
    table = toy_table(button=button)
    button.press()
    with pytest.raises(StoppedError):
        waited(table, Guests(table, 3))


def test_the_arm_stays_where_it_is_until_the_last_of_them_has_gone() -> None:
    stage, notes = Stage(), list[Note]()
    stage.table.hand.go(stage.table.hand.q() + 0.2)
    guests = Guests(stage.table, 4)
    assert turn_with(stage, guests, notes).run() is State.DONE
    assert len(guests.arm_was) == 5
    assert len(set(guests.arm_was)) == 1, "not even to park"
    assert [note.phase for note in notes][:2] == [Phase.WAITING, Phase.TURN_START]
    assert len(guests.kept) == 1, "the view in which the tower was read"


def test_a_turn_that_never_gets_to_move_writes_nothing() -> None:
    stage = Stage(paper=Paper("111*4"))
    with pytest.raises(DeviceError, match="does not move"):
        turn_with(stage, Guests(stage.table, 10_000), []).run()
    assert stage.paper.kinds() == []


def test_camera_that_was_moved_is_the_reason_when_the_tower_is_not_read() -> None:
    stage = Stage(unreadable=True)
    guests = Guests(stage.table, 0)
    guests.moved = "left"
    with pytest.raises(PerceptionError, match="camera 'left' was moved"):
        turn_with(stage, guests, []).run()


def test_camera_that_was_moved_a_little_ends_the_turn_before_anything_is_touched() -> None:
    stage = Stage()
    guests, notes = Guests(stage.table, 0), list[Note]()
    guests.moved = "left"
    with pytest.raises(PerceptionError, match="camera 'left' was moved"):
        turn_with(stage, guests, notes).run()
    assert guests.kept == []
    assert Phase.PROBE_START not in [note.phase for note in notes]


def test_light_that_has_changed_is_told_and_the_turn_goes_on() -> None:
    stage = Stage()
    guests, notes = Guests(stage.table, 0), list[Note]()
    guests.cautions = ["camera 'left': brightness changed"]
    assert turn_with(stage, guests, notes).run() is State.DONE
    assert [note.text for note in notes if note.phase is Phase.WAITING] == guests.cautions
