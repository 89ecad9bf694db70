"""The outline of a wooden block as it is seen: six flat faces, twelve chamfered edges, eight cut corners.

Part numbers: 0 to 5 the faces in the order of `boxes`, 6 to 17 the edges, 18 to 25 the corners.
"""

from __future__ import annotations

import numpy as np

from perception.boxes import EDGE_FACES, FACE_NORMALS, Bools, Boxes, Ints
from robot.frames import Array

BEVEL_M = 0.72e-3  # cut off each edge of a block, as most sets have it to 0.2 mm
LABELS_PER_BOX = 32
# A vertex belongs to a corner (signs) and to one of the three faces there: it lies flat on that face.
VERTEX_SIGNS = np.repeat(
    np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float), 3, axis=0
)
VERTEX_AXIS = np.tile(np.arange(3), 8)


def _part_normals() -> Array:
    edges = FACE_NORMALS[EDGE_FACES].sum(axis=1) / np.sqrt(2)
    corners = VERTEX_SIGNS[::3] / np.sqrt(3)
    return np.concatenate([FACE_NORMALS, edges, corners])


def _part_vertices() -> Ints:
    """Vertices (26, 4) of every part in the order of its outline; a corner repeats its last one."""
    normals, rows = _part_normals(), []
    for normal in normals:
        touching = np.flatnonzero(_on_part(normal))
        ring = VERTEX_SIGNS[touching] * np.where(np.eye(3)[VERTEX_AXIS[touching]] > 0, 1.0, 0.8)
        rows.append(touching[_around(ring, normal)])
    return np.array(
        [np.resize(row, 4) if len(row) == 4 else np.append(row, row[-1]) for row in rows], dtype=np.int64
    )


def _on_part(normal: Array) -> Bools:
    axes = np.flatnonzero(np.abs(normal) > 0.1)
    agrees = (VERTEX_SIGNS[:, axes] * np.sign(normal[axes]) > 0).all(axis=1)
    return np.asarray(agrees & np.isin(VERTEX_AXIS, axes))


def _around(points: Array, normal: Array) -> Ints:
    """Order that walks around `points` (n, 3) in the plane across `normal`."""
    u = np.cross(normal, [0.3, 0.5, 0.8])
    v = np.cross(normal, u)
    middle = points - points.mean(axis=0)
    return np.argsort(np.arctan2(middle @ v, middle @ u))


PART_NORMALS = _part_normals()
PART_VERTICES = _part_vertices()


def vertices_m(boxes: Boxes, bevel_m: float) -> Array:
    """The 24 vertices of every block (N, 24, 3), world frame."""
    half = boxes.size_m[:, None, :] / 2
    cut = np.where(np.eye(3)[VERTEX_AXIS] > 0, 0.0, bevel_m)
    local = VERTEX_SIGNS * (half - cut)
    return np.asarray(local @ boxes.T[:, :3, :3].transpose(0, 2, 1) + boxes.T[:, None, :3, 3])


def facing_parts(boxes: Boxes, bevel_m: float, eye_m: Array) -> Bools:
    """Which parts (N, 26) are turned towards a camera at `eye_m` (3,)."""
    points = vertices_m(boxes, bevel_m)[:, PART_VERTICES[:, 0]]  # a point of each part (N, 26, 3)
    normals = PART_NORMALS @ boxes.T[:, :3, :3].transpose(0, 2, 1)
    return np.asarray(np.einsum("npi,npi->np", normals, eye_m - points) > 0)
