from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planning.nudge import aside_m, nudge
from planning.observation import BlockSeen
from planning.tower import Slot
from robot.frames import Array
from support.toy import ToyTable, toy_table

TOP = Slot(4, 2)


def drifted(text: str, aside_mm: float, slot: Slot = TOP) -> tuple[ToyTable, BlockSeen, Array]:
    """A block on top that lies aside of its place, as it is seen, and its place."""
    table = toy_table(text)
    flush = table.tower.stacked.blocks[slot].T_world_block
    table.tower.out_m[slot] = aside_mm * 1e-3 * flush[:3, 1]
    seen = replace(table.tower.stacked.blocks[slot], T_world_block=table.tower.now(slot))
    others = [(b.T_world_block, b.size_m) for s, b in table.tower.stacked.blocks.items() if s != slot]
    table.obstacles.set_tower(others)
    return table, seen, flush


@pytest.mark.parametrize("aside_mm", [3.5, -3.5, 1.6])
def test_block_that_drifted_is_pushed_back_to_its_place(aside_mm: float) -> None:
    table, seen, flush = drifted("111*3/010", aside_mm)
    assert aside_m(seen, flush) == pytest.approx(aside_mm * 1e-3)
    assert nudge(table.hand, table.actors.habits, seen, flush)
    assert np.linalg.norm(table.tower.out_m[TOP]) < 5e-4


def test_block_that_cannot_be_reached_from_that_side_stays() -> None:
    table, seen, flush = drifted("111*3/010", 3.0)
    table.obstacles.what = lambda q: "a neighbour" if np.abs(q - table.hand.q()).max() > 1e-6 else None
    assert not nudge(table.hand, table.actors.habits, seen, flush)
    assert table.arm.sent == []
    assert table.tower.out_m[TOP] == pytest.approx(0.003 * flush[:3, 1])
