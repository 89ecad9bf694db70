"""Solvers of A X = Z B over many poses (4, 4): hand-eye calibration, with the eye in the hand or beside it.

OpenCV 5.0 names its hand-eye methods but has no function for them in Python. Those here are from the papers; the last
takes the best of the others as its start. X and Z come out as rigid poses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from robot.frames import Array, inverse, pose, rotation_from_vector

Poses = Sequence[Array]
Solution = tuple[Array, Array]
LEVER_M = 0.1  # a turn counts as what it moves at this distance
_ROBUST_M = 1e-3  # residuals beyond this count less


def park(A: Poses, B: Poses) -> Solution:
    """Rotation by aligned rotation vectors of relative motions, then translation (Park and Martin 1994)."""
    a, b = _motions(A), _motions(B)
    vectors = [Rotation.from_matrix(moves[:, :3, :3]).as_rotvec() for moves in (a, b)]
    R, _ = Rotation.align_vectors(*vectors)
    return _with_translations(A, B, R.as_matrix(), None)


def daniilidis(A: Poses, B: Poses) -> Solution:
    """Rotation and translation at once by dual quaternions of relative motions (Daniilidis 1999)."""
    rows = [_screw_rows(a, b) for a, b in zip(_motions(A), _motions(B), strict=True)]
    _, _, Vt = np.linalg.svd(np.vstack(rows), full_matrices=False)
    (u1, v1), (u2, v2) = ((row[:4], row[4:]) for row in Vt[-2:])
    # X is a mix of both: its real part of unit length and at right angles to its dual part.
    roots = np.roots([u1 @ v1, u1 @ v2 + u2 @ v1, u2 @ v2]) if abs(u1 @ v1) > 1e-15 else np.array([0.0])
    share = max(np.real(roots), key=lambda s: s * s * (u1 @ u1) + 2 * s * (u1 @ u2) + u2 @ u2)
    q = share * u1 + u2
    w, x, y, z = q / np.linalg.norm(q)
    return _with_translations(A, B, Rotation.from_quat([x, y, z, w]).as_matrix(), None)


def shah(A: Poses, B: Poses) -> Solution:
    """Both rotations at once by a Kronecker product, then both translations (Shah 2013)."""
    K = sum(np.kron(b[:3, :3], a[:3, :3]) for a, b in zip(A, B, strict=True))
    U, _, Vt = np.linalg.svd(K)
    R_x, R_z = (v.reshape(3, 3, order="F") for v in (Vt[0], U[:, 0]))
    sign = np.sign(np.linalg.det(R_x))
    return _with_translations(A, B, _nearest_rotation(sign * R_x), _nearest_rotation(sign * R_z))


def li(A: Poses, B: Poses) -> Solution:
    """Rotations and translations in one linear system (Li, Wang and Wu 2010)."""
    rows, right = list[Array](), list[Array]()
    for a, b in zip(A, B, strict=True):
        turn = np.hstack([np.kron(np.eye(3), a[:3, :3]), -np.kron(b[:3, :3].T, np.eye(3)), np.zeros((9, 6))])
        shift = np.hstack([np.zeros((3, 9)), np.kron(b[:3, 3], np.eye(3)), -a[:3, :3], np.eye(3)])
        rows += [turn, shift]
        right += [np.zeros(9), a[:3, 3]]
    found = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)[0]
    R_x, R_z = (_nearest_rotation(found[k : k + 9].reshape(3, 3, order="F")) for k in (0, 9))
    return _with_translations(A, B, R_x, R_z)


def refined(A: Poses, B: Poses) -> Solution:
    """The best of the others, moved to the least squares of what A X and Z B differ by; outliers count less."""
    start = min((solve(A, B) for solve in LINEAR.values()), key=lambda s: _misfit(A, B, *s))

    def residuals(x: Array) -> Array:
        X, Z = _moved(start, x)
        return difference(np.array(A) @ X, Z @ np.array(B)).ravel()

    found = least_squares(residuals, np.zeros(12), loss="soft_l1", f_scale=_ROBUST_M, x_scale=0.01)
    return _moved(start, found.x)


LINEAR: dict[str, Callable[[Poses, Poses], Solution]] = {
    "park": park,
    "daniilidis": daniilidis,
    "shah": shah,
    "li": li,
}
SOLVERS: dict[str, Callable[[Poses, Poses], Solution]] = {**LINEAR, "refined": refined}


def difference(T_a_child: Array, T_a_other: Array) -> Array:
    """Shift and turn (..., 6) [m, and m at `LEVER_M`] between poses (..., 4, 4) in one frame."""
    between = np.swapaxes(T_a_child[..., :3, :3], -1, -2) @ T_a_other[..., :3, :3]
    shift = T_a_other[..., :3, 3] - T_a_child[..., :3, 3]
    return np.concatenate([shift, LEVER_M * Rotation.from_matrix(between).as_rotvec()], axis=-1)


def moved(T: Array, x: Array) -> Array:
    """A pose turned by a rotation vector x[:3] in its own frame, and shifted by x[3:6] in its parent's."""
    return pose(T[:3, :3] @ rotation_from_vector(x[:3]), T[:3, 3] + x[3:6])


def _moved(solution: Solution, x: Array) -> Solution:
    return moved(solution[0], x[:6]), moved(solution[1], x[6:])


def _misfit(A: Poses, B: Poses, X: Array, Z: Array) -> float:
    return float(np.median(np.linalg.norm(difference(np.array(A) @ X, Z @ np.array(B)), axis=-1)))


def _motions(T: Poses) -> Array:
    """From each pose to each later one (n, 4, 4), in the earlier one's frame."""
    first, second = np.triu_indices(len(T), 1)
    inverses = np.array([inverse(one) for one in T])
    return np.asarray(inverses[first] @ np.array(T)[second])


def _with_translations(A: Poses, B: Poses, R_x: Array, R_z: Array | None) -> Solution:
    """Both translations by least squares, and Z's rotation from X's where it is not known."""
    if R_z is None:
        turns = [a[:3, :3] @ R_x @ b[:3, :3].T for a, b in zip(A, B, strict=True)]
        R_z = _nearest_rotation(np.sum(turns, axis=0))
    rows = np.vstack([np.hstack([a[:3, :3], -np.eye(3)]) for a in A])
    right = np.concatenate([R_z @ b[:3, 3] - a[:3, 3] for a, b in zip(A, B, strict=True)])
    t = np.linalg.lstsq(rows, right, rcond=None)[0]
    return pose(R_x, t[:3]), pose(R_z, t[3:])


def _nearest_rotation(M: Array) -> Array:
    u, _, vt = np.linalg.svd(M)
    return np.asarray(u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt)


def _screw_rows(a: Array, b: Array) -> Array:
    """Rows (6, 8) that the dual quaternion of X solves, from one motion of the hand and the eye's."""
    (qa, da), (qb, db) = _dual(a), _dual(b)
    real = np.hstack([(qa - qb)[1:, None], _skew(qa[1:] + qb[1:])])
    dual = np.hstack([(da - db)[1:, None], _skew(da[1:] + db[1:])])
    return np.vstack([np.hstack([real, np.zeros((3, 4))]), np.hstack([dual, real])])


def _dual(T: Array) -> tuple[Array, Array]:
    """Real and dual part (4,), w first and not negative, of a pose's dual quaternion."""
    x, y, z, w = Rotation.from_matrix(T[:3, :3]).as_quat(canonical=True)
    q, t = np.array([w, x, y, z]), T[:3, 3]
    vector = w * t + np.cross(t, q[1:])
    return q, 0.5 * np.array([-t @ q[1:], *vector])


def _skew(v: Array) -> Array:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
