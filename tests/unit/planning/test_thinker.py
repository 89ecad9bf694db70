from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.belief import Belief
from planning.evidence import Felt
from planning.force_limit import Bounds, ForceLimit
from planning.imagined import Imagined, moves
from planning.leaving import steadied
from planning.lesson import lesson
from planning.outlook import EITHER, ONE, TWO, Odds, after_laying, promised_kinds
from planning.policy import Moment, Policy
from planning.prospect import Probed, Prospect, Scale, expect, hardness
from planning.thinker import Temper, Thinker
from planning.tower import Slot, Tower
from robot.seeding import generator
from support.beliefs import LIGHT_N, grounds, looked_at, prior

BOUNDS = Bounds(0.08, LIGHT_N)
IDEAL = Odds(1.0, 0.0, (0.0, 0.0, 0.0, 1.0))
TEXT = "111*8"


def legal(text: str = TEXT) -> tuple[Slot, ...]:
    tower = Tower.parse(text)
    return tuple(tower.blocks(up_to_layer=tower.highest_complete_layer - 1))


def thinker(text: str = TEXT, temper: Temper | None = None, **thinner_m: float) -> Thinker:
    made = Thinker(grounds(count=150), BOUNDS, temper)
    made.looks(looked_at(text, **thinner_m))
    return made


def imagined(text: str, loose: dict[int, int]) -> Imagined:
    """A tower of which it is known what is loose."""
    tower = Tower.parse(text)
    return Imagined(
        tower, {layer: np.full(8, loose.get(layer, 0)) for layer in range(1, tower.highest_complete_layer)}
    )


def whatever(_slot: Slot) -> tuple[float, float]:
    """Every block does as well on top as another, wherever it is laid."""
    return 0.4, 0.4


def test_blocks_that_are_seen_to_be_thin_are_the_first_choice() -> None:
    policy: Policy = thinker(s4_1=4e-4, s4_3=4e-4)
    choice = policy.choose(Moment(legal()))
    assert choice is not None
    assert choice.slot in {Slot(4, 1), Slot(4, 3)}
    assert choice.why.endswith("safe moves")
    assert "% loose" in choice.why
    assert " N expected, leaves " in choice.why
    assert 0.08 < choice.limit_n <= BOUNDS.ceiling_n


def test_of_blocks_that_are_as_loose_the_one_deeper_in_the_tower_is_taken() -> None:
    thin = {f"s{layer}_{position}": 4e-4 for layer in (3, 7) for position in (1, 3)}
    choice = thinker(**thin).choose(Moment(legal()))
    assert choice is not None
    assert choice.slot.layer == 3
    assert steadied(5) > steadied(1)


def test_same_tower_and_seed_give_the_same_choice() -> None:
    assert thinker().choose(Moment(legal())) == thinker().choose(Moment(legal()))


def test_block_that_did_not_move_is_left_for_others() -> None:
    player = thinker()
    first = player.choose(Moment(legal()))
    assert first is not None
    player.feels(Felt(first.slot, False, first.limit_n, first.limit_n))
    second = player.choose(Moment(legal(), (first.slot,)))
    assert second is not None
    assert second.slot != first.slot


def test_block_that_moved_easily_is_kept() -> None:
    player = thinker()
    choice = player.choose(Moment(legal()))
    assert choice is not None
    player.feels(Felt(choice.slot, True, 0.09, choice.limit_n, dragged=False))
    assert player.keeps(choice.slot, Moment(legal(), (choice.slot,)))


def test_block_that_another_far_outdoes_goes_back_and_stays_a_candidate() -> None:
    player = thinker(s4_2=4e-4)
    poor, good = Slot(2, 1), Slot(4, 2)
    for _ in range(2):
        player.feels(Felt(poor, False, 0.3, 0.3))
    player.feels(Felt(good, True, 0.08, 0.2, dragged=False))
    assert not player.keeps(poor, Moment(legal(), (poor,)))
    assert player.keeps(good, Moment(legal(), (good,)))


def test_block_is_probed_at_most_twice_a_turn() -> None:
    player = thinker()
    tried: tuple[Slot, ...] = ()
    while (choice := player.choose(Moment(legal(), tried))) is not None:
        player.feels(Felt(choice.slot, False, choice.limit_n, choice.limit_n))
        tried += (choice.slot,)
    assert max(tried.count(slot) for slot in tried) <= 2
    assert len(tried) <= 2 * len(legal())


def test_hard_block_is_kept_in_reserve_against_others_only() -> None:
    easy, hard = Slot(4, 2), Slot(2, 2)
    belief = prior("111*8")
    for _ in range(3):
        belief = belief.felt(Felt(easy, True, 0.09, 0.3, dragged=False))
        belief = belief.felt(Felt(hard, True, 0.6 * LIGHT_N, LIGHT_N, dragged=False))
    assert 0.0 <= hardness(belief, easy) < hardness(belief, hard) <= 1.0
    table = np.full((31, 31, 31, 3), 0.5)
    for players, prefers in ((1, False), (2, True)):
        scale = Scale(
            belief,
            imagined(TEXT, {2: 0b010, 4: 0b010}),
            (table, table),
            lambda _: 1.0,
            whatever,
            players,
            0.3,
        )
        assert (scale.worth(easy, 0.9) > scale.worth(hard, 0.9)) == prefers


def test_noise_that_hides_the_difference_is_said_and_nothing_is_probed() -> None:
    player = Thinker(grounds(count=100), replace(BOUNDS, noise_n=0.34))
    player.looks(looked_at())
    assert player.choose(Moment(legal())) is None
    assert any("noise hides the difference" in why for why in player.left_out)


def test_nothing_legal_is_no_choice() -> None:
    assert thinker().choose(Moment(())) is None


@pytest.mark.parametrize(("thinner_m", "middle"), [(4e-4, False), (-4e-4, True)])
def test_thick_block_goes_into_the_middle_of_a_new_layer_and_a_thin_one_to_a_side(
    thinner_m: float, middle: bool
) -> None:
    player, free = thinker(s2_1=thinner_m), [Slot(9, 1), Slot(9, 2), Slot(9, 3)]
    tops = player.tops(Slot(2, 1), free)
    assert sorted(tops) == free
    assert (tops[0] == Slot(9, 2)) == middle


def test_thick_block_is_preferred_for_the_middle_and_a_thin_one_for_a_side() -> None:
    for text, thickest in (("111*8", True), ("111*8/010", False)):
        thin, thick = Slot(3, 1), Slot(5, 1)
        player = thinker(text, s3_1=2e-4, s5_1=-2e-4)
        promised = player._promised  # what `Scale` weighs, without the chance that each comes out
        assert (promised(thick)[1] > promised(thin)[1]) == thickest


def test_block_that_held_fast_is_not_pushed_as_hard_again_until_one_beside_it_is_gone() -> None:
    player, stuck = thinker(), Slot(4, 2)
    player.feels(Felt(stuck, False, 0.5, 0.5))
    for beside, again in ((Slot(6, 1), False), (Slot(5, 1), True)):
        player.takes(beside)
        assert player._trials.is_new(stuck, 0.5, 1.15) == again
    player.feels(Felt(stuck, False, 0.5, 0.5))
    assert player._trials.is_new(stuck, 0.6, 1.15)


def test_what_the_hand_measures_decides_where_a_block_goes() -> None:
    for held_m, middle in ((0.0143, False), (0.0152, True)):
        player = thinker()
        player.takes(Slot(2, 1), held_m)
        assert (player.tops(Slot(2, 1), [Slot(9, 1), Slot(9, 2), Slot(9, 3)])[0] == Slot(9, 2)) == middle


@pytest.mark.parametrize("two", [True, False])
def test_against_another_the_middle_is_for_whichever_block_leaves_him_the_worse_number(
    two: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    player, thick, free = thinker(s2_1=-4e-4), Slot(2, 1), [Slot(9, 1), Slot(9, 2), Slot(9, 3)]
    monkeypatch.setattr(Scale, "wants_two", lambda _self, _slot: two)
    player.choose(Moment(legal(), players=2))
    assert (player.tops(thick, free)[0] == Slot(9, 2)) == two
    player.takes(thick)
    monkeypatch.setattr(Scale, "wants_two", lambda _self, _slot: not two)
    assert (player.tops(thick, free)[0] == Slot(9, 2)) == two, "as it was decided with the tower whole"


def test_what_is_weighed_is_weighed_anew_once_something_is_felt() -> None:
    player = thinker()
    scale = player._scale(2)
    assert player._scale(2) is scale
    assert player._scale(1) is not scale
    player.feels(Felt(Slot(4, 2), False, 0.5, 0.5))
    assert player._scale(1).belief is player.mind.belief


def test_taken_and_laid_blocks_are_followed() -> None:
    player = thinker()
    player.takes(Slot(2, 2))
    player.lays(Slot(9, 2))
    assert player.mind.belief is not None
    assert Slot(2, 2) not in player.mind.belief.slots
    assert Slot(9, 2) in player.mind.belief.slots


def test_hurry_makes_a_likely_pass_count_for_more() -> None:
    sure, rich = _prospect(0.9, 10.0), _prospect(0.3, 10.5)
    assert rich.index(0.01) > sure.index(0.01)
    assert sure.index(2.0) > rich.index(2.0)


def test_of_two_blocks_that_promise_the_same_the_one_that_teaches_more_is_probed_first() -> None:
    dull, telling = _prospect(0.5, 10.0), replace(_prospect(0.5, 10.0), lesson=0.5)
    assert telling.index(1.0) > dull.index(1.0)
    assert replace(dull, lesson=9.0).index(1.0) == dull.worth, "no probe is worth more than it can find"
    scale = thinker()._scale(1)
    limit = ForceLimit(Slot(3, 2), 0.2, "")
    assert scale.prospect(limit, 0.2).lesson == pytest.approx(lesson(scale.belief, limit.slot, 0.2))


def _prospect(passes: float, worth: float) -> Prospect:
    return Prospect(Slot(1, 2), 0.2, Probed(passes, 0.9), worth, 5.0)


def test_higher_limit_lets_more_pass_and_promises_less_of_what_passed() -> None:
    belief, slot = prior(), Slot(3, 1)
    low, high = expect(belief, slot, 0.12), expect(belief, slot, 0.6)
    assert low.passes < high.passes
    assert low.comes >= high.comes
    assert 0.0 <= low.passes <= high.passes <= 1.0


def test_imagined_layers_are_loose_as_often_as_believed() -> None:
    belief: Belief = prior()
    ahead = Imagined.of(belief, Tower.parse(TEXT), generator(1, "test"), 4000)
    for slot in (Slot(3, 1), Slot(5, 2), Slot(7, 3)):
        share = (ahead.loose[slot.layer] >> (slot.position - 1) & 1).mean()
        assert share == pytest.approx(belief.block(slot).loose, abs=0.03)


def test_kinds_and_moves_of_what_is_known() -> None:
    ahead = imagined("111*4/101/111", {1: 0b101, 2: 0b010, 3: 0b111, 5: 0b111})
    assert [ahead.counts[kind][0] for kind in (ONE, TWO, EITHER)] == [1, 1, 1]
    assert moves(ahead.counts) == 5.0
    assert ahead.share_of_kinds() == (0.25, 0.25, 0.25, 0.25)


def test_taking_a_block_changes_its_own_layer_only() -> None:
    ahead = imagined("111*4", {1: 0b101, 2: 0b111})
    assert moves(ahead.without(Slot(1, 1))) == 3.0, "the other side of layer 1 is left"
    assert moves(ahead.without(Slot(2, 2))) == 2.0, "the middle of a layer ends it"
    assert moves(ahead.without(Slot(2, 3))) == 3.0
    assert moves(ahead.without(Slot(3, 1))) == 4.0


@pytest.mark.parametrize("layers", range(3, 19))
def test_in_the_ideal_game_the_best_move_is_a_winning_one_where_there_is_one(layers: int) -> None:
    ahead = imagined(f"111*{layers}", dict.fromkeys(range(1, layers), 0b111))
    table = after_laying(30, IDEAL, alone=False, coming=(promised_kinds(0.4, IDEAL.kinds),))
    scale = Scale(prior(), ahead, (table, table), lambda _slot: 1.0, whatever, 2)
    best = max(scale.worth(slot, 1.0) for slot in (Slot(1, 1), Slot(1, 2)))
    assert best == float(layers >= 4 and layers % 3 in (1, 2))


def test_prospect_weighs_what_is_left_and_where_it_would_lie() -> None:
    belief, tower = prior(), Tower.parse(TEXT)
    ahead = Imagined.of(belief, tower, generator(1, "test"))
    table = after_laying(30, Odds(0.95, 0.3, (0.3, 0.5, 0.2, 0.0)), alone=True)
    scale = Scale(belief, ahead, (table, table), lambda _slot: 0.5, whatever, 1)
    prospect = scale.prospect(ForceLimit(Slot(3, 2), 0.2, ""), 0.2)
    after = ahead.worth(ahead.without(Slot(3, 2)), table)
    assert prospect.worth == pytest.approx(prospect.probed.comes * (1 + after))
    assert scale.borne(prospect).worth == pytest.approx(0.5 * prospect.worth)


def scale_by_promise(players: int, promised: tuple[float, float]) -> Scale:
    belief, tower = prior(), Tower.parse(TEXT)
    ahead = Imagined.of(belief, tower, generator(1, "test"))
    kinds = (0.3, 0.5, 0.2, 0.0)
    one, two = (
        after_laying(30, Odds(0.95, 0.3, kinds), alone=players == 1, coming=(kinds, promised_kinds(p, kinds)))
        for p in (0.0, 1.0)
    )
    return Scale(belief, ahead, (one, two), lambda _slot: 1.0, lambda _slot: promised, players)


def test_block_that_promises_two_moves_on_top_is_worth_what_the_second_is_to_a_lone_player() -> None:
    never, may, will = (scale_by_promise(1, (0.0, most)).worth(Slot(3, 2), 1.0) for most in (0.0, 0.5, 1.0))
    assert 2 * (may - never) == pytest.approx(will - never)
    assert 0.3 < will - never < 2.0, "a move more, as far as it is ever made, and what it brings in its turn"


def test_against_another_a_block_is_laid_so_that_as_little_as_may_be_is_left_to_him() -> None:
    slot = Slot(3, 2)
    least, most = (scale_by_promise(2, (p, p)).worth(slot, 1.0) for p in (0.2, 0.7))
    free = scale_by_promise(2, (0.2, 0.7))
    assert free.worth(slot, 1.0) == pytest.approx(max(least, most))
    assert free.wants_two(slot) == (most >= least)
    assert scale_by_promise(1, (0.2, 0.7)).wants_two(slot), "a lone player wants all there is"


@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 20), st.floats(0, 1)), max_size=8))
def test_best_is_the_highest_index_of_all_once_the_tower_must_bear_it(
    drawn: list[tuple[float, float, float]],
) -> None:
    bears = {Slot(k, 1): share for k, (_, _, share) in enumerate(drawn, start=1)}
    many = [
        replace(_prospect(passes, worth), slot=Slot(k, 1))
        for k, (passes, worth, _) in enumerate(drawn, start=1)
    ]
    scale = Scale(
        prior(), imagined("111*4", {}), np.zeros((1, 1, 1, 3)), lambda slot: bears[slot], whatever, 1
    )
    best = scale.best(many, 0.1)
    borne = [p for p in map(scale.borne, many) if p.worth > 0]
    assert (best is None) == (not borne)
    if best is not None:
        assert best.index(0.1) == max(p.index(0.1) for p in borne)
