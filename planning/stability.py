"""Whether a tower stands without a block: is what lies above every layer borne inside that layer's support?

The rule that the centre of mass of all above must lie over the hull of the carrying blocks agreed with simulation in
33 of 33 hole patterns; a tower falls about a millimetre before the edge is reached (docs/physics.md). Every block
counts with the same weight.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from scipy.spatial import ConvexHull

from planning.observation import BlockSeen, TowerObservation
from planning.tower import Slot
from robot.frames import Array

LEAST_MARGIN_M = 0.004  # towers fall a millimetre before the edge, and the pictures are half a millimetre off


def footprint(block: BlockSeen) -> Array:
    """The corners (4, 2) of a block seen from above, world frame."""
    half = np.asarray(block.size_m)[:2] / 2
    corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * half
    R = block.T_world_block
    return np.asarray(R[:2, 3] + corners @ R[:2, :2].T)


def inside_m(hull: ConvexHull, point: Array) -> float:
    """Distance (negative outside) of a point (2,) from the nearest edge of a convex hull."""
    return float(-(hull.equations[:, :2] @ point + hull.equations[:, 2]).max())


def support_margin_m(seen: TowerObservation, without: Collection[Slot] = ()) -> float:
    """Smallest distance of the centre of mass of all above from the edge of its support, over all layers.

    Args:
        seen: The tower.
        without: Blocks that are thought away.

    Returns:
        Negative where the tower falls; minus infinity where a layer would be empty.
    """
    return min(support_margins_m(seen, without).values(), default=np.inf)


def can_do_without(seen: TowerObservation, slot: Slot) -> bool:
    """Whether a tower is sure to stand once a block is gone, however heavy or light each block may be."""
    return support_margin_m(seen, {slot}) >= LEAST_MARGIN_M


def support_margins_m(seen: TowerObservation, without: Collection[Slot] = ()) -> dict[int, float]:
    """The same for every layer but the top one."""
    blocks = {slot: block for slot, block in seen.blocks.items() if slot not in without}
    top = max((slot.layer for slot in blocks), default=0)
    return {layer: _margin_m(blocks, layer) for layer in range(1, top)}


def _margin_m(blocks: Mapping[Slot, BlockSeen], layer: int) -> float:
    carrying = [footprint(b) for s, b in blocks.items() if s.layer == layer]
    if not carrying:
        return -np.inf
    above = [b.T_world_block[:2, 3] for s, b in blocks.items() if s.layer > layer]
    return inside_m(ConvexHull(np.concatenate(carrying)), np.mean(above, axis=0))
