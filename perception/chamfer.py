"""The outline of a wooden block as it is seen: six flat faces, twelve chamfered edges, eight cut corners.

Part numbers: 0 to 5 the faces in the order of `boxes`, 6 to 17 the edges, 18 to 25 the corners.
"""

from __future__ import annotations

import numpy as np

from perception.boxes import EDGE_FACES, FACE_NORMALS, Bools, Ints
from robot.compiled import compiled
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
PARTS = len(PART_NORMALS)


@compiled
def vertices_m(T: Array, size_m: Array, bevel_m: float) -> Array:
    """The 24 vertices of every block (N, 24, 3), world frame, from poses (N, 4, 4) and sizes (N, 3)."""
    out = np.empty((len(T), len(VERTEX_SIGNS), 3))
    for i in range(len(T)):
        for j in range(len(VERTEX_SIGNS)):
            for a in range(3):
                out[i, j, a] = T[i, a, 3]
                for b in range(3):
                    cut = 0.0 if VERTEX_AXIS[j] == b else bevel_m
                    out[i, j, a] += T[i, a, b] * VERTEX_SIGNS[j, b] * (size_m[i, b] / 2 - cut)
    return out


@compiled
def facing_parts(vertices: Array, T: Array, eye_m: Array) -> Bools:
    """Which parts (N, 26) are turned towards a camera at `eye_m` (3,), from vertices (N, 24, 3) and poses (N, 4, 4)."""
    out = np.empty((len(T), len(PART_NORMALS)), np.bool_)
    for i in range(len(T)):
        for part in range(len(PART_NORMALS)):
            toward = 0.0
            for a in range(3):
                normal = 0.0
                for b in range(3):
                    normal += T[i, a, b] * PART_NORMALS[part, b]
                toward += normal * (eye_m[a] - vertices[i, PART_VERTICES[part, 0], a])
            out[i, part] = toward > 0
    return out
