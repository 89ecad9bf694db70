from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from planning.grasp import Grasp
from planning.habits import Habits
from planning.observation import BlockSeen
from planning.tower import Slot
from robot.frames import Array, pose
from support.toy import SIZE_M, toy_table


def test_what_is_seen_above_the_fingers_is_not_the_block_between_them() -> None:
    table = toy_table()
    seen = table.tower.observe(table.tower.look())
    block = seen.blocks[Slot(2, 2)]
    asked: list[Array] = []

    def something_above_first(_view: Any, T: Array, *_: Any) -> BlockSeen:
        asked.append(T)
        off = pose(None, [0.0, 0.0, 0.0016]) if len(asked) == 1 else np.linalg.inv(T) @ asked[0]
        return BlockSeen(T @ off, SIZE_M, 0.0, 2e-4)

    table.actors.watcher.eyes.locate = something_above_first  # type: ignore[method-assign]
    held = Grasp(table.hand, table.actors.watcher, Habits()).measure(block, 1, seen)
    assert len(asked) == 2
    T_world_block = table.hand.T_world_tool() @ held.T_tool_block
    assert T_world_block == pytest.approx(asked[0])
    assert held.size_m == pytest.approx(SIZE_M)
