"""Zwick's ideal game: his theorem, and brute force on towers of bits."""

from __future__ import annotations

from functools import cache

import pytest

from planning.ideal import Ideal, best, count, start, wins
from planning.outlook import Odds, values
from planning.tower import COMPLETE, Slot, Tower


@pytest.mark.parametrize("n_layers", range(1, 41))
def test_first_player_wins_where_zwick_says(n_layers: int) -> None:
    says = n_layers == 2 or (n_layers >= 4 and n_layers % 3 in (1, 2))
    assert wins(start(n_layers)) == float(says)


def test_eighteen_layers_are_won_by_the_second_player() -> None:
    assert best(start(18)) == ()


@cache
def brute(tower: Tower) -> bool:
    """Whether the player to move wins with blocks that never fail: every move on the real tower is tried."""
    for slot in tower.blocks(tower.highest_complete_layer - 1):
        left = tower.remove(slot)
        mask = left.layers[slot.layer - 1]
        if (mask & 0b010 or mask == 0b101) and not brute(left.place(left.free_top_slots[0])):
            return True
    return False


@pytest.mark.parametrize("n_layers", [1, 2, 3, 4, 5])
def test_agrees_with_every_move_tried_on_the_tower(n_layers: int) -> None:
    assert bool(wins(start(n_layers))) == brute(Tower.of_blocks(3 * n_layers))


def test_agrees_with_the_table_that_the_player_looks_ahead_by() -> None:
    """A position there is by layers that offer either, two moves and one, and by blocks on the top layer."""
    table = values(30, Odds(1.0, 0.0, (0.0, 0.0, 0.0, 1.0)), alone=False)
    for full in range(6):
        for pairs, singles, top in ((0, 0, 0), (0, 1, 1), (1, 0, 2), (2, 1, 0)):
            assert wins(Ideal(full, pairs, singles, 3 + top)) == table[full, pairs, singles, top]


def test_best_moves_are_those_after_which_the_other_loses() -> None:
    assert best(start(5)) == ("middle",)
    assert best(Ideal(0, 0, 0, 3)) == ()


def test_counts_what_a_real_tower_gives() -> None:
    tower = Tower.parse("111/101/110/011/010/111/110")
    assert count(tower) == Ideal(full=1, pairs=0, singles=2, top=5)
    assert count(Tower.of_blocks(54)) == start(18)
    assert tower.layers[5] == COMPLETE
    assert tower.has(Slot(7, 2))


def test_pair_gives_two_moves_and_a_single_one() -> None:
    assert wins(Ideal(0, 0, 1, 3)) == 1.0
    assert wins(Ideal(0, 1, 0, 3)) == 0.0


@pytest.mark.parametrize("fresh", ["full", "pair", "single", "none"])
def test_chances_lie_between_those_of_the_certain_games(fresh: str) -> None:
    for risky in (0.0, 0.3, 0.9):
        assert 0.0 <= wins(start(6), 0.9, risky, fresh) <= 1.0  # type: ignore[arg-type]


def test_player_without_a_safe_move_wins_only_by_a_risky_one() -> None:
    bare = Ideal(0, 0, 0, 3)
    assert wins(bare) == 0.0
    assert wins(bare, 1.0, 0.0) < wins(bare, 1.0, 0.3)
    assert wins(bare, 1.0, 1.0) == 0.5


def test_better_hands_do_not_lose_more_often_alone_on_the_last_move() -> None:
    assert wins(Ideal(0, 0, 1, 3), 0.7, 0.0) == pytest.approx(0.7)


def test_no_layer_is_no_tower() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        start(0)
