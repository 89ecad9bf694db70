"""What cannot have happened is refused with its line, and nothing of it stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planning.refusals import ImpossibleError

Judge = Callable[..., dict[str, Any]]
Turn = Callable[..., list[str]]

HOLDING = ["1 extract Ana right 5.2"]
PLACED = [*HOLDING, "2 place Ana right 19.1 x"]
SETTLING = [*PLACED, "3 release Ana"]

IMPOSSIBLE = [
    ([], "5 touch Ana right 19.1", "a slot that holds a block"),
    ([], "5 touch Ana right 5.4", "a slot that holds a block"),
    ([], "5 move Ana right 19.1 4", "a slot that holds a block"),
    ([], "5 extract Ana right 19.1", "a slot that holds a block"),
    ([], "5 restore Ana right 19.1", "a slot that holds a block"),
    ([], "5 shift 5.2 19.1", "a slot that holds a block"),
    ([], "5 fall 5.2 19.1", "a slot that holds a block"),
    ([], "5 align Ana right 19.1", "a slot that holds a block"),
    ([], "5 relocate Ana right 19.1 19.2", "a slot that holds a block"),
    ([], "5 relocate Ana right 18.1 18.1", "another slot than the block's own"),
    ([], "5 restore Ana right 5.2", "a block that stands displaced or is in hand"),
    (["1 touch Ana right 5.2"], "5 restore Ana right 5.2", "a block that stands displaced or is in hand"),
    ([], "5 place Ana right 19.1 x", "a block in hand"),
    ([], "5 drop Ana", "a block in hand or half extracted"),
    (["1 touch Ana right 5.2"], "5 drop Ana", "a block in hand or half extracted"),
    (["1 shift 5.2"], "5 drop Ana", "a block in hand or half extracted"),
    (
        ["1 move Ana right 5.2 4", "2 restore Ana right 5.2"],
        "5 drop Ana",
        "a block in hand or half extracted",
    ),
    ([], "5 release Ana", "a release after placing"),
    (["1 touch Ana right 5.2"], "5 release Ana", "a release after placing"),
    (HOLDING, "5 release Ana", "a release after placing"),
    (HOLDING, "5 touch Ana right 5.2", "a block that stands in the tower"),
    (HOLDING, "5 move Ana right 5.2 4", "a block that stands in the tower"),
    (HOLDING, "5 extract Ana right 5.2", "a block that stands in the tower"),
    (HOLDING, "5 shift 5.2", "a block that stands in the tower"),
    (HOLDING, "5 fall 5.2", "a block that stands in the tower"),
    (PLACED, "5 place Ana right 19.2 x", "a block in hand"),
    (PLACED, "5 drop Ana", "write `fall`"),
    ([*PLACED, "3 move Ana right 8.1 4"], "5 drop Ana", "write `fall`"),
    (PLACED, "5 restore Ana right 5.2", "a block that stands displaced or is in hand"),
    ([*HOLDING, "2 restore Ana right 5.2"], "5 restore Ana right 5.2", "displaced or is in hand"),
    (["1 drop Ana"], "5 clock", "a block in hand or half extracted"),
    ([], "5 concede Ben", "a `concede` of Ana, who is in turn"),
    (SETTLING, "5 concede Ben", "a `concede` of Ana, who is in turn"),
    (HOLDING, "5 drop Ben", "a `drop` of Ana, who is in turn"),
    ([], "5 touch Ben right 25.1", "a slot that holds a block"),
    ([], "5 align Ben right 25.1", "a slot that holds a block"),
    (PLACED, "5 fall 5.2 19.1", "each block once"),
    (PLACED, "5 shift 19.1 5.2", "each block once"),
    ([], "5 climb Ben 1.1 +x", "in the fortnite edition only"),
    ([], "5 spin Ana 1 w 1", "in the fortnite edition only"),
    ([], "5 climb Ana 1.1 +x", "in the fortnite edition only"),
    ([], "5 peg_down Ana Ben 1.1 +x", "in the fortnite edition only"),
    ([], "5 skip Ana stack", "in the fortnite edition only"),
]


@pytest.mark.parametrize(("before", "event", "reason"), IMPOSSIBLE)
def test_event_that_cannot_be_is_refused_with_its_line(
    judged: Judge, before: list[str], event: str, reason: str
) -> None:
    with pytest.raises(ImpossibleError) as refusal:
        judged(*before, event)
    assert reason in str(refusal.value)
    expected_line = 2 if before == ["1 drop Ana"] else len(before) + 2
    assert str(refusal.value).startswith(f"line {expected_line}: expected ")


def test_next_player_cannot_restore_what_the_end_of_the_turn_forgot(judged: Judge) -> None:
    with pytest.raises(ImpossibleError, match="line 6: expected a block that stands displaced"):
        judged(*SETTLING, "4 move Ana right 8.1 4", "5 restore Ben right 8.1")


def test_old_slot_must_be_free_for_an_extracted_block_to_go_back(judged: Judge) -> None:
    events = [
        "1 extract Ana right 5.2",
        "2 extract Ana right 7.2",
        "3 place Ana right 7.2 x",
        "4 restore Ana right 7.2",
    ]
    with pytest.raises(ImpossibleError, match="line 5: expected the old slot of the block to be free"):
        judged(*events)


def test_refused_event_leaves_the_game_as_it_was(played: Any) -> None:
    from planning.events import Extract, Release
    from planning.tower import Slot

    game = played(*SETTLING, "4 move Ana right 8.1 4")
    before = game.verdict()
    for event in (Extract(5, "Ben", "right", Slot(19, 3)), Release(99, "Ben")):
        with pytest.raises(ImpossibleError):
            game.apply(event)
        assert game.verdict() == before


def test_events_out_of_turn_need_no_more_than_a_block(judged: Judge) -> None:
    events = [
        "1 restore Ben right 5.2",
        "2 place Ben right 19.1 x",
        "3 extract Ben right 5.2",
        "4 release Ben",
    ]
    assert [v["rule"] for v in judged(*events)["violations"]] == ["turn-order"] * 3


def test_block_in_hand_of_another_still_answers_to_its_name(judged: Judge) -> None:
    assert [v["rule"] for v in judged(*HOLDING, "2 touch Ben right 5.2")["violations"]] == ["turn-order"]


def test_hands_may_leave_after_a_block_was_set_down_wherever(judged: Judge) -> None:
    taken = judged(*HOLDING, "2 place Ana right 18.1 y", "3 release Ana", "20 clock")
    assert (taken["state"], taken["must_place"]) == ("playing", True)
