"""Laying the block on top: where exactly, down, let go, and flush."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planning.across import across_m
from planning.eyes import Doubt
from planning.habits import Habits, PlaceHabits
from planning.in_hand import find_in_hand
from planning.nudge import aside_m, nudge
from planning.observation import BlockSeen, TowerObservation
from planning.poses import APPROACH_M, lay_aim, push_aim
from planning.shove import WayHome, shove
from planning.stability import footprint
from planning.steering import Steering
from planning.tower import Slot
from planning.watch import Watcher
from robot.errors import MotionError
from robot.frames import Array, inverse, pose, unit
from robot.guarded import Ended
from robot.hand import Hand, need
from robot.ports import Held
from robot.trajectory import Line

_HEIGHT_TOLERANCE_M = 0.0015
_FINGER_ROOM_M = 0.002  # between the tips and the layer that they come down beside
_PAST_M = 0.002  # the way down goes on below the expected height, until the tower bears
_ROUNDINGS = 1.5  # and so much farther, where the arm's steps hide by as much that it bears
_DOWN = np.array([0.0, 0.0, -1.0])
# How well a block's place is known before it is looked at.
_CARRIED = Doubt((0.003, 0.003, 0.003), (0.04, 0.04, 0.04))
_LAID = Doubt((0.0015, 0.0015, 0.0015), (0.04, 0.04, 0.04))
_SLOW_M = 0.006  # the last part of the way down
_RETREAT_M, _LEAST_RETREAT_M = 0.060, 0.030
_PLAY_M = 0.0002  # between neighbours of a layer
# Moved in the hand since it was measured: worth a correction; too much
_CREPT_M, _MOST_CREPT_M = (0.0004, 0.0012)
_LOOKS = 4
_ASIDE_M = 0.0015  # drifted so far aside, a block is pushed over
_HALF_TURN = pose(np.diag([-1.0, -1.0, 1.0]))


class CannotLayError(MotionError):
    """The block could not be laid into this slot; it is still in the hand."""


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
    # Positions count along the layer below
    side = unit(np.mean([b.T_world_block[:3, 0] for _, b in below], axis=0))
    up = unit(np.mean([b.T_world_block[:3, 2] for _, b in below], axis=0))
    along = unit(np.cross(side, up) if slot.layer % 2 else np.cross(up, side))
    middle = np.mean([_as_if_middle(s, b) for s, b in below], axis=0)
    centre = middle + _across(seen, slot, middle, side, float(size_m[1]), habit) * side
    centre[2] = max(_height_m(b, up, centre) for _, b in below) + float(size_m[2]) / 2 / up[2]
    return pose(np.stack([along, np.cross(up, along), up], axis=1), centre)


def _height_m(block: BlockSeen, up: Array, p_world_m: Array) -> float:
    """Height above a point (3,) at which the plane of a block's upper face lies: a layer leans with the tower."""
    top = block.T_world_block[:3, 3] + block.size_m[2] / 2 * up
    return float(top[2] - up[:2] @ (p_world_m[:2] - top[:2]) / up[2])


def _across(
    seen: TowerObservation, slot: Slot, middle: Array, side: Array, width_m: float, habit: PlaceHabits
) -> float:
    """Distance from the middle of the layer to the block's, towards higher positions."""
    lying = {other.position: block for other, block in seen.blocks.items() if other.layer == slot.layer}
    # One that lies askew reaches farther
    reaches = {position: (footprint(block) - middle[:2]) @ side[:2] for position, block in lying.items()}
    edges_m = {position: (float(reach.min()), float(reach.max())) for position, reach in reaches.items()}
    return across_m(slot.position, edges_m, width_m, habit)


def _as_if_middle(slot: Slot, block: BlockSeen) -> Array:
    """Where the middle block of a layer would be (3,), by another one of it."""
    to_higher = block.T_world_block[:3, 1] * (1.0 if slot.layer % 2 else -1.0)
    pitch_m = float(block.size_m[1]) + _PLAY_M
    return np.asarray(block.T_world_block[:3, 3] - (slot.position - 2) * pitch_m * to_higher)


def layer_below(seen: TowerObservation, slot: Slot) -> list[BlockSeen]:
    """The blocks that carry what lies in a slot."""
    return [block for other, block in seen.blocks.items() if other.layer == slot.layer - 1]


@dataclass(frozen=True)
class Laying:
    """The way down to where a held block is let go.

    Attributes:
        outward: Unit vector (3,) from the tower to the end that overhangs.
        T_world_block: Where the block lies then (4, 4).
        past_m: How far below the expected height the line ends.
    """

    line: Line
    outward: Array
    T_world_block: Array
    past_m: float = _PAST_M


def overhang_m(
    held: Held, flush: Array, outward: Array, carrying: Sequence[BlockSeen], habit: PlaceHabits
) -> float:
    """How far the block must stand out so that the lower finger comes down beside the layer that carries it.

    Args:
        held: The block between the fingers.
        flush: Where it lies flush (4, 4).
        outward: Unit vector (3,) towards the end that overhangs.
        carrying: The blocks of the layer below.
        habit: At least its overhang.
    """
    half_m = float(held.size_m[0]) / 2
    grip_m = half_m - abs(float(held.T_tool_block[0, 3]))  # the tips are so far past the block's end
    corners = [footprint(block) - flush[:2, 3] for block in carrying]
    extent_m = max((float((c @ outward[:2]).max()) for c in corners), default=half_m)
    return max(habit.overhang_m, extent_m + _FINGER_ROOM_M + grip_m - half_m)


def lay_line(
    hand: Hand, held: Held, flush: Array, carrying: Sequence[BlockSeen], habit: PlaceHabits
) -> Laying:
    """The nearest way down from above; the fingers' end overhangs where the block can be pushed flush then.

    Raises:
        CannotLayError: There is none.
    """
    why: list[str] = []
    past_m = _PAST_M + _ROUNDINGS * hand.rounding_m(_DOWN)
    # The block's end in the fingers; the rest lies beyond the tips
    grip_end = -np.sign(held.T_tool_block[0, 0])
    found: list[Laying] = []
    for T_flush in (flush, flush @ _HALF_TURN):
        T, outward = T_flush.copy(), grip_end * T_flush[:3, 0]
        T[:3, 3] += overhang_m(held, flush, outward, carrying, habit) * outward
        aim = lay_aim(T, held.T_tool_block, habit.hover_m, past_m)
        lines = hand.lines(aim, float(held.size_m[2]), held, why=why)
        down = [
            Laying(line, outward, T, past_m) for line in lines if hand.continues(line, outward, _RETREAT_M)
        ]
        if down and flush_line(hand, flush, T, float(held.size_m[0]), outward) is None:
            why.append("it could not be pushed flush")
        else:
            found += down
    if not found:
        touching = ", ".join(sorted(set(why))) or "out of reach"
        raise CannotLayError(
            f"placing: the block cannot be brought over the layer from either side: {touching}"
        )
    here = hand.q()
    return min(found, key=lambda laying: float(np.abs(laying.line.q(0.0) - here).max()))


def flush_line(hand: Hand, flush: Array, lying: Array, length_m: float, outward: Array) -> Line | None:
    """The line along which a block that overhangs is pushed flush, None where the arm does not get there.

    Args:
        hand: The effector.
        flush: Where the block belongs (4, 4).
        lying: Where it lies (4, 4).
        length_m: Of the block.
        outward: Unit vector (3,) towards the end that overhangs.
    """
    end = 1 if lying[:3, 0] @ outward > 0 else -1
    return hand.line(push_aim(lying, length_m, end, _out_m(flush, lying, outward) + 2 * _PAST_M), 0.0)


def _out_m(flush: Array, lying: Array, outward: Array) -> float:
    return float((lying[:3, 3] - flush[:3, 3]) @ outward)


class Placer:
    """Lays a held block into a top slot."""

    def __init__(self, hand: Hand, watcher: Watcher, habits: Habits) -> None:
        self._hand, self._watcher, self._habits = hand, watcher, habits
        self._steering = Steering(hand, watcher.eyes)

    def place(self, held: Held, slot: Slot, seen: TowerObservation) -> BlockSeen:
        """Carry, lay down with an overhang, let go, push flush; returns the block as the pictures then show it.

        Raises:
            CannotLayError: Out of reach, or it does not bear where it should; it is still in the hand.
            MotionError: It lies on top, but could not be pushed flush.
            PerceptionError: The block cannot be found where it should be.
        """
        habit = self._habits.place
        flush = lying_pose(seen, slot, held.size_m, habit)
        laying = self._hover(held, flush, seen, slot)
        self._lower(laying, slot)
        lying = self._let_go(held, laying, seen)
        self._go_round(lying, seen)
        self._push_flush(flush, lying, laying.outward)
        lying = self._locate(flush, held.size_m, seen, _CARRIED)
        self._go_round(lying, seen)
        if abs(aside_m(lying, flush)) > _ASIDE_M and nudge(
            self._hand, self._watcher.eyes, self._habits, lying, flush
        ):
            lying = self._locate(flush, held.size_m, seen, _CARRIED)
        return lying

    def _go_round(self, lying: BlockSeen, around: TowerObservation) -> None:
        """From now on ways lead round the block that was laid, too."""
        blocks = [*around.blocks.values(), lying]
        self._hand.collisions.set_tower([(block.T_world_block, block.size_m) for block in blocks])

    def _locate(
        self, T_world_block: Array, size_m: Array, around: TowerObservation, doubt: Doubt
    ) -> BlockSeen:
        return self._watcher.eyes.locate(self._watcher.look(), T_world_block, size_m, around, doubt)

    def _hover(self, held: Held, flush: Array, around: TowerObservation, slot: Slot) -> Laying:
        """Over the layer, until the block is seen to hang where the way down starts: it creeps while it is carried."""
        for _ in range(_LOOKS):
            held, laying = self._way_down(held, flush, around, slot)
            self._hand.go(laying.line.q(0.0), held)
            held, crept_m = self._measured(held, around)
            if crept_m <= _CREPT_M:
                return laying
        if crept_m <= _MOST_CREPT_M:
            return laying
        raise CannotLayError(
            f"placing: the block crept {crept_m * 1e3:.1f} mm in the hand, {_LOOKS} times over"
        )

    def _way_down(
        self, held: Held, flush: Array, around: TowerObservation, slot: Slot
    ) -> tuple[Held, Laying]:
        """Where there is none, the block may lie otherwise in the hand than was thought, and is looked at once more."""
        carrying, habit = layer_below(around, slot), self._habits.place
        try:
            return held, lay_line(self._hand, held, flush, carrying, habit)
        except CannotLayError:
            self._hand.stand_aside(held)
            held, _ = self._measured(held, around)
            return held, lay_line(self._hand, held, flush, carrying, habit)

    def _measured(self, held: Held, around: TowerObservation) -> tuple[Held, float]:
        """The block as a new look shows it in the hand, and how far [m] that is from where it was thought to be."""
        eyes, view = self._watcher.eyes, self._watcher.look()
        self._steering.glance(view)
        T_world_tool = self._hand.T_world_tool()
        expected = T_world_tool @ held.T_tool_block
        seen = find_in_hand(eyes, view, expected, held.size_m, around, _CARRIED)
        crept_m = float(np.linalg.norm(seen.T_world_block[:3, 3] - expected[:3, 3]))
        return Held(inverse(T_world_tool) @ seen.T_world_block, held.size_m), crept_m

    def _lower(self, laying: Laying, slot: Slot) -> None:
        """Down until the tower bears the block."""
        habit, line, past_m = self._habits.place, laying.line, laying.past_m
        near = line.length_m - past_m - _SLOW_M
        bore = self._hand.lower(line, 0.0, near, habit.lower_speed_m_s, 3 * habit.bear_m)
        if bore >= near - 1e-6:
            bore = self._hand.lower(line, near, line.length_m, habit.bear_speed_m_s, habit.bear_m)
        early = line.length_m - past_m - bore
        if early > _HEIGHT_TOLERANCE_M or bore >= line.length_m - 1e-6:
            self._hand.along(line, bore, 0.0, habit.lower_speed_m_s)
            raise CannotLayError(
                f"placing in {slot}: the block bore {early * 1e3:.1f} mm above its height, allowed -"
                f"{past_m * 1e3:.0f} to {_HEIGHT_TOLERANCE_M * 1e3:.0f} mm: it was not let go"
            )

    def _let_go(self, held: Held, laying: Laying, around: TowerObservation) -> BlockSeen:
        """Open, retreat, and look where the block lies."""
        hand = self._hand
        hand.grip(self._habits.extract.opening_m)
        back = hand.line_from_here(-hand.T_world_tool()[:3, 0], _RETREAT_M, least_m=_LEAST_RETREAT_M)
        hand.along(back, 0.0, back.length_m, self._habits.approach_m_s / 2)
        return self._locate(laying.T_world_block, held.size_m, around, _LAID)

    def _push_flush(self, flush: Array, lying: BlockSeen, outward: Array) -> None:
        hand, habit = self._hand, self._habits.place
        line = flush_line(hand, flush, lying.T_world_block, float(lying.size_m[0]), outward)
        line = need(line, "pushing the placed block flush")
        hand.grip(0.0, seconds=0.5)
        way = WayHome(line, APPROACH_M, APPROACH_M + _out_m(flush, lying.T_world_block, outward))
        eyes, approach_m_s = self._watcher.eyes, self._habits.approach_m_s
        result = shove(hand, eyes, way, approach_m_s, habit.flush_speed_m_s, habit.flush_limit_n)
        if result.ended is Ended.FORCE:
            raise MotionError(f"pushing flush: force reached {habit.flush_limit_n:.2f} N")
