"""Motion is passed on by touch: a block far from the pushed one moves only where one between them does.

What the pictures claim otherwise, a shadow or a reflection has made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from planning.tower import Slot, row

_PASSED_ON = 0.5  # of its motion a block has at least from one that it touches


def passed_on(moved_m: Mapping[Slot, float], pushed: Slot, stand: Collection[Slot]) -> dict[Slot, float]:
    """The claimed motions without those that nothing can have passed on from the pushed block.

    Args:
        moved_m: How far each block is said to have moved; one that could not be watched is absent.
        pushed: The block that the arm moved.
        stand: The slots that hold a block.
    """
    return {slot: d for slot, d in moved_m.items() if _can_have_moved(slot, d, moved_m, pushed, stand)}


def _can_have_moved(
    slot: Slot, by_m: float, moved_m: Mapping[Slot, float], pushed: Slot, stand: Collection[Slot]
) -> bool:
    way = 1 if slot.layer > pushed.layer else -1
    between = range(pushed.layer + way, slot.layer, way)
    return all(_passes_on(by_m, layer, moved_m, stand) for layer in between)


def _passes_on(by_m: float, layer: int, moved_m: Mapping[Slot, float], stand: Collection[Slot]) -> bool:
    """Whether a block of the layer has moved nearly so far, or could not be watched."""
    return any(moved_m.get(slot, by_m) >= _PASSED_ON * by_m for slot in row(layer) if slot in stand)
