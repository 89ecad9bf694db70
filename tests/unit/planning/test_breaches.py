"""Which event breaks which rule, and in which order breaches of one event are listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Judge = Callable[..., dict[str, Any]]
Breaches = Callable[..., list[str]]
Turn = Callable[..., list[str]]

SAME, ONCE, NO_TESTING = {"restore_hand": "same"}, {"retest": "once"}, {"testing": "none"}
OFF_HAND = {"hands": "off-hand", "off_hands": {"Ana": "left", "Ben": "arm"}}


def test_testing_in_a_closed_layer_is_not_recorded(broken: Breaches) -> None:
    assert broken("1 touch Ana right 18.2", "2 move Ana right 18.2 4", "3 restore Ana right 18.2") == []


@pytest.mark.parametrize(
    ("tower", "options", "block", "closed"),
    [
        ("111*18", {}, "17.1", False),
        ("111*18", {}, "18.1", True),
        ("111*18/100", {}, "18.1", True),
        ("111*18/100", {}, "19.1", True),
        ("111*19", {}, "18.1", False),
        ("111*16/101/111", {}, "17.1", False),
        ("111*16/111/101", {}, "17.1", True),
        ("111*18", {"source_layers": "below-top-two"}, "16.1", False),
        ("111*18", {"source_layers": "below-top-two"}, "17.1", True),
        ("111*18/100", {"source_layers": "below-top-two"}, "17.1", False),
        ("111*16/101/110", {"source_layers": "below-top-two"}, "15.1", False),
        ("111*16/101/110", {"source_layers": "below-top-two"}, "16.1", True),
        ("101*3", {}, "1.1", True),
    ],
)
def test_blocks_come_from_open_layers_only(
    broken: Breaches, judged: Judge, tower: str, options: dict[str, Any], block: str, closed: bool
) -> None:
    line = {"tower": tower, "options": options}
    assert broken(f"1 extract Ana right {block}", **line) == ["Ana source-layer @1"] * closed
    assert (block in judged(**line)["legal"]) is not closed


def test_drop_of_a_half_extracted_block_breaks_source_layer(broken: Breaches) -> None:
    assert broken("1 move Ana right 18.2 40", "2 drop Ana") == ["Ana source-layer @2"]
    assert broken("1 move Ana right 17.2 40", "2 drop Ana") == []


def test_one_hand_is_recorded_each_time_the_count_rises_to_two(broken: Breaches) -> None:
    events = [
        "1 hands Ana 2",
        "2 hands Ana 3",
        "3 hands Ana 1",
        "4 hands Ana 2",
        "5 hands Ana 0",
        "6 hands Ana 2",
    ]
    assert broken(*events) == [f"Ana one-hand @{t}" for t in (1, 4, 6)]


def test_hands_that_left_with_the_release_are_counted_anew(broken: Breaches, turn: Turn) -> None:
    events = [
        "0 hands Ana 2",
        *turn(0, "Ana", "5.2", "19.1"),
        "7 hands Ana 2",
        "16 hands Ben 1",
        "17 hands Ben 2",
    ]
    assert broken(*events) == ["Ana one-hand @0", "Ana one-hand @7", "Ben one-hand @17"]


def test_change_from_hand_to_hand_between_events_is_no_breach(broken: Breaches) -> None:
    assert broken("1 touch Ana left 5.2", "1 touch Ana right 5.3", "2 move Ana left 5.2 3") == []


def test_two_hands_may_be_allowed(broken: Breaches) -> None:
    assert broken("1 hands Ana 2", options={"hands": "two"}) == []


@pytest.mark.parametrize(
    "event",
    [
        "1 touch Ana right 5.2",
        "1 move Ana right 5.2 3",
        "1 extract Ana right 5.2",
        "1 touch Ana arm 5.2",
    ],
)
def test_off_hand_is_broken_by_any_event_of_another_hand(broken: Breaches, event: str) -> None:
    assert broken(event, options=OFF_HAND) == ["Ana off-hand @1"]
    assert broken(event.replace(" right", " left").replace(" arm", " left"), options=OFF_HAND) == []


def test_off_hand_is_broken_by_aligning_and_relocating_too(broken: Breaches) -> None:
    events = ["1 align Ana right 19.1", "2 relocate Ana right 19.1 19.2"]
    expected = ["Ana off-hand @1", "Ana off-hand @2", "Ana relocate-top @2"]
    assert broken(*events, tower="111*18/100", options={**OFF_HAND, "align_top": True}) == expected


def test_off_hand_includes_the_one_hand_rule(broken: Breaches) -> None:
    assert broken("1 hands Ana 2", options=OFF_HAND) == ["Ana one-hand @1"]


@pytest.mark.parametrize(
    "event", ["2 touch Ana right 8.1", "2 move Ana right 8.1 4", "2 extract Ana right 8.1"]
)
@pytest.mark.parametrize("displaced", ["1 move Ana right 5.2 4", "1 shift 5.2"])
def test_restore_first_is_broken_by_turning_to_another_block(
    broken: Breaches, displaced: str, event: str
) -> None:
    assert broken(displaced, event) == ["Ana restore-first @2"]


def test_restore_first_is_not_broken_by_a_block_that_is_displaced_itself(broken: Breaches) -> None:
    events = ["1 move Ana right 9.1 20", "2 shift 9.2", "3 touch Ana right 9.2", "4 move Ana right 9.1 22"]
    assert broken(*events, "5 extract Ana right 9.2") == []


def test_restore_never_breaks_restore_first(broken: Breaches) -> None:
    events = [
        "1 move Ana right 9.1 20",
        "2 shift 9.2 9.3",
        "3 restore Ana right 9.3",
        "4 restore Ana right 9.2",
    ]
    assert broken(*events, "5 restore Ana right 9.1") == []


def test_placing_while_shifted_neighbours_remain_breaks_restore_first(broken: Breaches) -> None:
    events = ["1 move Ana right 9.1 20", "2 extract Ana right 9.1", "3 shift 9.2"]
    assert broken(*events, "4 place Ana right 19.1 x") == ["Ana restore-first @4"]
    assert broken(*events, "4 restore Ana right 9.2", "5 place Ana right 19.1 x") == []


def test_placing_while_a_moved_block_remains_breaks_nothing_more(broken: Breaches) -> None:
    events = ["1 move Ana right 9.1 20", "2 extract Ana right 8.1", "3 place Ana right 19.1 x"]
    assert broken(*events) == ["Ana restore-first @2"]


def test_block_that_was_shifted_and_then_moved_counts_as_both(judged: Judge, broken: Breaches) -> None:
    events = ["1 shift 9.2", "2 move Ana right 9.2 5"]
    assert judged(*events)["legal"] == []
    placing = ["0 extract Ana right 5.2", *events, "3 place Ana right 19.1 x"]
    assert broken(*placing) == ["Ana restore-first @3"]
    assert broken(*events, "3 restore Ana right 9.2", options=NO_TESTING) == ["Ana no-testing @3"]


def test_restoring_with_another_hand_is_a_breach_where_the_same_is_asked(broken: Breaches) -> None:
    events = ["1 move Ana left 5.2 4", "2 move Ana right 5.2 6"]
    assert broken(*events, "3 restore Ana right 5.2", options=SAME) == []
    assert broken(*events, "3 restore Ana left 5.2", options=SAME) == ["Ana restore-hand @3"]


@pytest.mark.parametrize(("hand", "expected"), [("left", []), ("right", ["Ana restore-hand @4"])])
def test_shifted_block_is_restored_with_the_hand_of_the_event_before_the_shift(
    broken: Breaches, hand: str, expected: list[str]
) -> None:
    events = ["1 touch Ana right 5.2", "2 touch Ana left 5.2", "3 shift 5.3", f"4 restore Ana {hand} 5.3"]
    assert broken(*events, options=SAME) == expected


def test_shift_before_any_hand_of_the_turn_binds_no_hand(broken: Breaches, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "20 shift 9.2", "21 restore Ben left 9.2"]
    assert broken(*events, options=SAME) == []


def test_no_testing_is_recorded_at_the_restore_of_a_moved_block_only(broken: Breaches) -> None:
    events = ["1 move Ana right 9.1 5", "2 shift 9.2", "3 restore Ana right 9.2", "4 restore Ana right 9.1"]
    assert broken(*events, options=NO_TESTING) == ["Ana no-testing @4"]


def test_taking_another_block_than_the_one_moved_is_no_testing_breach(broken: Breaches) -> None:
    events = ["1 move Ana right 9.1 5", "2 extract Ana right 8.1"]
    assert broken(*events, options=NO_TESTING) == ["Ana restore-first @2"]


RESTORED = ["1 move Ana right 5.2 4", "2 restore Ana right 5.2"]


@pytest.mark.parametrize("event", ["3 touch Ana right 5.2", "3 move Ana right 5.2 4"])
def test_retest_is_broken_by_touching_or_moving_a_restored_block(broken: Breaches, event: str) -> None:
    assert broken(*RESTORED, event, options=ONCE) == ["Ana retest @3"]
    assert broken(*RESTORED, event) == []


def test_extracting_a_restored_block_outright_breaks_nothing(broken: Breaches, judged: Judge) -> None:
    assert broken(*RESTORED, "3 extract Ana right 5.2", options=ONCE) == []
    legal = judged(*RESTORED, options=ONCE)["legal"]
    assert "5.2" not in legal
    assert "5.1" in legal


def test_restored_block_moved_again_is_still_not_in_legal(judged: Judge) -> None:
    verdict = judged(*RESTORED, "3 move Ana right 5.2 4", options=ONCE)
    assert (verdict["legal"], verdict["must_restore"]) == ([], ["5.2"])


def test_restored_block_may_be_tested_in_the_next_turn(broken: Breaches, turn: Turn) -> None:
    events = [*RESTORED, *turn(5, "Ana", "8.2", "19.1"), "30 touch Ben right 5.2"]
    assert broken(*events, options=ONCE) == []


def test_place_below_the_top_is_put_back(judged: Judge, broken: Breaches) -> None:
    events = ["1 extract Ana right 5.2", "2 place Ana right 7.2 x"]
    assert broken(*events, tower="111*6/101/111*11") == ["Ana put-back @2"]
    verdict = judged(*events, tower="111*6/101/111*11")
    assert (verdict["tower"], verdict["must_place"], verdict["legal"]) == ("111*4/101/111*13", True, ["7.2"])


@pytest.mark.parametrize("name", ["5.2", "7.2"])
def test_block_put_back_elsewhere_answers_to_both_its_slots(judged: Judge, name: str) -> None:
    events = ["1 extract Ana right 5.2", "2 place Ana right 7.2 x", f"3 extract Ana right {name}"]
    verdict = judged(*events, "4 place Ana right 19.1 x", tower="111*6/101/111*11")
    assert [v["rule"] for v in verdict["violations"]] == ["put-back"]
    assert (verdict["must_place"], verdict["tower"]) == (False, "111*4/101/111/101/111*11/100")


@pytest.mark.parametrize("back", ["2 restore Ana right 5.2", "2 place Ana right 5.2 x"])
def test_block_put_back_must_come_out_again_and_go_on_top(judged: Judge, back: str) -> None:
    events = ["1 extract Ana right 5.2", back]
    verdict = judged(*events, "3 release Ana", "20 clock")
    assert (verdict["state"], verdict["must_place"], verdict["legal"]) == ("playing", True, ["5.2"])
    assert verdict["tower"] == "111*18"
    whole = judged(
        *events, "3 extract Ana right 5.2", "4 place Ana right 19.1 x", "5 release Ana", "15 clock"
    )
    assert [v["rule"] for v in whole["violations"]] == ["put-back"]
    assert (whole["turn_of"], whole["must_place"]) == ("Ben", False)


def test_restoring_an_extracted_block_is_put_back_and_nothing_else(broken: Breaches) -> None:
    options = {**SAME, **NO_TESTING, **ONCE}
    events = [
        "1 move Ana left 5.2 4",
        "2 extract Ana left 5.2",
        "3 restore Ana right 5.2",
        "4 extract Ana left 5.2",
    ]
    assert broken(*events, options=options) == ["Ana put-back @3"]


def test_block_put_back_into_a_closed_layer_is_taken_from_there(judged: Judge, broken: Breaches) -> None:
    events, tower = ["1 extract Ana right 5.2", "2 place Ana right 18.2 y"], "111*17/101/100"
    assert judged(*events, tower=tower)["legal"] == []
    assert broken(*events, "3 extract Ana right 5.2", tower=tower) == [
        "Ana put-back @2",
        "Ana source-layer @3",
    ]


def test_another_block_instead_of_the_one_put_back_is_a_second_block(broken: Breaches) -> None:
    events = ["1 extract Ana right 5.2", "2 restore Ana right 5.2", "3 extract Ana right 8.2"]
    assert broken(*events) == ["Ana put-back @2", "Ana second-block @3"]


@pytest.mark.parametrize("slot", ["20.1", "19.4", "1.7", "99.1", "5.1", "19.1"])
def test_block_for_a_taken_or_missing_slot_stays_in_hand(judged: Judge, slot: str) -> None:
    axis = "x" if int(slot.split(".", maxsplit=1)[0]) % 2 else "y"
    tower = "111*18/100"
    early = slot == "20.1"
    verdict = judged("1 extract Ana right 5.2", f"2 place Ana right {slot} {axis}", tower=tower)
    assert [v["rule"] for v in verdict["violations"]] == ["wrong-slot"]
    assert verdict["must_place"] is not early
    assert verdict["tower"] == "111*4/101/111*13/100" + ("/100" if early else "")


def test_layer_begun_too_early_stands_and_the_turn_goes_on_to_its_end(judged: Judge) -> None:
    events = ["1 extract Ana right 5.2", "2 place Ana right 20.1 y", "3 release Ana", "13 clock"]
    verdict = judged(*events, tower="111*18/100")
    assert (verdict["turn_of"], verdict["completed_turns"]) == ("Ben", 1)


def test_gap_below_a_layer_begun_too_early_is_below_the_top(broken: Breaches) -> None:
    events = ["1 extract Ana right 5.2", "2 place Ana right 19.2 x"]
    assert broken(*events, tower="111*18/100/100") == ["Ana put-back @2"]


def test_second_place_in_a_layer_begun_too_early_is_right(broken: Breaches) -> None:
    events = ["1 extract Ana right 5.2", "2 place Ana right 20.2 y"]
    assert broken(*events, tower="111*18/100/100") == []


def test_block_taken_from_the_top_layer_leaves_a_top_slot(broken: Breaches) -> None:
    assert broken("1 extract Ana right 18.2", "2 place Ana right 18.2 y") == ["Ana source-layer @1"]
    events = ["1 extract Ana right 18.2", "2 place Ana right 19.1 x"]
    assert broken(*events) == ["Ana source-layer @1", "Ana wrong-slot @2"]


def test_second_block_is_recorded_for_each_block_too_many(broken: Breaches) -> None:
    events = ["1 extract Ana right 5.2", "2 extract Ana right 8.2", "3 extract Ana right 9.2"]
    assert broken(*events) == ["Ana second-block @2", "Ana second-block @3"]


def test_all_blocks_in_hand_must_be_placed(judged: Judge) -> None:
    events = [
        "1 extract Ana right 5.2",
        "2 extract Ana right 8.2",
        "3 place Ana right 19.1 x",
        "4 release Ana",
    ]
    assert judged(*events, "20 clock")["must_place"] is True
    whole = judged(*events, "20 place Ana right 19.2 x", "21 release Ana", "31 clock")
    assert (whole["turn_of"], whole["tower"]) == ("Ben", "111*4/101/111/111/101/111*10/110")


def test_relocating_moves_the_block_and_is_always_a_breach(judged: Judge) -> None:
    for edition in ("classic", "rulebook"):
        verdict = judged("1 relocate Ana right 19.1 19.3", tower="111*18/100", edition=edition)
        assert [v["rule"] for v in verdict["violations"]] == ["relocate-top"]
        assert verdict["tower"] == "111*18/001"


@pytest.mark.parametrize("slot", ["18.1", "21.1", "19.4"])
def test_relocating_to_a_wrong_slot_leaves_the_block_where_it_was(judged: Judge, slot: str) -> None:
    verdict = judged(f"1 relocate Ana right 19.1 {slot}", tower="111*18/110")
    assert [v["rule"] for v in verdict["violations"]] == ["wrong-slot", "relocate-top"]
    assert verdict["tower"] == "111*18/110"


def test_relocated_block_is_named_by_its_slot_now_and_by_its_slot_at_the_turns_start(
    broken: Breaches,
) -> None:
    events = ["1 relocate Ana right 19.1 19.3", "2 align Ana right 19.3", "3 touch Ana right 19.1"]
    assert broken(*events, tower="111*18/100", options={"align_top": True}) == ["Ana relocate-top @1"]


def test_aligning_is_for_the_top_layer_only(broken: Breaches) -> None:
    line = {"tower": "111*18/100", "edition": "rulebook"}
    assert broken("1 align Ana right 19.1", **line) == []
    assert broken("1 align Ana right 18.1", **line) == ["Ana align-top @1"]


@pytest.mark.parametrize("hands", ["one", "two"])
def test_bracing_is_a_breach_however_many_hands_play(broken: Breaches, hands: str) -> None:
    assert broken("1 brace Ana forearm", options={"hands": hands}) == ["Ana brace @1"]


MARKED = {"prompts": {"5.2": "sing", "7.2": "dance"}}


def test_prompt_counts_from_the_placing_on(broken: Breaches, turn: Turn) -> None:
    extract, *rest = turn(0, "Ana", "5.2", "19.1")[1:]
    too_early = [extract, "3 prompt_done Ana", *rest, "18 touch Ben right 8.2"]
    assert broken(*too_early, options=MARKED) == ["Ana prompt-open @18"]
    in_time = [extract, rest[0], "5 prompt_done Ana", rest[1], "18 touch Ben right 8.2"]
    assert broken(*in_time, options=MARKED) == []


@pytest.mark.parametrize("t", [12, 17])
def test_prompt_may_be_done_until_the_next_players_first_event(broken: Breaches, turn: Turn, t: int) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), f"{t} prompt_done Ana", "18 touch Ben right 8.2"]
    assert broken(*events, options=MARKED) == []


def test_prompt_of_somebody_else_does_not_pay(broken: Breaches, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "12 prompt_done Ben", "18 touch Ben right 8.2"]
    assert broken(*events, options=MARKED) == ["Ana prompt-open @18"]


def test_open_prompt_is_recorded_once_and_the_debt_is_closed(broken: Breaches, turn: Turn) -> None:
    events = [
        *turn(0, "Ana", "5.2", "19.1"),
        "8 touch Ben right 8.2",
        "9 touch Ben right 8.3",
        "10 prompt_done Ana",
    ]
    assert broken(*events, options=MARKED) == ["Ana prompt-open @8"]


def test_closed_debt_is_not_asked_for_in_later_turns(broken: Breaches, turn: Turn) -> None:
    events = [
        *turn(0, "Ana", "5.2", "19.1"),
        *turn(20, "Ben", "8.2", "19.2"),
        *turn(40, "Ana", "9.2", "19.3"),
    ]
    assert broken(*events, options=MARKED) == ["Ana prompt-open @20"]


def test_event_out_of_turn_closes_no_debt(broken: Breaches, turn: Turn) -> None:
    placed = turn(0, "Ana", "5.2", "19.1")[:-1]
    events = [
        *placed,
        "5 touch Ben right 8.2",
        "6 release Ana",
        "7 prompt_done Ana",
        "17 touch Ben right 8.2",
    ]
    assert broken(*events, options=MARKED) == ["Ben turn-order @5"]
    visible = [
        *turn(0, "Ana", "5.2", "19.1"),
        "9 touch Ben right 8.2",
        "10 settled",
        "11 touch Ben right 8.2",
    ]
    expected = ["Ben turn-order @9", "Ana prompt-open @11"]
    assert broken(*visible, options={**MARKED, "settling": "visible"}) == expected


def test_mark_travels_with_its_block(broken: Breaches, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "6 prompt_done Ana", *turn(20, "Ben", "7.1", "5.2")[:2]]
    events += [
        "25 place Ben right 19.2 x",
        "26 release Ben",
        *turn(40, "Ana", "6.2", "19.3"),
        "60 touch Ben right 1.1",
    ]
    assert broken(*events, options=MARKED) == []
    again = [
        "61 extract Ben right 19.1",
        "62 place Ben right 20.1 y",
        "63 release Ben",
        "80 touch Ana right 1.1",
    ]
    expected = ["Ben source-layer @61", "Ben wrong-slot @62", "Ben prompt-open @80"]
    assert broken(*events, *again, options=MARKED) == expected


def test_no_prompt_is_owed_for_a_block_that_was_put_back(broken: Breaches) -> None:
    events = [
        "1 extract Ana right 5.2",
        "2 restore Ana right 5.2",
        "3 prompt_done Ana",
        "4 extract Ana right 5.2",
    ]
    events += ["5 place Ana right 19.1 x", "6 release Ana", "17 touch Ben right 8.2"]
    assert broken(*events, options=MARKED) == ["Ana put-back @2", "Ana prompt-open @17"]


@pytest.mark.parametrize("t", [4, 5.5, 8])
def test_no_prompt_is_owed_after_a_fall(broken: Breaches, turn: Turn, t: float) -> None:
    events = sorted(
        [*turn(0, "Ana", "5.2", "19.1"), f"{t} fall 9.1"], key=lambda line: float(line.split()[0])
    )
    options = {**MARKED, "fallen_block": "continue"}
    assert broken(*events, "18 touch Ben right 8.2", options=options) == []


def test_alone_a_player_owes_the_prompt_before_the_own_next_turn(broken: Breaches, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "8 touch Ana right 8.2"]
    assert broken(*events, players=["Ana"], options=MARKED) == ["Ana prompt-open @8"]


def test_two_marked_blocks_in_a_turn_are_two_prompts(broken: Breaches) -> None:
    events = [
        "1 extract Ana right 5.2",
        "2 place Ana right 19.1 x",
        "3 extract Ana right 7.2",
        "4 place Ana right 19.2 x",
    ]
    events += ["5 release Ana", "6 prompt_done Ana"]
    second = ["Ana second-block @3"]
    assert broken(*events, "16 touch Ben right 8.1", options=MARKED) == [*second, "Ana prompt-open @16"]
    assert broken(*events, "7 prompt_done Ana", "16 touch Ben right 8.1", options=MARKED) == second


def test_breaches_of_one_event_stand_in_the_order_of_the_notation(broken: Breaches, turn: Turn) -> None:
    options = {**OFF_HAND, **MARKED, "turn_limit_s": 1}
    events = [*turn(0, "Ana", "5.2", "19.1"), "7 extract Ben right 18.1"]
    rules = [line for line in broken(*events, options=options) if line.endswith("@7")]
    assert rules == ["Ben source-layer @7", "Ben off-hand @7", "Ana prompt-open @7"]


def test_all_rules_that_one_extraction_can_break_are_named_in_order(broken: Breaches) -> None:
    options = {**OFF_HAND, "turn_limit_s": 1}
    events = ["1 extract Ana left 5.2", "2 move Ana left 8.1 4", "9 extract Ana right 18.1"]
    rules = ["source-layer", "off-hand", "restore-first", "second-block", "turn-limit"]
    assert broken(*events, options=options) == [f"Ana {rule} @9" for rule in rules]


def test_all_rules_that_one_placing_can_break_are_named_in_order(broken: Breaches) -> None:
    options = {**OFF_HAND, "turn_limit_s": 1}
    events = ["1 extract Ana left 5.2", "2 shift 8.1", "9 place Ana right 5.2 y"]
    rules = ["off-hand", "restore-first", "put-back", "wrong-axis", "turn-limit"]
    assert broken(*events, options=options) == [f"Ana {rule} @9" for rule in rules]


def test_time_of_a_breach_is_the_time_as_written(judged: Judge) -> None:
    assert (
        judged('{"t": 1.23456, "type": "brace", "player": "Ana", "with": "x"}')["violations"][0]["t"]
        == 1.23456
    )
