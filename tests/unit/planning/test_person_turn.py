from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from planning.notes import Note, Phase
from planning.person_turn import PersonTurn
from planning.record import object_of
from planning.scribe import Scribe
from planning.states import State
from planning.tower import Slot
from robot.errors import PerceptionError, StoppedError
from support.guests import Act, Guest, loses, nothing, slides, takes
from support.records import Paper
from support.toy import toy_table

TEXT = "111*4"
MOVE = ("2.2 5.1", takes("2.2", "5.1"))


class Hosted:
    """A person's turn on the toy table."""

    def __init__(
        self,
        acts: Sequence[tuple[str, Act]],
        answers: Sequence[str] = (),
        paper: Paper | None = None,
        text: str = TEXT,
        **toy: Any,
    ) -> None:
        self.table = toy_table(text, **toy)
        self.paper = paper or Paper(text, players=("Guest", "Robot"))
        self.guest = Guest(self.table.tower, acts, answers)
        self.notes: list[Note] = []
        self.scribe = Scribe(self.paper, self.table.tower.clock, "Guest", -self.paper.game.t_s, "right")
        self.turn = PersonTurn(self.table.actors, self.scribe, self.guest, self.notes.append, None)

    def run(self) -> State:
        return self.turn.run()

    def written(self) -> list[dict[str, object]]:
        """Its rows, in whole seconds: to park takes the hand a few milliseconds."""
        rows = [dict(object_of(event)) for event in self.paper.events]
        return [row | {"t": round(event.t_s)} for row, event in zip(rows, self.paper.events, strict=True)]


def test_move_that_is_said_and_seen_is_written_without_a_question() -> None:
    hosted = Hosted([MOVE])
    assert hosted.run() is State.DONE
    by = {"player": "Guest", "hand": "right"}
    assert hosted.written() == [
        {"t": 0, "type": "extract", **by, "block": "2.2"},
        {"t": 5, "type": "place", **by, "slot": "5.1", "axis": "x"},
        {"t": 5, "type": "release", "player": "Guest"},
        {"t": 15, "type": "clock"},
    ]
    assert hosted.guest.asked == []
    assert hosted.guest.told[0] == "I see: Guest took 2.2 and laid it in 5.1"
    assert hosted.paper.game.completed_turns == 1


def test_move_that_is_only_seen_is_asked_about_and_settles_from_when_the_hand_left() -> None:
    hosted = Hosted([("", takes("3.1", "5.3"))], [""])
    assert hosted.run() is State.DONE
    assert hosted.guest.asked == [
        "I see: Guest took 3.1 and laid it in 5.3. Enter if so, or type what you did"
    ]
    assert [row["t"] for row in hosted.written()] == [0, 5, 5, 15], (
        "the second's answering is in the settling"
    )


def test_what_is_seen_counts_where_another_move_was_said_and_the_person_agrees() -> None:
    hosted = Hosted([("2.2 5.1", takes("2.2", "5.2"))], [""])
    assert hosted.run() is State.DONE
    assert str(hosted.paper.game.tower) == "111/101/111/111/010"


def test_pictures_are_not_overruled_by_a_word() -> None:
    hosted = Hosted([("2.2 5.1", takes("2.2", "5.2"))], ["2.3 5.1", "1.1 5.1", "concede"])
    with pytest.raises(StoppedError, match="the input has ended"):
        hosted.run()
    assert hosted.written() == []
    assert "show otherwise: 2.2 is gone, 5.2 is new" in hosted.guest.asked[1]
    assert len(hosted.guest.asked) == 3


def test_correction_that_fits_the_pictures_is_believed() -> None:
    hosted = Hosted([("2.1 5.1", takes("2.2", "5.1"))], ["2.2 5.1"])
    assert hosted.run() is State.DONE
    assert hosted.paper.kinds() == ["extract", "place", "release", "clock"]


def test_nothing_changed_is_said_and_the_person_goes_on() -> None:
    hosted = Hosted([("2.2 5.1", nothing), ("", nothing), MOVE])
    assert hosted.run() is State.DONE
    assert hosted.guest.told[:2] == ["I see no change", "I see no change"]


def test_broken_rule_is_told_and_the_game_goes_on() -> None:
    hosted = Hosted([("4.2 5.1", takes("4.2", "5.1"))])
    assert hosted.run() is State.DONE
    assert hosted.guest.broken == ["source-layer", "wrong-slot"]
    assert hosted.paper.game.completed_turns == 1


def test_move_against_the_rules_is_not_read_from_pictures_alone() -> None:
    hosted = Hosted([("", takes("4.2", "5.1"))], ["4.2 5.1"])
    assert hosted.run() is State.DONE
    assert "the rules do not allow that" in hosted.guest.asked[0]


def test_two_blocks_gone_are_asked_about_and_end_the_tower_where_one_fell() -> None:
    def takes_one_and_throws_one(tower: Any) -> None:
        takes("2.2", "5.1")(tower)
        loses("3.1")(tower)

    hosted = Hosted([("2.2 5.1", takes_one_and_throws_one)], [""])
    assert hosted.run() is State.FALLEN
    assert "3.1 fell" in hosted.guest.asked[0]
    assert hosted.paper.kinds() == ["extract", "place", "fall"]
    assert hosted.paper.game.outcome is not None


def test_many_blocks_gone_are_a_collapse_whatever_is_said() -> None:
    hosted = Hosted([("2.2 5.1", loses("4.1", "4.2", "4.3", "3.1", "2.2"))])
    assert hosted.run() is State.FALLEN
    assert hosted.paper.kinds() == ["collapse"]
    assert [note.phase for note in hosted.notes] == [Phase.COLLAPSE]
    assert hosted.guest.asked == []


def test_hidden_slot_is_asked_about_unless_the_word_tells_all_that_is_seen() -> None:
    asked = Hosted([("", takes("2.2", "5.1"))], ["2.2 5.1"])
    asked.table.tower.unknown = {Slot(3, 1)}
    assert asked.run() is State.DONE
    assert "3.1 cannot be seen" in asked.guest.asked[0]
    said = Hosted([MOVE])
    said.table.tower.unknown = {Slot(3, 1)}
    assert said.run() is State.DONE
    assert said.guest.asked == []


def test_word_about_a_hidden_slot_needs_a_second_one() -> None:
    hosted = Hosted([MOVE], [""])
    hosted.table.tower.unknown = {Slot(2, 2)}
    assert hosted.run() is State.DONE
    assert hosted.guest.asked == [
        "I see: Guest took 2.2 and laid it in 5.1. Enter if so, or type what you did"
    ]


def test_neighbour_left_displaced_is_written_before_the_block_is_laid() -> None:
    def drags(tower: Any) -> None:
        slides("3.2", 2.0)(tower)
        takes("2.2", "5.1")(tower)

    hosted = Hosted([("2.2 5.1", drags)])
    assert hosted.run() is State.DONE
    assert hosted.paper.kinds() == ["extract", "shift", "place", "release", "clock"]
    assert hosted.guest.broken == ["restore-first"]


def test_nobody_is_blamed_for_a_block_whose_grain_is_not_found_again() -> None:
    """Its edges alone may be read a millimetre or two off, under a block that was laid on it for one."""

    def drags(tower: Any) -> None:
        slides("4.2", 2.0)(tower)
        takes("2.2", "5.1")(tower)

    hosted = Hosted([("2.2 5.1", drags)], plain={Slot(4, 2)})
    assert hosted.run() is State.DONE
    assert hosted.guest.broken == []


def test_block_pushed_put_back_and_another_taken_is_written_as_it_happened() -> None:
    acts = [("push 3.2 4", slides("3.2", 4.0)), ("restore 3.2", slides("3.2", -4.0)), MOVE]
    hosted = Hosted(acts)
    assert hosted.run() is State.DONE
    assert hosted.paper.kinds() == ["move", "restore", "extract", "place", "release", "clock"]
    assert hosted.written()[0]["mm"] == pytest.approx(4.0)
    assert hosted.guest.broken == []


def test_block_that_stands_out_when_another_is_taken_breaks_a_rule() -> None:
    hosted = Hosted([("", slides("3.2", -3.0)), MOVE])
    assert hosted.run() is State.DONE
    assert hosted.written()[0]["mm"] == pytest.approx(-3.0)
    assert hosted.guest.broken == ["restore-first"]


def test_block_moved_by_less_than_a_millimetre_is_not_written() -> None:
    hosted = Hosted([("push 3.2 1", slides("3.2", 0.9)), MOVE])
    assert hosted.run() is State.DONE
    assert hosted.paper.kinds() == ["extract", "place", "release", "clock"]


def test_touch_is_written_because_nobody_can_see_it() -> None:
    hosted = Hosted([("touch 3.2", nothing), MOVE])
    assert hosted.run() is State.DONE
    assert hosted.written()[0] == {
        "t": 5,
        "type": "touch",
        "player": "Guest",
        "hand": "right",
        "block": "3.2",
    }


def test_conceding_ends_the_turn() -> None:
    hosted = Hosted([("concede", nothing)])
    assert hosted.run() is State.CONCEDED
    assert hosted.paper.kinds() == ["concede"]
    assert hosted.turn.why == "Guest concedes"


def lays(top: str) -> Act:
    def act(tower: Any) -> None:
        tower.gain(Slot.parse(top))

    return act


def test_block_that_was_lost_is_fetched_and_laid() -> None:
    hosted = Hosted([("2.2 5.1", loses("2.2")), ("5.2", lays("5.2"))])
    assert hosted.run() is State.DONE
    assert hosted.paper.kinds() == ["extract", "drop", "place", "release", "clock"]
    assert hosted.guest.asked == []


def test_lost_block_ends_the_game_where_the_rules_say_so() -> None:
    paper = Paper(TEXT, players=("Guest", "Robot"), dropped_block="loses")
    hosted = Hosted([("2.2 5.1", loses("2.2"))], paper=paper)
    assert hosted.run() is State.DROPPED
    assert hosted.paper.kinds() == ["extract", "drop"]


def test_turn_that_broke_off_with_a_block_out_goes_on_with_laying_it() -> None:
    first = Hosted([("2.2 5.1", loses("2.2"))])
    with pytest.raises(StoppedError):
        first.run()
    later = Hosted([("5.1", lays("5.1"))], paper=first.paper, text="111/101/111/111")
    assert later.run() is State.DONE
    assert later.paper.game.completed_turns == 1


def test_turn_without_an_end_stops_the_game() -> None:
    hosted = Hosted([("", nothing)] * 30)
    with pytest.raises(StoppedError, match="no end after 20 looks"):
        hosted.run()
    assert hosted.written() == []


def test_pictures_that_cannot_be_read_are_told_and_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Hosted([MOVE, ("", nothing)], [""])
    tower, looks = hosted.table.tower, [0]
    observe = tower.observe

    def blind_once(*args: Any) -> Any:
        looks[0] += 1
        if looks[0] == 2:
            raise PerceptionError("a hand is in front", "not-standing")
        return observe(*args)

    monkeypatch.setattr(tower, "observe", blind_once)
    assert hosted.run() is State.DONE
    assert "a hand is in front. Step back, then press Enter" in hosted.guest.told[0]


def test_tower_that_falls_while_it_settles_is_the_persons_fall() -> None:
    hosted = Hosted([MOVE])

    def topples(note: Note) -> None:
        if note.phase is Phase.SETTLING:
            hosted.table.tower.fallen_slots = tuple(Slot(k, 1) for k in (2, 3, 4, 5))

    hosted.turn = PersonTurn(hosted.table.actors, hosted.scribe, hosted.guest, topples, None)
    assert hosted.run() is State.FALLEN
    assert hosted.paper.kinds() == ["extract", "place", "release", "collapse"]
