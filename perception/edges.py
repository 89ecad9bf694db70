"""The visible edges of boxes in one view: short pieces, each with a place, a normal and what lies on its two sides.

A wooden block's edges are rounded. What a picture shows at an edge is: face, chamfer, then the other face or whatever
is behind. A piece says where these should change along its normal; `perception.profiles` says where they do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perception.boxes import EDGE_CORNERS, EDGE_FACES, FACE_NORMALS, SIGNS, Bools, Boxes, Ints
from perception.chamfer import LABELS_PER_BOX
from robot.camera_model import CameraModel
from robot.frames import Array

PIECE_PX = 20.0  # aimed-at length of a piece
NOT_FACING = -2


@dataclass(frozen=True)
class Pieces:
    """P pieces of edges in one view.

    Attributes:
        box: Which box (P,).
        p_block_m: Middle of each piece on the sharp edge (P, 3), block frame.
        signs: (P, 3) the piece's place in half sizes: -1 or +1 across the edge, the share along it.
        start_px: First point (P, 2) of the piece on the sharp edge.
        end_px: Last point (P, 2).
        normal_px: Unit normal (P, 2), out of the face that is surely visible.
        chamfer_px: Where the chamfer begins and ends along the normal (P, 2), from the sharp edge.
        inside: Label of the face that is surely visible (P,).
        outside: Label of the edge's other face (P,), or NOT_FACING where that is turned away.
    """

    box: Ints
    p_block_m: Array
    signs: Array
    start_px: Array
    end_px: Array
    normal_px: Array
    chamfer_px: Array
    inside: Ints
    outside: Ints

    def __len__(self) -> int:
        return len(self.box)

    def take(self, keep: Bools) -> Pieces:
        """Those where `keep` (P,) is true."""
        return Pieces(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


def edge_pieces(camera: CameraModel, boxes: Boxes, bevel_m: float, piece_px: float = PIECE_PX) -> Pieces:
    """All pieces of edges that bound a face turned to the camera, hidden ones included."""
    facing = boxes.facing(camera.position_m())
    box, edge = np.nonzero(facing[:, EDGE_FACES].any(axis=2))
    ends = SIGNS[EDGE_CORNERS[edge]] * (boxes.size_m[box] / 2)[:, None, :]  # (E, 2, 3)
    length_m = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    px_per_m = camera.K[0, 0] / camera.depth_m(boxes.centres_m)[box]
    count = np.maximum(1, np.round(length_m * px_per_m * 0.8 / piece_px)).astype(np.int64)
    which = np.repeat(np.arange(len(box)), count)
    number = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    return _pieces(camera, boxes, bevel_m, facing, (box[which], edge[which]), number, count[which])


def _pieces(
    camera: CameraModel,
    boxes: Boxes,
    bevel_m: float,
    facing: Bools,
    which: tuple[Ints, Ints],
    number: Ints,
    count: Ints,
) -> Pieces:
    box, edge = which
    pair = EDGE_FACES[edge]
    first_faces = facing[box, pair[:, 0]]
    front = np.where(first_faces, pair[:, 0], pair[:, 1])
    other = np.where(first_faces, pair[:, 1], pair[:, 0])
    corner = SIGNS[EDGE_CORNERS[edge]]  # (P, 2, 3)
    half = boxes.size_m[box] / 2
    length = np.linalg.norm((corner[:, 1] - corner[:, 0]) * half, axis=1)
    margin = 1.5 * bevel_m / length
    share = margin[:, None] + (1 - 2 * margin[:, None]) * (number[:, None] + [0.0, 0.5, 1.0]) / count[:, None]
    signs = corner[:, :1] + (corner[:, 1:] - corner[:, :1]) * share[..., None]  # (P, 3 points, 3)
    p = signs * half[:, None]
    flat = p[:, 1] - bevel_m * FACE_NORMALS[other]
    back = p[:, 1] - bevel_m * FACE_NORMALS[front]
    deep = p[:, 1] - 4 * bevel_m * FACE_NORMALS[other]
    points = np.concatenate([p, flat[:, None], back[:, None], deep[:, None]], axis=1)
    R, t = boxes.T[box, :3, :3], boxes.T[box, :3, 3]
    px = camera.project(np.einsum("pij,pkj->pki", R, points) + t[:, None])
    normal = _normals(px)
    along = np.einsum("pki,pi->pk", px[:, 3:5] - px[:, 1:2], normal)
    outside = np.where(facing[box, other], LABELS_PER_BOX * box + other, NOT_FACING)
    return Pieces(
        box, p[:, 1], signs[:, 1], px[:, 0], px[:, 2], normal, along, LABELS_PER_BOX * box + front, outside
    )


def _normals(px: Array) -> Array:
    """Unit normals (P, 2) of pieces, pointing away from the visible face."""
    tangent = px[:, 2] - px[:, 0]
    normal = np.stack([tangent[:, 1], -tangent[:, 0]], axis=1)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    inward = np.einsum("pi,pi->p", normal, px[:, 5] - px[:, 1])
    return np.asarray(np.where(inward[:, None] > 0, -normal, normal))
