"""The engine's front: immutable positions, judged events, and records folded line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planning.events import Brace, Clock, Collapse, Event, Extract, Move, Place, Release, Touch
from planning.game import Game
from planning.opening import Opening, write_opening
from planning.record import write_event
from planning.referee import fold, judge, positions
from planning.refusals import ImpossibleError, MalformedError, RefusalError
from planning.tower import Slot
from planning.violations import RULES, Violation, Violations
from robot.errors import BadInputError, SteadyhandError

A_TURN: list[Event] = [
    Touch(0, "Robot", "arm", Slot(5, 2)),
    Move(1, "Robot", "arm", Slot(5, 2), 4.5),
    Extract(2, "Robot", "arm", Slot(5, 2)),
    Place(5, "Robot", "arm", Slot(19, 1), "x"),
    Release(6, "Robot"),
    Clock(16),
]


@pytest.fixture
def start() -> Game:
    return Game.start(Opening.of(["Robot", "Ana"]))


def test_games_before_an_event_stay_as_they_were(start: Game) -> None:
    games = [start]
    for event in A_TURN:
        games.append(games[-1].apply(event))
    seen = [(game.state, game.player_in_turn, game.must_restore, game.must_place) for game in games]
    assert seen == [
        ("playing", "Robot", (), False),
        ("playing", "Robot", (), False),
        ("playing", "Robot", (Slot(5, 2),), False),
        ("playing", "Robot", (), True),
        ("playing", "Robot", (), False),
        ("settling", "Robot", (), False),
        ("playing", "Ana", (), False),
    ]


def test_two_games_may_grow_from_one(start: Game) -> None:
    braced = start.apply(Brace(1, "Robot", "table"))
    left, right = braced.apply(Brace(2, "Robot", "left")), braced.apply(Brace(3, "Robot", "right"))
    assert [violation.t_s for violation in left.violations] == [1, 2]
    assert [violation.t_s for violation in right.violations] == [1, 3]
    assert [violation.t_s for violation in braced.violations] == [1]


def test_event_is_judged_without_being_applied(start: Game) -> None:
    closed = Extract(2, "Robot", "arm", Slot(18, 2))
    (violation,) = start.violations_of(closed)
    assert (violation.player, violation.rule, violation.t_s) == ("Robot", "source-layer", 2)
    assert violation.event is closed
    assert start.violations == Violations()
    assert start.tower.has(Slot(18, 2))


def test_legal_events_are_possible_and_break_nothing(start: Game) -> None:
    assert start.is_legal(Extract(2, "Robot", "arm", Slot(17, 2)))
    assert not start.is_legal(Extract(2, "Robot", "arm", Slot(18, 2)))
    assert not start.is_legal(Extract(2, "Robot", "arm", Slot(19, 2)))
    assert not start.is_legal(Extract(2, "Zoe", "arm", Slot(17, 2)))


def test_equal_records_lead_to_equal_games(start: Game) -> None:
    one, two = start, start
    for event in A_TURN:
        assert one == two
        one = one.apply(event)
        assert one != two
        two = two.apply(event)
    assert one == two
    assert one != "a game"


def test_repr_tells_how_the_game_stands(start: Game) -> None:
    assert repr(start.apply(A_TURN[0])) == "<Game at 0 s: playing, turn of Robot, tower 111*18>"


def test_duties_of_a_fortnite_turn_are_told(played: Callable[..., Game]) -> None:
    spin = "1 spin Ana 2 b 3"
    assert played(edition="fortnite").must_spin
    game = played(spin, edition="fortnite")
    assert (game.must_spin, game.must_climb, game.blocks_to_stack) == (False, True, 2)
    assert game.spin is not None
    assert game.spin.material == "b"
    game = played(
        spin, "2 extract Ana right 5.2", "3 place Ana right 16.1 y", "4 climb Ana 3.1 +x", edition="fortnite"
    )
    assert (game.must_climb, game.blocks_to_stack) == (False, 1)
    assert played(spin, "2 skip Ana stack", edition="fortnite").blocks_to_stack == 0
    assert played(spin, "2 collapse", edition="fortnite").blocks_to_stack == 0


def test_debtor_of_a_prompt_is_told(played: Callable[..., Game]) -> None:
    options = {"prompts": {"5.2": "sing"}}
    events = ["1 extract Ana right 5.2", "2 place Ana right 19.1 x"]
    assert played(*events[:1], options=options).owes_prompt is None
    assert played(*events, options=options).owes_prompt == "Ana"
    assert played(*events, "3 prompt_done Ana", options=options).owes_prompt is None


def test_record_is_folded_from_lines_of_text_or_bytes(start: Game) -> None:
    lines = [write_opening(start.opening), *map(write_event, A_TURN)]
    assert fold(lines) == fold([line.encode() + b"\r" for line in lines])
    assert judge(lines)["turn_of"] == "Ana"
    assert [game.t_s for game in positions(lines)] == [0, 0, 1, 2, 5, 6, 16]


def test_verdict_has_the_keys_of_the_notation_in_their_order(start: Game) -> None:
    assert list(start.verdict()) == [
        *("state", "turn_of", "completed_turns", "tower", "legal", "must_restore", "must_place"),
        *("winner", "loser", "next_builder", "violations"),
    ]


def test_empty_record_is_refused_on_its_first_line() -> None:
    with pytest.raises(
        MalformedError, match="line 1: expected a record that begins with a line of type `game`"
    ):
        judge([])


@pytest.mark.parametrize("number", [1, 3, 7])
@pytest.mark.parametrize("bad", [b"", b"\r", b"nope", b"[]", b'{"a": NaN}', b'{"t": 1, "ty', b"\xff"])
def test_line_that_is_no_event_is_refused_with_its_number(start: Game, number: int, bad: bytes) -> None:
    lines = [write_opening(start.opening).encode(), *(write_event(event).encode() for event in A_TURN)]
    lines.insert(number - 1, bad)
    with pytest.raises(MalformedError, match=rf"^line {number}: expected "):
        judge(lines)


def test_impossible_and_malformed_are_two_kinds_of_one_family(start: Game) -> None:
    lines = [write_opening(start.opening), write_event(Release(1, "Robot"))]
    with pytest.raises(ImpossibleError) as refusal:
        judge(lines)
    assert not isinstance(refusal.value, MalformedError)
    assert refusal.value.line == 2
    for kind in (ImpossibleError, MalformedError):
        assert issubclass(kind, RefusalError)
        assert issubclass(kind, BadInputError)
        assert issubclass(kind, SteadyhandError)


def test_refusals_say_what_was_expected_found_and_advised() -> None:
    assert str(MalformedError("a slot", "7-2", "Write 7.2")) == 'expected a slot, got "7-2". Write 7.2'
    assert str(MalformedError("a slot", None, line=3)) == "line 3: expected a slot, got null"
    assert str(MalformedError("a slot")) == "expected a slot"
    assert str(MalformedError("a number", {1})) == "expected a number, got {1}"
    assert len(str(MalformedError("a slot", "7" * 1000))) < 120


def test_violations_are_a_sequence() -> None:
    first, second = (Violation(t, "Ana", "brace", Collapse(t)) for t in (1, 2))
    violations = Violations().plus([first]).plus([second])
    assert list(violations) == [first, second]
    assert (violations[0], violations[-1], len(violations)) == (first, second, 2)
    assert violations[1:] == (second,)
    assert violations != Violations([second, first])
    assert violations != [first, second]
    assert hash(violations) == hash(Violations([first, second]))
    assert eval(repr(Violations()), {"Violations": Violations}) == Violations()
    with pytest.raises(IndexError):
        violations[2]
    with pytest.raises(IndexError):
        Violations().plus([first])[1]


def test_rules_are_those_of_the_notation_in_its_order() -> None:
    text = """turn-order source-layer one-hand off-hand restore-first restore-hand no-testing retest put-back
        wrong-slot wrong-axis second-block relocate-top align-top brace turn-limit prompt-open material
        climb-count peg-in-block"""
    assert text.split() == list(RULES)


def test_long_record_of_breaches_shares_its_memory(start: Game) -> None:
    game: Any = start
    for k in range(2000):
        game = game.apply(Brace(k, "Robot", "table"))
    assert len(game.violations) == 2000
    assert len(start.violations) == 0
