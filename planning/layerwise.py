"""Linear equations of a tower, layer by layer: each layer is coupled to its neighbours only.

The matrix is symmetric, positive definite and block-tridiagonal: `diagonal` (layers, w, w), and `below` (layers, w, w)
with the rows of layer k and the columns of layer k - 1. Layer k uses its first `sizes[k]` rows. The cost of a
factorisation is linear in the layers (block Cholesky; Golub and Van Loan, Matrix Computations, 4.5.1). The factor's
diagonal is kept as reciprocals.
"""

from __future__ import annotations

import numpy as np

from planning.contacts import Ints
from robot.compiled import compiled
from robot.frames import Array


@compiled
def factorise(diagonal: Array, below: Array, sizes: Ints) -> bool:
    """Put the Cholesky factor in the place of the matrix; False where it is not positive definite."""
    for k in range(len(sizes)):
        n = sizes[k]
        if k > 0:
            _solve_rows(diagonal[k - 1], below[k], n, sizes[k - 1])
            _subtract_square(diagonal[k], below[k], n, sizes[k - 1])
        if not _cholesky(diagonal[k], n):
            return False
    return True


@compiled
def solve(diagonal: Array, below: Array, sizes: Ints, rhs: Array) -> None:
    """Solve with a factorised matrix; the right side (layers, w) becomes the solution."""
    layers = len(sizes)
    for k in range(layers):
        if k > 0:
            for i in range(sizes[k]):
                for j in range(sizes[k - 1]):
                    rhs[k, i] -= below[k, i, j] * rhs[k - 1, j]
        _forward(diagonal[k], rhs[k], sizes[k])
    for k in range(layers - 1, -1, -1):
        if k < layers - 1:
            for i in range(sizes[k + 1]):
                for j in range(sizes[k]):
                    rhs[k, j] -= below[k + 1, i, j] * rhs[k + 1, i]
        _backward(diagonal[k], rhs[k], sizes[k])


@compiled
def _cholesky(A: Array, n: int) -> bool:
    for i in range(n):
        for j in range(i + 1):
            total = A[i, j]
            for m in range(j):
                total -= A[i, m] * A[j, m]
            if i > j:
                A[i, j] = total * A[j, j]
            elif total <= 0.0:
                return False
            else:
                A[i, i] = 1.0 / np.sqrt(total)
    return True


@compiled
def _solve_rows(L: Array, B: Array, rows: int, columns: int) -> None:
    """Each row b of B becomes the solution of L x = b."""
    for i in range(rows):
        for j in range(columns):
            total = B[i, j]
            for m in range(j):
                total -= L[j, m] * B[i, m]
            B[i, j] = total * L[j, j]


@compiled
def _subtract_square(A: Array, B: Array, rows: int, columns: int) -> None:
    for i in range(rows):
        for j in range(i + 1):
            total = 0.0
            for m in range(columns):
                total += B[i, m] * B[j, m]
            A[i, j] -= total


@compiled
def _forward(L: Array, b: Array, n: int) -> None:
    for i in range(n):
        total = b[i]
        for m in range(i):
            total -= L[i, m] * b[m]
        b[i] = total * L[i, i]


@compiled
def _backward(L: Array, b: Array, n: int) -> None:
    for i in range(n - 1, -1, -1):
        b[i] *= L[i, i]
        for m in range(i):
            b[m] -= L[i, m] * b[i]
