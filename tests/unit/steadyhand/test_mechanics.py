"""The command's words and picture; the whole command is tested in tests/scenario/test_cli.py."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.mechanics import assess
from planning.tower import Tower
from sim.blocks import draw_tower
from steadyhand.mechanics import drawn, towers_of
from steadyhand.mechanics_picture import picture
from steadyhand.mechanics_words import as_json, as_text, quantiles_n
from support.stacks import stack

TOWERS = stack("111/111/111", height={"2.2": -3e-4})
NAMES = [f"b{k + 1:02d}" for k in range(9)]
FALLEN = replace(assess(TOWERS), stands=np.array([False]), push_n=np.full((1, 9), np.nan))


def test_blocks_handed_over_are_those_of_the_simulation() -> None:
    tower = Tower.parse("111/110/011")
    blocks = draw_tower(load_blockset("tight"), [(s.layer, s.position) for s in tower.blocks()], 3)
    towers = towers_of([drawn(load_blockset("tight"), tower, 3)])
    for row, slot, block in zip(towers.bodies[0], towers.slots, blocks, strict=True):
        assert (slot.layer, slot.position) == block.slot
        assert tuple(row[3:6]) == block.size_m
        assert tuple(row[6:]) == (block.taper_m, block.mass_kg, block.friction)
        T = block.T_tower_block
        assert row[:2] == pytest.approx(T[:2, 3])
        assert [np.cos(row[2]), np.sin(row[2])] == pytest.approx(T[:2, 0])


def test_force_that_is_not_known_is_null_in_json() -> None:
    entry = as_json(NAMES, TOWERS, FALLEN, None)["slots"]["2.2"]  # type: ignore[index]
    assert entry["push_n"] is None
    json.dumps(entry, allow_nan=False)


def test_text_says_what_falls() -> None:
    assert as_text(NAMES, TOWERS, FALLEN, None).startswith("the tower falls\n")
    assert "stands, 37.5" in as_text(NAMES, TOWERS, assess(TOWERS), None)


def test_quantiles_leave_out_towers_that_fall() -> None:
    assert np.isnan(quantiles_n(FALLEN)).all()
    known = assess(TOWERS)
    assert quantiles_n(known) == pytest.approx(np.repeat(known.push_n, 3, axis=0))


def test_picture_colours_a_loaded_block_brighter_than_one_that_bears_nothing() -> None:
    """From the front, the ends of layer 2 lie beside each other, their middles 22.5 mm above the ground."""
    image = picture(TOWERS, assess(TOWERS), None)
    y, middle = image.shape[0] - 50 - 90, 50 + round(4000 * 0.0625)  # 4 pixels a millimetre; below the names
    loaded, unloaded = (image[y + 18, middle + dx] for dx in (-100, 0))
    assert int(loaded.sum()) > int(unloaded.sum()) + 60


def test_picture_of_a_tower_that_falls_is_grey() -> None:
    fallen = replace(FALLEN, top_n=np.full((1, 9), np.nan), bottom_n=np.full((1, 9), np.nan))
    image = picture(TOWERS, fallen, None)
    assert (image.reshape(-1, 3) == 215).all(axis=1).mean() > 0.2
