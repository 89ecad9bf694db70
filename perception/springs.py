"""What is known of a stack without looking: sizes, blocks that lie on blocks, neighbours that touch."""

from __future__ import annotations

import numpy as np

from perception.boxes import Boxes, Ints
from perception.equations import UNKNOWNS, Equations, equations, joined
from perception.stack import Stack, mean_size
from planning.blockset import BlockSet
from robot.frames import Array

CONTACT_SD_M = (
    0.15e-3  # how far apart two blocks may be that lie on each other, beside the spread in thickness
)
NEIGHBOUR_SD_M = 0.2e-3
BASE_SD_M = 0.5e-3
PLACE_SD_M = 3e-3  # how far a block may be from where it was thought to be
TILT_SD_RAD = 0.012
YAW_SD_RAD = 0.02
_SPOTS = 0.32 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])  # of a contact patch, in widths


def springs(stack: Stack, blockset: BlockSet, base_z_m: float) -> Equations:
    """All equations of a stack that stands on a level base at `base_z_m`."""
    parts = [
        _sizes(stack.boxes, blockset),
        _places(stack.boxes),
        _base(stack, base_z_m),
        _neighbours(stack, blockset),
    ]
    return joined([*parts, _contacts(stack, blockset)])


def _sizes(boxes: Boxes, blockset: BlockSet) -> Equations:
    n = len(boxes)
    sd = np.array([blockset.length_m.sd, blockset.width_m.sd, blockset.height_m.sd])
    jacobian = np.tile(np.eye(UNKNOWNS)[6:], (n, 1))
    value = (mean_size(blockset) - boxes.size_m).ravel()
    return equations(np.repeat(np.arange(n), 3), jacobian, value, np.tile(np.maximum(sd, 2e-5), n), np.inf)


def _places(boxes: Boxes) -> Equations:
    """Loose ties to where each block was thought to be; its tilt is tied to level."""
    n = len(boxes)
    sd = np.array([PLACE_SD_M] * 3 + [TILT_SD_RAD] * 2 + [YAW_SD_RAD])
    jacobian = np.tile(np.eye(UNKNOWNS)[:6], (n, 1))
    up = boxes.T[:, :3, 2]
    tilt = np.stack([up[:, 1], -up[:, 0]], axis=1)  # the turn that brings `up` back to the vertical
    value = np.zeros((n, 6))
    value[:, 3:5] = tilt
    return equations(np.repeat(np.arange(n), 6), jacobian, value.ravel(), np.tile(sd, n), np.inf)


def _base(stack: Stack, base_z_m: float) -> Equations:
    lowest = np.flatnonzero(stack.layer == 1)
    corner = 0.4 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    which, spot = np.repeat(lowest, 4), np.tile(corner, (len(lowest), 1))
    boxes = stack.boxes
    offset = spot[:, :1] * boxes.size_m[which, :1] * boxes.T[which, :3, 0]
    offset = offset + spot[:, 1:] * boxes.size_m[which, 1:2] * boxes.T[which, :3, 1]
    height, row = _surface(boxes, which, boxes.centres_m[which] + offset, -1.0)
    return equations(which, row, base_z_m - height, np.full(len(which), BASE_SD_M), 2.0)


def _surface(boxes: Boxes, which: Ints, p_m: Array, side: float) -> tuple[Array, Array]:
    """Height (M,) of the upper (+1) or lower (-1) side of blocks at points (M, 3), and its coefficients (M, 9)."""
    up, arm = boxes.T[which, :3, 2], p_m - boxes.centres_m[which]
    slope = (up[:, 0] * arm[:, 0] + up[:, 1] * arm[:, 1]) / up[:, 2]
    height = boxes.T[which, 2, 3] - slope + side * boxes.size_m[which, 2] / 2
    row = np.zeros((len(which), UNKNOWNS))
    row[:, 2], row[:, 3], row[:, 4], row[:, 8] = 1.0, arm[:, 1], -arm[:, 0], side / 2
    return height, row


def _contacts(stack: Stack, blockset: BlockSet) -> Equations:
    """Each block lies on the blocks of the layer below that it crosses."""
    boxes, c = stack.boxes, stack.boxes.centres_m
    upper, lower = np.nonzero(stack.layer[:, None] == stack.layer[None] + 1)
    a_u, a_l = boxes.T[upper, :3, 0], boxes.T[lower, :3, 0]
    apart = c[upper] - c[lower]
    along_l, along_u = np.einsum("mi,mi->m", apart, a_l), -np.einsum("mi,mi->m", apart, a_u)
    reach = 0.45 * boxes.size_m[:, 0]
    crossing = (np.abs(along_l) < reach[lower]) & (np.abs(along_u) < reach[upper])
    upper, lower, along_l, a_u, a_l = (
        upper[crossing],
        lower[crossing],
        along_l[crossing],
        a_u[crossing],
        a_l[crossing],
    )
    middle = c[lower] + along_l[:, None] * a_l
    width = boxes.size_m[upper, 1]
    spots = width[:, None, None] * (_SPOTS[None, :, :1] * a_l[:, None] + _SPOTS[None, :, 1:] * a_u[:, None])
    p = (middle[:, None] + spots).reshape(-1, 3)
    upper, lower = np.repeat(upper, 4), np.repeat(lower, 4)
    bottom, row_u = _surface(boxes, upper, p, -1.0)
    top, row_l = _surface(boxes, lower, p, 1.0)
    sd = 2 * np.hypot(CONTACT_SD_M, blockset.height_m.sd)  # four spots speak as one
    rows = np.concatenate([row_u, -row_l], axis=1)
    return equations(upper, rows, top - bottom, np.full(len(upper), sd), 2.0, lower)


def _neighbours(stack: Stack, blockset: BlockSet) -> Equations:
    """Blocks side by side in a layer nearly touch, at both ends of where they lie beside each other."""
    boxes = stack.boxes
    same = stack.layer[:, None] == stack.layer[None]
    left, right = np.nonzero(same & (stack.position[:, None] + 1 == stack.position[None]))
    along = 0.4 * np.tile([-1.0, 1.0], len(left))
    left, right = np.repeat(left, 2), np.repeat(right, 2)
    # Positions grow along the tower's y in odd layers and along its x in even ones, where the block's y points back.
    sign = np.where(stack.layer[left] % 2 == 1, 1.0, -1.0)
    edge_l, row_l = _side(boxes, left, sign, 1.0, along)
    edge_r, row_r = _side(boxes, right, sign, -1.0, along)
    axis = sign[:, None] * boxes.T[left, :3, 1]
    gap = np.einsum("mi,mi->m", edge_r - edge_l, axis)
    rows = np.concatenate([-row_l, row_r], axis=1)
    return equations(left, rows, blockset.gap_m - gap, np.full(len(left), NEIGHBOUR_SD_M), 1.0, right)


def _side(boxes: Boxes, which: Ints, sign: Array, side: float, along: Array) -> tuple[Array, Array]:
    """Points (M, 3) on the sides of blocks that face a neighbour, and coefficients (M, 9) of their place across."""
    axis = sign[:, None] * boxes.T[which, :3, 1]
    arm = along[:, None] * boxes.size_m[which, :1] * boxes.T[which, :3, 0]
    arm = arm + side * boxes.size_m[which, 1:2] / 2 * axis
    row = np.zeros((len(which), UNKNOWNS))
    row[:, :3], row[:, 3:6], row[:, 7] = axis, np.cross(arm, axis), side / 2
    return boxes.centres_m[which] + arm, row
