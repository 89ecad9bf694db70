"""Spinner, materials, pegs, top holes and ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planning.refusals import ImpossibleError

THREE = ["Ana", "Ben", "Cem"]


@pytest.fixture
def judged(played: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    def judge(*events: str, **line: object) -> dict[str, Any]:
        return played(*events, edition="fortnite", **line).verdict()  # type: ignore[no-any-return]

    return judge


@pytest.fixture
def rules(judged: Judge) -> Callable[..., list[str]]:
    return lambda *events, **line: [
        f"{v['player']} {v['rule']} @{v['t']:g}" for v in judged(*events, **line)["violations"]
    ]


Judge = Callable[..., dict[str, Any]]
Breaches = Callable[..., list[str]]


def climbs(t: float, player: str, n: int, slot: str, face: str = "+x") -> list[str]:
    """A whole turn of nothing but a climb."""
    return [
        f"{t} spin {player} 0 w {n}",
        f"{t + 1} climb {player} {slot} {face}",
        f"{t + 2} release {player}",
    ]


def stacks(t: float, player: str, block: str, slot: str, axis: str) -> list[str]:
    return [
        f"{t} extract {player} right {block}",
        f"{t + 1} place {player} right {slot} {axis}",
        f"{t + 2} release {player}",
    ]


def test_legal_waits_for_the_spin_and_holds_blocks_of_the_spun_material(judged: Judge) -> None:
    assert judged()["legal"] == []
    assert judged("1 touch Ana right 5.2")["legal"] == []
    assert judged("1 spin Ana 1 m 1")["legal"] == [f"{layer}.3" for layer in range(1, 15)]


def test_legal_is_empty_with_no_block_left_to_take(judged: Judge) -> None:
    assert judged("1 spin Ana 0 b 1")["legal"] == []
    one = ["1 spin Ana 1 b 1", *stacks(2, "Ana", "4.2", "16.1", "y")]
    assert judged(*one)["legal"] == []
    two = ["1 spin Ana 2 b 1", *stacks(2, "Ana", "4.2", "16.1", "y")]
    assert "5.2" in judged(*two)["legal"]
    assert judged(*two, "5 skip Ana stack")["legal"] == []


def test_legal_holds_no_block_with_a_peg(judged: Judge) -> None:
    events = [*climbs(0, "Ana", 3, "3.2"), "8 spin Ben 1 b 1"]
    assert "3.2" not in judged(*events)["legal"]
    assert "2.2" in judged(*events)["legal"]


@pytest.mark.parametrize("event", ["1 extract Ana right 5.2", "1 climb Ana 1.1 +x", "1 skip Ana stack"])
def test_extracting_climbing_and_skipping_need_a_spin(judged: Judge, event: str) -> None:
    with pytest.raises(ImpossibleError, match="line 2: expected a `spin` in this turn first"):
        judged(event)


def test_half_extracted_block_cannot_drop_out_before_the_spin(judged: Judge) -> None:
    with pytest.raises(ImpossibleError, match="line 3: expected a `spin` in this turn first"):
        judged("1 move Ana right 5.2 40", "2 drop Ana")


def test_second_block_may_drop_out_half_extracted_after_the_first_was_placed(judged: Judge) -> None:
    events = [
        "0 spin Ana 2 b 1",
        *stacks(1, "Ana", "4.2", "16.1", "y"),
        "5 move Ana right 6.2 30",
        "6 drop Ana",
    ]
    verdict = judged(*events)
    assert (verdict["must_place"], verdict["violations"]) == (True, [])


def test_testing_needs_no_spin(judged: Judge) -> None:
    assert judged("1 move Ana right 5.2 4", "2 restore Ana right 5.2")["violations"] == []


def test_next_players_extraction_without_a_spin_is_refused_in_the_settling_too(judged: Judge) -> None:
    with pytest.raises(ImpossibleError, match="expected a `spin` in this turn first"):
        judged(*climbs(0, "Ana", 1, "1.1"), "4 extract Ben right 5.2")


def test_spin_is_no_touch(judged: Judge, rules: Breaches) -> None:
    events = [*climbs(0, "Ana", 1, "1.1"), "4 spin Ben 1 b 1"]
    verdict = judged(*events)
    assert (verdict["state"], verdict["turn_of"], verdict["legal"]) == ("settling", "Ana", [])
    assert rules("0 spin Ana 1 b 1", "9 clock", options={"turn_limit_s": 3}) == []


def test_spin_while_the_tower_settles_is_for_the_next_turn(judged: Judge) -> None:
    events = [*climbs(0, "Ana", 1, "1.1"), "4 spin Ben 1 b 1"]
    for onward in (["5 extract Ben right 5.2"], ["7 clock", "8 extract Ben right 5.2"]):
        verdict = judged(*events, *onward)
        assert (verdict["turn_of"], verdict["must_place"], verdict["violations"]) == ("Ben", True, [])
    events[-1] = "4 spin Ben 0 b 1"
    third = judged(*events, *climbs(20, "Ben", 1, "1.2")[1:], "30 clock", players=THREE)
    assert (third["turn_of"], third["legal"]) == ("Cem", [])


def test_spin_of_one_turn_is_not_that_of_the_next(played: Callable[..., Any]) -> None:
    events = [*climbs(0, "Ana", 1, "1.1"), "4 spin Ben 0 b 1", *climbs(20, "Ben", 1, "1.2")[1:], "30 clock"]
    game = played(*events, players=THREE, edition="fortnite")
    assert (game.player_in_turn, game.must_spin) == ("Cem", True)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        (["1 spin Ben 1 b 1"], "a `spin` of Ana, who is in turn"),
        (["1 spin Ana 1 b 1", "2 spin Ana 1 b 1"], "one spin a turn"),
        ([*climbs(0, "Ana", 1, "1.1"), "3 spin Cem 1 b 1"], "a `spin` of Ana, who is in turn"),
        ([*climbs(0, "Ana", 1, "1.1"), "3 spin Ben 1 b 1", "4 spin Ben 1 b 1"], "one spin a turn"),
        ([*climbs(0, "Ana", 1, "1.1"), "3 spin Ben 1 b 1", "9 spin Ben 1 b 1"], "one spin a turn"),
        (["1 spin Ana 1 b 1", "2 skip Ben stack"], "a `skip` of Ana, who is in turn"),
        (["1 spin Ana 1 b 1", "2 climb Ana 16.1 +x"], "a slot that holds a block"),
        (["1 spin Ana 1 b 1", "2 climb Ana 1.4 +x"], "a slot that holds a block"),
        (["1 spin Ana 1 b 1", "2 release Ana"], "a release after placing"),
    ],
)
def test_what_spinner_and_pegs_cannot_have_done_is_refused(
    judged: Judge, events: list[str], reason: str
) -> None:
    with pytest.raises(ImpossibleError) as refusal:
        judged(*events, players=THREE)
    assert reason in str(refusal.value)


@pytest.mark.parametrize("order", ["stack first", "climb first", "climb between"])
def test_turn_ends_after_the_first_release_at_which_all_is_done(judged: Judge, order: str) -> None:
    first, second = stacks(2, "Ana", "4.2", "16.1", "y"), stacks(12, "Ana", "6.2", "16.2", "y")
    climb = ["22 climb Ana 1.1 -x", "23 release Ana"]
    if order == "climb first":
        climb = ["1 climb Ana 1.1 -x", "1 release Ana"]
    if order == "climb between":
        climb = ["7 climb Ana 1.1 -x", "8 release Ana"]
    events = sorted([*first, *second, *climb], key=lambda line: float(line.split()[0]))
    last = float(events[-1].split()[0])
    for k in range(1, len(events)):
        assert judged("0 spin Ana 2 b 1", *events[:k])["state"] == "playing"
    assert judged("0 spin Ana 2 b 1", *events, f"{last + 4.9} clock")["state"] == "settling"
    verdict = judged("0 spin Ana 2 b 1", *events, f"{last + 3} release Ana", f"{last + 5} clock")
    assert (verdict["turn_of"], verdict["completed_turns"], verdict["violations"]) == ("Ben", 1, [])


def test_next_players_touch_before_all_is_done_is_turn_order(rules: Breaches) -> None:
    events = ["0 spin Ana 1 b 1", *stacks(2, "Ana", "4.2", "16.1", "y")]
    assert rules(*events, "20 touch Ben right 8.2") == ["Ben turn-order @20"]


def test_skip_needs_a_release_of_its_own_when_the_climb_came_first(judged: Judge) -> None:
    events = ["0 spin Ana 1 b 1", "1 climb Ana 1.1 +x", "2 release Ana", "3 skip Ana stack"]
    assert judged(*events, "60 clock")["state"] == "playing"
    assert judged(*events, "60 release Ana", "65 clock")["turn_of"] == "Ben"


def test_skip_after_one_of_two_blocks_leaves_the_other_out(judged: Judge) -> None:
    events = [
        "0 spin Ana 2 b 1",
        *stacks(2, "Ana", "4.2", "16.1", "y"),
        "5 skip Ana stack",
        "6 climb Ana 1.1 +x",
    ]
    assert judged(*events, "7 release Ana", "12 clock")["turn_of"] == "Ben"


def test_block_in_hand_is_to_be_placed_whatever_is_skipped(judged: Judge) -> None:
    events = [
        "0 spin Ana 2 b 1",
        "1 extract Ana right 4.2",
        "2 skip Ana stack",
        "3 climb Ana 1.1 +x",
        "4 release Ana",
    ]
    assert judged(*events, "60 clock")["must_place"] is True


def test_skip_with_no_block_spun_has_no_effect(judged: Judge) -> None:
    events = ["0 spin Ana 0 b 1", "1 skip Ana stack"]
    assert judged(*events) == judged("0 spin Ana 0 b 1", "1 clock")
    with pytest.raises(ImpossibleError, match="a release after placing"):
        judged(*events, "2 release Ana")


@pytest.mark.parametrize(
    ("spin", "expected"),
    [
        ("0 spin Ana 0 b 1", ["Ana second-block @1"]),
        ("0 spin Ana 1 b 1", []),
        ("0 spin Ana 2 w 1", ["Ana material @1"]),
    ],
)
def test_number_and_material_are_as_spun(rules: Breaches, spin: str, expected: list[str]) -> None:
    assert rules(spin, "1 extract Ana right 4.2") == expected


def test_more_blocks_than_spun_are_second_blocks(rules: Breaches) -> None:
    events = [
        "0 spin Ana 2 b 1",
        "1 extract Ana right 4.2",
        "2 extract Ana right 5.2",
        "3 extract Ana right 6.2",
    ]
    assert rules(*events) == ["Ana second-block @3"]


def test_material_travels_with_its_block(rules: Breaches, judged: Judge) -> None:
    tower = "111/111/110"
    options = {"materials": "wwb/wbb/bb-"}
    events = ["0 spin Ana 2 b 1", *stacks(1, "Ana", "1.3", "3.3", "x")]
    assert rules(*events, "4 extract Ana right 1.1", tower=tower, options=options) == ["Ana material @4"]
    events = ["0 spin Ana 1 w 1", *stacks(1, "Ana", "1.1", "3.3", "x"), "4 climb Ana 1.2 +x", "5 release Ana"]
    assert judged(*events, "10 spin Ben 1 b 1", tower=tower, options=options)["legal"] == [
        "1.3",
        "2.2",
        "2.3",
    ]


def test_material_travels_into_a_gap_too(judged: Judge) -> None:
    line = {"tower": "101/111/111/110", "options": {"materials": "w-w/wbm/www/ww-"}}
    events = ["0 spin Ana 1 b 1", "1 extract Ana right 2.2", "2 place Ana right 1.2 x"]
    assert judged(*events, **line)["legal"] == ["1.2"]


def test_drop_of_a_half_extracted_block_is_judged_like_an_extraction(rules: Breaches) -> None:
    events = ["0 spin Ana 0 b 1", "1 move Ana right 15.1 40", "2 drop Ana"]
    assert rules(*events) == ["Ana source-layer @2", "Ana second-block @2", "Ana material @2"]


@pytest.mark.parametrize(("slot", "broken"), [("1.1", True), ("2.1", False), ("3.1", True)])
def test_first_climb_counts_from_the_table(rules: Breaches, slot: str, broken: bool) -> None:
    assert rules("0 spin Ana 0 w 2", f"1 climb Ana {slot} +x") == ["Ana climb-count @1"] * broken


def test_climb_counts_from_the_layer_of_the_pegs_block_now(rules: Breaches) -> None:
    events = [*climbs(0, "Ana", 2, "2.1"), *climbs(10, "Ben", 1, "1.1"), "20 spin Ana 0 w 3"]
    assert rules(*events, "21 climb Ana 5.1 -y") == []
    assert rules(*events, "21 climb Ana 4.1 -y") == ["Ana climb-count @21"]


def test_second_climb_in_a_turn_is_too_many(rules: Breaches) -> None:
    assert rules("0 spin Ana 0 w 1", "1 climb Ana 1.1 +x", "2 climb Ana 2.1 +x") == ["Ana climb-count @2"]


def test_hole_takes_one_peg(rules: Breaches) -> None:
    events = [*climbs(0, "Ana", 1, "1.1", "+x"), "10 spin Ben 0 w 1"]
    assert rules(*events, "11 climb Ben 1.1 +x") == ["Ben peg-in-block @11"]
    assert rules(*events, "11 climb Ben 1.1 -x") == []


def test_wrong_count_into_a_full_hole_breaks_both_rules_in_order(rules: Breaches) -> None:
    events = [*climbs(0, "Ana", 1, "1.1", "+x"), "10 spin Ben 0 w 2", "11 climb Ben 1.1 +x"]
    assert rules(*events) == ["Ben climb-count @11", "Ben peg-in-block @11"]


def test_opponents_peg_goes_down_on_its_own_face(rules: Breaches) -> None:
    events = [*climbs(0, "Ana", 3, "3.2"), "10 spin Ben 1 b 1"]
    assert rules(*events, "11 peg_down Ben Ana 2.2 +x", "12 extract Ben right 3.2") == []
    assert rules(*events, "11 peg_down Ben Ana null +x", "12 extract Ben right 3.2") == []


@pytest.mark.parametrize(
    ("peg_down", "reason"),
    [
        ("11 peg_down Ben Ana 2.2 -x", "the face of the peg of Ana"),
        ("11 peg_down Ben Ana 3.1 +x", "a slot below layer 3"),
        ("11 peg_down Ben Ana 4.1 +x", "a slot below layer 3"),
        ("11 peg_down Ben Ana 16.1 +x", "a slot that holds a block"),
        ("11 peg_down Ben Ben 1.1 +x", "an opponent whose peg is in the tower"),
        ("11 peg_down Ben Cem 1.1 +x", "an opponent whose peg is in the tower"),
        ("11 peg_down Ben Cem null +x", "an opponent whose peg is in the tower"),
    ],
)
def test_peg_that_does_not_go_down_is_no_peg_down(judged: Judge, peg_down: str, reason: str) -> None:
    with pytest.raises(ImpossibleError) as refusal:
        judged(*climbs(0, "Ana", 3, "3.2"), peg_down, players=THREE)
    assert reason in str(refusal.value)


def test_peg_may_not_go_down_into_a_full_hole(rules: Breaches) -> None:
    events = [
        *climbs(0, "Ana", 3, "3.2"),
        *climbs(10, "Ben", 1, "1.2"),
        "20 spin Ana 1 b 1",
        "21 peg_down Ana Ben null +x",
    ]
    assert rules(*events) == []
    events = [
        *climbs(0, "Ana", 3, "3.2"),
        *climbs(10, "Ben", 1, "1.2"),
        "20 spin Cem 1 b 1",
        "21 peg_down Cem Ana 1.2 +x",
    ]
    assert rules(*events, players=THREE) == ["Cem peg-in-block @21"]


def test_peg_that_was_taken_off_climbs_from_the_table(played: Any, rules: Breaches) -> None:
    events = [
        *climbs(0, "Ana", 3, "3.2"),
        "10 spin Ben 0 w 1",
        "11 peg_down Ben Ana null +x",
        "12 climb Ben 1.1 +x",
    ]
    events += ["13 release Ben", "20 spin Ana 0 w 1", "21 climb Ana 1.2 +x"]
    assert rules(*events) == []
    assert played(*events, edition="fortnite").height_of("Ana") == 1


def test_peg_travels_with_a_block_that_is_stacked_all_the_same(played: Any) -> None:
    events = [*climbs(0, "Ana", 3, "3.2"), "10 spin Ben 1 b 1", "11 extract Ben right 3.2"]
    assert played(*events, edition="fortnite").height_of("Ana") == 3
    game = played(*events, "12 place Ben right 16.1 y", edition="fortnite")
    assert game.height_of("Ana") == 16
    assert [v.rule for v in game.violations] == ["peg-in-block"]


def test_peg_moved_while_its_block_is_in_hand_stays_where_it_went(played: Any) -> None:
    events = [*climbs(0, "Ana", 3, "3.2"), "10 spin Ben 1 b 1", "11 extract Ben right 3.2"]
    events += ["12 peg_down Ben Ana 2.2 +x", "13 place Ben right 16.1 y"]
    assert played(*events, edition="fortnite").height_of("Ana") == 2


def test_peg_of_a_fallen_block_is_off_the_tower(played: Any) -> None:
    events = [*climbs(0, "Ana", 3, "3.2"), "10 fall 3.2"]
    options = {"fallen_block": "continue"}
    assert played(*events, edition="fortnite", options=options).height_of("Ana") == 0


def top(t: float = 0) -> list[str]:
    """Ana reaches the top of a tower of three layers in her first turn."""
    return climbs(t, "Ana", 3, "3.2")


LOW = {"tower": "111/111/111", "options": {"materials": "wbm*3"}}


def test_top_hole_fixes_the_winner_while_play_goes_on(judged: Judge) -> None:
    verdict = judged(*top()[:2], **LOW)
    assert (verdict["winner"], verdict["state"], verdict["loser"]) == ("Ana", "playing", None)
    assert judged(*top(), **LOW)["state"] == "settling"


def test_turns_after_a_top_hole_are_classic(judged: Judge) -> None:
    verdict = judged(*top(), "10 clock", **LOW)
    assert verdict["legal"] == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    events = [*top(), "10 extract Ben right 1.2", "11 place Ben right 4.1 y", "12 release Ben", "17 clock"]
    verdict = judged(*events, **LOW)
    assert (verdict["turn_of"], verdict["violations"], verdict["winner"]) == ("Ana", [], "Ana")
    second = judged(*events[:-1], "13 extract Ben right 1.1", **LOW)
    assert [v["rule"] for v in second["violations"]] == ["second-block"]


def test_spinner_and_pegs_mean_nothing_after_a_top_hole(judged: Judge) -> None:
    events = [
        *top(),
        "4 spin Ben 2 w 1",
        "10 spin Ben 0 w 3",
        "11 climb Ben 3.2 +x",
        "12 skip Ben stack",
        "13 release Ben",
    ]
    verdict = judged(*events, "60 clock", **LOW)
    assert (verdict["turn_of"], verdict["winner"], verdict["violations"]) == ("Ben", "Ana", [])


@pytest.mark.parametrize("player", ["Ana", "Ben"])
def test_collapse_after_a_top_hole_keeps_the_winner_even_where_the_winner_loses(
    judged: Judge, player: str
) -> None:
    t = 4 if player == "Ana" else 10
    verdict = judged(*top(), f"{t} collapse", **LOW)
    assert (verdict["state"], verdict["winner"], verdict["loser"]) == ("over", "Ana", player)
    assert verdict["next_builder"] == player


def test_winner_by_a_top_hole_stays_the_winner_however_the_tower_ends(judged: Judge) -> None:
    bump, stop = judged(*top(), "10 bump cat", **LOW), judged(*top(), "10 stop", **LOW)
    assert (bump["state"], bump["winner"], bump["loser"], bump["next_builder"]) == (
        "over",
        "Ana",
        None,
        "Ana",
    )
    assert (stop["state"], stop["winner"], stop["next_builder"]) == ("unfinished", "Ana", None)


def test_only_the_first_top_hole_wins(judged: Judge) -> None:
    events = ["0 spin Ana 0 w 3", "1 climb Ana 3.2 +x", "2 release Ana", "10 climb Ben 3.1 +x"]
    assert judged(*events, **LOW)["winner"] == "Ana"


def test_top_grows_with_the_tower(judged: Judge) -> None:
    events = ["0 spin Ana 1 b 3", *stacks(1, "Ana", "1.2", "4.1", "y"), "5 climb Ana 3.2 +x"]
    verdict = judged(*events, **LOW)
    assert (verdict["winner"], verdict["violations"]) == (None, [])


def test_among_the_others_the_highest_peg_wins(judged: Judge) -> None:
    events = [*climbs(0, "Ana", 3, "3.1"), *climbs(10, "Ben", 2, "2.1"), *climbs(20, "Cem", 1, "1.1")]
    for t, loser, winner in ((30, "Ana", "Ben"), (24, "Cem", "Ana")):
        verdict = judged(*events, f"{t} collapse", players=THREE)
        assert (verdict["state"], verdict["winner"], verdict["loser"]) == ("over", winner, loser)


def test_tie_for_the_highest_is_played_again(judged: Judge) -> None:
    events = [*climbs(0, "Ana", 2, "2.1"), *climbs(10, "Ben", 2, "2.2"), "20 collapse"]
    verdict = judged(*events, players=THREE)
    assert (verdict["state"], verdict["winner"], verdict["loser"]) == ("rebuild", None, "Cem")
    assert verdict["next_builder"] == "Cem"


def test_tie_below_the_highest_decides_nothing(judged: Judge) -> None:
    events = [
        *climbs(0, "Ana", 3, "3.1"),
        *climbs(10, "Ben", 1, "1.1"),
        *climbs(20, "Cem", 1, "1.2"),
        "30 clock",
    ]
    verdict = judged(*events, *climbs(30, "Dora", 1, "1.3"), "33 collapse", players=[*THREE, "Dora"])
    assert (verdict["state"], verdict["winner"]) == ("over", "Ana")


def test_pegs_that_never_climbed_rank_at_the_table(judged: Judge) -> None:
    two = judged("0 spin Ana 0 w 1", "1 collapse")
    assert (two["state"], two["winner"], two["loser"]) == ("over", "Ben", "Ana")
    three = judged("0 spin Ana 0 w 1", "1 collapse", players=THREE)
    assert (three["state"], three["winner"], three["loser"]) == ("rebuild", None, "Ana")


def test_conceding_ranks_the_others_but_not_before_a_completed_turn(judged: Judge) -> None:
    first = judged("0 spin Ana 0 w 1", "1 concede Ana")
    assert (first["state"], first["winner"], first["loser"]) == ("rebuild", None, "Ana")
    later = judged(*climbs(0, "Ana", 1, "1.1"), "10 concede Ben")
    assert (later["state"], later["winner"], later["loser"]) == ("over", "Ana", "Ben")


def test_falling_block_ends_and_aligning_is_allowed(judged: Judge, rules: Breaches) -> None:
    assert judged("1 fall 5.1")["loser"] == "Ana"
    assert rules("1 align Ana right 15.1") == []


def test_teams_are_ranked_as_sides(judged: Judge) -> None:
    line = {"players": [*THREE, "Dora"], "teams": [["Ana", "Cem"], ["Ben", "Dora"]]}
    verdict = judged(*climbs(0, "Ana", 3, "3.1"), "10 collapse", **line)
    assert (verdict["winner"], verdict["loser"]) == (["Ana", "Cem"], ["Ben", "Dora"])
    own = judged(*climbs(0, "Ana", 3, "3.1"), *climbs(10, "Ben", 1, "1.1"), "20 collapse", **line)
    assert (own["winner"], own["loser"]) == (["Ben", "Dora"], ["Ana", "Cem"])


def test_alone_nobody_wins_even_by_a_top_hole(judged: Judge) -> None:
    verdict = judged(*top(), "10 collapse", players=["Ana"], **LOW)
    assert (verdict["state"], verdict["winner"], verdict["loser"]) == ("over", None, "Ana")


def test_turn_limit_runs_to_the_release_at_which_all_is_done(rules: Breaches) -> None:
    events = [
        "0 spin Ana 1 b 1",
        *stacks(10, "Ana", "4.2", "16.1", "y"),
        "20 climb Ana 1.1 +x",
        "21 release Ana",
    ]
    assert rules(*events, options={"turn_limit_s": 11}) == []
    assert rules(*events, options={"turn_limit_s": 10.5}) == ["Ana turn-limit @21"]


@pytest.mark.parametrize(
    "options", [{"reverse_on_layer": True}, {"settling": "visible"}, {"blocks": 54, "materials": "wbm*18"}]
)
def test_options_of_the_other_editions_work_here_too(judged: Judge, options: dict[str, object]) -> None:
    events = climbs(0, "Ana", 1, "1.1")
    verdict = judged(*events, "3 settled", "10 clock", options=options)
    assert (verdict["turn_of"], verdict["completed_turns"], verdict["violations"]) == ("Ben", 1, [])
