"""The shapes of a block: a hull that touches, bevelled at its ends, and a bevelled body with wood grain for looks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from robot.frames import Array

_FACES = ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1))  # (axis, sign) of the six faces of a box


BEVEL_M = 0.0005  # of what touches; what is seen is bevelled by this and up to 0.4 mm more


def hull(size_m: tuple[float, float, float], taper_m: float, bevel_m: float = BEVEL_M) -> Array:
    """The sixteen corners (16, 3) of a block whose thickness differs by `taper_m` between its ends.

    The upper and lower edges of its end faces are bevelled, as real blocks' are: with sharp ones a block that is pushed
    home from far out catches on every step between its neighbours.
    """
    length, width, height = size_m
    corners = []
    for sx, sy, sz in product((-1, 1), repeat=3):
        half_m = (height + sx * taper_m / 2) / 2
        corners += [
            [sx * length / 2, sy * width / 2, sz * (half_m - bevel_m)],
            [sx * (length / 2 - bevel_m), sy * width / 2, sz * half_m],
        ]
    return np.array(corners)


@dataclass(frozen=True)
class Skin:
    """A triangle mesh with one normal and one texture coordinate a vertex."""

    vertices_m: Array
    normals: Array
    texcoords: Array
    triangles: np.ndarray


def bevelled(size_m: tuple[float, float, float], bevel_m: float, offset_uv: tuple[float, float]) -> Skin:
    """A box with chamfered edges, as real blocks have, and the grain running along x.

    The flat faces lie where the hull's do; only the edges are cut. The texture has the side grain in its left three
    quarters and the end grain in the right one; `offset_uv` shifts the grain so that no two blocks look alike.
    """
    half = np.array(size_m) / 2
    parts = [_face(half, bevel_m, axis, sign, offset_uv) for axis, sign in _FACES]
    parts += [
        _chamfer(half, bevel_m, a, b, offset_uv)
        for i, a in enumerate(_FACES)
        for b in _FACES[i + 1 :]
        if a[0] != b[0]
    ]
    vertices = np.concatenate([p[0] for p in parts])
    normals = np.concatenate([np.repeat(p[1][None], 4, axis=0) for p in parts])
    uv = np.concatenate([p[2] for p in parts])
    quads = np.arange(len(vertices)).reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Skin(vertices, normals, uv, triangles)


_Part = tuple[Array, Array, Array]


def _face(half: Array, bevel_m: float, axis: int, sign: int, offset_uv: tuple[float, float]) -> _Part:
    u, v = (axis + 1) % 3, (axis + 2) % 3
    square = [(-1, -1), (1, -1), (1, 1), (-1, 1)] if sign > 0 else [(-1, -1), (-1, 1), (1, 1), (1, -1)]
    corners = np.zeros((4, 3))
    corners[:, axis] = sign * half[axis]
    for row, (a, b) in zip(corners, square, strict=True):
        row[u], row[v] = a * (half[u] - bevel_m), b * (half[v] - bevel_m)
    normal = np.zeros(3)
    normal[axis] = sign
    return corners, normal, _uv(corners, axis, offset_uv)


def _chamfer(
    half: Array, bevel_m: float, a: tuple[int, int], b: tuple[int, int], offset_uv: tuple[float, float]
) -> _Part:
    """The flat that joins two neighbouring faces, its corners counter-clockwise seen from outside."""
    (ia, sa), (ib, sb) = a, b
    free = 3 - ia - ib
    corners = np.zeros((4, 3))
    for row, (on_a, end) in zip(corners, [(1, -1), (0, -1), (0, 1), (1, 1)], strict=True):
        row[ia] = sa * (half[ia] - (0 if on_a else bevel_m))
        row[ib] = sb * (half[ib] - (bevel_m if on_a else 0))
        row[free] = end * (half[free] - bevel_m)
    normal = np.zeros(3)
    normal[ia], normal[ib] = sa, sb
    normal /= np.linalg.norm(normal)
    if np.cross(corners[1] - corners[0], corners[2] - corners[0]) @ normal < 0:
        corners = corners[::-1].copy()
    return corners, normal, _uv(corners, ia if ia != 0 else ib, offset_uv)


def _uv(corners: Array, axis: int, offset_uv: tuple[float, float]) -> Array:
    """Texture coordinates (4, 2): side grain lies in u 0.02 to 0.72 along the block, end grain in 0.76 to 0.98."""
    du, dv = offset_uv
    if axis == 0:
        return np.stack([0.87 + corners[:, 1] / 0.03 * 0.22, corners[:, 2] / 0.06 + dv], axis=1)
    across = 2 if axis == 1 else 1
    return np.stack([0.37 + corners[:, 0] / 0.08 * 0.7, corners[:, across] / 0.06 + du], axis=1)
