"""Turns: who is in turn, how long a tower settles, when a turn ends, and what an event out of turn is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from planning.refusals import MalformedError

Judge = Callable[..., dict[str, Any]]
Breaches = Callable[..., list[str]]
Turn = Callable[..., list[str]]

THREE = ["Ana", "Ben", "Cem"]
FOUR = ["Ana", "Ben", "Cem", "Dora"]
VISIBLE = {"settling": "visible"}


@pytest.mark.parametrize(
    ("release", "then", "over"),
    [
        ("6", "15.999", False),
        ("6", "16", True),
        ("6", "15.9996", True),  # the same millisecond
        ("6", "15.9994", False),
        ("6.0004", "16", True),
        ("0.1", "10.1", True),
        ("0.7", "10.7", True),  # 0.7 + 10 is not 10.7 in binary
        ("1.001", "11.001", True),
        ("1.001", "11.0004", False),
    ],
)
def test_times_are_compared_to_the_millisecond(judged: Judge, release: str, then: str, over: bool) -> None:
    before = ["0 extract Ana right 5.2", "0 place Ana right 19.1 x", f"{release} release Ana"]
    assert judged(*before, f"{then} clock")["turn_of"] == ("Ben" if over else "Ana")


def test_settling_runs_from_the_release_not_from_the_placing(judged: Judge) -> None:
    events = ["0 extract Ana right 5.2", "5 place Ana right 19.1 x", "20 release Ana", "29.9 clock"]
    assert judged(*events)["state"] == "settling"


def test_settling_runs_from_the_first_release_after_the_placing(judged: Judge, turn: Turn) -> None:
    assert judged(*turn(0, "Ana", "5.2", "19.1"), "10 release Ana", "16 clock")["turn_of"] == "Ben"


def test_turn_is_over_before_the_event_of_that_very_time_is_read(judged: Judge, turn: Turn) -> None:
    verdict = judged(*turn(0, "Ana", "5.2", "19.1"), "16 collapse")
    assert (verdict["winner"], verdict["loser"], verdict["completed_turns"]) == ("Ana", "Ben", 1)


def test_settling_of_no_time_is_over_with_the_release(judged: Judge, turn: Turn) -> None:
    verdict = judged(*turn(0, "Ana", "5.2", "19.1"), options={"settle_s": 0})
    assert (verdict["state"], verdict["turn_of"], verdict["completed_turns"]) == ("playing", "Ben", 1)


def test_settling_may_last_a_fraction_of_a_second(judged: Judge, turn: Turn) -> None:
    events, options = turn(0, "Ana", "5.2", "19.1"), {"settle_s": 2.5}
    assert judged(*events, "8.499 clock", options=options)["state"] == "settling"
    assert judged(*events, "8.5 clock", options=options)["turn_of"] == "Ben"


ON_THE_TOWER = [
    "8 touch {} right 8.2",
    "8 move {} right 8.2 4",
    "8 extract {} right 8.2",
    "8 align {} right 19.1",
    "8 relocate {} right 19.1 19.3",
    "8 brace {} forearm",
    "8 hands {} 1",
]
OFF_THE_TOWER = ["8 hands {} 0", "8 prompt_done {}", "8 release {}"]


@pytest.mark.parametrize("event", ON_THE_TOWER)
def test_next_players_event_on_the_tower_ends_a_timed_settling(judged: Judge, turn: Turn, event: str) -> None:
    verdict = judged(*turn(0, "Ana", "5.2", "19.1"), event.format("Ben"), players=THREE)
    assert (verdict["turn_of"], verdict["completed_turns"]) == ("Ben", 1)
    assert not [v for v in verdict["violations"] if v["rule"] == "turn-order"]


@pytest.mark.parametrize("event", OFF_THE_TOWER)
def test_what_is_not_on_the_tower_ends_no_settling(judged: Judge, turn: Turn, event: str) -> None:
    verdict = judged(*turn(0, "Ana", "5.2", "19.1"), event.format("Ben"))
    assert (verdict["state"], verdict["turn_of"], verdict["violations"]) == ("settling", "Ana", [])


@pytest.mark.parametrize("event", ON_THE_TOWER)
def test_next_players_event_before_the_release_is_turn_order(
    broken: Breaches, turn: Turn, event: str
) -> None:
    placed = turn(0, "Ana", "5.2", "19.1")[:-1]
    assert broken(*placed, event.format("Ben")) == ["Ben turn-order @8"]


@pytest.mark.parametrize("event", [*ON_THE_TOWER, "8 place {} right 3.1 y", "8 restore {} right 8.2"])
def test_anyone_elses_event_is_turn_order_and_changes_nothing(played: Any, turn: Turn, event: str) -> None:
    before = played(*turn(0, "Ana", "5.2", "19.1"), "8 clock", players=THREE)
    after = played(*turn(0, "Ana", "5.2", "19.1"), event.format("Cem"), players=THREE)
    assert [(v.player, v.rule) for v in after.violations] == [("Cem", "turn-order")]
    assert {**after.verdict(), "violations": []} == before.verdict()


def test_no_other_rule_is_checked_for_an_event_out_of_turn(broken: Breaches) -> None:
    options = {"hands": "off-hand", "off_hands": {"Ana": "left", "Ben": "left"}, "turn_limit_s": 1}
    events = ["0 touch Ana left 5.2", "9 extract Ben right 18.1", "9 hands Ben 2", "9 brace Ben knee"]
    assert broken(*events, options=options) == ["Ben turn-order @9"] * 3


def test_hands_taken_off_by_somebody_else_are_no_breach(broken: Breaches) -> None:
    assert broken("1 hands Ben 0") == []


def test_fall_after_an_event_out_of_turn_is_laid_to_the_one_in_turn(judged: Judge, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "17 touch Ana right 8.2", "18 collapse"]
    assert judged(*events)["loser"] == "Ben"


def test_fall_after_a_bump_is_nobodys(judged: Judge) -> None:
    verdict = judged("1 bump Ben", "1.5 fall 5.2", "2 collapse")
    assert (verdict["state"], verdict["loser"], verdict["tower"]) == ("rebuild", None, "111*18")


def test_visible_settling_ends_with_settled_after_the_release_only(judged: Judge, turn: Turn) -> None:
    events = turn(0, "Ana", "5.2", "19.1")
    early = judged(*events[:-1], "5.5 settled", events[-1], "60 clock", options=VISIBLE)
    assert (early["state"], early["completed_turns"]) == ("settling", 0)
    verdict = judged(*events, "60 settled", "60 settled", options=VISIBLE)
    assert (verdict["state"], verdict["turn_of"], verdict["completed_turns"]) == ("playing", "Ben", 1)


def test_touch_before_the_tower_is_seen_to_settle_is_turn_order(judged: Judge, turn: Turn) -> None:
    verdict = judged(*turn(0, "Ana", "5.2", "19.1"), "60 extract Ben right 8.2", options=VISIBLE)
    assert (verdict["state"], verdict["turn_of"], verdict["must_place"]) == ("settling", "Ana", False)
    assert verdict["violations"] == [{"t": 60, "player": "Ben", "rule": "turn-order"}]


def test_settled_has_no_effect_where_settling_is_timed(judged: Judge, turn: Turn) -> None:
    assert judged(*turn(0, "Ana", "5.2", "19.1"), "7 settled")["state"] == "settling"


def test_turn_limit_is_kept_at_exactly_the_limit(broken: Breaches) -> None:
    events = ["0.1 touch Ana right 5.2", "1 extract Ana right 5.2", "2 place Ana right 19.1 x"]
    assert broken(*events, "30.1 release Ana", options={"turn_limit_s": 30}) == []
    assert broken(*events, "30.101 release Ana", options={"turn_limit_s": 30}) == ["Ana turn-limit @30.101"]


@pytest.mark.parametrize(
    "event",
    ["40 clock", "40 hands Ana 0", "40 drop Ana", "40 collapse", "40 bump cat", "40 stop", "40 shift 9.1"],
)
def test_turn_limit_is_recorded_at_the_first_event_later_than_it(broken: Breaches, event: str) -> None:
    events = ["0 touch Ana right 5.2", "1 extract Ana right 5.2", event, "41 clock"]
    assert broken(*events, options={"turn_limit_s": 30}) == ["Ana turn-limit @40"]


def test_turn_limit_runs_from_the_first_event_on_the_tower(broken: Breaches) -> None:
    options = {"turn_limit_s": 10}
    assert broken("0 clock", "50 touch Ana right 5.2", "60 clock", options=options) == []
    assert broken("0 hands Ana 1", "10.001 clock", options=options) == ["Ana turn-limit @10.001"]
    assert broken("0 touch Ben right 5.2", "20 clock", options=options) == ["Ben turn-order @0"]


def test_turn_limit_is_recorded_once_a_turn_and_anew_in_the_next(broken: Breaches, turn: Turn) -> None:
    options = {"turn_limit_s": 5}
    events = [*turn(0, "Ana", "5.2", "19.1"), *turn(20, "Ben", "7.2", "19.2"), "60 clock"]
    assert broken(*events, options=options) == ["Ana turn-limit @6", "Ben turn-limit @26"]


def test_touch_that_ends_a_settling_starts_the_next_players_limit(broken: Breaches, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "8 touch Ben right 7.2", "18 clock", "18.5 clock"]
    assert broken(*events, options={"turn_limit_s": 10}) == ["Ben turn-limit @18.5"]


def test_turn_limit_does_not_run_while_the_tower_settles(broken: Breaches, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "100 clock"]
    assert broken(*events, options={"turn_limit_s": 30, **VISIBLE}) == []


REVERSING = {"reverse_on_layer": True}


def test_direction_turns_after_the_turn_that_completed_the_layer(judged: Judge, turn: Turn) -> None:
    tower = "111*18/110"
    events = [*turn(0, "Ana", "5.2", "19.3"), "16 clock"]
    assert judged(*events, players=THREE, tower=tower, options=REVERSING)["turn_of"] == "Cem"
    onward = [*events, *turn(20, "Cem", "7.2", "20.1"), "36 clock"]
    assert judged(*onward, players=THREE, tower=tower, options=REVERSING)["turn_of"] == "Ben"


def test_next_player_during_that_settling_is_the_one_of_the_new_direction(judged: Judge, turn: Turn) -> None:
    events, tower = turn(0, "Ana", "5.2", "19.3"), "111*18/110"
    cem = judged(*events, "8 touch Cem right 7.2", players=THREE, tower=tower, options=REVERSING)
    assert (cem["turn_of"], cem["violations"]) == ("Cem", [])
    ben = judged(*events, "8 touch Ben right 7.2", players=THREE, tower=tower, options=REVERSING)
    assert (ben["turn_of"], ben["violations"][0]["rule"]) == ("Ana", "turn-order")


def test_direction_turns_back_after_the_next_whole_layer(judged: Judge, turn: Turn) -> None:
    slots = ["19.1", "19.2", "19.3", "20.1", "20.2", "20.3", "21.1"]
    players = ["Ana", "Ben", "Cem", "Ben", "Ana", "Cem", "Ana"]
    events: list[str] = []
    for k, (player, slot) in enumerate(zip(players, slots, strict=True)):
        events += turn(20 * k, player, f"{k + 1}.2", slot)
    verdict = judged(*events, "200 clock", players=THREE, options=REVERSING)
    assert (verdict["turn_of"], verdict["completed_turns"], verdict["violations"]) == ("Ben", 7, [])


def test_direction_of_a_relay_turns_too(judged: Judge, turn: Turn) -> None:
    teams = [["Ana", "Cem"], ["Ben", "Dora"]]
    events = [*turn(0, "Ana", "5.2", "19.3"), "16 clock"]
    verdict = judged(*events, players=FOUR, teams=teams, tower="111*18/110", options=REVERSING)
    assert verdict["turn_of"] == "Dora"


def test_block_put_back_completes_no_layer(judged: Judge, turn: Turn) -> None:
    events = ["0 extract Ana right 17.2", "1 place Ana right 17.2 x", "2 extract Ana right 17.2"]
    events += ["3 place Ana right 19.1 x", "4 release Ana", "14 clock"]
    assert judged(*events, players=THREE, options=REVERSING)["turn_of"] == "Ben"


def test_alone_the_next_own_event_on_the_tower_ends_the_settling(judged: Judge, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "8 extract Ana right 8.2"]
    verdict = judged(*events, players=["Ana"])
    assert (verdict["completed_turns"], verdict["must_place"], verdict["violations"]) == (1, True, [])


def test_alone_a_tower_that_must_be_seen_to_settle_is_left_alone(judged: Judge, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "8 touch Ana right 8.2"]
    verdict = judged(*events, players=["Ana"], options=VISIBLE)
    assert (verdict["state"], verdict["violations"][0]["rule"]) == ("settling", "turn-order")
    assert judged(*events, "9 settled", players=["Ana"], options=VISIBLE)["completed_turns"] == 1


def test_own_touch_while_settling_is_no_breach_and_ends_nothing(judged: Judge, turn: Turn) -> None:
    verdict = judged(*turn(0, "Ana", "5.2", "19.1"), "8 touch Ana right 5.2")
    assert (verdict["state"], verdict["turn_of"], verdict["violations"]) == ("settling", "Ana", [])


def test_block_taken_while_settling_must_be_placed_and_settled_anew(judged: Judge, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "8 extract Ana right 8.2", "30 clock"]
    verdict = judged(*events)
    assert (verdict["state"], verdict["turn_of"], verdict["must_place"]) == ("playing", "Ana", True)
    again = judged(*events, "31 place Ana right 19.2 x", "32 release Ana", "42 clock")
    assert (again["turn_of"], again["completed_turns"]) == ("Ben", 1)


def test_what_is_still_displaced_when_the_turn_ends_is_forgotten(judged: Judge, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "8 move Ana right 8.2 5", "8 shift 9.1", "16 clock"]
    verdict = judged(*events)
    assert (verdict["turn_of"], verdict["must_restore"]) == ("Ben", [])
    assert "8.2" in verdict["legal"]
    assert "9.1" in verdict["legal"]


def test_events_after_the_end_are_read_and_change_nothing(judged: Judge) -> None:
    events = ["1 touch Ana right 5.2", "2 collapse"]
    after = [
        "3 touch Ben right 99.1",
        "4 place Ben right 1.1 y",
        "5 concede Ben",
        "6 bump cat",
        "7 release Ana",
    ]
    assert judged(*events, *after) == judged(*events)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 clock", "`t` not before 2"),
        ("3 touch Zoe right 5.2", "`player` to be one of Ana, Ben"),
        ('{"t": 3, "type": "wiggle"}', "`type` to be"),
        ("3 touch Ana right 0.1", "a slot LAYER.POSITION"),
    ],
)
def test_events_after_the_end_are_still_refused_for_their_form(judged: Judge, line: str, reason: str) -> None:
    with pytest.raises(MalformedError, match=rf"line 3: expected .*{reason}"):
        judged("2 collapse", line)


def test_times_may_stand_still_but_not_run_backwards(judged: Judge) -> None:
    assert judged("5.0004 clock", "5.0001 clock")["state"] == "playing"  # the same millisecond
    with pytest.raises(MalformedError, match=r"line 3: expected `t` not before 5, got 4\.999"):
        judged("5 clock", "4.999 clock")


def test_unknown_owner_of_a_peg_is_refused(judged: Judge) -> None:
    with pytest.raises(MalformedError, match='line 2: expected `peg_of` to be one of Ana, Ben, got "Zoe"'):
        judged("1 peg_down Ana Zoe 1.1 +x", edition="fortnite")


def test_second_opening_is_refused(judged: Judge) -> None:
    with pytest.raises(MalformedError, match="line 2: expected `type` to be"):
        judged(json.dumps({"t": 1, "type": "game", "edition": "classic", "players": ["Ana"], "options": {}}))
