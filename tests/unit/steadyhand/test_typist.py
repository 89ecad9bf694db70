from __future__ import annotations

import pytest

from planning.events import Extract
from planning.game import Game
from planning.opening import Opening
from planning.tower import Slot
from planning.words import Concedes, Lays, Moves, Pushes, Restores, Touches
from robot.clock import ManualClock
from robot.errors import StoppedError
from steadyhand.typist import TRIES, Typist


class Spoken:
    """Implements `Lines`."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def next(self) -> str | None:
        return self.lines.pop(0) if self.lines else None


class Robotic:
    """Implements `Hands`; remembers what it did, and takes 4 s for it."""

    def __init__(self, clock: ManualClock, *, holds: bool = False) -> None:
        self.done: list[object] = []
        self._clock, self._holds = clock, holds

    def take(self, slot: Slot, top: Slot, *, hard: bool) -> bool:
        return self._did(slot, top, hard) and (hard or not self._holds)

    def lay(self, top: Slot) -> None:
        self._did(top)

    def push(self, slot: Slot, by_m: float) -> None:
        self._did(slot, by_m)

    def restore(self, slot: Slot) -> None:
        self._did(slot)

    def _did(self, *what: object) -> bool:
        self.done.append(what)
        self._clock.sleep_until(self._clock.now_s() + 4.0)
        return True


class Desk:
    def __init__(self, *lines: str, hands: bool = True, holds: bool = False) -> None:
        self.said: list[str] = []
        self.clock = ManualClock(10.0)
        self.hands = Robotic(self.clock, holds=holds)
        self.typist = Typist(
            "Guest", Spoken(*lines), self.said.append, self.clock, self.hands if hands else None
        )


def game(text: str = "111*4/110") -> Game:
    return Game.start(Opening.of(["Guest", "Robot"], "classic", {}, tower=text))


def with_block_out() -> Game:
    return game().apply(Extract(0.0, "Guest", "right", Slot(2, 2)))


def test_typed_move_is_made_and_takes_its_time() -> None:
    desk = Desk("2.2 5.3")
    played = desk.typist.play(game())
    assert (played.word, played.began_s, played.ended_s) == (Moves(Slot(2, 2), Slot(5, 3)), 10.0, 14.0)
    assert desk.hands.done == [(Slot(2, 2), Slot(5, 3), False)]


def test_prompt_says_what_is_allowed() -> None:
    desk = Desk("concede")
    assert desk.typist.play(game()).word == Concedes()
    said = " ".join(desk.said)
    assert "May be taken: every block of layers 1 to 3. Free on top: 5.3." in said
    assert "`1.1 5.3` (takes 1.1, lays it in 5.3)" in said
    assert "The space bar on an empty line, or Ctrl-C, stops" in said


def test_second_prompt_is_short() -> None:
    desk = Desk("touch 1.1", "touch 1.2")
    desk.typist.play(game())
    desk.said.clear()
    assert desk.typist.play(game()).word == Touches(Slot(1, 2))
    assert desk.said[1] == "Type block and slot, such as `1.1 5.3`."


def test_block_that_holds_is_told_and_may_be_pulled_hard() -> None:
    desk = Desk("2.2 5.3", "2.2 5.3 hard", holds=True)
    desk.typist.play(game())
    assert desk.said[-1].startswith(
        "2.2 holds, or takes others along: take another one, or type `2.2 5.3 hard`"
    )
    desk.typist.play(game())
    assert desk.hands.done[-1] == (Slot(2, 2), Slot(5, 3), True)
    assert "holds" not in desk.said[-1]


@pytest.mark.parametrize(
    ("line", "done"),
    [("push 2.2 -3", (Slot(2, 2), -0.003)), ("restore 2.2", (Slot(2, 2),))],
)
def test_blocks_are_tested_and_put_back(line: str, done: tuple[object, ...]) -> None:
    desk = Desk(line)
    assert isinstance(desk.typist.play(game()).word, Pushes | Restores)
    assert desk.hands.done == [done]


def test_block_that_is_out_is_laid() -> None:
    desk = Desk("2.1 5.3", "5.3")
    assert desk.typist.play(with_block_out()).word == Lays(Slot(5, 3))
    assert desk.hands.done == [(Slot(5, 3),)]
    assert any("block 2.2 is out already: type the slot" in text for text in desk.said)


def test_empty_line_asks_the_robot_to_look() -> None:
    desk = Desk("")
    assert desk.typist.play(game()).word is None
    assert desk.hands.done == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("5.3 5.3", "5.3: no block stands there; the tower is 111*4/110"),
        ("9.9 5.3", "9.9: no block stands there"),
        ("2.2 5.1", "5.1: a block stands there. Free on top: 5.3"),
        ("2.2 7.1", "7.1: there is no such slot. Free on top: 5.3"),
        ("2.2 2.2", "2.2: the simulated hand lays blocks on top only"),
        ("5.3", "5.3: no block is out; type the block too"),
        ("touch 5.3", "5.3: no block stands there"),
        ("hello", "'hello' is not understood"),
    ],
)
def test_line_that_cannot_be_used_is_told_and_asked_again(line: str, message: str) -> None:
    desk = Desk(line, "concede")
    assert desk.typist.play(game()).word == Concedes()
    assert any(text.startswith(message) and text.endswith("4 more lines may go wrong") for text in desk.said)
    assert desk.hands.done == []


def test_move_against_the_rules_can_be_made() -> None:
    """The referee says so afterwards."""
    desk = Desk("4.2 5.3")
    assert desk.typist.play(game()).word == Moves(Slot(4, 2), Slot(5, 3))


def test_too_many_unusable_lines_stop_the_game() -> None:
    desk = Desk(*["hello"] * 9)
    with pytest.raises(StoppedError, match=f"{TRIES} lines in a row could not be used in Guest's turn"):
        desk.typist.play(game())


def test_end_of_input_stops_the_game() -> None:
    with pytest.raises(StoppedError, match="the input has ended in Guest's turn"):
        Desk("hello").typist.play(game())


def test_question_is_answered_with_enter_or_a_word() -> None:
    desk = Desk("", "2.2 5.3")
    assert desk.typist.answer("Is it so") is None
    assert desk.typist.answer("Is it so") == Moves(Slot(2, 2), Slot(5, 3))
    assert desk.said[0] == "Is it so."
    assert desk.hands.done == [], "an answer moves nothing"


def test_person_with_hands_of_their_own_says_what_they_did_or_nothing() -> None:
    desk = Desk("", "2.2 2.2", hands=False)
    assert desk.typist.play(game()).word is None
    assert "Play, take your hands away, and press Enter; or type" in desk.said[1]
    assert desk.typist.play(game()).word == Moves(Slot(2, 2), Slot(2, 2))
    assert desk.hands.done == []


def test_broken_rules_are_told_in_plain_words() -> None:
    desk = Desk()
    broken = game().apply(Extract(1.0, "Guest", "right", Slot(4, 2))).violations
    desk.typist.judge(broken)
    assert (
        "Guest broke `source-layer` by `extract` 4.2. A block comes from an open layer only." in desk.said[0]
    )
