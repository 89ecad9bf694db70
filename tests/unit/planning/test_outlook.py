from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.outlook import (
    EITHER,
    KINDS,
    MOVES,
    NOTHING,
    ONE,
    TWO,
    Kinds,
    Odds,
    after_laying,
    promised_kinds,
    values,
)
from planning.tower import Slot, Tower

IDEAL = Odds(safe=1.0, risky=0.0, kinds=(0.0, 0.0, 0.0, 1.0))
REAL = Odds(safe=0.9, risky=0.3, kinds=(0.3, 0.4, 0.2, 0.1))


@lru_cache(maxsize=10_000)
def wins(tower: Tower) -> bool:
    """Whether who moves next wins the ideal game, by trying every move on real tower texts."""
    return any(not wins(after) for after in moves(tower))


def moves(tower: Tower) -> list[Tower]:
    found = []
    for slot in tower.blocks(up_to_layer=tower.highest_complete_layer - 1):
        left = tower.remove(slot)
        if left.layers[slot.layer - 1] in (0b010, 0b011, 0b110, 0b101):
            found.append(left.place(left.free_top_slots[0]))
    return found


@pytest.mark.parametrize("layers", range(1, 31))
def test_ideal_game_is_won_by_who_zwick_says(layers: int) -> None:
    first_wins = layers == 2 or (layers >= 4 and layers % 3 in (1, 2))
    assert values(30, IDEAL, alone=False)[layers - 1, 0, 0, 0] == float(first_wins)


@pytest.mark.parametrize("layers", [1, 2, 3, 4, 5])
def test_ideal_game_is_won_by_who_wins_when_every_move_is_tried(layers: int) -> None:
    assert values(12, IDEAL, alone=False)[layers - 1, 0, 0, 0] == float(wins(Tower.of_blocks(3 * layers)))


def test_lone_player_of_the_ideal_game_takes_both_sides_of_every_layer() -> None:
    most = longest(Tower.of_blocks(12))
    assert values(12, IDEAL, alone=True)[3, 0, 0, 0] == most


@lru_cache(maxsize=10_000)
def longest(tower: Tower) -> int:
    return max((1 + longest(after) for after in moves(tower)), default=0)


@given(st.integers(0, 7), st.sampled_from([0b111, 0b011, 0b110, 0b101, 0b010]))
def test_kind_of_a_layer_counts_the_moves_that_leave_it_standing(loose: int, present: int) -> None:
    def most(now: int) -> int:
        after = [now & ~bit for bit in (1, 2, 4) if now & loose & bit]
        return max((1 + most(left) for left in after if left in (0b010, 0b011, 0b110, 0b101)), default=0)

    kind = KINDS[present, loose]
    assert MOVES[kind] == most(present)
    assert (kind == EITHER) == (present == 0b111 and loose == 0b111)


def test_kinds_by_example() -> None:
    assert KINDS[0b111, 0b101] == TWO
    assert KINDS[0b111, 0b010] == KINDS[0b111, 0b001] == KINDS[0b011, 0b001] == ONE
    assert KINDS[0b101, 0b111] == KINDS[0b011, 0b010] == NOTHING


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))
def test_another_safe_move_never_makes_a_lone_player_add_fewer(e: int, w: int, o: int, t: int) -> None:
    table = values(12, REAL, alone=True)
    assert table[e, w, o + 1, t] >= table[e, w, o, t] - 1e-12
    assert table[e, w + 1, o, t] >= table[e, w, o + 1, t] - 1e-12
    assert table[e + 1, w, o, t] >= table[e, w + 1, o, t] - 1e-12


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.integers(0, 2))
def test_chance_to_win_is_one(e: int, w: int, o: int, t: int) -> None:
    table = values(12, REAL, alone=False)
    assert 0.0 <= table[e, w, o, t] <= 1.0


def test_without_safe_moves_only_luck_is_left() -> None:
    assert values(5, REAL, alone=True)[0, 0, 0, 0] == pytest.approx(0.3 / 0.7)
    assert values(5, REAL, alone=False)[0, 0, 0, 0] == pytest.approx(0.3 / 1.3)


def test_block_on_top_completes_a_layer_of_uncertain_kind() -> None:
    table, laid = values(8, REAL, alone=True), after_laying(8, REAL, alone=True)
    assert laid[1, 1, 1, 0] == table[1, 1, 1, 1]
    after = np.array([table[1, 1, 1, 0], table[1, 1, 2, 0], table[1, 2, 1, 0], table[2, 1, 1, 0]])
    assert laid[1, 1, 1, 2] == pytest.approx(float(np.array(REAL.kinds) @ after))


SURE = Odds(safe=1.0, risky=0.0, kinds=(1.0, 0.0, 0.0, 0.0))
ONE_NEXT, TWO_NEXT = (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize(("coming", "wins"), [(ONE_NEXT, 1.0), (TWO_NEXT, 0.0)])
def test_the_layer_given_next_decides_who_has_the_last_move(coming: Kinds, wins: float) -> None:
    """One block is missing on top and the hand holds it; nothing else is left."""
    after = after_laying(5, SURE, alone=False, coming=(coming,))
    assert after[0, 0, 0, 2] == wins


@given(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
def test_layers_that_come_one_after_the_other_are_counted_in_turn(w: int, o: int, t: int) -> None:
    """A lone player without mishaps makes every move there is; layers that come later offer none."""
    none, two = SURE.kinds, TWO_NEXT
    alone = {coming: values(8, SURE, alone=True, coming=coming)[0, w, o, t] for coming in ((), (none, two))}
    moves_now = 2 * w + o
    assert alone[()] == moves_now
    comes = t + moves_now >= 6  # the second layer from now is complete after so many blocks
    assert alone[none, two] == moves_now + 2 * comes


def test_what_is_known_of_no_layer_changes_nothing() -> None:
    for alone in (True, False):
        known = values(8, REAL, alone=alone, coming=(REAL.kinds, REAL.kinds))
        np.testing.assert_allclose(known, values(8, REAL, alone=alone), atol=1e-12)


@given(st.floats(0, 1))
def test_promise_shifts_chances_between_one_move_and_two_only(promise: float) -> None:
    kinds = promised_kinds(promise, REAL.kinds)
    assert sum(kinds) == pytest.approx(1.0)
    assert (kinds[NOTHING], kinds[EITHER]) == (REAL.kinds[NOTHING], REAL.kinds[EITHER])
    assert kinds[TWO] == pytest.approx(promise * (kinds[ONE] + kinds[TWO]))


def test_slots_of_a_layer_are_bits_from_position_one_up() -> None:
    tower = Tower.parse("011/111")
    assert not tower.has(Slot(1, 1))
    assert tower.layers[0] == 0b110
