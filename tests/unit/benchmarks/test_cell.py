"""Probing the simulated tower as the real cell did."""

import numpy as np
import pytest

from benchmarks.cell import Session, choose, gives_up, limit_n, on_top, probe, with_heights
from benchmarks.towers import drawn, settled
from planning.tower import Slot, Tower

FULL = Tower.of_blocks(18)


def test_limit_falls_with_height() -> None:
    assert limit_n(0) == pytest.approx(0.7)
    assert limit_n(17) == pytest.approx(0.1)


def test_a_block_is_given_up_for_force_or_for_the_tower() -> None:
    assert not gives_up(0.3, 0.0005, 8)
    assert gives_up(0.3, 0.0005, 12)
    assert gives_up(0.05, 0.0007, 8)


def test_every_block_is_chosen_once() -> None:
    rng, tried = np.random.default_rng(1), set[Slot]()
    for _ in range(6):
        tried.add(choose(FULL, range(4, 6), tried, rng))
    assert tried == {slot for slot in FULL.blocks() if slot.layer in (4, 5)}


def test_other_heights_leave_no_block_inside_another() -> None:
    blocks = with_heights(drawn(FULL, 1), np.linspace(0.0145, 0.0152, 18))
    for below, above in zip(blocks[:-3], blocks[3:], strict=True):
        if above.slot[0] > below.slot[0]:
            top_m = below.T_tower_block[2, 3] + below.size_m[2] / 2
            assert above.T_tower_block[2, 3] - above.size_m[2] / 2 > top_m - 1e-4


def test_a_block_on_top_lies_across_the_layer_below() -> None:
    blocks = drawn(FULL, 1)
    laid = on_top(blocks, blocks[0], Slot(7, 1))
    assert laid.slot == (7, 1)
    assert abs(laid.T_tower_block[0, 0]) == pytest.approx(1.0)
    assert laid.T_tower_block[2, 3] == pytest.approx(6.5 * 0.0148, abs=0.0015)


def test_a_probe_puts_the_tower_back() -> None:
    world = settled(drawn(FULL, 1), 1)
    before = np.array(list(world.poses().values()))
    probe(world, "b08", 0, np.random.default_rng(1))
    assert np.abs(np.array(list(world.poses().values())) - before).max() < 1e-6


def test_a_limit_below_every_reading_gives_up_at_the_first() -> None:
    found = probe(settled(drawn(FULL, 1), 1), "b08", 40, np.random.default_rng(1))
    assert not found.extracted
    assert found.peak_n < 0.3 + 3 * 0.03, "no more than the spring after its first step"


def test_thinning_leaves_a_tower_of_as_many_blocks() -> None:
    one = Session(3, "standard", None)
    one.thin(2)
    slots = [block.slot for block in one._blocks]
    assert slots == sorted(set(slots))
    assert len(slots) == 54
    assert max(slots)[0] == 19
