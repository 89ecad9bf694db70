from __future__ import annotations

import numpy as np

from support.toy import toy_table


def test_blocks_that_stand_are_told_to_the_collision_checker() -> None:
    table = toy_table("111/101")
    table.actors.avoid(table.tower.stacked.blocks)
    told = table.obstacles.boxes
    assert len(told) == 5
    for (T, size), block in zip(told, table.tower.stacked.blocks.values(), strict=True):
        assert np.array_equal(T, block.T_world_block)
        assert np.array_equal(size, block.size_m)
