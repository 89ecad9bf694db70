from __future__ import annotations

import json

import pytest

from planning.record import write_event
from planning.scribe import Scribe
from planning.tower import Slot
from robot.clock import ManualClock
from support.records import Paper

S, TOP = Slot(5, 2), Slot(19, 1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(100.0)


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def scribe(paper: Paper, clock: ManualClock) -> Scribe:
    return Scribe(paper, clock, "Robot", start_s=100.0)


def written(paper: Paper) -> list[dict[str, object]]:
    return [json.loads(write_event(event)) for event in paper.events]


def test_a_whole_turn_is_written_in_the_records_words(
    paper: Paper, clock: ManualClock, scribe: Scribe
) -> None:
    scribe.touch(S)
    clock.sleep_until(103.25)
    scribe.move(S, -0.00604, 0.2114)
    scribe.extract(S, 0.51249)
    clock.sleep_until(120.0)
    scribe.place(TOP)
    scribe.release()
    clock.sleep_until(130.0)
    scribe.clock()
    player = {"player": "Robot", "hand": "arm"}
    assert written(paper) == [
        {"t": 0, "type": "touch", **player, "block": "5.2"},
        {"t": 3.25, "type": "move", **player, "block": "5.2", "mm": -6.0, "force_n": 0.211},
        {"t": 3.25, "type": "extract", **player, "block": "5.2", "force_n": 0.512},
        {"t": 20, "type": "place", **player, "slot": "19.1", "axis": "x"},
        {"t": 20, "type": "release", "player": "Robot"},
        {"t": 30, "type": "clock"},
    ]
    assert paper.game.completed_turns == 1
    assert paper.rules_broken() == []


def test_block_of_an_even_layer_is_placed_along_y(paper: Paper, scribe: Scribe) -> None:
    for source, top in ((Slot(5, 2), Slot(19, 1)), (Slot(6, 2), Slot(19, 2)), (Slot(7, 2), Slot(19, 3))):
        scribe.extract(source, 0.1)
        scribe.place(top)
        scribe.release()
    scribe.extract(Slot(8, 2), 0.1)
    scribe.place(Slot(20, 1))
    axes = [line["axis"] for line in written(paper) if line["type"] == "place"]
    assert axes == ["x", "x", "x", "y"]


def test_displacement_is_never_written_as_nought(paper: Paper, scribe: Scribe) -> None:
    """The notation knows no displacement of 0 mm."""
    for moved_m in (0.00001, -0.00001, 0.0):
        scribe.move(S, moved_m, 0.1)
    assert [line["mm"] for line in written(paper)] == [0.1, 0.1, 0.1]


def test_neighbours_are_named_in_order(paper: Paper, scribe: Scribe) -> None:
    scribe.move(S, 0.006, 0.1)
    scribe.shift([Slot(6, 1), Slot(4, 3)])
    assert written(paper)[-1] == {"t": 0, "type": "shift", "blocks": ["4.3", "6.1"]}
    scribe.restore(S)
    scribe.restore(Slot(4, 3))
    assert [str(slot) for slot in paper.game.must_restore] == ["6.1"]


def test_time_is_told_to_the_millisecond_and_never_runs_backwards(
    paper: Paper, clock: ManualClock, scribe: Scribe
) -> None:
    clock.sleep_until(100.00449)
    scribe.touch(S)
    later = Scribe(paper, ManualClock(0.0), "Robot", start_s=100.0)
    later.touch(S)
    clock.sleep_until(100.0046)
    scribe.touch(S)
    assert [line["t"] for line in written(paper)] == [0.004, 0.004, 0.005]


@pytest.mark.parametrize(
    ("act", "line"),
    [
        (lambda scribe: scribe.concede(), {"type": "concede", "player": "Robot"}),
        (lambda scribe: scribe.stop(), {"type": "stop"}),
        (lambda scribe: scribe.collapse(), {"type": "collapse"}),
        (lambda scribe: scribe.fell([S], whole=True), {"type": "collapse"}),
        (lambda scribe: scribe.fell([S], whole=False), {"type": "fall", "blocks": ["5.2"]}),
        (lambda scribe: scribe.fall([Slot(6, 3), S]), {"type": "fall", "blocks": ["5.2", "6.3"]}),
        (lambda scribe: (scribe.extract(S, 0.1), scribe.drop()), {"type": "drop", "player": "Robot"}),
        (lambda scribe: scribe.settled(), {"type": "settled"}),
    ],
)
def test_ends_are_written(paper: Paper, scribe: Scribe, act: object, line: dict[str, object]) -> None:
    act(scribe)  # type: ignore[operator]
    assert written(paper)[-1] == {"t": 0, **line}


def test_players_hand_and_name_are_theirs(paper: Paper, clock: ManualClock) -> None:
    Scribe(paper, clock, "Robot", 100.0, hand="left").touch(S)
    assert written(paper)[-1]["hand"] == "left"
