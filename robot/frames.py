"""Poses as (4, 4) arrays named `T_parent_child`, and points as (..., 3) arrays in metres.

`T_world_tool` takes tool coordinates to world coordinates; inner names cancel in a product:
`T_world_block = T_world_tool @ T_tool_block`. The frames of this project: world (on the table, z up, below the
tower's nominal centre), base (of the arm), flange, tool (at the tip of the closed fingers: x along the legs, z along
the direction of the pinch), camera (OpenCV: x right, y down, z forward), tower (origin at the centre of its base, z
up, x along the blocks of layer 1), block (at its centre, x along its length, z through its thickness, up).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def pose(rotation: npt.ArrayLike | None = None, translation_m: npt.ArrayLike | None = None) -> Array:
    """A pose (4, 4) from a rotation (3, 3) and a translation (3,); what is left out is the identity."""
    T = np.eye(4)
    if rotation is not None:
        T[:3, :3] = rotation
    if translation_m is not None:
        T[:3, 3] = translation_m
    return T


def inverse(T_parent_child: Array) -> Array:
    """`T_child_parent` of a pose (4, 4)."""
    R = T_parent_child[:3, :3].T
    return pose(R, -R @ T_parent_child[:3, 3])


def apply(T_parent_child: Array, p_child_m: npt.ArrayLike) -> Array:
    """Points (..., 3) of the child frame in the parent frame."""
    p = np.asarray(p_child_m, dtype=np.float64)
    return np.asarray(p @ T_parent_child[:3, :3].T + T_parent_child[:3, 3])


def rot_x(angle_rad: float) -> Array:
    """Rotation (3, 3) about x."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def rot_y(angle_rad: float) -> Array:
    """Rotation (3, 3) about y."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def rot_z(angle_rad: float) -> Array:
    """Rotation (3, 3) about z."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rot_rpy(roll_rad: float, pitch_rad: float, yaw_rad: float) -> Array:
    """Rotation (3, 3) about fixed x, then y, then z, as a URDF has it."""
    return rot_z(yaw_rad) @ rot_y(pitch_rad) @ rot_x(roll_rad)


def quaternion(rotation: Array) -> Array:
    """Unit quaternion (4,), w first and w >= 0, of a rotation (3, 3) (Shepperd's method)."""
    R = rotation
    trace = np.trace(R)
    choice = int(np.argmax([trace, R[0, 0], R[1, 1], R[2, 2]]))
    if choice == 0:
        q = np.array([1 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i = choice - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.empty(4)
        q[0] = R[k, j] - R[j, k]
        q[1 + i] = 1 + R[i, i] - R[j, j] - R[k, k]
        q[1 + j] = R[j, i] + R[i, j]
        q[1 + k] = R[k, i] + R[i, k]
    q /= np.linalg.norm(q)
    return np.asarray(q if q[0] >= 0 else -q)


def from_quaternion(wxyz: npt.ArrayLike) -> Array:
    """Rotation (3, 3) of a quaternion (4,), w first; it need not be of unit length."""
    w, x, y, z = np.asarray(wxyz, dtype=np.float64) / np.linalg.norm(wxyz)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotation_vector(rotation: Array) -> Array:
    """Axis times angle (3,) of a rotation (3, 3), angle in [0, pi]."""
    q = quaternion(rotation)
    norm = float(np.linalg.norm(q[1:]))
    if norm < 1e-12:
        return np.zeros(3)
    return np.asarray(q[1:] / norm * 2 * np.arctan2(norm, q[0]))


def rotation_from_vector(vector_rad: npt.ArrayLike) -> Array:
    """Rotation (3, 3) of axis times angle (3,) (Rodrigues)."""
    v = np.asarray(vector_rad, dtype=np.float64)
    angle = float(np.linalg.norm(v))
    if angle < 1e-12:
        return np.eye(3)
    return from_quaternion(np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * v / angle]))


def is_pose(T: npt.ArrayLike, tolerance: float = 1e-6) -> bool:
    """Whether T is a finite rigid transform (4, 4), right-handed."""
    A = np.asarray(T, dtype=np.float64)
    if A.shape != (4, 4) or not np.isfinite(A).all():
        return False
    R = A[:3, :3]
    orthonormal = np.allclose(R @ R.T, np.eye(3), atol=tolerance) and np.linalg.det(R) > 0
    return bool(orthonormal and np.allclose(A[3], [0, 0, 0, 1], atol=tolerance))


def unit(vector: Array) -> Array:
    """The vector (3,) at length 1."""
    return np.asarray(vector / np.linalg.norm(vector))
