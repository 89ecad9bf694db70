from __future__ import annotations

import json

import pytest

from planning.events import EVENT_TYPES, Brace, Clock, Event, Extract, Hands, Move, PegDown, Place, Shift
from planning.record import read_event, write_event
from planning.refusals import MalformedError
from planning.tower import Slot

# One line of each type, as the notation's table has it.
LINES: dict[str, dict[str, object]] = {
    "touch": {"player": "Ana", "hand": "left", "block": "7.2"},
    "move": {"player": "Ana", "hand": "right", "block": "7.2", "mm": -3.5},
    "shift": {"blocks": ["7.1", "7.3"]},
    "restore": {"player": "Ana", "hand": "right", "block": "7.2"},
    "extract": {"player": "Robot", "hand": "arm", "block": "7.2"},
    "drop": {"player": "Ana"},
    "place": {"player": "Ana", "hand": "right", "slot": "19.1", "axis": "x"},
    "release": {"player": "Ana"},
    "align": {"player": "Ana", "hand": "right", "blocks": ["19.1"]},
    "relocate": {"player": "Ana", "hand": "right", "block": "19.1", "slot": "19.3"},
    "hands": {"player": "Ana", "count": 2},
    "brace": {"player": "Ana", "with": "forearm"},
    "fall": {"blocks": ["7.1"]},
    "collapse": {},
    "bump": {"by": "the cat"},
    "concede": {"player": "Ana"},
    "stop": {},
    "settled": {},
    "catch": {"player": "Ana"},
    "prompt_done": {"player": "Ana"},
    "spin": {"player": "Ana", "stack": 2, "material": "w", "climb": 3},
    "climb": {"player": "Ana", "slot": "3.1", "face": "+x"},
    "peg_down": {"player": "Ana", "peg_of": "Ben", "slot": "1.1", "face": "-y"},
    "skip": {"player": "Ana", "what": "stack"},
    "clock": {},
}
ON_THE_TOWER = {
    "touch",
    "move",
    "restore",
    "extract",
    "place",
    "align",
    "relocate",
    "brace",
    "climb",
    "peg_down",
    "hands",
}


def line(kind: str, **keys: object) -> str:
    return json.dumps({"t": 1.5, "type": kind, **LINES.get(kind, {}), **keys})


def test_every_type_of_the_table_is_known() -> None:
    assert {event_type.kind for event_type in EVENT_TYPES} == set(LINES)


@pytest.mark.parametrize("kind", LINES)
def test_an_event_of_each_type_round_trips_with_its_further_keys(kind: str) -> None:
    event = read_event(line(kind, force_n=0.8, note={"by": ["hand"]}))
    assert event.further["force_n"] == 0.8
    assert json.loads(write_event(event)) == json.loads(line(kind, force_n=0.8, note={"by": ["hand"]}))
    assert read_event(write_event(event)) == event


@pytest.mark.parametrize("kind", LINES)
def test_events_are_hashable_frozen_and_unlike_those_of_other_types(kind: str) -> None:
    event = read_event(line(kind))
    assert hash(event) == hash(read_event(line(kind)))
    assert [other for other in LINES if read_event(line(other)) == event] == [kind]
    with pytest.raises(AttributeError):
        event.t_s = 3  # type: ignore[misc]


@pytest.mark.parametrize("kind", LINES)
def test_events_on_the_tower_are_those_that_the_notation_lists(kind: str) -> None:
    assert read_event(line(kind)).is_on_tower() == (kind in ON_THE_TOWER)


def test_taking_the_last_hand_off_is_no_event_on_the_tower() -> None:
    assert not Hands(1.0, "Ana", 0).is_on_tower()


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in LINES.items() for key in keys])
def test_a_missing_key_is_refused_and_named(kind: str, key: str) -> None:
    written = json.loads(line(kind))
    del written[key]
    with pytest.raises(
        MalformedError, match=f"expected `{key}` in an event of type `{kind}`, got no such key"
    ):
        read_event(json.dumps(written))


@pytest.mark.parametrize("kind", LINES)
def test_a_missing_time_is_refused(kind: str) -> None:
    with pytest.raises(MalformedError, match="expected `t` in an event"):
        read_event(json.dumps({"type": kind, **LINES[kind]}))


WRONG = [
    ("clock", "t", -0.001),
    ("clock", "t", True),
    ("clock", "t", "1"),
    ("clock", "t", None),
    ("clock", "t", 1e13),
    ("clock", "t", 10**400),
    ("touch", "hand", "both"),
    ("touch", "hand", ["left"]),
    ("touch", "hand", None),
    ("touch", "player", 7),
    ("touch", "player", ""),
    ("touch", "player", None),
    ("touch", "block", "7-2"),
    ("touch", "block", 7.2),
    ("touch", "block", None),
    ("touch", "block", {"layer": 7}),
    ("move", "mm", 0),
    ("move", "mm", -0.0),
    ("move", "mm", "5"),
    ("move", "mm", False),
    ("shift", "blocks", []),
    ("shift", "blocks", "7.1"),
    ("shift", "blocks", ["7.1", "7.1"]),
    ("shift", "blocks", ["7.1", 7]),
    ("place", "axis", "z"),
    ("place", "slot", None),
    ("hands", "count", -1),
    ("hands", "count", 1.5),
    ("hands", "count", True),
    ("brace", "with", 3),
    ("bump", "by", None),
    ("spin", "stack", 3),
    ("spin", "stack", True),
    ("spin", "climb", 0),
    ("spin", "climb", 4),
    ("spin", "material", "wood"),
    ("climb", "face", "x"),
    ("climb", "slot", None),
    ("peg_down", "face", None),
    ("peg_down", "slot", "0.1"),
    ("skip", "what", "climb"),
]


@pytest.mark.parametrize(("kind", "key", "value"), WRONG)
def test_a_value_outside_the_tables_is_refused_and_named(kind: str, key: str, value: object) -> None:
    with pytest.raises(MalformedError, match=f"expected `{key}` to be ") as refusal:
        read_event(line(kind, **{key: value}))
    assert "got" in str(refusal.value)


@pytest.mark.parametrize("kind", ["wiggle", "game", "", None, 3, ["touch"], {"a": 1}])
def test_an_unknown_type_is_refused_with_the_known_ones(kind: object) -> None:
    with pytest.raises(MalformedError, match=r"expected `type` to be one of touch, move, .*, clock"):
        read_event(json.dumps({"t": 1, "type": kind}))


def test_a_line_without_a_type_is_refused() -> None:
    with pytest.raises(MalformedError, match="expected `type` to be one of"):
        read_event('{"t": 1}')


def test_a_peg_that_is_taken_off_needs_no_face() -> None:
    words = {"t": 1, "type": "peg_down", "player": "Ana", "peg_of": "Ben", "slot": None}
    for face in ({}, {"face": None}, {"face": "+x"}):
        event = read_event(json.dumps({**words, **face}))
        assert isinstance(event, PegDown)
        assert event.slot is None
        assert read_event(write_event(event)) == event
    with pytest.raises(MalformedError, match="expected `face` to be"):
        read_event(json.dumps({**words, "face": "up"}))


@pytest.mark.parametrize(
    "event",
    [
        Extract(12.25, "Robot", "arm", Slot(7, 2), further={"force_n": 0.8}),
        Move(3, "Robot", "arm", Slot(7, 2), -2.5),
        Place(15, "Robot", "arm", Slot(19, 1), "x"),
        Shift(4.5, (Slot(7, 1), Slot(7, 3))),
        Brace(1, "Jürgen 😀", "a ruler"),
        Clock(0),
    ],
)
def test_an_event_made_in_code_is_written_and_read_the_same(event: Event) -> None:
    assert read_event(write_event(event)) == event


def test_a_slot_that_cannot_hold_a_block_can_still_be_written() -> None:
    event = read_event(line("place", slot="20.4"))
    assert isinstance(event, Place)
    assert event.slot == Slot(20, 4)


def test_bytes_with_a_carriage_return_read_like_the_plain_line() -> None:
    assert read_event(line("drop").encode() + b"\r") == read_event(line("drop"))
