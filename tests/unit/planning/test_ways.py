from __future__ import annotations

import numpy as np
import pytest

from planning.habits import Habits
from planning.poses import APPROACH_M
from planning.tower import Slot
from planning.ways import as_held, ways
from robot.frames import Array, apply, inverse
from robot.ports import Held
from support.toy import SIZE_M, ToyTable, toy_table

HABITS = Habits()
S, TOPS = Slot(2, 2), [Slot(5, 2), Slot(5, 1), Slot(5, 3)]


def found(table: ToyTable, slot: Slot = S, tops: list[Slot] | None = None):
    seen = table.tower.observe(table.tower.look())
    return ways(table.hand, seen, slot, TOPS if tops is None else tops, HABITS)


def test_block_can_be_taken_from_either_end_the_nearer_first() -> None:
    table = toy_table()
    both = found(table)
    assert {way.end for way in both} == {1, -1}
    far = [np.abs(way.push.q(0.0) - table.hand.q()).max() for way in both]
    assert far == sorted(far)
    assert {way.top for way in both} == {TOPS[0]}


def test_push_line_reaches_far_enough_to_push_the_block_out() -> None:
    table = toy_table()
    for way in found(table):
        end = table.hand.T_at(way.push, way.push.length_m)[:3, 3]
        start = table.hand.T_at(way.push, 0.0)[:3, 3]
        block = table.tower.stacked.blocks[S].T_world_block
        inside = apply(inverse(block), end)[0] * -way.end + SIZE_M[0] / 2
        assert inside > HABITS.extract.push_out_m
        assert np.linalg.norm(end - start) == pytest.approx(way.push.length_m, abs=1e-6)
        assert apply(inverse(block), start)[0] * way.end == pytest.approx(
            SIZE_M[0] / 2 + APPROACH_M, abs=1e-6
        )


def test_no_free_top_slot_is_no_way() -> None:
    assert found(toy_table(), tops=[]) == []


def test_next_top_slot_is_taken_where_the_first_cannot_be_reached() -> None:
    table = toy_table()
    asked: list[Slot] = []

    def hit(q: Array, opening_m: float, held: Held | None = None, room_m: float = 0.0) -> str | None:
        if held is None:
            return None
        T_block = table.hand.body.kinematics.forward(q) @ held.T_tool_block
        across = apply(inverse(table.tower.stacked.T_world_tower), T_block[:3, 3])[1]
        asked.append(TOPS[0])
        return "block9" if abs(across) < 0.01 else None

    table.obstacles.hit = hit  # type: ignore[method-assign]
    assert {way.top for way in found(table)} == {TOPS[1]}
    assert asked


@pytest.mark.parametrize("opening_mm", [0, 26])
def test_block_that_cannot_be_pushed_or_pinched_is_left_alone(opening_mm: int) -> None:
    """With closed fingers nothing can be pushed, with open ones nothing pinched."""
    table = toy_table()

    def hit(q: Array, opening_m: float, held: Held | None = None, room_m: float = 0.0) -> str | None:
        return "plinth" if held is None and abs(opening_m - opening_mm * 1e-3) < 1e-6 else None

    table.obstacles.hit = hit  # type: ignore[method-assign]
    assert found(table) == []


def test_both_ends_must_be_reached_for_the_block_must_be_put_back() -> None:
    table = toy_table()
    T_tower = table.tower.stacked.T_world_tower
    outside = lambda q: apply(inverse(T_tower), q[:3])[1] > 0.05  # noqa: E731
    table.obstacles.what = lambda q: "wall" if outside(q) else None
    assert found(table, S) == [], "layer 2 lies along the tower's y: one of its ends is behind the wall"
    assert len(found(table, Slot(3, 2))) == 2


def test_block_lies_in_the_fingers_as_it_was_pushed_out() -> None:
    table = toy_table()
    seen = table.tower.observe(table.tower.look())
    block = seen.blocks[S]
    T_world_tool = np.eye(4)
    T_world_tool[:3, 3] = [0.1, 0.2, 0.3]
    held = as_held(T_world_tool, block, 1, 0.02)
    T = T_world_tool @ held.T_tool_block
    assert apply(inverse(block.T_world_block), T[:3, 3]) == pytest.approx([-0.02, 0, 0], abs=1e-9)
    assert held.size_m is block.size_m
