"""What was seen drawn over the pictures: blocks green, empty slots red, unknown ones yellow, and layer numbers."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from perception.boxes import FACE_CORNERS, MINUS_X, PLUS_X, Boxes, joined
from perception.paint import painting_order
from perception.stack import Stack, nominal_block, stack_of
from perception.views import View
from planning.blockset import BlockSet
from planning.observation import Seen, TowerObservation
from planning.tower import Slot, row
from robot.camera_model import CameraModel
from robot.frames import Array, pose
from robot.ports import Image

GREEN, RED, YELLOW = (60, 220, 60), (50, 50, 255), (0, 230, 255)
_INK, _SHADOW = (255, 255, 255), (30, 30, 30)
_WIDE_PX = 1000  # pictures wider than this get thicker lines


def encoded(views: Sequence[View], seen: TowerObservation, blockset: BlockSet, ending: str) -> bytes:
    """All pictures beside each other as a file of the format that the ending names."""
    drawn = [picture(view, seen, blockset) for view in views]
    height = max(len(it) for it in drawn)
    padded = [np.pad(it, ((0, height - len(it)), (0, 0), (0, 0))) for it in drawn]
    _, data = cv2.imencode(ending.lower(), np.concatenate(padded, axis=1))
    return bytes(data.tobytes())


def picture(view: View, seen: TowerObservation, blockset: BlockSet) -> Image:
    """One picture (rows, columns, 3) with what was seen drawn over it."""
    canvas = view.image.copy()
    lines = np.zeros_like(canvas)
    thick = 1 + view.camera.size_px[0] // _WIDE_PX
    _draw_blocks(lines, view.camera, _standing(seen), thick)
    for slot, what in seen.slots.items():
        if what is Seen.UNKNOWN or (what is Seen.GAP and slot not in seen.blocks):
            colour = YELLOW if what is Seen.UNKNOWN else RED
            _draw_ends(lines, view.camera, _nominal(slot, seen, blockset), colour, thick)
    there = lines.any(axis=2)
    canvas[there] = lines[there]
    _number_layers(canvas, view.camera, seen, blockset)
    return canvas


def _standing(seen: TowerObservation) -> Stack:
    slots = [slot for slot, what in seen.slots.items() if what is Seen.BLOCK and slot in seen.blocks]
    blocks = [seen.blocks[slot] for slot in slots]
    return stack_of(slots, [b.T_world_block for b in blocks], [b.size_m for b in blocks])


def _nominal(slot: Slot, seen: TowerObservation, blockset: BlockSet) -> Boxes:
    """A block as it would lie in a slot: a batch of one."""
    high_m = blockset.height_m.mean
    lies_m = (slot.layer - 1) * high_m
    if slot.layer <= len(seen.layer_top_m):
        lies_m = seen.layer_top_m[slot.layer - 1] - high_m
    T, size_m = nominal_block(seen.T_world_tower @ pose(None, [0.0, 0.0, lies_m]), slot, blockset)
    return Boxes(T[None], size_m[None])


def _draw_blocks(lines: Image, camera: CameraModel, stack: Stack, thick: int) -> None:
    """Outlines of all faces turned to the camera, far ones first; nearer faces wipe out what they hide."""
    boxes = stack.boxes
    px, facing = camera.project(boxes.corners_m()), boxes.facing(camera.position_m())
    for k in painting_order(stack.layer, boxes, camera.position_m()):
        for face in np.flatnonzero(facing[k]):
            _outline(lines, px[k, FACE_CORNERS[face]], GREEN, thick, wipe=True)


def _draw_ends(
    lines: Image, camera: CameraModel, box: Boxes, colour: tuple[int, int, int], thick: int
) -> None:
    facing = box.facing(camera.position_m())[0]
    px = camera.project(box.corners_m())[0]
    for face in (PLUS_X, MINUS_X):
        if facing[face]:
            _outline(lines, px[FACE_CORNERS[face]], colour, thick)


def _outline(
    lines: Image, px: Array, colour: tuple[int, int, int], thick: int, *, wipe: bool = False
) -> None:
    if not np.isfinite(px).all() or np.abs(px).max() > 1e5:  # behind the camera, or far outside
        return
    corners = [np.round(px).astype(np.int32)]
    if wipe:
        cv2.fillPoly(lines, corners, (0, 0, 0))
    cv2.polylines(lines, corners, True, colour, thick)


def _number_layers(canvas: Image, camera: CameraModel, seen: TowerObservation, blockset: BlockSet) -> None:
    """Each layer's number left of where its blocks belong, as large as the layer is thick."""
    for layer in sorted({slot.layer for slot in seen.slots}):
        places = joined([_nominal(slot, seen, blockset) for slot in row(layer)])
        corners = camera.project(places.corners_m()).reshape(-1, 2)
        if not np.isfinite(corners).all():
            continue
        left = corners[np.argsort(corners[:, 0])[:4]]  # the two leftmost upright edges
        scale = float(np.clip(np.ptp(left[:, 1]) / 40, 0.3, 1.2))
        wide = cv2.getTextSize(str(layer), cv2.FONT_HERSHEY_SIMPLEX, scale, 1)[0][0]
        at = (int(left[:, 0].min() - wide - 6), int(left[:, 1].mean() + 10 * scale))
        for ink, thick in ((_SHADOW, 4), (_INK, 1)):
            cv2.putText(canvas, str(layer), at, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, thick, cv2.LINE_AA)
