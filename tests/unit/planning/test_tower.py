from __future__ import annotations

import pytest

from planning.refusals import ImpossibleError, MalformedError
from planning.tower import Slot, Tower, axis_of


@pytest.mark.parametrize(
    ("text", "spread"),
    [
        ("111*18", "/".join(["111"] * 18)),
        ("111/111/101", "111/111/101"),
        ("111*2/100", "111/111/100"),
        ("111*1", "111"),
        ("000/010", "000/010"),
        ("000*4/001", "000/000/000/000/001"),
    ],
)
def test_tower_text_with_runs_means_the_layers_written_out(text: str, spread: str) -> None:
    assert Tower.parse(text) == Tower.parse(spread)
    assert hash(Tower.parse(text)) == hash(Tower.parse(spread))


def test_runs_of_three_or_more_are_written_short_and_pairs_are_not() -> None:
    assert str(Tower.parse("111/111/111/101/101/110/110/110/110")) == "111*3/101/101/110*4"


def test_repr_rebuilds_tower_and_slot() -> None:
    tower, slot = Tower.parse("111*17/011"), Slot(7, 2)
    assert eval(repr(tower), {"Tower": Tower}) == tower
    assert eval(repr(slot), {"Slot": Slot}) == slot


@pytest.mark.parametrize(
    "text", ["11", "1111", "121", "111/", "/111", "111*0", "111*01", "111*-1", "111 ", "١١١"]
)
def test_text_that_is_no_tower_is_refused_with_the_piece_at_fault(text: str) -> None:
    with pytest.raises(MalformedError, match="expected tower text such as 111/101"):
        Tower.parse(text)


def test_empty_top_layer_is_refused() -> None:
    with pytest.raises(MalformedError, match="whose topmost layer holds a block"):
        Tower.parse("111/000")


@pytest.mark.parametrize("text", ["111*100001", "111*" + "9" * 500, "111*60000/111*60000", "1" * 5_000_000])
def test_tower_of_absurd_height_is_refused_at_once(text: str) -> None:
    with pytest.raises(MalformedError):
        Tower.parse(text)


@pytest.mark.parametrize(
    ("text", "slot"), [("7.2", Slot(7, 2)), ("19.1", Slot(19, 1)), ("5.12", Slot(5, 12))]
)
def test_slot_text_round_trips(text: str, slot: Slot) -> None:
    assert Slot.parse(text) == slot
    assert str(slot) == text


@pytest.mark.parametrize(
    "text",
    [
        "7-2",
        "7.0",
        "0.1",
        "07.2",
        "7.02",
        "7",
        "7.2.1",
        " 7.2",
        "7.2\n",
        "-7.2",
        "7.+2",
        "٧.٢",
        "",
        "1." + "9" * 700,
    ],
)
def test_text_that_is_no_slot_is_refused(text: str) -> None:
    with pytest.raises(MalformedError, match="expected a slot LAYER"):
        Slot.parse(text)


@pytest.mark.parametrize("numbers", [(0, 1), (1, 0), (True, 1), (1.0, 2)])
def test_slot_is_made_of_whole_numbers_from_one(numbers: tuple[int, int]) -> None:
    with pytest.raises(MalformedError, match="two whole numbers from 1"):
        Slot(*numbers)


def test_slots_are_in_order_of_layer_then_position() -> None:
    assert sorted([Slot(10, 1), Slot(9, 3), Slot(9, 1)]) == [Slot(9, 1), Slot(9, 3), Slot(10, 1)]


def test_odd_layers_lie_along_x_and_even_ones_along_y() -> None:
    assert [axis_of(layer) for layer in (1, 2, 19, 20)] == ["x", "y", "x", "y"]


def test_starting_towers_have_three_blocks_a_layer() -> None:
    assert str(Tower.of_blocks(54)) == "111*18"
    assert Tower.of_blocks(45).n_blocks == 45


def test_remove_and_place_leave_the_tower_they_are_asked_of() -> None:
    tower = Tower.parse("111*18")
    assert str(tower.remove(Slot(5, 2))) == "111*4/101/111*13"
    assert str(tower.place(Slot(19, 3))) == "111*18/001"
    assert str(tower) == "111*18"


def test_top_layer_that_lost_its_last_block_is_dropped_with_empty_ones_below() -> None:
    assert str(Tower.parse("111/000/100").remove(Slot(3, 1))) == "111"
    assert Tower.parse("010").remove(Slot(1, 2)) == Tower()


@pytest.mark.parametrize("slot", ["5.2", "6.1", "1.4"])
def test_removing_what_is_not_there_is_impossible(slot: str) -> None:
    with pytest.raises(ImpossibleError, match="expected a slot that holds a block"):
        Tower.parse("111*4/101").remove(Slot.parse(slot))


@pytest.mark.parametrize("slot", ["5.1", "7.1", "5.4"])
def test_placing_where_no_free_slot_is_is_impossible(slot: str) -> None:
    with pytest.raises(ImpossibleError, match="expected a free slot"):
        Tower.parse("111*4/101").place(Slot.parse(slot))


@pytest.mark.parametrize(
    ("text", "highest"), [("111*18", 18), ("111*17/110", 17), ("111/101/111/011", 3), ("110/011", 0), ("", 0)]
)
def test_highest_complete_layer(text: str, highest: int) -> None:
    assert Tower.parse(text).highest_complete_layer == highest


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("111*18", ["19.1", "19.2", "19.3"]),
        ("111*18/010", ["19.1", "19.3"]),
        ("111/101/110", ["3.3"]),
        ("", ["1.1", "1.2", "1.3"]),
    ],
)
def test_free_top_slots_fill_the_top_layer_before_a_new_one(text: str, free: list[str]) -> None:
    assert [str(slot) for slot in Tower.parse(text).free_top_slots] == free


@pytest.mark.parametrize(
    ("slot", "placing"),
    [
        ("3.3", "top"),
        ("4.1", "early"),
        ("2.2", "below"),
        ("3.1", "taken"),
        ("5.1", "absent"),
        ("3.4", "absent"),
        ("1.4", "absent"),
    ],
)
def test_placing_tells_what_setting_a_block_there_would_mean(slot: str, placing: str) -> None:
    assert Tower.parse("111/101/110").placing(Slot.parse(slot)) == placing


def test_new_layer_on_a_complete_one_is_the_top() -> None:
    assert Tower.parse("111").placing(Slot(2, 3)) == "top"
    assert Tower().placing(Slot(1, 1)) == "top"


def test_blocks_and_gaps_make_up_the_standing_layers() -> None:
    tower = Tower.parse("101/010")
    assert [str(slot) for slot in tower.blocks()] == ["1.1", "1.3", "2.2"]
    assert [str(slot) for slot in tower.gaps()] == ["1.2", "2.1", "2.3"]
    assert [str(slot) for slot in tower.blocks(up_to_layer=1)] == ["1.1", "1.3"]


@pytest.mark.parametrize("layers", [b"\x07\x00", b"\x08", b"\xff\x07"])
def test_tower_refuses_layers_that_are_none(layers: bytes) -> None:
    with pytest.raises(MalformedError, match="layers of three bits"):
        Tower(layers)
