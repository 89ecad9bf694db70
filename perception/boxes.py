"""Blocks as boxes: corners, faces and edges of many at once, and which of their faces a camera sees.

Corner `4 * ix + 2 * iy + iz` of a box has the sign of x, y, z minus where the index is 0 and plus where it is 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot.frames import Array

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

PLUS_X, MINUS_X, PLUS_Y, MINUS_Y, PLUS_Z, MINUS_Z = range(6)
N_FACES = 6
SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])  # (8, 3)
FACE_NORMALS = np.array(
    [[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0], [0, 0, 1.0], [0, 0, -1.0]]
)  # (6, 3), block frame
# Corners of each face in the order of its outline, so that it can be filled.
FACE_CORNERS: Ints = np.array(
    [[4, 6, 7, 5], [0, 1, 3, 2], [2, 3, 7, 6], [0, 4, 5, 1], [1, 5, 7, 3], [0, 2, 6, 4]], dtype=np.int64
)


def _edges() -> tuple[Ints, Ints]:
    """The twelve edges: their two faces (12, 2) and their two corners (12, 2)."""
    faces, corners = [], []
    for a in range(N_FACES):
        for b in range(a + 1, N_FACES):
            shared = sorted(set(FACE_CORNERS[a].tolist()) & set(FACE_CORNERS[b].tolist()))
            if len(shared) == 2:
                faces.append((a, b))
                corners.append(shared)
    return np.array(faces, dtype=np.int64), np.array(corners, dtype=np.int64)


EDGE_FACES, EDGE_CORNERS = _edges()


@dataclass(frozen=True)
class Boxes:
    """N boxes in the world.

    Attributes:
        T: Poses T_world_block (N, 4, 4).
        size_m: Length, width, thickness (N, 3).
    """

    T: Array
    size_m: Array

    def __len__(self) -> int:
        return len(self.T)

    @property
    def centres_m(self) -> Array:
        """Centres (N, 3), world frame."""
        return self.T[:, :3, 3]

    def corners_m(self) -> Array:
        """Corners (N, 8, 3), world frame."""
        local = SIGNS[None] * (self.size_m[:, None, :] / 2)
        return np.asarray(local @ self.T[:, :3, :3].transpose(0, 2, 1) + self.T[:, None, :3, 3])

    def normals(self) -> Array:
        """Outward unit normals of the faces (N, 6, 3), world frame."""
        return np.asarray(FACE_NORMALS[None] @ self.T[:, :3, :3].transpose(0, 2, 1))

    def facing(self, eye_m: Array) -> Bools:
        """Which faces (N, 6) are turned towards a camera at `eye_m` (3,)."""
        normals = self.normals()
        centres = self.T[:, None, :3, 3] + normals * (self.size_m[:, [0, 0, 1, 1, 2, 2]] / 2)[..., None]
        return np.asarray(np.einsum("nfi,nfi->nf", normals, eye_m - centres) > 0)


def joined(parts: list[Boxes]) -> Boxes:
    """Several sets of boxes as one, in order."""
    return Boxes(np.concatenate([p.T for p in parts]), np.concatenate([p.size_m for p in parts]))
