"""Label pictures: which part of which block each pixel would show, blocks painted from far to near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perception.boxes import Bools, Boxes, Ints
from perception.chamfer import LABELS_PER_BOX, PART_VERTICES, PARTS
from perception.outlines import eye_of, outlines
from robot.camera_model import CameraModel
from robot.compiled import compiled
from robot.frames import Array

Labels = npt.NDArray[np.int16]
NOTHING = -1


@compiled
def fill(labels: Labels, quads: Array, values: Ints, there: Bools) -> None:
    """Set the samples that lie in each convex quadrilateral (4, 2), given in columns and rows of `labels`.

    `there` (boxes,): quadrilaterals of other boxes are left out.
    """
    room, some, n = np.empty((2, len(labels))), np.empty(len(values), np.int64), 0
    for i in range(len(values)):
        if there[values[i] // LABELS_PER_BOX]:
            some[n] = i
            n += 1
    _fill(labels, quads, values, some[:n], room)


@compiled
def _fill(labels: Labels, quads: Array, values: Ints, some: Ints, room: Array) -> None:
    """Set the samples in some of the quadrilaterals, one after another; `room` (2, rows) is to work in."""
    height, width = labels.shape
    for i in some:
        top = min(quads[i, 0, 1], quads[i, 1, 1], quads[i, 2, 1], quads[i, 3, 1])
        bottom = max(quads[i, 0, 1], quads[i, 1, 1], quads[i, 2, 1], quads[i, 3, 1])
        if not (top < height and bottom >= 0.0):
            continue
        first, last = max(0, int(np.ceil(top))), min(height - 1, int(np.floor(bottom)))
        for row in range(first, last + 1):
            room[0, row], room[1, row] = 1e9, -1e9
        for k in range(4):
            u0, v0, u1, v1 = (
                quads[i, k, 0],
                quads[i, k, 1],
                quads[i, (k + 1) & 3, 0],
                quads[i, (k + 1) & 3, 1],
            )
            begin, end = max(first, int(np.ceil(min(v0, v1)))), min(last, int(np.ceil(max(v0, v1))) - 1)
            slope = (u1 - u0) / (v1 - v0) if begin <= end else 0.0
            for row in range(begin, end + 1):
                u = u0 + (row - v0) * slope
                room[0, row], room[1, row] = min(room[0, row], u), max(room[1, row], u)
        for row in range(first, last + 1):
            begin, end = max(0, int(np.ceil(room[0, row]))), min(width - 1, int(np.floor(room[1, row])))
            for column in range(begin, end + 1):
                labels[row, column] = values[i]


class Room(NamedTuple):
    """Room for `put` to work in."""

    quads: Array
    values: Ints
    some: Ints
    rows: Array


@compiled
def room_for(height: int) -> Room:
    """Room for labels of so many rows."""
    return Room(np.empty((PARTS, 4, 2)), np.empty(PARTS, np.int64), np.arange(PARTS), np.empty((2, height)))


@compiled
def put(
    labels: Labels, px: Array, facing: Bools, parts: int, box: int, left: int, top: int, room: Room
) -> None:
    """Paint the first parts of one block: vertices (24, 2) [px] and parts turned to the camera (26,)."""
    quads, values, n = room.quads, room.values, 0
    for part in range(parts):
        if facing[part]:
            for j in range(4):
                vertex = PART_VERTICES[part, j]
                quads[n, j, 0], quads[n, j, 1] = px[vertex, 0] - left, px[vertex, 1] - top
            values[n] = LABELS_PER_BOX * box + part
            n += 1
    _fill(labels, quads, values, room.some[:n], room.rows)


@compiled
def painted_alike(values: Ints, there: Bools) -> int:
    """How many of the first quadrilaterals are painted alike in all arrangements."""
    for i in range(len(values)):
        box = values[i] // LABELS_PER_BOX
        for a in range(1, len(there)):
            if there[a, box] != there[0, box]:
                return i
    return len(values)


def covered(shape: tuple[int, int], quads: Array, values: Ints, there: Bools, parts: int) -> Bools:
    """Where blocks that stood alone would show one of their first `parts` parts (rows, columns)."""
    labels = np.full(shape, NOTHING, np.int16)
    of_part = values % LABELS_PER_BOX < parts
    fill(labels, quads[of_part], values[of_part], there)
    return np.asarray(labels != NOTHING)


@dataclass(frozen=True)
class LabelPicture:
    """Labels on a grid finer than the pixels.

    Attributes:
        labels: `LABELS_PER_BOX * box + part`, or NOTHING, (rows, columns).
        left: Picture coordinate [px] of the first column.
        top: Picture coordinate [px] of the first row.
        fine: Samples a pixel.
    """

    labels: Labels
    left: float
    top: float
    fine: int


def painting_order(layer: Ints, boxes: Boxes, eye_m: Array) -> Ints:
    """Indices (N,) of boxes from far to near, for blocks that lie in layers."""
    return np.asarray(far_to_near(layer, boxes.T, eye_m))


@compiled
def far_to_near(layer: Ints, T: Array, eye_m: Array) -> Ints:
    """Indices (N,) of blocks from far to near, of poses (N, 4, 4).

    Layers below the eye are painted upwards, layers above it downwards: whatever is on the eye's side of the plane
    between two layers hides the other. In a layer blocks lie side by side, and the nearer one across hides the other.
    """
    rank, across = np.empty(len(layer)), np.empty(len(layer))
    top = layer.max() if len(layer) else 0
    for i in range(len(layer)):
        rank[i] = layer[i] if T[i, 2, 3] < eye_m[2] else 2 * top + 1 - layer[i]
        across[i] = 0.0
        for a in range(3):
            across[i] += T[i, a, 1] * (eye_m[a] - T[i, a, 3])
    nearer_last = np.argsort(-np.abs(across), kind="mergesort")
    return nearer_last[np.argsort(rank[nearer_last], kind="mergesort")]


def paint(
    camera: CameraModel,
    boxes: Boxes,
    order: Ints,
    bevel_m: float,
    window: tuple[int, int, int, int],
    fine: int = 1,
) -> LabelPicture:
    """The label picture of boxes.

    Args:
        camera: Where they are seen from.
        boxes: What there is to see.
        order: Indices of the boxes to paint, far to near.
        bevel_m: How much is cut off the blocks' edges.
        window: Left, top, right, bottom [px] of the part to paint.
        fine: Samples a pixel, along columns and along rows.
    """
    left, top, right, bottom = window
    labels = np.full(((bottom - top) * fine, (right - left) * fine), NOTHING, np.int16)
    quads, values = visible_quads(camera, boxes, order, bevel_m)
    fill(labels, (quads - [left, top]) * fine, values, np.ones(len(boxes), dtype=np.bool_))
    return LabelPicture(labels, float(left), float(top), fine)


def visible_quads(camera: CameraModel, boxes: Boxes, order: Ints, bevel_m: float) -> tuple[Array, Ints]:
    """Outlines (M, 4, 2) [px] and labels (M,) of the parts turned to the camera, in painting order."""
    px, facing = outlines(eye_of(camera), boxes.T, boxes.size_m, bevel_m)
    box, part = np.nonzero(facing[order])
    box = order[box]
    return px[box[:, None], PART_VERTICES[part]], LABELS_PER_BOX * box + part


def window_of(camera: CameraModel, boxes: Boxes, margin_px: int) -> tuple[int, int, int, int]:
    """Left, top, right, bottom [px] of the part of the picture that boxes fill, with a margin, within the picture."""
    px = camera.project(boxes.corners_m()).reshape(-1, 2)
    low, high = np.floor(px.min(axis=0)) - margin_px, np.ceil(px.max(axis=0)) + margin_px
    width, height = camera.size_px
    left, top = int(np.clip(low[0], 0, width - 1)), int(np.clip(low[1], 0, height - 1))
    return left, top, int(np.clip(high[0], left + 1, width)), int(np.clip(high[1], top + 1, height))
