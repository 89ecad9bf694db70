"""A layer moved as one rigid thing to where its edges are seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perception.equations import moved
from perception.refine import edge_equations
from perception.stack import Stack, merged
from perception.views import View
from robot.frames import Array

REACHES_PX = (3.0,)
SHIFT_SD_M = 1.5e-3
HEIGHT_SD_M = 0.4e-3
TURN_SD_RAD = 0.015


def aligned(views: Sequence[View], below: Stack, layer: Stack) -> Stack:
    """The blocks of one layer, shifted and turned about the vertical together."""
    under = below.take(below.layer >= layer.layer[0] - 2)
    for reach in REACHES_PX:
        both = merged(under, layer)
        first = len(under)
        step = _common_step(views, both, first, reach)
        centre = layer.boxes.centres_m.mean(axis=0)
        unknowns = np.zeros((len(layer), 9))
        arm = layer.boxes.centres_m - centre
        unknowns[:, :3] = step[:3] + np.cross([0.0, 0.0, step[3]], arm)
        unknowns[:, 5] = step[3]
        layer = Stack(layer.layer, layer.position, moved(layer.boxes, unknowns))
    return layer


def _common_step(views: Sequence[View], stack: Stack, first: int, reach_px: float) -> Array:
    """Shift (3) and turn about the vertical through their centre of the blocks from `first` on."""
    centre = stack.boxes.centres_m[first:].mean(axis=0)
    rows, values, sds = [], [], []
    for view in views:
        found = edge_equations(view, stack, reach_px, first)
        J = found.jacobian
        arm = stack.boxes.centres_m[found.first] - centre
        turn = J[:, 5] + arm[:, 0] * J[:, 1] - arm[:, 1] * J[:, 0]
        rows.append(np.concatenate([J[:, :3], turn[:, None]], axis=1))
        values.append(found.value)
        sds.append(found.sd)
    return _robust(np.concatenate(rows), np.concatenate(values), np.hypot(np.concatenate(sds), 0.3))


def _robust(rows: Array, values: Array, sd: Array) -> Array:
    prior = np.diag(1 / np.array([SHIFT_SD_M, SHIFT_SD_M, HEIGHT_SD_M, TURN_SD_RAD]) ** 2)
    step = np.zeros(4)
    for _ in range(4):
        residual = (values - rows @ step) / sd
        weight = 1 / (sd**2 * (1 + (residual / 2.0) ** 2))
        step = np.asarray(
            np.linalg.solve(rows.T @ (rows * weight[:, None]) + prior, rows.T @ (weight * values)),
            dtype=float,
        )
    return step
