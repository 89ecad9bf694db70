from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.equations import UNKNOWNS, Equations, equations, joined, moved, solve
from robot.frames import Array, apply, inverse, is_pose
from robot.seeding import generator
from support.geometry import boxes, poses


def chain(seed: int, n: int, truth: Array, noise: float = 0.0) -> Equations:
    """Enough random equations about single blocks and about neighbours, true of `truth` (n, 9)."""
    rng = generator(seed, "equations")
    first, J = np.repeat(np.arange(n), 20), rng.normal(size=(20 * n, UNKNOWNS))
    value = np.einsum("mi,mi->m", J, truth[first]) + noise * rng.normal(size=20 * n)
    one = equations(first, J, value, np.ones(20 * n), np.inf)
    left = np.repeat(np.arange(n - 1), 4)
    both = rng.normal(size=(len(left), 2 * UNKNOWNS))
    value = np.einsum("mi,mi->m", both, np.concatenate([truth[left], truth[left + 1]], axis=1))
    return joined([one, equations(left, both, value, np.ones(len(left)), np.inf, left + 1)])


@given(st.integers(0, 1000), st.integers(1, 6))
def test_consistent_equations_are_solved_exactly(seed: int, n: int) -> None:
    truth = generator(seed, "truth").normal(size=(n, UNKNOWNS))
    found, _ = solve(chain(seed, n, truth), n)
    assert found == pytest.approx(truth, abs=1e-6)


@given(st.integers(0, 1000))
def test_banded_solution_is_that_of_ordinary_least_squares(seed: int) -> None:
    n = 4
    system = chain(seed, n, generator(seed, "truth").normal(size=(n, UNKNOWNS)), noise=0.3)
    full = np.zeros((len(system.value), n * UNKNOWNS))
    for m, (a, b) in enumerate(zip(system.first, system.second, strict=True)):
        full[m, a * UNKNOWNS : (a + 1) * UNKNOWNS] += system.jacobian[m, :UNKNOWNS]
        full[m, b * UNKNOWNS : (b + 1) * UNKNOWNS] += system.jacobian[m, UNKNOWNS:]
    ordinary = np.linalg.lstsq(full, system.value, rcond=None)[0]
    found, normal = solve(system, n)
    assert found.ravel() == pytest.approx(ordinary, abs=1e-7)
    assert normal == pytest.approx(full.T @ full, abs=1e-7)


def test_more_certain_equation_weighs_more() -> None:
    J = np.tile(np.eye(UNKNOWNS), (2, 1))
    value = np.repeat([0.0, 1.0], UNKNOWNS)
    sd = np.repeat([1.0, 0.5], UNKNOWNS)
    found, normal = solve(equations(np.zeros(2 * UNKNOWNS, dtype=int), J, value, sd, np.inf), 1)
    assert found == pytest.approx(np.full((1, UNKNOWNS), 0.8)), "weights 1 and 4"
    assert normal == pytest.approx(5.0 * np.eye(UNKNOWNS))


def test_outliers_are_weighed_down() -> None:
    """Ten voices say 0, one says 100: their mean would be 9."""
    J = np.tile(np.eye(UNKNOWNS), (11, 1))
    value = np.repeat([0.0] * 10 + [100.0], UNKNOWNS)
    which, sd = np.zeros(len(value), dtype=int), np.ones(len(value))
    assert np.abs(solve(equations(which, J, value, sd, 2.0), 1, rounds=6)[0]).max() < 0.2
    assert solve(equations(which, J, value, sd, np.inf), 1)[0] == pytest.approx(np.full((1, 9), 100 / 11))


@given(poses(), st.lists(st.floats(-0.02, 0.02), min_size=6, max_size=6))
def test_moved_box_is_shifted_and_turned_about_its_own_centre(T: Array, values: list[float]) -> None:
    unknowns = np.array([[*values, 1e-3, 2e-3, 3e-3]])
    box = boxes(T)
    new = moved(box, unknowns)
    assert new.centres_m - box.centres_m == pytest.approx(unknowns[:, :3], abs=1e-12)
    assert new.size_m - box.size_m == pytest.approx(unknowns[:, 6:])
    assert is_pose(new.T[0])
    turn = new.T[0, :3, :3] @ T[:3, :3].T  # seen in the world's frame
    vector = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    assert vector == pytest.approx(unknowns[0, 3:6], abs=1e-5)
    assert apply(inverse(box.T[0]), T[:3, 3]) == pytest.approx(np.zeros(3), abs=1e-12), (
        "the old one is left alone"
    )
