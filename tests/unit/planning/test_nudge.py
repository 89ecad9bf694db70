from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from planning import place
from planning.nudge import aside_m, nudge
from planning.observation import BlockSeen
from planning.tower import Slot
from robot.frames import Array
from robot.ports import Held
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
    assert nudge(table.hand, table.tower, table.actors.habits, seen, flush)
    assert np.linalg.norm(table.tower.out_m[TOP]) < 5e-4


def test_block_that_cannot_be_reached_from_that_side_stays() -> None:
    table, seen, flush = drifted("111*3/010", 3.0)
    table.obstacles.what = lambda q: "a neighbour" if np.abs(q - table.hand.q()).max() > 1e-6 else None
    assert not nudge(table.hand, table.tower, table.actors.habits, seen, flush)
    assert table.arm.sent == []
    assert table.tower.out_m[TOP] == pytest.approx(0.003 * flush[:3, 1])


@pytest.mark.parametrize(("aside_mm", "nudged"), [(3.0, 1), (-2.0, 1), (1.2, 0)])
def test_laid_block_is_pushed_over_where_it_drifted_far(
    monkeypatch: pytest.MonkeyPatch, aside_mm: float, nudged: int
) -> None:
    table, seen, flush = drifted("111*3/010", aside_mm)
    placer = table.actors.placer
    lying = [seen, replace(seen, T_world_block=flush)]
    for name in ("_hover", "_lower", "_push_flush"):
        monkeypatch.setattr(placer, name, lambda *_: SimpleNamespace(line=None, outward=None))
    monkeypatch.setattr(placer, "_let_go", lambda *_: seen)
    monkeypatch.setattr(placer, "_locate", lambda *_: lying.pop(0))
    monkeypatch.setattr(place, "lying_pose", lambda *_: flush)
    done = placer.place(Held(np.eye(4), seen.size_m), TOP, table.tower.stacked)
    assert 2 - len(lying) == 1 + nudged
    told = [T for T, _ in table.obstacles.boxes]
    assert len(told) == 11, "the ten of the tower and the one in question"
    assert any(np.array_equal(T, seen.T_world_block) for T in told), "ways lead round the block that was laid"
    assert (np.linalg.norm(table.tower.out_m[TOP]) < 5e-4) == bool(nudged)
    assert np.allclose(done.T_world_block, flush if nudged else seen.T_world_block)
