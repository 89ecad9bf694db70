from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.layerwise import factorise, solve

sizes = st.lists(st.sampled_from([3, 6, 9]), min_size=1, max_size=6)


@settings(deadline=None)
@given(sizes, st.integers(0, 2**31))
def test_solution_is_that_of_the_whole_matrix(widths: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers, ends = len(widths), np.cumsum(widths)
    begins = ends - widths
    whole = np.zeros((ends[-1], ends[-1]))
    for k in range(layers):  # springs within a layer and between neighbours: positive definite
        upto = slice(begins[max(k - 1, 0)], ends[k])
        J = rng.standard_normal((20, ends[k] - begins[max(k - 1, 0)]))
        whole[upto, upto] += J.T @ J
    whole += np.eye(len(whole))
    diagonal, below, rhs = np.zeros((layers, 9, 9)), np.zeros((layers, 9, 9)), np.zeros((layers, 9))
    right = rng.standard_normal(len(whole))
    for k, n in enumerate(widths):
        own = slice(begins[k], ends[k])
        diagonal[k, :n, :n] = np.tril(whole[own, own])
        rhs[k, :n] = right[own]
        if k:
            below[k, :n, : widths[k - 1]] = whole[own, begins[k - 1] : ends[k - 1]]
    assert factorise(diagonal, below, np.array(widths))
    solve(diagonal, below, np.array(widths), rhs)
    found = np.concatenate([rhs[k, :n] for k, n in enumerate(widths)])
    assert found == pytest.approx(np.linalg.solve(whole, right), rel=1e-6, abs=1e-9)


def test_matrix_that_is_not_positive_definite_is_told() -> None:
    diagonal = -np.eye(3)[None].copy()
    assert not factorise(diagonal, np.zeros((1, 3, 3)), np.array([3]))
