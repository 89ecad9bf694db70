from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from planning.editions import OPTIONS
from planning.opening import Opening, opening_of, read_opening, write_opening
from planning.refusals import MalformedError
from planning.tower import Slot

FOUR = ["Ana", "Ben", "Cem", "Dora"]


def first_line(**keys: object) -> dict[str, object]:
    return {"type": "game", "edition": "classic", "players": ["Ana", "Ben"], "options": {}, **keys}


# The notation's table: option, then classic, rulebook, fortnite.
DEFAULTS = {
    "blocks": (54, 54, 45),
    "source_layers": ("below-highest-complete", "below-top-two", "below-highest-complete"),
    "settle_s": (10, 10, 5),
    "settling": ("timed", "timed", "timed"),
    "testing": ("free", "free", "free"),
    "retest": ("free", "free", "free"),
    "restore_hand": ("any", "any", "any"),
    "hands": ("one", "one", "one"),
    "turn_limit_s": (None, None, None),
    "dropped_block": ("retrieve", "retrieve", "retrieve"),
    "fallen_block": ("ends", "continue", "ends"),
    "align_top": (False, True, True),
    "reverse_on_layer": (False, False, False),
    "prompts": ({}, {}, {}),
}


@pytest.mark.parametrize(("k", "edition"), [(0, "classic"), (1, "rulebook"), (2, "fortnite")])
def test_each_edition_has_the_defaults_of_the_table(k: int, edition: str) -> None:
    given = {"materials": "wbm*15"} if edition == "fortnite" else {}
    options = Opening.of(["Ana", "Ben"], edition, given).options
    assert {name: getattr(options, name) for name in DEFAULTS} == {
        name: row[k] for name, row in DEFAULTS.items()
    }
    assert {option.name for option in OPTIONS} == {*DEFAULTS, "off_hands", "materials"}


OTHERS = [
    {"blocks": 54},
    {"blocks": 45},
    {"source_layers": "below-top-two"},
    {"source_layers": "below-highest-complete"},
    {"settle_s": 0},
    {"settle_s": 2.5},
    {"settling": "visible"},
    {"testing": "none"},
    {"retest": "once"},
    {"restore_hand": "same"},
    {"hands": "two"},
    {"hands": "off-hand", "off_hands": {"Ana": "left", "Ben": "arm"}},
    {"turn_limit_s": 30},
    {"turn_limit_s": None},
    {"dropped_block": "loses"},
    {"fallen_block": "continue"},
    {"fallen_block": "ends"},
    {"align_top": True},
    {"align_top": False},
    {"reverse_on_layer": True},
    {"prompts": {"5.2": "sing"}},
]


@pytest.mark.parametrize("edition", ["classic", "rulebook", "fortnite"])
@pytest.mark.parametrize("given", OTHERS)
def test_every_option_can_be_set_in_every_edition(edition: str, given: Mapping[str, object]) -> None:
    tower = "111*15"
    opening = Opening.of(["Ana", "Ben"], edition, {"materials": "wbm*15", **given}, tower)
    for name, value in given.items():
        if name != "prompts":
            assert getattr(opening.options, name) == value
    assert read_opening(write_opening(opening)) == opening


def test_format_and_tower_may_be_left_out() -> None:
    opening = opening_of(first_line())
    assert str(opening.tower) == "111*18"
    assert opening_of(first_line(format=1, tower="111*18")) == opening


def test_blocks_set_the_starting_tower_but_a_tower_that_is_given_stands() -> None:
    assert str(opening_of(first_line(options={"blocks": 45})).tower) == "111*15"
    assert str(opening_of(first_line(options={"blocks": 45}, tower="111/100")).tower) == "111/100"


def test_further_keys_are_kept() -> None:
    opening = read_opening(json.dumps(first_line(date="2025-06-01", t=0)))
    assert opening.further == {"date": "2025-06-01", "t": 0}
    assert read_opening(write_opening(opening)) == opening


def test_written_opening_names_the_tower_and_the_options_as_given() -> None:
    opening = Opening.of(["Ana", "Robot"], options={"settle_s": 3, "prompts": {"5.2": "sing"}})
    assert json.loads(write_opening(opening)) == {
        "type": "game",
        "format": 1,
        "edition": "classic",
        "players": ["Ana", "Robot"],
        "tower": "111*18",
        "options": {"settle_s": 3, "prompts": {"5.2": "sing"}},
    }
    assert opening.options.prompts == {Slot(5, 2): "sing"}


def test_a_team_plays_as_one_side() -> None:
    opening = Opening.of(FOUR, teams=[["Ana", "Cem"], ["Ben", "Dora"]])
    assert opening.side_of("Cem") == ("Ana", "Cem")
    assert read_opening(write_opening(opening)) == opening
    assert Opening.of(FOUR).side_of("Cem") == "Cem"


REFUSED = [
    ({"type": "touch"}, "`type` to be game"),
    ({"type": None}, "`type` to be game"),
    ({"format": 2}, "`format` to be 1"),
    ({"format": "1"}, "`format` to be 1"),
    ({"format": True}, "`format` to be 1"),
    ({"edition": "xtreme"}, "`edition` to be classic or rulebook or fortnite"),
    ({"edition": None}, "`edition` to be"),
    ({"edition": ["classic"]}, "`edition` to be"),
    ({"players": []}, "`players` to be a list of players"),
    ({"players": "Ana"}, "`players` to be a list of players"),
    ({"players": ["Ana", "Ana"]}, "players of different names"),
    ({"players": ["Ana", 3]}, "a player's name"),
    ({"players": ["Ana", ""]}, "a player's name"),
    ({"tower": None}, "`tower` to be tower text"),
    ({"tower": ""}, "`tower` to be tower text"),
    ({"tower": "11/111"}, 'got "11"'),
    ({"tower": "111/000"}, "topmost layer holds a block"),
    ({"teams": None}, "two equal lists"),
    ({"teams": [["Ana"], ["Ben"], ["Cem"]]}, "two equal lists"),
    ({"teams": [["Ana", "Ben"], ["Cem"]]}, "two equal lists"),
    ({"teams": [["Ana"], [3]]}, "two equal lists"),
    ({"teams": [["Ana"], "B"]}, "two equal lists"),
    ({"players": FOUR, "teams": [["Ana", "Ben"], ["Cem", "Dora"]]}, "`players` in the order of these teams"),
    ({"players": FOUR, "teams": [["Ana", "Dora"], ["Ben", "Cem"]]}, "`players` in the order of these teams"),
    ({"players": FOUR, "teams": [["Ana"], ["Ben"]]}, "`players` in the order of these teams"),
    ({"options": None}, "`options` to be an object"),
    ({"options": []}, "`options` to be an object"),
    ({"options": {"sharpness": 1}}, 'got "sharpness"'),
    ({"options": {"blocks": 48}}, "`blocks` to be 54 or 45"),
    ({"options": {"blocks": "54"}}, "`blocks` to be 54 or 45"),
    ({"options": {"source_layers": "all"}}, "`source_layers` to be"),
    ({"options": {"settle_s": -1}}, "`settle_s` to be seconds"),
    ({"options": {"settle_s": None}}, "`settle_s` to be seconds"),
    ({"options": {"settle_s": "10"}}, "`settle_s` to be seconds"),
    ({"options": {"settle_s": True}}, "`settle_s` to be seconds"),
    ({"options": {"settling": "sometimes"}}, "`settling` to be timed or visible"),
    ({"options": {"hands": 1}}, "`hands` to be one or two or off-hand"),
    ({"options": {"hands": "off-hand"}}, "`off_hands` to name a hand for each of Ana, Ben"),
    ({"options": {"hands": "off-hand", "off_hands": {"Ana": "left"}}}, "`off_hands` to name a hand"),
    ({"options": {"off_hands": {"Ana": "left"}}}, "`off_hands` to name a hand"),
    ({"options": {"off_hands": {"Ana": "left", "Ben": "left", "Zoe": "left"}}}, "`off_hands` to name a hand"),
    ({"options": {"hands": "off-hand", "off_hands": {"Ana": "left", "Ben": "foot"}}}, "left or right or arm"),
    ({"options": {"hands": "off-hand", "off_hands": ["left"]}}, "an object {player: hand}"),
    ({"options": {"turn_limit_s": -5}}, "`turn_limit_s` to be seconds"),
    ({"options": {"turn_limit_s": False}}, "`turn_limit_s` to be seconds"),
    ({"options": {"align_top": 1}}, "`align_top` to be true or false"),
    ({"options": {"reverse_on_layer": "true"}}, "`reverse_on_layer` to be true or false"),
    ({"options": {"prompts": ["5.2"]}}, "an object {slot: text}"),
    ({"options": {"prompts": {"5-2": "sing"}}}, "a slot LAYER.POSITION"),
    ({"options": {"prompts": {"5.2": 3}}}, "an object {slot: text}"),
    ({"options": {"prompts": {"19.1": "sing"}}}, "to mark blocks of the tower"),
    ({"edition": "fortnite"}, "`materials`, which the fortnite edition needs"),
    ({"edition": "fortnite", "options": {"materials": "wbm*14"}}, "`materials` that match the tower"),
    ({"edition": "fortnite", "options": {"materials": "wbm*16"}}, "`materials` that match the tower"),
    ({"edition": "fortnite", "options": {"materials": "wbx*15"}}, "`materials` that match the tower"),
    (
        {"edition": "fortnite", "options": {"materials": "wb-/" + "wbm*14"}},
        "`materials` that match the tower",
    ),
    ({"edition": "fortnite", "options": {"materials": ["wbm"] * 15}}, "the materials as text"),
    (
        {"edition": "fortnite", "tower": "101", "options": {"materials": "wbm"}},
        "`materials` that match the tower",
    ),
]


@pytest.mark.parametrize(("keys", "reason"), REFUSED)
def test_a_first_line_that_is_not_of_the_form_is_refused_with_the_reason(
    keys: dict[str, object], reason: str
) -> None:
    with pytest.raises(MalformedError) as refusal:
        opening_of(first_line(**keys))
    assert reason in str(refusal.value)


def test_a_refused_first_line_is_shown_a_good_one() -> None:
    with pytest.raises(MalformedError, match=r'Such as \{"type":"game","edition":"classic","players":\['):
        opening_of(first_line(players=[]))
    with pytest.raises(MalformedError, match=r"Write \{\} for the edition's own options$"):
        opening_of(first_line(options=[]))


@pytest.mark.parametrize("key", ["type", "edition", "players", "options"])
def test_a_key_that_may_not_be_left_out_is_asked_for(key: str) -> None:
    line = first_line()
    del line[key]
    with pytest.raises(MalformedError, match=f"expected `{key}` in the first line"):
        opening_of(line)


@pytest.mark.parametrize("materials", ["wbm/w-m", "wbm*1/w-m"])
def test_materials_match_a_tower_with_gaps(materials: str) -> None:
    opening = Opening.of(["Ana"], "fortnite", {"materials": materials}, "111/101")
    assert opening.options.materials == materials
