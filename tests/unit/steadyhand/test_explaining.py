from __future__ import annotations

import json

import pytest

from planning.referee import fold
from planning.violations import RULES
from steadyhand.breach_words import remedy_words, rule_words
from steadyhand.explaining import explain

MOVE = {"t": 1, "type": "move", "player": "Ana", "hand": "right", "block": "9.1", "mm": 8}
EXTRACT = {"t": 2, "type": "extract", "player": "Ana", "hand": "right", "block": "5.2"}
PLACE = {"t": 3, "type": "place", "player": "Ana", "hand": "right", "slot": "19.1", "axis": "x"}
RELEASE = {"t": 4, "type": "release", "player": "Ana"}
TURN = (EXTRACT, PLACE, RELEASE)


def told(*events: dict[str, object], **line: object) -> list[str]:
    first: dict[str, object] = {
        "type": "game",
        "edition": "classic",
        "players": ["Ana", "Ben"],
        "options": {},
    }
    return explain(fold([json.dumps(first | line), *map(json.dumps, events)])).splitlines()


def test_it_tells_who_is_in_turn_and_what_may_be_taken() -> None:
    assert told() == [
        "At 0 s, after 0 completed turns, the tower is 111*18 (54 blocks).",
        "Ana is in turn.",
        "May be taken: every block of layers 1 to 17.",
        "No rule was broken.",
    ]


@pytest.mark.parametrize(
    ("tower", "words"),
    [
        ("111/101/111/111/100", "every block of layers 1 to 3"),
        ("111/111/111", "every block of layers 1 to 2"),
        ("111/111", "every block of layer 1"),
    ],
)
def test_whole_layers_are_told_as_such(tower: str, words: str) -> None:
    assert f"May be taken: {words}." in told(tower=tower)


def test_layers_around_one_that_holds_no_open_block_are_not_told_as_a_run() -> None:
    spin = {"t": 1, "type": "spin", "player": "Ana", "stack": 1, "material": "w", "climb": 2}
    lines = told(spin, edition="fortnite", tower="111*5", options={"materials": "www/www/wbm/bbb/www"})
    assert "May be taken: every block of layers 1 to 2; 3.1." in lines
    lines = told(spin, edition="fortnite", tower="111*5", options={"materials": "www/bbb/www/www/www"})
    assert "May be taken: every block of layer 1; every block of layers 3 to 4." in lines


def test_it_tells_what_must_be_restored_first() -> None:
    lines = told(MOVE, {"t": 2, "type": "shift", "blocks": ["9.2"]})
    assert "To be put right first: 9.1, 9.2. Touch no other block before." in lines
    assert "May be taken: 9.1." in lines
    lines = told({"t": 2, "type": "shift", "blocks": ["9.2"]})
    assert "No block may be taken now." in lines


def test_it_tells_where_the_block_in_hand_goes() -> None:
    assert "The block in hand goes on top: 19.1, 19.2, 19.3." in told(EXTRACT)
    shifted = told(EXTRACT, {"t": 3, "type": "shift", "blocks": ["9.2"]})
    assert "The block in hand waits until the shifted neighbours are put right." in shifted
    back = told(EXTRACT, {**EXTRACT, "type": "restore"})
    assert "The block that was put back must come out again and go on top." in back


def test_it_tells_how_the_turn_ends() -> None:
    assert "No further block may be taken; the turn waits for the hands of Ana to leave." in told(
        EXTRACT, PLACE
    )
    timed = "the tower settles. The turn ends at 14 s, or when Ben touches the tower."
    assert told(*TURN)[1] == f"Ana has placed and released: {timed}"
    visible = "the tower settles. The turn ends when it is seen to stand still; then Ben is in turn."
    assert any(visible in line for line in told(*TURN, options={"settling": "visible"}))
    assert "The turn's limit runs until 31 s." in told(MOVE, options={"turn_limit_s": 30})


def test_it_tells_who_owes_a_prompt() -> None:
    assert "Ana still owes the prompt of a marked block." in told(*TURN, options={"prompts": {"5.2": "sing"}})


def test_it_tells_what_the_spinner_asks() -> None:
    line = {"edition": "fortnite", "options": {"materials": "wbm*15"}}
    assert told(**line)[2:] == ["Ana has to spin before taking a block or climbing.", "No rule was broken."]
    spin = {"t": 1, "type": "spin", "player": "Ana", "stack": 2, "material": "b", "climb": 3}
    lines = told(spin, **line)
    assert "Still to stack: 2 of brick." in lines
    assert "Still to climb: 3 from layer 0." in lines
    skip = {"t": 2, "type": "skip", "player": "Ana", "what": "stack"}
    assert "No block may be taken now." in told(spin, skip, **line)
    climb = {"t": 3, "type": "climb", "player": "Ana", "slot": "3.1", "face": "+x"}
    assert not any("Still to climb" in words for words in told(spin, climb, **line))
    events = [spin, skip, climb, {"t": 4, "type": "release", "player": "Ana"}]
    alone = told(*events, {**spin, "t": 10}, players=["Ana"], **line)
    assert "Still to climb: 3 from layer 3." in alone


def test_it_tells_why_a_move_was_illegal_and_the_remedy() -> None:
    lines = told({**EXTRACT, "block": "18.2"})
    assert lines[-1] == (
        "At 2 s Ana broke `source-layer` by `extract` 18.2. A block comes from an open layer only. "
        "Set the block on top and play on; next time take one from an open layer."
    )


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"type": "collapse"}, "The tower fell in the turn of Ben."),
        ({"type": "catch", "player": "Ben"}, "was caught in the turn of Ben"),
        ({"type": "fall", "blocks": ["1.1"]}, "A block that nobody was moving fell in the turn of Ben."),
        ({"type": "concede", "player": "Ben"}, "Ben conceded."),
    ],
)
def test_it_tells_how_the_tower_ended_and_for_whom(event: dict[str, object], words: str) -> None:
    lines = told(*TURN, {"t": 20, **event})
    assert any(words in line for line in lines)
    assert lines[2:5] == ["Ana won.", "Ben lost.", "The next tower is built and begun by Ben."]


def test_it_tells_of_an_end_without_winner() -> None:
    assert told({"t": 1, "type": "stop"})[1:3] == [
        "The group ended the game with the tower standing.",
        "Nobody won.",
    ]
    bump = told({"t": 1, "type": "bump", "by": "cat"})
    assert bump[2:4] == ["Nobody won.", "The next tower is built and begun by Ana."]
    dropped = told(EXTRACT, {"t": 3, "type": "drop", "player": "Ana"}, options={"dropped_block": "loses"})
    assert "Ana dropped the block being moved, which loses here." in dropped


def test_a_team_is_told_by_its_players() -> None:
    players, teams = ["Ana", "Ben", "Cem", "Dora"], [["Ana", "Cem"], ["Ben", "Dora"]]
    assert "Ana and Cem won." in told(*TURN, {"t": 20, "type": "collapse"}, players=players, teams=teams)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_and_remedy_has_words_in_both_languages(rule: str) -> None:
    for words in (rule_words, remedy_words):
        english, german = words(rule, "en"), words(rule, "de")  # type: ignore[arg-type]
        assert english.endswith(".")
        assert german.endswith(".")
        assert english != german
