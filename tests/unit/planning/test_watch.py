from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from planning.eyes import View
from planning.observation import BlockMotion, TowerObservation
from planning.tower import Slot
from planning.watch import TowerFellError, Watcher, shifted, sizes_m
from support.toy import ToyTower, toy_table

S = Slot(2, 2)


def test_motions_are_told_since_a_view() -> None:
    tower = toy_table().tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.out_m[S] = np.array([0.001, 0.0, 0.002])
    moved = sizes_m(Watcher(tower).motions(before, seen))
    assert moved[S] == pytest.approx(np.sqrt(5) * 1e-3)
    assert sum(moved.values()) == moved[S]


@pytest.mark.parametrize("expected_mm", [20.0, 14.0])
def test_pushed_block_whose_grain_is_lost_is_found_by_its_edges_where_it_should_be(
    expected_mm: float,
) -> None:
    tower = toy_table(plain={S}).tower
    before, seen = tower.look(), tower.observe(tower.look())
    axis = seen.blocks[S].T_world_block[:3, 0]
    tower.out_m[S] = 0.02 * axis
    assert S not in Watcher(tower).motions(before, seen, taken=S)
    motion = Watcher(tower).motions(before, seen, {S: expected_mm * 1e-3 * axis})[S]
    assert motion.moved_m == pytest.approx(0.02 * axis)
    assert motion.sd_m > 0


def test_pushed_block_that_is_found_nowhere_is_absent_and_has_not_fallen() -> None:
    tower = toy_table(plain={S}).tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.out_m[S] = np.array([0.0, 0.0, -0.2])
    assert S not in Watcher(tower).motions(before, seen, {S: np.zeros(3)})


def test_block_whose_grain_is_found_is_told_by_that() -> None:
    tower = toy_table().tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.out_m[S] = np.array([0.003, 0.0, 0.0])
    assert sizes_m(Watcher(tower).motions(before, seen, {S: np.zeros(3)}))[S] == pytest.approx(0.003)


class Deceived:
    """Eyes to which a block that slid along its grain looks as if it had stayed."""

    def __init__(self, tower: ToyTower) -> None:
        self._tower = tower

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tower, name)

    def motions(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        return self._tower.motions(before, after, seen) | {S: BlockMotion(np.zeros(3), 5e-5)}


@pytest.mark.parametrize("moved_mm", [2.0, 6.0])
def test_pushed_block_that_seems_to_have_stayed_is_looked_for_by_its_edges(moved_mm: float) -> None:
    tower = toy_table().tower
    before, seen = tower.look(), tower.observe(tower.look())
    moved_m = moved_mm * 1e-3 * seen.blocks[S].T_world_block[:3, 0]
    tower.out_m[S] = moved_m
    motion = Watcher(Deceived(tower)).motions(before, seen, {S: moved_m})[S]
    assert motion.moved_m == pytest.approx(moved_m)


def test_block_that_was_pushed_home_and_still_stands_out_is_not_talked_home() -> None:
    tower = toy_table().tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.out_m[S] = 0.002 * seen.blocks[S].T_world_block[:3, 0]
    asked: list[Slot] = []
    tower.locate = lambda *_: asked.append(S)  # type: ignore[method-assign, assignment, return-value]
    assert sizes_m(Watcher(tower).motions(before, seen, {S: np.zeros(3)}))[S] == pytest.approx(0.002)
    assert asked == []


def test_block_is_told_by_reading_the_whole_tower_where_nothing_else_tells() -> None:
    tower = toy_table().tower
    seen = tower.observe(tower.look())
    tower.out_m[S] = np.array([0.003, 0.0, 0.0])
    motion = Watcher(tower).reread(S, seen)
    assert motion is not None
    assert motion.moved_m == pytest.approx([0.003, 0.0, 0.0])
    tower.hidden = {S}
    assert Watcher(tower).reread(S, seen) is None


def test_fallen_block_is_a_fall_unless_it_was_taken() -> None:
    tower = toy_table().tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.out_m[S] = np.array([0.0, 0.0, -0.05])
    with pytest.raises(TowerFellError, match=r"blocks have fallen: 2\.2"):
        Watcher(tower).motions(before, seen)
    assert S in Watcher(tower).motions(before, seen, taken=S)


@pytest.mark.parametrize(("count", "whole"), [(1, False), (3, False), (4, True), (12, True)])
def test_tower_has_fallen_where_four_blocks_have(count: int, whole: bool) -> None:
    slots = tuple(Slot(k, 1) for k in range(count, 0, -1))
    fell = TowerFellError(slots)
    assert fell.whole is whole
    assert str(fell).startswith("blocks have fallen: 1.1"), "named in order"


def test_blocks_that_moved_as_far_as_asked_are_named_in_order() -> None:
    motions = {Slot(3, 1): 0.001, Slot(1, 2): 0.0011, Slot(2, 2): 0.00099}
    assert shifted(motions, 0.001) == [Slot(1, 2), Slot(3, 1)]
    assert sizes_m({S: BlockMotion(np.array([3.0, 4.0, 0.0]), 0.1)}) == {S: 5.0}


@pytest.mark.parametrize(("out_mm", "plain", "astray"), [(0.6, False, False), (1.4, False, True), (0.0, True, False),
                                                         (23.0, True, True)])  # fmt: skip
def test_block_is_astray_where_neither_its_grain_nor_a_reading_from_nothing_shows_it_in_place(
    out_mm: float, plain: bool, astray: bool
) -> None:
    tower = toy_table(plain={S} if plain else set()).tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.out_m[S] = out_mm * 1e-3 * seen.blocks[S].T_world_block[:3, 0]
    assert Watcher(tower).since(before, tower.look(), seen).astray([S, Slot(1, 1)], 0.001) == (
        [S] if astray else []
    )
    if plain:
        assert tower.asked_with[-1] is False, "read without what was seen before"


@pytest.mark.parametrize(
    ("out_mm", "plain", "moved"), [(0.6, False, False), (1.4, False, True), (5.0, True, False)]
)
def test_block_has_moved_only_where_its_grain_shows_it_elsewhere(
    out_mm: float, plain: bool, moved: bool
) -> None:
    tower = toy_table(plain={S} if plain else set()).tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.out_m[S] = out_mm * 1e-3 * seen.blocks[S].T_world_block[:3, 0]
    assert Watcher(tower).since(before, tower.look(), seen).moved([S, Slot(1, 1)], 0.001) == (
        [S] if moved else []
    )


def test_block_has_not_moved_where_a_fresh_reading_shows_it_in_place() -> None:
    tower = toy_table().tower
    before, seen = tower.look(), tower.observe(tower.look())
    observe = tower.observe
    tower.out_m[S] = 0.002 * seen.blocks[S].T_world_block[:3, 0]
    after = tower.look()
    tower.observe = lambda _view, prior=None: observe(before, prior)  # type: ignore[method-assign]
    assert Watcher(tower).since(before, after, seen).moved([S], 0.001) == []


def test_block_that_cannot_be_seen_at_all_is_astray() -> None:
    tower = toy_table().tower
    before, seen = tower.look(), tower.observe(tower.look())
    tower.hidden.add(S)
    assert Watcher(tower).since(before, tower.look(), seen).astray([S], 0.001) == [S]
