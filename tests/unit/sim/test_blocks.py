from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.blockset import BlockSet, Spread, built_in_names, load_blockset
from planning.tower import Tower
from robot.frames import Array, apply
from robot.seeding import generator
from sim.blocks import Block, draw, draw_aside, draw_tower
from sim.meshes import hull

FULL = [(layer, position) for layer in range(1, 19) for position in (1, 2, 3)]
SETS = {name: load_blockset(name) for name in built_in_names()}
row = st.sampled_from(["111", "110", "011", "101", "010"])
towers = st.lists(row, min_size=1, max_size=8).map("/".join)


def slots_of(text: str) -> list[tuple[int, int]]:
    return [(slot.layer, slot.position) for slot in Tower.parse(text).blocks()]


def corners(block: Block) -> Array:
    """The corners (16, 3) of the body that touches, in the tower frame."""
    return apply(block.T_tower_block, hull(block.size_m, block.taper_m))


def gap_m(a: Block, b: Block) -> float:
    """Distance between two upright boxes seen from above; negative where they overlap (separating axes)."""
    axes = [block.T_tower_block[:2, k] for block in (a, b) for k in (0, 1)]
    gaps = []
    for axis in axes:
        pa, pb = (corners(block)[:, :2] @ axis for block in (a, b))
        gaps.append(max(pa.min() - pb.max(), pb.min() - pa.max()))
    return float(max(gaps))


@pytest.mark.parametrize("name", SETS)
def test_same_seed_draws_the_same_tower_and_another_seed_another(name: str) -> None:
    def drawn(seed: int) -> list[tuple[object, ...]]:
        blocks = draw_tower(SETS[name], FULL, seed)
        return [
            (b.name, b.slot, b.size_m, b.taper_m, b.mass_kg, b.friction, b.T_tower_block.tolist())
            for b in blocks
        ]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_sets_draw_different_towers_from_the_same_seed() -> None:
    sizes = {draw_tower(blockset, FULL, 1)[0].size_m for blockset in SETS.values()}
    assert len(sizes) == len(SETS)


def test_blocks_are_named_in_order_of_layer_then_position() -> None:
    blocks = draw_tower(SETS["standard"], FULL, 1)
    assert [b.name for b in blocks] == [f"b{k:02d}" for k in range(1, 55)]
    assert [b.slot for b in blocks] == FULL


@pytest.mark.parametrize("name", SETS)
def test_sizes_mass_and_friction_are_distributed_as_the_set_says(name: str) -> None:
    blockset = SETS[name]
    towers = [draw_tower(blockset, FULL, seed) for seed in range(40)]
    blocks = [block for tower in towers for block in tower]
    for values, spread in (
        ([b.size_m[0] for b in blocks], blockset.length_m),
        ([b.size_m[1] for b in blocks], blockset.width_m),
        ([b.size_m[2] for b in blocks], blockset.height_m),
        ([b.mass_kg for b in blocks], blockset.mass_kg),
        ([b.taper_m for b in blocks], Spread(0.0, blockset.taper_m)),
    ):
        assert np.mean(values) == pytest.approx(spread.mean, abs=4 * spread.sd / np.sqrt(len(values)))
        assert np.std(values) == pytest.approx(spread.sd, rel=0.06)
        assert np.abs(np.array(values) - spread.mean).max() <= 3 * spread.sd + 1e-12
    means = np.array([np.mean([b.friction for b in tower]) for tower in towers])
    assert (means > blockset.friction_low - 0.005).all()
    assert (means < blockset.friction_high + 0.005).all()
    assert np.std(means) > 0.5 * blockset.friction.sd * (blockset.friction.sd > 0), "one draw a tower"
    within = [np.std([b.friction for b in tower]) for tower in towers]
    assert np.mean(within) == pytest.approx(blockset.friction_block_sd, rel=0.1)


def test_draws_are_cut_off_at_three_deviations() -> None:
    rng = generator(1, "many")
    values = np.array([draw(rng, Spread(5.0, 2.0)) for _ in range(20_000)])
    assert np.abs(values - 5.0).max() == pytest.approx(6.0)


@settings(max_examples=60)
@given(st.sampled_from(sorted(SETS)), st.integers(0, 10_000), towers)
def test_no_block_overlaps_another_at_the_start(name: str, seed: int, text: str) -> None:
    blocks = draw_tower(SETS[name], slots_of(text), seed)
    for a, b in combinations(blocks, 2):
        if a.slot[0] == b.slot[0]:
            assert gap_m(a, b) > 0, f"{a.slot} and {b.slot} overlap"
        elif abs(a.slot[0] - b.slot[0]) == 1:
            low, high = sorted((a, b), key=lambda block: block.slot[0])
            assert corners(high)[:, 2].min() >= corners(low)[:, 2].max() - 1e-9


@settings(max_examples=40)
@given(st.integers(0, 10_000), towers)
def test_layers_are_stacked_without_air_between_them(seed: int, text: str) -> None:
    blocks = draw_tower(SETS["standard"], slots_of(text), seed)
    bottom = min(corners(block)[:, 2].min() for block in blocks)
    assert abs(bottom) < 2e-4
    for layer in range(1, len(text.split("/"))):
        top = max(corners(b)[:, 2].max() for b in blocks if b.slot[0] == layer)
        above = min(corners(b)[:, 2].min() for b in blocks if b.slot[0] == layer + 1)
        assert -1e-9 <= above - top < 3e-4


@settings(max_examples=40)
@given(st.integers(0, 10_000), towers)
def test_blocks_lie_across_the_layer_below_and_count_along_the_worlds_axes(seed: int, text: str) -> None:
    blockset = SETS["standard"]
    for block in draw_tower(blockset, slots_of(text), seed):
        layer, position = block.slot
        T = block.T_tower_block
        along, across = (0, 1) if layer % 2 else (1, 0)
        assert T[along, 0] > 0.999, "a block's x is the + sense of its layer's axis"
        assert abs(T[across, 3] - (position - 2) * blockset.width_m.mean) < 0.003
        assert abs(T[along, 3]) < 2.6 * blockset.offset_m


def test_gap_in_a_layer_keeps_the_outer_blocks_in_their_places() -> None:
    left, right = draw_tower(SETS["standard"], [(1, 1), (1, 3)], 4)
    apart = right.T_tower_block[1, 3] - left.T_tower_block[1, 3]
    assert apart == pytest.approx(2 * SETS["standard"].width_m.mean, abs=0.0015)


def test_heavy_set_is_heavier_and_slick_set_slicker() -> None:
    assert SETS["heavy"].mass_kg.mean > 1.2 * SETS["standard"].mass_kg.mean
    assert SETS["slick"].friction.mean < 0.85 * SETS["standard"].friction.mean


def test_standard_set_is_the_measured_one() -> None:
    measured: BlockSet = SETS["standard"]
    assert (measured.height_m.mean, measured.height_m.sd) == pytest.approx((14.80e-3, 0.17e-3))
    assert (measured.width_m.mean, measured.width_m.sd) == pytest.approx((24.94e-3, 0.21e-3))
    assert (measured.length_m.mean, measured.length_m.sd) == pytest.approx((75.03e-3, 0.28e-3))
    assert (measured.mass_kg.mean, measured.mass_kg.sd) == pytest.approx((19.27e-3, 1.41e-3))
    assert 0.2 <= measured.friction_low <= measured.friction.mean <= measured.friction_high <= 0.4
    assert {"standard", "tight", "loose", "slick", "heavy"} <= set(SETS)


def test_blocks_aside_lie_on_the_table_clear_of_the_tower_and_are_named_after_its_blocks() -> None:
    aside = draw_aside(load_blockset("standard"), 2, seed=3, table_m=-0.1, first_number=54)
    assert [block.name for block in aside] == ["b54", "b55"]
    assert [block.slot for block in aside] == [None, None]
    for block in aside:
        bottom_m = block.T_tower_block[2, 3] - block.size_m[2] / 2 - abs(block.taper_m) / 4
        assert bottom_m == pytest.approx(-0.1, abs=3e-4)
        assert np.linalg.norm(block.T_tower_block[:2, 3]) > 0.15
    apart_m = abs(aside[0].T_tower_block[1, 3] - aside[1].T_tower_block[1, 3])
    assert apart_m > max(block.size_m[1] for block in aside)
