"""Whether a tower stands without a block: is what lies above every layer borne inside that layer's support?

The rule that the centre of mass of all above must lie over the hull of the carrying blocks agreed with simulation in
33 of 33 hole patterns; a tower falls about a millimetre before the edge is reached (docs/physics.md). Every block
counts with the same weight.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from planning.observation import BlockSeen, TowerObservation
from planning.tower import Slot
from robot.frames import Array

LEAST_MARGIN_M = 0.004  # towers fall a millimetre before the edge, and the pictures are half a millimetre off
_WORSE_M, _NARROWEST_M = (0.0003, 0.002)
_TIPS_M = 0.0075  # the middle of a block that is let go stays so far within the edge of what carries it


def footprint(block: BlockSeen) -> Array:
    """The corners (4, 2) of a block seen from above, world frame."""
    half = np.asarray(block.size_m)[:2] / 2
    corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * half
    R = block.T_world_block
    return np.asarray(R[:2, 3] + corners @ R[:2, :2].T)


def stands_out_m(seen: TowerObservation, slot: Slot, outward: Array) -> float:
    """How far a block may stand out of its layer without tipping off what carries it, whatever lies on it.

    Args:
        seen: The tower.
        slot: The block's.
        outward: Unit vector (3,) along the block.
    """
    block = seen.blocks[slot]
    below = [footprint(other) for under, other in seen.blocks.items() if under.layer == slot.layer - 1]
    if not below:  # the ground carries it
        return float(block.size_m[0]) / 2 - _TIPS_M
    edge_m = max(float((corners @ outward[:2]).max()) for corners in below)
    return edge_m - float(block.T_world_block[:2, 3] @ outward[:2]) - _TIPS_M


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


def spare(seen: TowerObservation, slots: Iterable[Slot]) -> set[Slot]:
    """The blocks without which a tower is sure to stand, however heavy or light each block may be.

    `LEAST_MARGIN_M` must be left, or what there is by now, less a little: a layer that is narrow already forbids to
    make it narrower, not to take from others.
    """
    least_m = min(LEAST_MARGIN_M, max(support_margin_m(seen) - _WORSE_M, _NARROWEST_M))
    return {slot for slot, margin_m in margins_without_m(seen, slots).items() if margin_m >= least_m}


def support_margins_m(seen: TowerObservation, without: Collection[Slot] = ()) -> dict[int, float]:
    """The same for every layer but the top one."""
    blocks = {slot: block for slot, block in seen.blocks.items() if slot not in without}
    top = max((slot.layer for slot in blocks), default=0)
    return {layer: _margin_m(blocks, layer) for layer in range(1, top)}


def margins_without_m(seen: TowerObservation, slots: Iterable[Slot]) -> dict[Slot, float]:
    """`support_margin_m` without each of some blocks by itself, at a small part of the cost.

    Without a block only its own layer has another support, and only the layers under it another weight above.
    """
    layers = _layers(seen)
    return {slot: _without_m(layers, slot, seen.blocks[slot]) for slot in slots if slot in seen.blocks}


class _Layer(NamedTuple):
    """Its blocks, their support, how many blocks lie above and the sum of their places (2,)."""

    blocks: dict[Slot, BlockSeen]
    hull: ConvexHull
    above: int
    total_m: Array


def _layers(seen: TowerObservation) -> list[_Layer]:
    """From the top down."""
    out: list[_Layer] = []
    count, total_m = 0, np.zeros(2)
    for layer in sorted({slot.layer for slot in seen.blocks}, reverse=True):
        blocks = {slot: block for slot, block in seen.blocks.items() if slot.layer == layer}
        out.append(_Layer(blocks, _hull(blocks.values()), count, total_m))
        count += len(blocks)
        total_m = total_m + np.sum([b.T_world_block[:2, 3] for b in blocks.values()], axis=0)
    return out


def _without_m(layers: Sequence[_Layer], gone: Slot, block: BlockSeen) -> float:
    worst = np.inf
    for blocks, hull, count, total_m in layers:
        layer = next(iter(blocks)).layer
        support, fewer = hull, count - (layer < gone.layer)
        if fewer == 0:
            continue
        if layer == gone.layer:
            rest = [other for slot, other in blocks.items() if slot != gone]
            if not rest:
                return -np.inf
            support = _hull(rest)
        weight_m = total_m - block.T_world_block[:2, 3] if layer < gone.layer else total_m
        worst = min(worst, inside_m(support, weight_m / fewer))
    return float(worst)


def _hull(blocks: Iterable[BlockSeen]) -> ConvexHull:
    return ConvexHull(np.concatenate([footprint(block) for block in blocks]))


def _margin_m(blocks: Mapping[Slot, BlockSeen], layer: int) -> float:
    carrying = [footprint(b) for s, b in blocks.items() if s.layer == layer]
    if not carrying:
        return -np.inf
    above = [b.T_world_block[:2, 3] for s, b in blocks.items() if s.layer > layer]
    return inside_m(ConvexHull(np.concatenate(carrying)), np.mean(above, axis=0))
