"""Whether and how the arm can do a whole turn with a block, before it touches it: push, put back, pinch, lay down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planning.habits import Habits
from planning.observation import BlockSeen, TowerObservation
from planning.place import lay_line, layer_below, lying_pose
from planning.poses import push_aim, pushed_out
from planning.tower import Slot
from robot.errors import MotionError
from robot.frames import Array, inverse
from robot.hand import Hand
from robot.ports import Held
from robot.trajectory import Line

_SPARE_M = 0.004


@dataclass(frozen=True)
class Way:
    """How a block can be taken.

    Attributes:
        end: The end to push, +1 or -1.
        push: The line of the push, long enough to push the block out.
        top: The slot in which it can be laid then.
    """

    end: int
    push: Line
    top: Slot


def ways(hand: Hand, seen: TowerObservation, slot: Slot, tops: Sequence[Slot], habits: Habits) -> list[Way]:
    """Every way to take a block and lay it in one of the top slots; the shortest first move comes first."""
    found = []
    for end in (1, -1):
        way = _way(hand, seen, slot, end, tops, habits)
        if way is not None:
            found.append(way)
    here = hand.q()
    return sorted(found, key=lambda way: float(np.abs(way.push.q(0.0) - here).max()))


def _way(
    hand: Hand, seen: TowerObservation, slot: Slot, end: int, tops: Sequence[Slot], habits: Habits
) -> Way | None:
    block = seen.blocks[slot]
    length = float(block.size_m[0])
    out = habits.extract.push_out_m
    push = hand.line(push_aim(block.T_world_block, length, end, out + _SPARE_M), 0.0)
    if push is None:
        return None
    T_out = pushed_out(block.T_world_block, end, out)
    for T in (block.T_world_block, T_out):  # the way back, from wherever the push ends
        if hand.line(push_aim(T, length, -end, _SPARE_M), 0.0) is None:
            return None
    pinch = hand.line(push_aim(T_out, length, -end, habits.extract.grip_m), habits.extract.opening_m)
    if pinch is None:
        return None
    held = as_held(hand.T_at(pinch, pinch.length_m), block, end, out)
    top = next((top for top in tops if _can_lay(hand, seen, held, top, habits)), None)
    return Way(end, push, top) if top is not None else None


def as_held(T_world_tool: Array, block: BlockSeen, end: int, out_m: float) -> Held:
    """The block as the fingers would hold it."""
    return Held(inverse(T_world_tool) @ pushed_out(block.T_world_block, end, out_m), block.size_m)


def _can_lay(hand: Hand, seen: TowerObservation, held: Held, top: Slot, habits: Habits) -> bool:
    try:
        flush = lying_pose(seen, top, held.size_m, habits.place)
        lay_line(hand, held, flush, layer_below(seen, top), habits.place)
    except MotionError:
        return False
    return True
