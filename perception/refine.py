"""All blocks fitted at once to the edges that all views show of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perception.boxes import Boxes, Ints
from perception.chamfer import BEVEL_M
from perception.edges import Pieces, edge_pieces
from perception.equations import UNKNOWNS, Equations, equations, joined, moved, solve
from perception.paint import paint, painting_order, window_of
from perception.profiles import measure
from perception.springs import springs
from perception.stack import Stack
from perception.views import View
from planning.blockset import BlockSet
from robot.camera_model import CameraModel
from robot.frames import Array

FINE = 4
FLOOR_PX = 0.18  # no edge is known better than this
WORTH = 0.3  # visible share of a piece below which it is not used
TAIL = 1.7
_NUDGE_M = 1e-4


@dataclass(frozen=True)
class Fitted:
    """A stack and how well each block's nine unknowns are known: covariance (N, 9, 9)."""

    stack: Stack
    covariance: Array


def refined(views: Sequence[View], stack: Stack, blockset: BlockSet, reaches_px: Sequence[float]) -> Fitted:
    """The stack after one round of least squares for each of `reaches_px`, the distances searched for edges."""
    normal = np.zeros((0, 0))
    for reach in reaches_px:
        seen = [edge_equations(view, stack, reach) for view in views]
        system = joined([*seen, springs(stack, blockset, base_height(stack))])
        unknowns, normal = solve(system, len(stack))
        stack = Stack(stack.layer, stack.position, moved(stack.boxes, unknowns))
    return Fitted(stack, _covariances(normal, stack.layer))


def base_height(stack: Stack) -> float:
    """Height [m] of what the lowest layer stands on, world frame."""
    lowest = stack.layer == stack.layer.min()
    return float(np.median(stack.boxes.T[lowest, 2, 3] - stack.boxes.size_m[lowest, 2] / 2))


def edge_equations(
    view: View, stack: Stack, reach_px: float, first: int = 0, only: int | None = None
) -> Equations:
    """What one view says: how far each visible piece of an edge of the blocks from `first` on lies from its place.

    With `only`, of that one block.
    """
    camera, boxes = view.camera, stack.boxes
    order = painting_order(stack.layer, boxes, camera.position_m())
    expected = paint(camera, boxes, order, BEVEL_M, window_of(camera, boxes, 12), FINE)
    pieces = edge_pieces(camera, boxes, BEVEL_M)
    pieces = pieces.take(pieces.box >= first if only is None else pieces.box == only)
    found = measure(view.grey, expected, pieces, reach_px)
    good = (found.share >= WORTH) & (np.abs(found.offset_px) < reach_px) & (found.sd_px < 1.0)
    pieces = pieces.take(good)
    sd = np.hypot(found.sd_px[good], FLOOR_PX) / np.sqrt(found.share[good])
    return equations(pieces.box, edge_jacobian(camera, boxes, pieces), found.offset_px[good], sd, TAIL)


def edge_jacobian(camera: CameraModel, boxes: Boxes, pieces: Pieces) -> Array:
    """Motion (P, 9) of pieces along their normals, in pixels a unit of each unknown of their block."""
    R = boxes.T[pieces.box, :3, :3]
    arm = np.einsum("pij,pj->pi", R, pieces.p_block_m)
    p = boxes.T[pieces.box, :3, 3] + arm
    nudged = camera.project(p[:, None] + _NUDGE_M * np.concatenate([np.eye(3), -np.eye(3)]))
    per_m = (nudged[:, :3] - nudged[:, 3:]) / (2 * _NUDGE_M)  # (P, 3 axes, 2)
    along = np.einsum("pai,pi->pa", per_m, pieces.normal_px)
    jacobian = np.empty((len(p), UNKNOWNS))
    jacobian[:, :3] = along
    jacobian[:, 3:6] = np.cross(arm, along)
    jacobian[:, 6:] = np.einsum("pa,paj->pj", along, R) * pieces.signs / 2
    return jacobian


def _covariances(normal: Array, layer: Ints) -> Array:
    """Covariance (N, 9, 9) of each block, from the equations of its layer and the two around it."""
    n = len(layer)
    blocks = normal.reshape(n, UNKNOWNS, n, UNKNOWNS)
    out = np.empty((n, UNKNOWNS, UNKNOWNS))
    for k in np.unique(layer):
        around = np.flatnonzero(np.abs(layer - k) <= 1)
        part = blocks[around][:, :, around]
        size = len(around) * UNKNOWNS
        inverse = np.linalg.inv(part.reshape(size, size)).reshape(part.shape)
        for i in np.flatnonzero(layer[around] == k):
            out[around[i]] = inverse[i, :, i]
    return out
