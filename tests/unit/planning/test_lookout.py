from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planning.lookout import contradictions, observe
from planning.observation import Seen, TowerObservation
from planning.tower import Slot, Tower
from robot.errors import PerceptionError
from support.toy import ToyTower


class Eyes(ToyTower):
    """Tells whether it was asked with or without what was seen before, and what it shall see then."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.asked: list[bool] = []
        self.shows: dict[bool, TowerObservation] = {}

    def observe(self, view: object, prior: TowerObservation | None = None) -> TowerObservation:
        self.asked.append(prior is not None)
        return self.shows.get(prior is not None) or super().observe(view, prior)  # type: ignore[arg-type]


TOWER = Tower.parse("111/101/111")


def with_slot(seen: TowerObservation, slot: Slot, what: Seen) -> TowerObservation:
    return replace(seen, slots={**seen.slots, slot: what})


@pytest.fixture
def eyes() -> Eyes:
    return Eyes(TOWER)


def test_tower_as_the_record_has_it_is_taken(eyes: Eyes) -> None:
    assert observe(eyes, TOWER, None)[0].text() == "111/101/111"
    assert eyes.asked == [False]


@pytest.mark.parametrize(
    ("slot", "what"),
    [(Slot(2, 2), Seen.BLOCK), (Slot(2, 1), Seen.GAP), (Slot(3, 3), Seen.GAP), (Slot(4, 1), Seen.BLOCK)],
)
def test_pictures_that_contradict_the_record_are_refused_with_both(
    eyes: Eyes, slot: Slot, what: Seen
) -> None:
    eyes.shows[False] = with_slot(eyes.stacked, slot, what)
    with pytest.raises(
        PerceptionError, match=rf"disagree on {slot}: the record says 111/101/111, the pictures"
    ) as it:
        observe(eyes, TOWER, None)
    assert eyes.shows[False].text() in str(it.value)
    assert "Set the tower as the record has it, or start a new record" in str(it.value)


def test_slot_that_could_not_be_seen_contradicts_nothing(eyes: Eyes) -> None:
    hidden = with_slot(with_slot(eyes.stacked, Slot(2, 1), Seen.UNKNOWN), Slot(2, 2), Seen.UNKNOWN)
    assert contradictions(hidden, TOWER) == []


def test_block_of_the_record_that_no_slot_was_seen_for_is_missing(eyes: Eyes) -> None:
    short = replace(eyes.stacked, slots={s: w for s, w in eyes.stacked.slots.items() if s.layer < 3})
    assert contradictions(short, TOWER) == [Slot(3, 1), Slot(3, 2), Slot(3, 3)]


def test_what_seems_wrong_with_hindsight_is_looked_at_afresh(eyes: Eyes) -> None:
    eyes.shows[True] = with_slot(eyes.stacked, Slot(2, 1), Seen.GAP)
    assert observe(eyes, TOWER, eyes.stacked)[0].text() == "111/101/111"
    assert eyes.asked == [True, False]


def test_what_agrees_at_once_is_looked_at_once(eyes: Eyes) -> None:
    observe(eyes, TOWER, eyes.stacked)
    assert eyes.asked == [True]


def test_what_is_wrong_afresh_too_is_refused(eyes: Eyes) -> None:
    eyes.shows = {known: with_slot(eyes.stacked, Slot(2, 1), Seen.GAP) for known in (True, False)}
    with pytest.raises(PerceptionError, match=r"disagree on 2\.1"):
        observe(eyes, TOWER, eyes.stacked)


def test_slots_that_two_readings_misread_differently_are_as_the_other_one_has_them(eyes: Eyes) -> None:
    eyes.shows[True] = with_slot(eyes.stacked, Slot(2, 1), Seen.GAP)
    eyes.shows[False] = with_slot(eyes.stacked, Slot(2, 2), Seen.BLOCK)
    seen, _ = observe(eyes, TOWER, eyes.stacked)
    assert seen.text() == "111/101/111"
    assert set(seen.blocks) == set(eyes.stacked.blocks)


def test_block_that_one_reading_missed_is_taken_from_the_other(eyes: Eyes) -> None:
    missed = with_slot(eyes.stacked, Slot(3, 3), Seen.GAP)
    left = {slot: block for slot, block in missed.blocks.items() if slot != Slot(3, 3)}
    eyes.shows = {True: with_slot(eyes.stacked, Slot(2, 2), Seen.BLOCK), False: replace(missed, blocks=left)}
    assert Slot(3, 3) in observe(eyes, TOWER, eyes.stacked)[0].blocks


def missed_twice(eyes: Eyes, slot: Slot) -> tuple[TowerObservation, object]:
    """A tower that was read, and is misread from now on, with hindsight and without."""
    prior, before = eyes.stacked, eyes.look()
    blocks = {s: block for s, block in prior.blocks.items() if s != slot}
    eyes.shows = dict.fromkeys((True, False), replace(with_slot(prior, slot, Seen.GAP), blocks=blocks))
    return prior, before


def test_block_whose_grain_is_where_it_was_is_there_though_two_readings_miss_it(eyes: Eyes) -> None:
    prior, before = missed_twice(eyes, Slot(3, 2))
    eyes.out_m[Slot(3, 2)] = np.array([0.002, 0.0, 0.0])
    seen, _ = observe(eyes, TOWER, prior, before)  # type: ignore[arg-type]
    assert seen.text() == "111/101/111"
    moved_m = seen.blocks[Slot(3, 2)].T_world_block[:3, 3] - prior.blocks[Slot(3, 2)].T_world_block[:3, 3]
    assert moved_m == pytest.approx([0.002, 0.0, 0.0], abs=2e-4)


@pytest.mark.parametrize(("out_mm", "hidden"), [(5.0, False), (0.0, True)])
def test_block_whose_grain_is_elsewhere_or_nowhere_is_missing(
    eyes: Eyes, out_mm: float, hidden: bool
) -> None:
    prior, before = missed_twice(eyes, Slot(3, 2))
    eyes.out_m[Slot(3, 2)] = np.array([out_mm * 1e-3, 0.0, 0.0])
    if hidden:
        eyes.hidden.add(Slot(3, 2))
    with pytest.raises(PerceptionError, match=r"disagree on 3\.2"):
        observe(eyes, TOWER, prior, before)  # type: ignore[arg-type]


def test_gap_that_is_twice_taken_for_a_block_has_no_grain_to_go_by(eyes: Eyes) -> None:
    prior, before = eyes.stacked, eyes.look()
    eyes.shows = dict.fromkeys((True, False), with_slot(prior, Slot(2, 2), Seen.BLOCK))
    with pytest.raises(PerceptionError, match=r"disagree on 2\.2"):
        observe(eyes, TOWER, prior, before)
