"""Where a block goes in a layer that is being built, across it: beside what lies there already, with room."""

from __future__ import annotations

from collections.abc import Mapping

from planning.habits import PlaceHabits


def across_m(
    position: int, edges_m: Mapping[int, tuple[float, float]], width_m: float, habit: PlaceHabits
) -> float:
    """Distance of the block's middle from the layer's, towards higher positions.

    Args:
        position: Where it is to lie, 1 to 3.
        edges_m: Of the blocks that lie there, by position: how far the lower and the upper edge are from the middle.
        width_m: Of the block.
        habit: Spacing and room.
    """
    at_m = (position - 2) * habit.spacing_m
    lower = max((other for other in edges_m if other < position), default=None)
    upper = min((other for other in edges_m if other > position), default=None)
    least_m = None if lower is None else edges_m[lower][1] + _beyond_m(position - lower, width_m, habit)
    most_m = None if upper is None else edges_m[upper][0] - _beyond_m(upper - position, width_m, habit)
    if least_m is not None and most_m is not None:  # as far from the one as from the other
        return (least_m + most_m) / 2
    if least_m is not None:
        return max(at_m, least_m)
    return at_m if most_m is None else min(at_m, most_m)


def _beyond_m(steps: int, width_m: float, habit: PlaceHabits) -> float:
    """From a neighbour's edge to the block's middle, with room for those that are still to come between."""
    return (steps - 1) * (habit.spacing_m + habit.between_m) + width_m / 2 + habit.gap_m
