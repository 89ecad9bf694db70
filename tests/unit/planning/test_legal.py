"""What may be taken, what must be restored or placed, and how the tower stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planning.tower import Slot

Judge = Callable[..., dict[str, Any]]
Turn = Callable[..., list[str]]

CONTINUE = {"fallen_block": "continue"}


def test_legal_is_empty_with_a_block_in_hand_after_placing_while_settling_and_after_the_end(
    judged: Judge,
) -> None:
    events = ["1 extract Ana right 5.2", "2 place Ana right 19.1 x", "3 release Ana", "4 stop"]
    for n in range(1, 5):
        assert judged(*events[:n])["legal"] == []
    assert judged(*events[:3], "13 clock")["legal"] != []


def test_legal_holds_all_moved_blocks_of_open_layers_and_no_shifted_one(judged: Judge) -> None:
    events = ["1 move Ana right 5.2 4", "2 move Ana right 18.1 3", "3 move Ana right 4.1 3", "4 shift 9.2"]
    verdict = judged(*events)
    assert verdict["legal"] == ["4.1", "5.2"]
    assert verdict["must_restore"] == ["4.1", "5.2", "9.2", "18.1"]


def test_legal_is_empty_while_only_shifted_blocks_remain(judged: Judge) -> None:
    assert judged("1 shift 9.2")["legal"] == []
    assert judged("1 shift 9.2", "2 restore Ana right 9.2")["legal"] != []


def test_legal_is_empty_while_the_moved_block_is_of_a_closed_layer(judged: Judge) -> None:
    assert judged("1 move Ana right 18.2 4")["legal"] == []


def test_legal_is_empty_while_something_else_lies_displaced_besides_the_block_put_back(judged: Judge) -> None:
    events = ["1 extract Ana right 5.2", "2 restore Ana right 5.2", "3 move Ana right 8.1 4"]
    assert judged(*events)["legal"] == []
    assert judged(*events, "4 restore Ana right 8.1")["legal"] == ["5.2"]


def test_displaced_block_that_is_moved_again_is_due_once(judged: Judge) -> None:
    assert judged("1 move Ana right 5.2 4", "2 move Ana right 5.2 -3")["must_restore"] == ["5.2"]


def test_must_restore_is_in_order_of_layer_then_position(judged: Judge) -> None:
    assert judged("1 shift 10.1 9.3 9.1 2.2")["must_restore"] == ["2.2", "9.1", "9.3", "10.1"]


def test_half_extracted_block_that_drops_is_in_hand(judged: Judge) -> None:
    events = ["1 move Ana right 5.2 4", "2 restore Ana right 5.2", "3 move Ana right 8.1 40", "4 drop Ana"]
    verdict = judged(*events)
    assert (verdict["tower"], verdict["must_place"]) == ("111*7/011/111*10", True)


def test_block_moved_last_is_the_one_that_drops(judged: Judge) -> None:
    events = ["1 move Ana right 5.2 4", "2 move Ana right 8.1 4", "3 move Ana right 5.2 30", "4 drop Ana"]
    assert judged(*events)["tower"] == "111*4/101/111*13"


def test_block_put_back_may_drop_out_half_extracted(judged: Judge) -> None:
    events = [
        "1 extract Ana right 5.2",
        "2 extract Ana right 8.1",
        "3 place Ana right 5.2 x",
        "4 place Ana right 19.1 x",
    ]
    verdict = judged(*events, "5 move Ana right 5.2 20", "6 drop Ana")
    assert verdict["must_place"] is True
    assert [v["rule"] for v in verdict["violations"]] == ["second-block", "put-back"]


def test_slot_that_another_block_left_again_names_its_own_block(judged: Judge) -> None:
    events = ["1 extract Ana right 5.2", "2 extract Ana right 7.2", "3 place Ana right 7.2 x"]  # 5.2 into 7.2
    events += ["4 extract Ana right 5.2", "5 restore Ana right 7.2", "6 place Ana right 19.1 x"]
    verdict = judged(*events)
    assert (verdict["tower"], verdict["legal"]) == ("111*4/101/111*13/100", ["7.2"])


def test_block_in_hand_that_drops_changes_nothing(judged: Judge) -> None:
    events = ["1 extract Ana right 5.2"]
    assert judged(*events, "2 drop Ana", "3 drop Ana") == judged(*events)


def test_fallen_blocks_leave_the_game_and_the_duties(judged: Judge) -> None:
    events = ["1 move Ana right 9.1 4", "2 shift 9.2 9.3", "3 fall 9.2 9.1 1.1"]
    verdict = judged(*events, options=CONTINUE)
    assert verdict["tower"] == "011/111*7/001/111*9"
    assert (verdict["must_restore"], verdict["state"], verdict["violations"]) == (["9.3"], "playing", [])


def test_boundary_is_worked_out_anew_after_a_fall(judged: Judge) -> None:
    assert judged("1 fall 18.1", options=CONTINUE)["legal"][-1] == "16.3"
    assert judged("1 fall 19.1 19.2 19.3", tower="111*19", options=CONTINUE)["legal"][-1] == "17.3"


def test_top_layer_that_lost_all_its_blocks_is_dropped(judged: Judge) -> None:
    assert judged("1 fall 19.1", tower="111*18/100", options=CONTINUE)["tower"] == "111*18"
    assert judged("1 fall 19.2 18.1 18.2 18.3", tower="111*18/010", options=CONTINUE)["tower"] == "111*17"


def test_placed_block_that_falls_leaves_a_turn_that_can_end(judged: Judge) -> None:
    for name in ("5.2", "19.1"):
        events = [
            "1 extract Ana right 5.2",
            "2 place Ana right 19.1 x",
            f"3 fall {name}",
            "4 release Ana",
            "14 clock",
        ]
        verdict = judged(*events, options=CONTINUE)
        assert (verdict["turn_of"], verdict["tower"]) == ("Ben", "111*4/101/111*13")


def test_block_put_back_that_falls_is_not_to_be_placed_any_more(judged: Judge) -> None:
    events = ["1 extract Ana right 5.2", "2 restore Ana right 5.2", "3 fall 5.2"]
    verdict = judged(*events, options=CONTINUE)
    assert (verdict["must_place"], verdict["legal"], verdict["state"]) == (False, [], "playing")
    assert judged(*events, "4 release Ana", "14 clock", options=CONTINUE)["turn_of"] == "Ben"


def test_tower_of_no_blocks_can_be_built_on(judged: Judge) -> None:
    events = ["1 extract Ana right 1.1", "2 fall 1.2"]
    assert judged(*events, tower="110", options=CONTINUE)["tower"] == ""
    verdict = judged(*events, "3 place Ana right 1.3 x", tower="110", options=CONTINUE)
    assert verdict["tower"] == "001"


def test_layer_emptied_below_the_top_stands_in_the_text(judged: Judge) -> None:
    events = ["1 extract Ana right 1.1"]
    assert judged(*events, tower="100/111/111")["tower"] == "000/111/111"


def test_game_offers_legal_slots_and_places_for_the_block_in_hand(played: Any) -> None:
    game = played(tower="111*18/010")
    assert game.legal[0] == Slot(1, 1)
    assert game.legal is game.legal  # worked out once
    assert game.free_top_slots == ()
    in_hand = played("1 extract Ana right 5.2", tower="111*18/010")
    assert in_hand.free_top_slots == (Slot(19, 1), Slot(19, 3))
    assert in_hand.in_hand == (Slot(5, 2),)
    assert played("1 extract Ana right 5.2", "2 shift 5.1", tower="111*18/010").free_top_slots == ()


@pytest.mark.parametrize(
    ("events", "settles_at_s", "turn_ends_at_s"),
    [
        ([], None, None),
        (["1.5 touch Ana right 5.2"], None, 61.5),
        (["0 extract Ana right 5.2", "1 place Ana right 19.1 x", "2.25 release Ana"], 12.25, None),
        (["0 extract Ana right 5.2", "1 collapse"], None, None),
    ],
)
def test_game_tells_when_settling_and_turn_end(
    played: Any, events: list[str], settles_at_s: float | None, turn_ends_at_s: float | None
) -> None:
    game = played(*events, options={"turn_limit_s": 60})
    assert (game.settles_at_s, game.turn_ends_at_s) == (settles_at_s, turn_ends_at_s)
