from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import entr

from planning.belief import Belief
from planning.evidence import Felt, probe_odds
from planning.leaving import bears, best_top, succeeds, tower_of
from planning.lesson import lesson
from planning.tower import Slot, Tower
from support.beliefs import COUNT, LIGHT_N, grounds, looked_at, prior

MIDDLE, TOP = Slot(4, 2), Slot(9, 2)
slots = st.sampled_from(list(Tower.parse("111*8").blocks()))


def test_whole_turn_is_no_likelier_than_that_the_block_comes_out() -> None:
    assert succeeds(prior(), MIDDLE, TOP) <= prior().block(MIDDLE).loose


def test_well_built_tower_bears_a_block_on_top() -> None:
    assert bears(prior(), MIDDLE, TOP) == 1.0


def test_tower_on_one_side_block_does_not_bear_what_it_bore_on_two() -> None:
    belief = Belief.seen(grounds(count=30), looked_at("111*3/101/111*3"))
    assert bears(belief, Slot(4, 1), Slot(8, 2)) == 0.0


@settings(max_examples=15)
@given(slots)
def test_probe_never_teaches_less_than_nothing(slot: Slot) -> None:
    assert lesson(prior(), slot, LIGHT_N) >= 0.0


def test_middle_block_teaches_more_than_one_that_is_known() -> None:
    known = prior()
    for _ in range(2):
        known = known.felt(Felt(MIDDLE, False, LIGHT_N, LIGHT_N))
    assert lesson(prior(), MIDDLE, LIGHT_N) > 3 * lesson(known, MIDDLE, LIGHT_N)


def test_block_is_laid_in_the_middle_first_and_none_is_taken_from_the_top() -> None:
    tower = Tower.parse("111*8")
    assert best_top(tower, MIDDLE) == TOP
    assert best_top(Tower.parse("111*7/010"), MIDDLE) == Slot(8, 1)
    assert best_top(tower, Slot(8, 1)) is None
    assert best_top(Tower.parse("111*3/101/111*4"), MIDDLE) is None


@pytest.mark.parametrize("text", ["111*8", "111/101/011/110", "111*2/010"])
def test_tower_of_slots_is_the_tower(text: str) -> None:
    assert tower_of(list(Tower.parse(text).blocks())) == Tower.parse(text)


@pytest.mark.parametrize("slot", [MIDDLE, Slot(4, 1), Slot(6, 2)])
def test_probe_teaches_what_both_its_outcomes_leave_less_unknown(slot: Slot) -> None:
    felt = Felt(slot, moved=False, peak_n=LIGHT_N, limit_n=LIGHT_N)
    alone = np.ones(COUNT, dtype=bool)
    odds = probe_odds(felt, prior().forces(slot), alone, prior().grounds.senses)
    stays = float((np.exp(odds) * prior().weighing.weights(slot.layer)).sum())
    falls = 0.0
    for other in [Slot(slot.layer, p) for p in (1, 2, 3)]:
        before, stuck = prior().block(other).loose, prior().felt(felt).block(other).loose
        moved = (before - stays * stuck) / (1 - stays)  # of total probability
        falls += unknown(before) - stays * unknown(stuck) - (1 - stays) * unknown(moved)
    assert lesson(prior(), slot, LIGHT_N) == pytest.approx(falls, abs=1e-6)


def unknown(chance: float) -> float:
    return float(entr(chance) + entr(1.0 - chance))
