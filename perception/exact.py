"""How far exactly each block stands out: the place along its length that explains most, between the coarse trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from perception.boxes import Boxes
from perception.contours import Portrait
from perception.layer_choice import FAR, IN_PLACE_M, SELDOM, SlotChoice, pushed
from perception.scene import Scenes, total
from perception.stack import Stack, merged, stack_of
from planning.tower import Slot
from robot.frames import Array

# Tried around the best coarse trial, then around the best of these.
STEPS_M = (np.linspace(-4.5e-3, 4.5e-3, 13), np.linspace(-0.4e-3, 0.4e-3, 3))
UNEVEN_M = 1.2e-3  # standard deviation of blocks that nobody pushed, and of their layer's frame


def all_exact(
    looks: Sequence[Portrait], stack: Stack, slots: Mapping[Slot, SlotChoice], size_m: Array, reach: int
) -> tuple[Stack, dict[Slot, SlotChoice]]:
    """The blocks of a tower and the best block of every slot, moved along their lengths to where they fit best.

    Empty slots' best blocks are moved too where they are pushed ones: those are the ones in doubt.

    Args:
        looks: The views.
        stack: The blocks that are there.
        slots: The best block of every slot, there or not.
        size_m: Of a block (3,).
        reach: So many layers above and below may hide a block or show through where it is not.
    """
    found, there = dict(slots), set(stack.slots())
    for slot, choice in slots.items():
        if slot in there or abs(choice.out_m) > IN_PLACE_M:
            own = (stack.layer == slot.layer) & (stack.position == slot.position)
            near = np.abs(stack.layer - slot.layer) <= reach
            found[slot] = exact(looks, slot.layer, choice, stack.take(near & ~own), size_m)
            if slot in there:
                stack = merged(stack.take(~own), stack_of([slot], [found[slot].T_world_block], [size_m]))
    return stack, found


def exact(looks: Sequence[Portrait], k: int, choice: SlotChoice, others: Stack, size_m: Array) -> SlotChoice:
    """A block of layer k moved along its length to where it fits best, the others being there."""
    for steps_m in STEPS_M:
        choice = _best(looks, k, choice, others, size_m, steps_m)
    return choice


def _best(
    looks: Sequence[Portrait], k: int, choice: SlotChoice, others: Stack, size_m: Array, steps_m: Array
) -> SlotChoice:
    poses = pushed(choice.T_world_block, steps_m)
    n = len(steps_m)
    scenes = Scenes(looks, k, others, [Boxes(poses, np.tile(size_m, (n, 1)))])
    told = scenes.told(np.arange(-1, n)[:, None], np.arange(n))
    evidence = total(told)[1:] - _cost(choice.out_m + steps_m)
    best, before = int(evidence.argmax()), n // 2
    return replace(
        choice,
        T_world_block=poses[best],
        out_m=choice.out_m + float(steps_m[best]),
        with_block=told[best + 1],
        without=told[0],
        ahead=choice.ahead + float(evidence[best] - evidence[before]),
    )


def _cost(out_m: Array) -> Array:
    """Evidence against a block that lies so far from its place: uneven as blocks lie, or pushed."""
    return np.asarray(np.minimum((out_m / UNEVEN_M) ** 2 / 2, SELDOM) + FAR * np.abs(out_m))
