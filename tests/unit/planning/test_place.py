from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning import place
from planning.habits import PlaceHabits
from planning.observation import BlockSeen, TowerObservation, as_stacked
from planning.place import CannotLayError, lay_line, layer_below, lying_pose, overhang_m
from planning.stability import footprint
from planning.tower import Slot, Tower, axis_of
from robot.errors import MotionError
from robot.frames import Array, apply, inverse, is_pose, pose, rot_x, rot_y, rot_z
from robot.hand import Hand
from robot.ports import Held
from support.toy import SIZE_M, toy_table

HABIT = PlaceHabits()
number = st.floats(-0.3, 0.3)
anywhere = st.builds(lambda yaw, x, y: pose(rot_z(yaw), [x, y, 0.1]), st.floats(-3.1, 3.1), number, number)
below = st.sampled_from(["111", "101", "110", "011", "010"])


def tower(text: str, T: Array | None = None) -> TowerObservation:
    """A flawless tower that stands (and leans, and is turned) as T says."""
    seen = as_stacked(Tower.parse(text), SIZE_M)
    if T is None:
        return seen
    return replace(
        seen, T_world_tower=T,
        blocks={s: replace(b, T_world_block=T @ b.T_world_block) for s, b in seen.blocks.items()},
    )  # fmt: skip


def expected(slot: Slot, across_m: float, T: Array) -> Array:
    height = (slot.layer - 0.5) * SIZE_M[2]
    if axis_of(slot.layer) == "x":
        return T @ pose(None, [0, across_m, height])
    return T @ pose(rot_z(np.pi / 2), [across_m, 0, height])


@given(below, st.sampled_from([2, 3, 5, 6]), st.sampled_from([1, 2, 3]), anywhere)
def test_first_block_of_a_layer_lies_flush_across_the_one_below(
    carries: str, layer: int, p: int, T: Array
) -> None:
    seen = tower("/".join(["111"] * (layer - 2) + [carries]), T)
    slot = Slot(layer, p)
    lying = lying_pose(seen, slot, SIZE_M, HABIT)
    assert is_pose(lying, 1e-9)
    nominal = expected(slot, (p - 2) * HABIT.spacing_m, T)
    # The layer's middle is told by its outer blocks to the play between neighbours.
    assert np.abs(apply(inverse(nominal), lying[:3, 3])).max() < 2.1e-4
    assert np.allclose(lying[:3, :3], nominal[:3, :3], atol=1e-9), (
        "a block's x is the + sense of its layer's axis"
    )


@given(
    st.sampled_from(
        [("100", 2), ("100", 3), ("001", 1), ("001", 2), ("010", 1), ("010", 3), ("101", 2), ("110", 3)]
    ),
    st.sampled_from([3, 4]),
    st.floats(-0.002, 0.002),
    anywhere,
)
def test_block_keeps_its_distance_from_neighbours_wherever_they_lie(
    top: tuple[str, int], layer: int, off_m: float, T: Array
) -> None:
    marks, p = top
    seen = tower("/".join(["111"] * (layer - 1) + [marks]), T)
    way = T[:3, 1] if layer % 2 else T[:3, 0]
    blocks = {s: _moved(b, off_m * way) if s.layer == layer else b for s, b in seen.blocks.items()}
    lying = lying_pose(replace(seen, blocks=blocks), Slot(layer, p), SIZE_M, HABIT)
    for q, mark in enumerate(marks, start=1):
        if mark == "1" and abs(q - p) == 1:
            apart = float((lying[:3, 3] - blocks[Slot(layer, q)].T_world_block[:3, 3]) @ way) * (p - q)
            blocked_on_both_sides = marks == "101"
            assert apart >= SIZE_M[1] + HABIT.gap_m - 1e-9 or blocked_on_both_sides
            assert apart <= SIZE_M[1] + HABIT.gap_m + 0.005


@pytest.mark.parametrize("askew_deg", [-2.5, 1.3])
@pytest.mark.parametrize(("marks", "p"), [("010", 1), ("010", 3), ("110", 3)])
def test_block_keeps_clear_of_a_neighbour_that_lies_askew(marks: str, p: int, askew_deg: float) -> None:
    seen = tower("111*4/" + marks)
    middle = seen.blocks[Slot(5, 2)]
    askew = replace(middle, T_world_block=middle.T_world_block @ pose(rot_z(np.radians(askew_deg))))
    lying = lying_pose(replace(seen, blocks={**seen.blocks, Slot(5, 2): askew}), Slot(5, p), SIZE_M, HABIT)
    in_lying = [apply(inverse(lying), np.array([*corner, lying[2, 3]])) for corner in footprint(askew)]
    nearest = min(abs(corner[1]) for corner in in_lying)
    assert nearest == pytest.approx(SIZE_M[1] / 2 + HABIT.gap_m, abs=1e-6)


def _moved(block: BlockSeen, by_m: Array) -> BlockSeen:
    T = block.T_world_block.copy()
    T[:3, 3] += by_m
    return replace(block, T_world_block=T)


def test_second_side_block_leaves_room_for_the_middle_one() -> None:
    seen = tower("111*4/100")
    apart_m = np.linalg.norm(
        lying_pose(seen, Slot(5, 3), SIZE_M, HABIT)[:2, 3] - seen.blocks[Slot(5, 1)].T_world_block[:2, 3]
    )
    assert apart_m - SIZE_M[1] == pytest.approx(SIZE_M[1] + 2 * HABIT.gap_m + HABIT.between_m, abs=1e-6)


def test_middle_block_goes_as_far_from_the_one_as_from_the_other() -> None:
    seen = tower("111*4/101")
    sides = {p: seen.blocks[Slot(5, p)] for p in (1, 3)}
    outward = sides[3].T_world_block[:3, 3] - sides[1].T_world_block[:3, 3]
    sides[3] = _moved(sides[3], 0.004 * outward / np.linalg.norm(outward))
    there = replace(seen, blocks={**seen.blocks, Slot(5, 3): sides[3]})
    at = lying_pose(there, Slot(5, 2), SIZE_M, HABIT)[:2, 3]
    apart_m = [np.linalg.norm(at - side.T_world_block[:2, 3]) for side in sides.values()]
    assert apart_m[0] == pytest.approx(apart_m[1])
    assert sum(apart_m) == pytest.approx(2 * SIZE_M[1] + 0.004)


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("lean_deg", [-1.5, 0.7])
def test_block_lies_on_the_plane_of_a_leaning_layer(p: int, lean_deg: float) -> None:
    T = pose(rot_z(0.7) @ rot_x(np.radians(lean_deg)) @ rot_y(np.radians(0.4)), [0.02, 0.01, 0.1])
    lying = lying_pose(tower("111*4", T), Slot(5, p), SIZE_M, HABIT)
    in_tower = apply(inverse(T), lying[:3, 3])
    assert lying[:3, 2] == pytest.approx(T[:3, 2])
    assert in_tower[2] == pytest.approx(4.5 * SIZE_M[2], abs=5e-6)
    assert in_tower[1] == pytest.approx((p - 2) * HABIT.spacing_m, abs=5e-4)


def test_thickest_block_of_the_layer_carries() -> None:
    seen = tower("111*2")
    thick = replace(seen.blocks[Slot(2, 1)], size_m=SIZE_M + np.array([0, 0, 0.0006]))
    lying = lying_pose(replace(seen, blocks={**seen.blocks, Slot(2, 1): thick}), Slot(3, 2), SIZE_M, HABIT)
    assert lying[2, 3] == pytest.approx(2.5 * SIZE_M[2] + 0.0003)


def test_thickness_of_the_held_block_counts() -> None:
    thick = SIZE_M + np.array([0, 0, 0.001])
    higher = lying_pose(tower("111*2"), Slot(3, 2), thick, HABIT)[2, 3]
    assert higher - lying_pose(tower("111*2"), Slot(3, 2), SIZE_M, HABIT)[2, 3] == pytest.approx(0.0005)


def test_nothing_to_lay_it_on_is_said() -> None:
    with pytest.raises(MotionError, match=r"slot 5\.1: no block was seen in the layer below"):
        lying_pose(tower("111*3"), Slot(5, 1), SIZE_M, HABIT)


def held(grip_m: float = 0.015, end: int = 1) -> Held:
    """A block pinched by its -x end (end 1: the rest lies beyond the tips along +x) or by its +x end."""
    return Held(pose(rot_z(0.0 if end > 0 else np.pi), [SIZE_M[0] / 2 - grip_m, 0, 0]), SIZE_M)


@given(st.floats(0.008, 0.02), st.floats(0, 0.004), st.sampled_from([1, -1]))
def test_lower_finger_comes_down_beside_the_layer(grip_m: float, wider_m: float, sense: int) -> None:
    seen = tower("111*2")
    wide = {s: _moved(b, np.array([0, sense * wider_m, 0])) for s, b in seen.blocks.items() if s.layer == 2}
    carrying = list(wide.values())
    flush, outward = lying_pose(seen, Slot(3, 2), SIZE_M, HABIT), np.array([0.0, sense, 0.0])
    # Laid along y for once, so that the layer below can be wider than it
    flush = flush @ pose(rot_z(np.pi / 2))
    out_m = overhang_m(held(grip_m), flush, outward, carrying, HABIT)
    edge_m = max(float(b.T_world_block[:3, 3] @ outward) for b in carrying) + SIZE_M[0] / 2
    tips_m = SIZE_M[0] / 2 + out_m - grip_m
    assert out_m >= HABIT.overhang_m - 1e-12
    assert tips_m >= edge_m + 0.002 - 1e-9


def test_overhang_is_the_habits_where_nothing_asks_for_more() -> None:
    seen = tower("111*2")
    flush = lying_pose(seen, Slot(3, 2), SIZE_M, HABIT)
    habit = replace(HABIT, overhang_m=0.025)
    assert overhang_m(held(), flush, np.array([1.0, 0, 0]), layer_below(seen, Slot(3, 2)), habit) == 0.025


@pytest.mark.parametrize("end", [1, -1])
@pytest.mark.parametrize("slot", [Slot(5, 2), Slot(5, 1), Slot(5, 3)])
def test_block_comes_straight_down_over_the_layer_with_the_fingers_outside(slot: Slot, end: int) -> None:
    table = toy_table("111*4")
    seen = table.tower.observe(table.tower.look())
    flush, it = lying_pose(seen, slot, SIZE_M, HABIT), held(end=end)
    laying = lay_line(table.hand, it, flush, layer_below(seen, slot), HABIT)
    T_end = table.hand.T_at(laying.line, HABIT.hover_m) @ it.T_tool_block
    assert np.allclose(T_end, laying.T_world_block, atol=1e-6)
    out = laying.T_world_block[:3, 3] - flush[:3, 3]
    assert out @ laying.outward == pytest.approx(np.linalg.norm(out))
    assert np.linalg.norm(out) >= HABIT.overhang_m - 1e-9
    assert abs(laying.outward @ flush[:3, 0]) == pytest.approx(1)
    tip = table.hand.T_at(laying.line, HABIT.hover_m)[:3, 3] - flush[:3, 3]
    assert tip @ laying.outward > SIZE_M[0] / 2, "the tips are outside the layer"
    down = (
        table.hand.T_at(laying.line, 0.0)[:3, 3] - table.hand.T_at(laying.line, laying.line.length_m)[:3, 3]
    )
    assert down[:2] == pytest.approx([0, 0], abs=1e-9)


def test_block_that_could_not_be_pushed_flush_is_not_laid_from_that_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = toy_table("111*4")
    seen, slot, it = table.tower.observe(table.tower.look()), Slot(5, 2), held()
    flush, below = lying_pose(seen, slot, SIZE_M, HABIT), layer_below(seen, slot)
    preferred = lay_line(table.hand, it, flush, below, HABIT).outward
    line = place.flush_line

    def not_from_there(hand: Hand, flush: Array, lying: Array, length_m: float, outward: Array) -> object:
        return None if outward @ preferred > 0 else line(hand, flush, lying, length_m, outward)

    monkeypatch.setattr(place, "flush_line", not_from_there)
    assert lay_line(table.hand, it, flush, below, HABIT).outward == pytest.approx(-preferred)
    monkeypatch.setattr(place, "flush_line", lambda *_: None)
    with pytest.raises(CannotLayError, match="it could not be pushed flush"):
        lay_line(table.hand, it, flush, below, HABIT)


def test_what_stands_in_the_way_of_laying_is_told() -> None:
    table = toy_table("111*4")
    table.obstacles.what = lambda _q: "held and block7"
    seen = table.tower.observe(table.tower.look())
    flush = lying_pose(seen, Slot(5, 2), SIZE_M, HABIT)
    with pytest.raises(
        CannotLayError, match=r"cannot be brought over the layer from either side: held and block7"
    ):
        lay_line(table.hand, held(), flush, layer_below(seen, Slot(5, 2)), HABIT)
