"""Least squares over the blocks of a stack: nine unknowns a block, each equation about one block or two neighbours.

Unknowns of a block: shift (3) and turn (3) in the world frame about its centre, and change of its size (3).
Blocks are in order of layer, so that the normal equations are banded and quick to solve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solveh_banded

from perception.boxes import Boxes, Ints
from robot.compiled import compiled
from robot.frames import Array, rotation_from_vector

UNKNOWNS = 9


@dataclass(frozen=True)
class Equations:
    """M linear equations `jacobian . unknowns = value`, each with a standard deviation.

    Attributes:
        first: Block (M,) that the first nine coefficients belong to.
        second: Block (M,) of the other nine; the same block where there is only one.
        jacobian: Coefficients (M, 18); the last nine are 0 where there is only one block.
        value: Right side (M,).
        sd: Standard deviation (M,).
        tail: Residual (M,) in standard deviations from which an equation is trusted less; infinite: never.
    """

    first: Ints
    second: Ints
    jacobian: Array
    value: Array
    sd: Array
    tail: Array


def equations(
    first: Ints, jacobian: Array, value: Array, sd: Array, tail: float, second: Ints | None = None
) -> Equations:
    """Equations about one block (jacobian (M, 9)) or two ((M, 18))."""
    if second is None:
        second, jacobian = first, np.concatenate([jacobian, np.zeros_like(jacobian)], axis=1)
    return Equations(first, second, jacobian, value, sd, np.full(len(first), tail))


def joined(parts: list[Equations]) -> Equations:
    """All equations of several sets."""
    fields = Equations.__dataclass_fields__
    return Equations(*(np.concatenate([getattr(p, name) for p in parts]) for name in fields))


def solve(system: Equations, n_blocks: int, rounds: int = 3) -> tuple[Array, Array]:
    """Unknowns (n, 9) and normal matrix (9 n, 9 n), outliers weighed down (Cauchy) by the residuals of each round."""
    unknowns = np.zeros((n_blocks, UNKNOWNS))
    normal = np.zeros((UNKNOWNS * n_blocks, UNKNOWNS * n_blocks))
    for _ in range(rounds):
        residual = (system.value - _apply(system, unknowns)) / system.sd
        weight = 1 / (system.sd**2 * (1 + (residual / system.tail) ** 2))
        normal, right = _normal(system, weight, n_blocks)
        unknowns = _solve_banded(normal, right, _bandwidth(system)).reshape(n_blocks, UNKNOWNS)
    return unknowns, normal


def _apply(system: Equations, unknowns: Array) -> Array:
    both = np.concatenate([unknowns[system.first], unknowns[system.second]], axis=1)
    return np.asarray(np.einsum("mi,mi->m", system.jacobian, both))


def _normal(system: Equations, weight: Array, n: int) -> tuple[Array, Array]:
    matrix, right = np.zeros((n * UNKNOWNS, n * UNKNOWNS)), np.zeros(n * UNKNOWNS)
    places = np.stack([system.first, system.second], axis=1) * UNKNOWNS
    _accumulate(matrix, right, places, system.jacobian, system.value, weight)
    return matrix, right


@compiled
def _accumulate(
    matrix: Array, right: Array, places: Ints, jacobian: Array, value: Array, weight: Array
) -> None:
    """Add equations to the normal equations; `places` (M, 2): where the unknowns of their two blocks begin."""
    for m in range(len(value)):
        for i in range(2 * UNKNOWNS):
            scaled = weight[m] * jacobian[m, i]
            if scaled == 0.0:
                continue
            row = places[m, i // UNKNOWNS] + i % UNKNOWNS
            right[row] += scaled * value[m]
            for j in range(2 * UNKNOWNS):
                matrix[row, places[m, j // UNKNOWNS] + j % UNKNOWNS] += scaled * jacobian[m, j]


def _bandwidth(system: Equations) -> int:
    return (int(np.abs(system.first - system.second).max(initial=0)) + 1) * UNKNOWNS


def _solve_banded(matrix: Array, right: Array, bandwidth: int) -> Array:
    n = len(matrix)
    bandwidth = min(bandwidth, n)
    band = np.zeros((bandwidth, n))
    for d in range(bandwidth):
        band[d, : n - d] = np.diagonal(matrix, -d)
    return np.asarray(solveh_banded(band, right, lower=True, check_finite=False))


def moved(boxes: Boxes, unknowns: Array) -> Boxes:
    """The boxes after shift, turn and change of size (N, 9)."""
    T = boxes.T.copy()
    T[:, :3, 3] += unknowns[:, :3]
    turns = np.array([rotation_from_vector(u) for u in unknowns[:, 3:6]]).reshape(-1, 3, 3)
    T[:, :3, :3] = turns @ T[:, :3, :3]
    return Boxes(T, boxes.size_m + unknowns[:, 6:])
