"""Laying the block on top: where exactly, down, let go, and flush."""

from __future__ import annotations

import numpy as np

from planning.eyes import Eyes
from planning.habits import Habits, PlaceHabits
from planning.observation import BlockSeen, TowerObservation
from planning.poses import APPROACH_M, lay_aim, push_aim
from planning.probe import STANDOFF_M
from planning.tower import Slot
from robot.errors import MotionError
from robot.frames import Array, inverse, pose
from robot.guarded import Ended
from robot.hand import Hand, need, unit
from robot.ports import Held
from robot.trajectory import Line

_PAST_M = 0.002  # the way down goes on below the expected height, until the tower bears
_RETREAT_M = 0.060
_PLAY_M = 0.0002  # between neighbours of a layer
_HEIGHT_TOLERANCE_M = 0.003


def lying_pose(seen: TowerObservation, slot: Slot, size_m: Array, habit: PlaceHabits) -> Array:
    """Where a block of that size lies flush in a free top slot (4, 4), by the blocks that carry it.

    Its middle stands over the middle of the layer below, its direction is square to that layer's, and it keeps its
    distance from neighbours that lie there already.

    Raises:
        MotionError: No block was seen in the layer below.
    """
    below = [(s, b) for s, b in seen.blocks.items() if s.layer == slot.layer - 1]
    if not below:
        raise MotionError(f"slot {slot}: no block was seen in the layer below, there is nothing to lay it on")
    side = unit(np.mean([b.T_world_block[:3, 0] for _, b in below], axis=0))  # positions count along the layer below
    up = unit(np.mean([b.T_world_block[:3, 2] for _, b in below], axis=0))
    along = unit(np.cross(side, up) if slot.layer % 2 else np.cross(up, side))
    top_m = max(float(b.T_world_block[2, 3] + b.size_m[2] / 2) for _, b in below)
    middle = np.mean([_as_if_middle(s, b) for s, b in below], axis=0)
    centre = middle + _across(seen, slot, middle, side, float(size_m[1]), habit) * side
    # The layer leans with the tower: its height at the new block's place is the carrying plane's.
    centre[2] = top_m + float(size_m[2]) / 2 - up[:2] @ (centre[:2] - middle[:2]) / up[2]
    return pose(np.stack([along, np.cross(up, along), up], axis=1), centre)


def _across(
    seen: TowerObservation, slot: Slot, middle: Array, side: Array, width_m: float, habit: PlaceHabits
) -> float:
    """Distance from the middle of the layer to the block's, towards higher positions."""
    across = (slot.position - 2) * habit.spacing_m
    for other, block in seen.blocks.items():
        if other.layer != slot.layer:
            continue
        theirs = float((block.T_world_block[:3, 3] - middle) @ side)
        room = (width_m + float(block.size_m[1])) / 2 + habit.gap_m
        if other.position < slot.position:
            across = max(across, theirs + room * (slot.position - other.position))
        else:
            across = min(across, theirs - room * (other.position - slot.position))
    return across


def _as_if_middle(slot: Slot, block: BlockSeen) -> Array:
    """Where the middle block of a layer would be (3,), by another one of it."""
    to_higher = block.T_world_block[:3, 1] * (1.0 if slot.layer % 2 else -1.0)
    pitch_m = float(block.size_m[1]) + _PLAY_M
    return np.asarray(block.T_world_block[:3, 3] - (slot.position - 2) * pitch_m * to_higher)


class Placer:
    """Lays a held block into a top slot."""

    def __init__(self, hand: Hand, eyes: Eyes, habits: Habits) -> None:
        self._hand, self._eyes, self._habits = hand, eyes, habits

    def place(self, held: Held, slot: Slot, seen: TowerObservation) -> BlockSeen:
        """Carry, lay down with an overhang, let go, push flush; returns the block as the pictures then show it.

        Raises:
            MotionError: Out of reach, or it does not lie where it should before or after the fingers open.
        """
        habit = self._habits.place
        flush = lying_pose(seen, slot, held.size_m, habit)
        hand = self._hand
        hand.go(self._lay_line(held, flush)[1].q(0.0), held)
        held = self._look_again(held)
        outward, line, T_lay = self._lay_line(held, flush)
        hand.go(line.q(0.0), held)
        self._lower(line, slot)
        self._let_go(held, T_lay, slot)
        self._push_flush(flush, T_lay, outward, held)
        return self._eyes.locate(self._eyes.look(), flush, held.size_m)

    def _look_again(self, held: Held) -> Held:
        """The block creeps between the fingers while it is carried, by a millimetre or two."""
        T_world_tool = self._hand.T_world_tool()
        seen = self._eyes.locate(self._eyes.look(), T_world_tool @ held.T_tool_block, held.size_m)
        return Held(inverse(T_world_tool) @ seen.T_world_block, held.size_m)

    def _lay_line(self, held: Held, flush: Array) -> tuple[Array, Line, Array]:
        """The way down for either end of the layer; the fingers' end overhangs."""
        habit = self._habits.place
        grip_end = -np.sign(held.T_tool_block[0, 0])  # the block's end in the fingers; the rest lies beyond the tips
        why: list[str] = []
        for T_flush in (flush, flush @ pose(np.diag([-1.0, -1.0, 1.0]))):
            T = T_flush.copy()
            outward = grip_end * T[:3, 0]
            T[:3, 3] += habit.overhang_m * outward
            aim = lay_aim(T, held.T_tool_block, habit.hover_m, _PAST_M)
            for line in self._hand.lines(aim, float(held.size_m[2]), held, why=why):
                if self._hand.continues(line, outward, _RETREAT_M):
                    return outward, line, T
        touching = ", ".join(sorted(set(why))) or "out of reach"
        raise MotionError(f"placing: the block cannot be brought over the layer from either side: {touching}")

    def _lower(self, line: Line, slot: Slot) -> None:
        """Down until the tower bears the block."""
        habit = self._habits.place
        bore = self._hand.lower(line, 0.0, line.length_m, habit.lower_speed_m_s, habit.bear_m)
        early = line.length_m - _PAST_M - bore
        if early > _HEIGHT_TOLERANCE_M or bore >= line.length_m - 1e-6:
            self._hand.along(line, bore, 0.0, habit.lower_speed_m_s)
            raise MotionError(
                f"placing in {slot}: the block bore {early * 1e3:.1f} mm above its height, allowed -"
                f"{_PAST_M * 1e3:.0f} to {_HEIGHT_TOLERANCE_M * 1e3:.0f} mm: it was not let go"
            )

    def _let_go(self, held: Held, T_lay: Array, slot: Slot) -> None:
        hand = self._hand
        seen = self._eyes.locate(self._eyes.look(), T_lay, held.size_m)
        off = float(seen.T_world_block[2, 3] - T_lay[2, 3])
        if abs(off) > _HEIGHT_TOLERANCE_M:
            raise MotionError(
                f"placing in {slot}: the block lies {off * 1e3:+.1f} mm from its height, allowed "
                f"{_HEIGHT_TOLERANCE_M * 1e3:.0f} mm: the fingers stay closed"
            )
        hand.grip(self._habits.extract.opening_m)
        back = hand.line_from_here(-hand.T_world_tool()[:3, 0], _RETREAT_M)
        hand.along(back, 0.0, _RETREAT_M, self._habits.approach_m_s / 2)

    def _push_flush(self, flush: Array, T_lay: Array, outward: Array, held: Held) -> None:
        hand, habit = self._hand, self._habits.place
        seen = self._eyes.locate(self._eyes.look(), T_lay, held.size_m)
        end = 1 if seen.T_world_block[:3, 0] @ outward > 0 else -1
        length = float((seen.T_world_block[:3, 3] - flush[:3, 3]) @ outward)
        aim = push_aim(seen.T_world_block, float(seen.size_m[0]), end, length + 0.004)
        line = need(hand.line(aim, 0.0), "pushing the placed block flush")
        hand.grip(0.0, seconds=0.5)
        hand.go(line.q(0.0))
        at = APPROACH_M - STANDOFF_M
        hand.along(line, 0.0, at, self._habits.approach_m_s)
        hand.pusher.tare()
        result = hand.pusher.advance(
            line, at, line.length_m, habit.flush_speed_m_s, habit.flush_limit_n, home_m=APPROACH_M + length
        )
        if result.ended is Ended.FORCE:
            raise MotionError(f"pushing flush: force reached {habit.flush_limit_n:.2f} N")
        hand.along(line, result.end_m, 0.0, self._habits.approach_m_s)
