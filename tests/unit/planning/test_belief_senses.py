from __future__ import annotations

import numpy as np
import pytest

from planning.contacts import FRICTION, HEIGHT, LENGTH, MASS, TAPER, WIDTH, YAW, X, Y
from planning.ensemble import draw, draw_seen
from planning.evidence import Felt, held_odds, probe_odds, tops_odds
from planning.senses import Senses
from planning.tower import Slot, Tower
from planning.weighing import Frictions, Weighing
from robot.seeding import generator
from sim.blocks import draw_tower
from support.beliefs import STANDARD, looked_at

SENSES, SLOT = Senses(), Slot(2, 2)
YES = np.array([True])


def test_towers_are_drawn_as_the_simulation_draws_them() -> None:
    slots = list(Tower.parse("111/101").blocks())
    ours = draw(generator(1, "test"), STANDARD, slots, 4000, SENSES).bodies
    blocks = [draw_tower(STANDARD, [(s.layer, s.position) for s in slots], seed) for seed in range(800)]
    theirs = np.array(
        [[[*b.T_tower_block[:2, 3], *b.size_m, b.taper_m, b.mass_kg] for b in many] for many in blocks]
    )
    columns = [X, Y, LENGTH, WIDTH, HEIGHT, TAPER, MASS]
    for k, column in enumerate(columns):
        mean, sd = theirs[..., k].mean(axis=0), theirs[..., k].std(axis=0)
        assert ours[..., column].mean(axis=0) == pytest.approx(mean, abs=4 * sd.max() / np.sqrt(800))
        assert ours[..., column].std(axis=0) == pytest.approx(sd, rel=0.15)


def test_friction_of_a_tower_is_spread_as_the_block_set_says() -> None:
    known = Frictions.of(STANDARD)
    chance = np.exp(known.odds)
    drawn = np.array([np.mean([b.friction for b in draw_tower(STANDARD, [(1, 1), (1, 2), (1, 3)], seed)])
                      for seed in range(600)])  # fmt: skip
    assert chance.sum() == pytest.approx(1.0, abs=1e-3)
    assert STANDARD.friction.mean * (chance @ known.shares) == pytest.approx(drawn.mean(), abs=0.006)


def test_size_that_is_seen_is_the_mean_of_what_is_drawn_and_no_wider_than_the_block_set() -> None:
    drawn = draw_seen(generator(1, "test"), STANDARD, looked_at("111*3", s2_1=2e-4), 2000, SENSES)
    height_m = drawn.bodies[:, drawn.row(Slot(2, 1)), HEIGHT]
    assert height_m.mean() == pytest.approx(STANDARD.height_m.mean - 2e-4, abs=2e-5)
    assert height_m.std() < STANDARD.height_m.sd
    assert drawn.bodies[:, drawn.row(Slot(2, 1)), YAW] == pytest.approx(np.pi / 2)
    assert drawn.bodies[..., FRICTION].mean() == pytest.approx(STANDARD.friction.mean, abs=1e-3)


def test_force_of_a_block_that_moved_speaks_for_towers_in_which_it_needs_that_force() -> None:
    felt = Felt(SLOT, True, 0.15, 0.35)
    low, right, high = probe_odds(felt, np.array([[0.02, 0.10, 1.0]]), YES, SENSES)[0]
    assert right > low
    assert right > high


def test_block_that_did_not_move_speaks_for_towers_in_which_it_needs_more() -> None:
    odds = probe_odds(Felt(SLOT, False, 0.35, 0.35), np.array([[0.05, 0.3, 2.0]]), YES, SENSES)[0]
    assert odds[0] < odds[1] < odds[2]


def test_no_single_probe_rules_a_tower_out() -> None:
    odds = probe_odds(Felt(SLOT, False, 3.0, 3.0), np.array([[1e-3]]), YES, SENSES)
    assert odds[0, 0] > np.log(SENSES.surprise / 4)


def test_thickness_in_the_hand_speaks_for_towers_with_that_thickness() -> None:
    odds = held_odds(0.0147, np.array([0.0144, 0.0147, 0.0150]), SENSES)
    assert odds.argmax() == 1


def test_high_layer_speaks_for_towers_in_which_that_layer_is_thick() -> None:
    rng = np.random.default_rng(1)
    own_m = 0.0148 + 1e-4 * rng.standard_normal((500, 4))
    seen_m = np.cumsum([0.0148, 0.0151, 0.0148, 0.0148])
    odds = tops_odds(np.cumsum(own_m, axis=1), seen_m, SENSES)
    slopes = [np.polyfit(own_m[:, k], odds[:, k], 1)[0] for k in range(4)]
    assert int(np.argmax(slopes)) == 1
    assert slopes[1] > 0


def test_evidence_of_one_layer_moves_only_its_own_weights_but_for_friction() -> None:
    weighing = Weighing(Frictions.of(STANDARD), 5)
    odds = np.zeros((5, len(weighing.frictions.shares)))
    odds[2] = 3.0
    told = weighing.told(1, odds)
    assert told.weights(1).sum(axis=1).argmax() == 2
    assert told.weights(2).sum(axis=1) == pytest.approx(0.2)
    assert told.friction() == pytest.approx(weighing.friction())
    assert told.worth(1) < told.worth(2) == pytest.approx(5.0)
    assert told.settled(1).weights(1).sum(axis=1) == pytest.approx(0.2)


def test_noise_of_the_sensor_is_a_quarter_of_its_smallest_force() -> None:
    assert SENSES.feeling(0.08).force_n == pytest.approx(0.02)
