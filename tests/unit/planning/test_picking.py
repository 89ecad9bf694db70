from __future__ import annotations

import pytest

from planning.tower import Slot
from support.script import Stage

BLOCK = Slot(2, 2)


@pytest.mark.parametrize("loose", [Slot(3, 1), Slot(3, 3)])
def test_block_is_drawn_from_the_end_above_which_nothing_loose_lies(loose: Slot) -> None:
    stage = Stage(text="111*4")
    stage.player.believed = {loose: 0.9}
    seen = stage.table.tower.stacked
    pick = stage.turn._picker._way(BLOCK, seen)
    assert pick is not None
    pulled_towards = -pick.end * seen.blocks[BLOCK].T_world_block[:3, 0]
    lies = seen.blocks[loose].T_world_block[:3, 3] - seen.blocks[BLOCK].T_world_block[:3, 3]
    assert lies @ pulled_towards < 0.0


def test_block_goes_the_shortest_way_where_nothing_loose_lies_above_or_at_both_ends() -> None:
    ends = set()
    for believed in ({}, dict.fromkeys((Slot(3, 1), Slot(3, 3)), 0.9), {Slot(3, 1): 0.4}):
        stage = Stage(text="111*4")
        stage.player.believed = believed
        way = stage.turn._picker._way(BLOCK, stage.table.tower.stacked)
        assert way is not None
        ends.add(way.end)
    assert len(ends) == 1
