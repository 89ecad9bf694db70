"""How a tower ends and for whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Judge = Callable[..., dict[str, Any]]
Turn = Callable[..., list[str]]

FOUR = ["Ana", "Ben", "Cem", "Dora"]
TEAMS = [["Ana", "Cem"], ["Ben", "Dora"]]
LOSING = {
    "collapse": ("20 collapse", {}),
    "catch": ("20 catch Ana", {}),
    "fall": ("20 fall 9.1", {"fallen_block": "ends"}),
    "drop": ("20 drop Ben", {"dropped_block": "loses"}),
    "concede": ("20 concede Ben", {}),
}
ENDING = {**LOSING, "bump": ("20 bump cat", {}), "stop": ("20 stop", {})}


def outcome(verdict: dict[str, Any]) -> tuple[object, ...]:
    return tuple(verdict[key] for key in ("state", "winner", "loser", "next_builder"))


@pytest.mark.parametrize("reason", LOSING)
def test_who_ends_the_tower_loses_to_the_last_who_completed_a_turn(
    judged: Judge, turn: Turn, reason: str
) -> None:
    event, options = LOSING[reason]
    events = [*turn(0, "Ana", "5.2", "19.1"), "17 move Ben right 8.2 30", event]
    verdict = judged(*events, options=options)
    assert outcome(verdict) == ("over", "Ana", "Ben", "Ben")
    assert (verdict["turn_of"], verdict["completed_turns"]) == (None, 1)


@pytest.mark.parametrize("reason", LOSING)
def test_without_a_completed_turn_there_is_no_winner(judged: Judge, turn: Turn, reason: str) -> None:
    event, options = LOSING[reason]
    events = ["1 move Ana right 8.2 30", event.replace("Ben", "Ana")]
    assert outcome(judged(*events, options=options)) == ("rebuild", None, "Ana", "Ana")
    assert judged(*events, options=options)["completed_turns"] == 0


@pytest.mark.parametrize("reason", LOSING)
def test_a_team_wins_and_loses_whole(judged: Judge, turn: Turn, reason: str) -> None:
    event, options = LOSING[reason]
    events = [*turn(0, "Ana", "5.2", "19.1"), "17 move Ben right 8.2 30", event]
    verdict = judged(*events, players=FOUR, teams=TEAMS, options=options)
    assert outcome(verdict) == ("over", ["Ana", "Cem"], ["Ben", "Dora"], ["Ben", "Dora"])


@pytest.mark.parametrize("reason", LOSING)
@pytest.mark.parametrize("completed", [0, 1])
def test_alone_nobody_wins(judged: Judge, turn: Turn, reason: str, completed: int) -> None:
    event, options = LOSING[reason]
    events = [*turn(0, "Ana", "5.2", "19.1")[: 4 * completed], "17 move Ana right 8.2 30"]
    verdict = judged(*events, event.replace("Ben", "Ana"), players=["Ana"], options=options)
    assert outcome(verdict) == ("over" if completed else "rebuild", None, "Ana", "Ana")


def test_a_bump_gives_the_tower_back_to_the_opening_player_in_a_team_game_too(
    judged: Judge, turn: Turn
) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "20 bump cat"]
    assert outcome(judged(*events)) == ("rebuild", None, None, "Ana")
    assert outcome(judged(*events, players=FOUR, teams=TEAMS)) == ("rebuild", None, None, "Ana")
    assert outcome(judged(*events, players=["Ana"])) == ("rebuild", None, None, "Ana")


def test_a_stopped_game_is_unfinished(judged: Judge, turn: Turn) -> None:
    assert outcome(judged(*turn(0, "Ana", "5.2", "19.1"), "20 stop")) == ("unfinished", None, None, None)
    settling = judged(*turn(0, "Ana", "5.2", "19.1"), "8 stop")
    assert settling["completed_turns"] == 0


@pytest.mark.parametrize("reason", ENDING)
def test_the_end_of_the_tower_ends_every_duty(judged: Judge, turn: Turn, reason: str) -> None:
    event, options = ENDING[reason]
    events = [
        *turn(0, "Ana", "5.2", "19.1"),
        "17 move Ben right 8.2 30",
        "18 extract Ben right 8.2",
        "19 shift 8.1",
    ]
    verdict = judged(*events, event, options=options)
    assert (verdict["turn_of"], verdict["legal"]) == (None, [])
    assert (verdict["must_restore"], verdict["must_place"]) == ([], False)


@pytest.mark.parametrize("event", ["2 collapse", "2 catch Ben"])
def test_tower_after_a_collapse_is_the_tower_before_it(judged: Judge, event: str) -> None:
    assert judged("1 extract Ana right 5.2", event)["tower"] == "111*4/101/111*13"


def test_blocks_whose_fall_ends_the_game_are_gone_from_the_tower(judged: Judge) -> None:
    assert judged("1 fall 9.1 18.1")["tower"] == "111*8/011/111*8/011"


def test_a_caught_tower_is_lost_by_the_one_in_turn(judged: Judge, turn: Turn) -> None:
    events = [*turn(0, "Ana", "5.2", "19.1"), "8 catch Ben"]
    assert outcome(judged(*events)) == ("rebuild", None, "Ana", "Ana")


def test_conceding_while_the_tower_settles_completes_no_turn(judged: Judge, turn: Turn) -> None:
    verdict = judged(*turn(0, "Ana", "5.2", "19.1"), "8 concede Ana")
    assert (*outcome(verdict), verdict["completed_turns"]) == ("rebuild", None, "Ana", "Ana", 0)


def test_the_option_decides_what_a_drop_means(judged: Judge) -> None:
    events = ["1 move Ana right 18.2 30", "2 drop Ana"]
    verdict = judged(*events, options={"dropped_block": "loses"})
    assert verdict["tower"] == "111*17/101"
    assert [v["rule"] for v in verdict["violations"]] == ["source-layer"]
    assert outcome(verdict) == ("rebuild", None, "Ana", "Ana")


def test_game_tells_by_what_the_tower_ended(played: Any) -> None:
    assert played("1 touch Ana right 5.2").outcome is None
    for reason, (event, options) in ENDING.items():
        game = played("1 move Ana right 8.2 30", event.replace("Ben", "Ana"), options=options)
        assert game.outcome.reason == reason
        assert (game.player_in_turn, game.next_player, game.last_player) == (None, None, "Ana")
