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
    away = slot.layer - pushed.layer
    if abs(away) <= 1:
        return True
    nearer = row(slot.layer - (1 if away > 0 else -1))
    return any(moved_m.get(s, by_m) >= _PASSED_ON * by_m for s in nearer if s in stand)
