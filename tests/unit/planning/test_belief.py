from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.belief import Belief, quantiles
from planning.contacts import HEIGHT
from planning.evidence import Felt
from planning.mechanics import Towers, assess, comes_out
from planning.tower import Slot, Tower
from robot.errors import BadInputError
from support.beliefs import LIGHT_N, grounds, looked_at, prior

MIDDLE, LEFT, RIGHT = Slot(4, 2), Slot(4, 1), Slot(4, 3)
slots = st.sampled_from(list(Tower.parse("111*8").blocks()))
probes = st.builds(
    Felt,
    slot=slots,
    moved=st.booleans(),
    peak_n=st.floats(0.0, 3.0),
    limit_n=st.floats(0.05, 3.0),
    dragged=st.sampled_from([None, True, False]),
)


def moved(slot: Slot, peak_n: float = 0.10) -> Felt:
    return Felt(slot, moved=True, peak_n=peak_n, limit_n=LIGHT_N)


def stuck(slot: Slot, limit_n: float = LIGHT_N) -> Felt:
    return Felt(slot, moved=False, peak_n=limit_n, limit_n=limit_n)


@settings(max_examples=25)
@given(st.lists(probes, max_size=6))
def test_probabilities_are_probabilities_and_forces_are_in_order_whatever_was_felt(felt: list[Felt]) -> None:
    belief = prior()
    for probe in felt:
        belief = belief.felt(probe)
    for block in belief.blocks().values():
        assert 0.0 <= block.loose <= 1.0
        assert 0.0 < block.force_n[0] <= block.force_n[1] <= block.force_n[2]
    for layer in range(1, 9):
        assert belief.weighing.weights(layer).sum() == pytest.approx(1.0)


@settings(max_examples=25)
@given(slots)
def test_block_that_moved_at_low_force_is_looser_and_one_that_did_not_is_tighter(slot: Slot) -> None:
    before = prior().block(slot)
    assert prior().felt(moved(slot)).block(slot).loose >= before.loose - 1e-9
    assert prior().felt(stuck(slot)).block(slot).loose <= before.loose + 1e-9
    assert prior().felt(stuck(slot)).block(slot).force_n[0] >= before.force_n[0]


def test_tight_middle_makes_both_its_neighbours_looser_and_a_loose_one_makes_them_tighter() -> None:
    before, tight, loose = prior(), prior().felt(stuck(MIDDLE)), prior().felt(moved(MIDDLE))
    for side in (LEFT, RIGHT):
        assert tight.block(side).loose > before.block(side).loose + 0.05
        assert loose.block(side).loose < before.block(side).loose - 0.1


def test_probe_says_next_to_nothing_of_other_layers() -> None:
    before, after = prior().blocks(), prior().felt(stuck(MIDDLE)).blocks()
    others = [slot for slot in before if slot.layer != MIDDLE.layer]
    assert max(abs(after[slot].loose - before[slot].loose) for slot in others) < 0.05


def test_loose_blocks_that_need_little_force_make_the_whole_tower_slippery() -> None:
    low, high = prior(), prior()
    for layer in range(2, 7):
        low, high = low.felt(moved(Slot(layer, 2), 0.07)), high.felt(moved(Slot(layer, 2), 0.16))
    share = prior().weighing.frictions.shares
    assert (
        low.weighing.friction() @ share
        < prior().weighing.friction() @ share
        < high.weighing.friction() @ share
    )
    assert low.block(Slot(8, 2)).force_n[1] < high.block(Slot(8, 2)).force_n[1]


def test_neighbours_that_came_along_speak_against_a_block() -> None:
    near_top = Slot(6, 2)
    alone = prior().felt(Felt(near_top, True, 0.12, LIGHT_N, dragged=False)).block(near_top).loose
    along = prior().felt(Felt(near_top, True, 0.12, LIGHT_N, dragged=True)).block(near_top).loose
    assert along < alone


def test_belief_without_evidence_is_the_prior() -> None:
    belief = prior()
    for slot, block in belief.blocks().items():
        row, known = belief.sample.ensemble.row(slot), belief.sample.reckoned
        light = known.starts_n(row, belief.weighing.frictions.shares) <= LIGHT_N
        chance = np.exp(belief.weighing.frictions.odds)
        plain = (light * known.out[:, row, None]).mean(axis=0) @ (chance / chance.sum())
        assert block.loose == pytest.approx(plain)


def test_same_seed_gives_the_same_belief_and_another_seed_another() -> None:
    tower = Tower.parse("111*4")
    one, same, other = (Belief.prior(grounds(seed, 40), tower).felt(stuck(Slot(2, 2))) for seed in (3, 3, 4))
    assert one.blocks() == same.blocks()
    assert one.blocks() != other.blocks()


def test_probe_makes_a_new_belief_and_leaves_the_old_one_as_it_was() -> None:
    before = prior().block(MIDDLE)
    prior().felt(stuck(MIDDLE))
    assert prior().block(MIDDLE) == before


def test_side_that_is_seen_to_be_thinner_is_looser() -> None:
    even = Belief.seen(grounds(), looked_at())
    thin = Belief.seen(grounds(), looked_at(s4_1=2e-4))
    assert thin.block(LEFT).loose > even.block(LEFT).loose + 0.1


def test_taken_block_leaves_the_belief_and_a_placed_one_joins_it() -> None:
    belief = prior().felt(moved(MIDDLE)).taken(MIDDLE)
    assert MIDDLE not in belief.blocks()
    assert len(belief.slots) == 23
    laid = belief.placed(Slot(9, 2))
    assert laid.slots[-1] == Slot(9, 2)
    assert laid.held is None
    assert len(laid.blocks()) == 24


def test_sides_of_a_layer_carry_once_the_middle_is_gone() -> None:
    belief = prior().felt(moved(MIDDLE)).taken(MIDDLE).placed(Slot(9, 2))
    assert belief.block(LEFT).loose < 0.05
    assert belief.block(RIGHT).loose < 0.05


def test_block_keeps_what_is_known_of_it_when_it_is_moved() -> None:
    belief = prior().taken(MIDDLE, thickness_m=0.0145)
    assert belief.held is not None
    assert belief.held[:, HEIGHT].mean() == pytest.approx(0.0145, abs=2e-4)
    moved_up = belief.placed(Slot(9, 1))
    assert moved_up.sample.ensemble.bodies[:, -1, HEIGHT] == pytest.approx(belief.held[:, HEIGHT])


def test_block_in_the_hand_tells_of_those_it_lay_beside() -> None:
    # It was as loose as it was thin: where it was thick and loose all the same, those beside it are thicker still.
    loose = prior().felt(moved(MIDDLE))
    thick, thin = (loose.taken(MIDDLE, thickness_m=each) for each in (0.0150, 0.0144))
    assert _height_m(thick, LEFT) > _height_m(thin, LEFT) + 5e-5


def _height_m(belief: Belief, slot: Slot) -> float:
    heights = belief.sample.ensemble.bodies[:, belief.sample.ensemble.row(slot), HEIGHT]
    return float(belief.weighing.weights(slot.layer).sum(axis=1) @ heights)


def test_belief_follows_blocks_to_where_they_are_seen() -> None:
    seen = looked_at("111*3")
    belief = Belief.prior(grounds(count=30), Tower.parse("111*3")).stands(seen)
    assert belief.sample.ensemble.bodies[:, 0, 1] == pytest.approx(
        seen.blocks[Slot(1, 1)].T_world_block[1, 3]
    )


def test_slots_that_are_not_as_seen_are_refused() -> None:
    belief = Belief.prior(grounds(count=30), Tower.parse("111*3"))
    with pytest.raises(BadInputError, match=r"slots 3.3 are not as seen"):
        belief.stands(looked_at("111*2/110"))


def test_gap_has_no_belief() -> None:
    with pytest.raises(BadInputError, match=r"no block in 9.1"):
        prior().block(Slot(9, 1))


@given(st.lists(st.floats(0.0, 10.0), min_size=1, max_size=20), st.floats(0.01, 0.99))
def test_quantile_has_that_share_of_the_weight_below(values: list[float], share: float) -> None:
    weights = np.linspace(1.0, 2.0, len(values))
    found = quantiles(np.array(values), weights, (share,))[0]
    assert weights[np.array(values) <= found].sum() >= share * weights.sum() - 1e-9
    assert weights[np.array(values) < found].sum() <= share * weights.sum() + 1e-9


def test_what_comes_out_by_the_rule_of_thumb_is_what_mechanics_says_comes_out() -> None:
    ensemble, known = prior("111*6").sample.ensemble, prior("111*6").sample.reckoned
    some = slice(200, 260)  # none of those that the rule was set right by
    light = (known.rubs_n + known.ground_n)[some] <= LIGHT_N
    says = known.out[some] > 0.5
    true = comes_out(assess(Towers(ensemble.slots, ensemble.bodies[some])))
    assert (says == true)[light].mean() > 0.95
    assert known.out[some][light].mean() == pytest.approx(true[light].mean(), abs=0.03)


def test_force_of_a_block_is_what_mechanics_says_slides_it() -> None:
    ensemble, known = prior("111*6").sample.ensemble, prior("111*6").sample.reckoned
    slides_n = assess(Towers(ensemble.slots, ensemble.bodies[:20])).slide_n
    assert (known.rubs_n + known.ground_n)[:20] == pytest.approx(slides_n, rel=0.2, abs=0.02)


def test_towers_that_would_have_fallen_do_not_count() -> None:
    seen = looked_at("111*2/010/111*2")
    blocks = dict(seen.blocks)
    for slot in [slot for slot in blocks if slot.layer > 3]:
        T = blocks[slot].T_world_block.copy()
        T[1, 3] += 0.0125  # the edge of what bears them
        blocks[slot] = replace(blocks[slot], T_world_block=T, sd_m=0.0005)
    belief = Belief.seen(grounds(count=100), replace(seen, blocks=blocks))
    assert 0.1 < belief.sample.reckoned.stands.mean() < 0.9
    assert max(block.force_n[2] for block in belief.blocks().values()) < 10.0
    assert not belief.weights(2)[~belief.sample.reckoned.stands].any()


def test_layer_that_was_seen_to_be_high_has_thicker_blocks() -> None:
    seen = looked_at()
    tops = np.array(seen.layer_top_m) + np.where(np.arange(8) >= 3, 3e-4, 0.0)
    even, high = (
        Belief.seen(grounds(), replace(seen, layer_top_m=tuple(each))) for each in (seen.layer_top_m, tops)
    )
    assert sum(_height_m(high, Slot(4, p)) - _height_m(even, Slot(4, p)) for p in (1, 2, 3)) > 1e-4


def test_heights_of_layers_of_which_no_block_was_seen_are_left_out() -> None:
    seen = looked_at("111*4")
    some = replace(seen, blocks={slot: block for slot, block in seen.blocks.items() if slot.layer < 4})
    assert len(Belief.seen(grounds(count=40), some).blocks()) == 9
