from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.observation import BlockMotion, Seen, TowerObservation, as_stacked
from planning.tower import Slot, Tower
from robot.clock import ManualClock
from robot.errors import PerceptionError
from robot.fakes import StillCamera
from robot.lfinger import LFinger
from sim.viewpoints import default_places
from steadyhand import sight
from steadyhand.sight import Pictures, Sight
from support.toy import SIZE_M, T_WORLD_TOWER

SEEN = as_stacked(Tower.parse("111*6"), SIZE_M)


class Reading:
    """Stands for perception: what it was asked, and what it is to answer."""

    def __init__(self) -> None:
        self.gone: set[Slot] = set()
        self.now: TowerObservation | Exception = SEEN
        self.asked: list[tuple[Any, ...]] = []

    def motions(
        self, before: Any, after: Any, models: Any, seen: TowerObservation
    ) -> dict[Slot, BlockMotion]:
        self.asked.append(("motions", before, after, models))
        return {slot: BlockMotion(np.zeros(3), 1e-4) for slot in seen.blocks if slot not in self.gone}

    def observe(self, frames: Any, models: Any, blockset: Any, expected: Any) -> TowerObservation:
        self.asked.append(("observe", frames, models, expected))
        if isinstance(self.now, Exception):
            raise self.now
        return self.now


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    it = Reading()
    monkeypatch.setattr(sight, "block_motions", it.motions)
    monkeypatch.setattr(sight, "observe", it.observe)
    return it


@pytest.fixture
def eyes() -> Sight:
    clock, picture = ManualClock(3.0), np.zeros((960, 1280, 3), np.uint8)
    cameras = [StillCamera(place.model(), picture, clock) for place in default_places()]
    return Sight(cameras, load_blockset("standard"), T_WORLD_TOWER, LFinger())


def test_look_is_a_picture_of_every_camera(eyes: Sight) -> None:
    view = eyes.look()
    assert [frame.camera for frame in view.frames] == ["left", "right", "front"]
    assert view.t_s == 3.0


def test_tower_is_looked_for_at_its_place_and_then_where_it_was_seen(eyes: Sight, reading: Reading) -> None:
    view = eyes.look()
    assert eyes.observe(view) is SEEN
    eyes.observe(view, SEEN)
    (_, frames, models, nominal), (_, _, _, prior) = reading.asked
    assert frames is view.frames
    assert set(models) == {"left", "right", "front"}
    assert nominal is T_WORLD_TOWER
    assert prior is SEEN


def test_motions_are_those_between_the_two_views(eyes: Sight, reading: Reading) -> None:
    before, after = eyes.look(), eyes.look()
    reading.gone = {Slot(2, 2)}
    assert set(eyes.motions(before, after, SEEN)) == set(SEEN.blocks) - {Slot(2, 2)}
    assert reading.asked[0][1:3] == (before.frames, after.frames)


def test_an_arm_in_front_is_no_fall(eyes: Sight, reading: Reading) -> None:
    reading.gone = {Slot(6, 1), Slot(6, 2), Slot(5, 1), Slot(5, 2)}
    assert eyes.fallen(eyes.look(), eyes.look(), SEEN) == ()


def test_what_the_new_reading_does_not_show_has_fallen(eyes: Sight, reading: Reading) -> None:
    reading.gone = {Slot(k, p) for k in (4, 5, 6) for p in (1, 2, 3)}
    still = Slot(4, 1)
    reading.now = replace(SEEN, slots={**dict.fromkeys(reading.gone, Seen.GAP), still: Seen.BLOCK})
    fallen = eyes.fallen(eyes.look(), eyes.look(), SEEN)
    assert set(fallen) == reading.gone - {still}
    assert list(fallen) == sorted(fallen)


def test_what_the_new_reading_cannot_see_has_not_fallen(eyes: Sight, reading: Reading) -> None:
    reading.gone = {Slot(k, p) for k in (4, 5, 6) for p in (1, 2, 3)}
    reading.now = replace(SEEN, slots={**dict.fromkeys(reading.gone, Seen.BLOCK), Slot(4, 1): Seen.UNKNOWN})
    assert eyes.fallen(eyes.look(), eyes.look(), SEEN) == ()


def test_an_arm_in_front_that_looks_like_a_gap_is_no_fall(eyes: Sight, reading: Reading) -> None:
    reading.gone = {Slot(k, p) for k in (4, 5, 6) for p in (1, 2, 3)}
    slots = {**dict.fromkeys(reading.gone, Seen.BLOCK), Slot(4, 1): Seen.GAP, Slot(5, 1): Seen.GAP}
    reading.now = replace(SEEN, slots=slots)
    assert eyes.fallen(eyes.look(), eyes.look(), SEEN) == ()
    assert eyes.fallen(eyes.look(), eyes.look(), SEEN, clear=True) == (Slot(4, 1), Slot(5, 1))


def test_with_nothing_in_front_a_single_lost_block_is_looked_into(eyes: Sight, reading: Reading) -> None:
    reading.gone = {Slot(3, 1), Slot(3, 2)}
    reading.now = replace(SEEN, slots={Slot(3, 1): Seen.GAP, Slot(3, 2): Seen.BLOCK})
    assert eyes.fallen(eyes.look(), eyes.look(), SEEN) == ()
    assert eyes.fallen(eyes.look(), eyes.look(), SEEN, clear=True) == (Slot(3, 1),)


def test_with_nothing_lost_nothing_is_read_afresh(eyes: Sight, reading: Reading) -> None:
    assert eyes.fallen(eyes.look(), eyes.look(), SEEN, clear=True) == ()
    assert [asked[0] for asked in reading.asked] == ["motions"]


def test_tower_that_cannot_be_read_any_more_has_fallen_where_it_was_lost(
    eyes: Sight, reading: Reading
) -> None:
    reading.gone = {Slot(k, p) for k in (4, 5, 6) for p in (1, 2, 3)}
    reading.now = PerceptionError("no tower")
    assert set(eyes.fallen(eyes.look(), eyes.look(), SEEN)) == reading.gone


def test_one_pair_of_views_is_compared_once(eyes: Sight, reading: Reading) -> None:
    before, after = eyes.look(), eyes.look()
    eyes.fallen(before, after, SEEN)
    first = eyes.motions(before, after, SEEN)
    first.clear()
    assert len(eyes.motions(before, after, SEEN)) == 18, "nobody can spoil what is kept"
    assert len(reading.asked) == 1
    eyes.motions(before, eyes.look(), SEEN)
    assert len(reading.asked) == 2


def test_views_of_other_eyes_are_refused(eyes: Sight) -> None:
    with pytest.raises(TypeError, match="a view of other eyes: str"):
        eyes.observe("a view")  # type: ignore[arg-type]


def test_moment_of_a_view_is_that_of_its_last_picture(eyes: Sight) -> None:
    frames = tuple(
        replace(frame, t_s=t) for frame, t in zip(eyes.look().frames, (1.0, 3.0, 2.0), strict=True)
    )
    assert Pictures(frames).t_s == 3.0
