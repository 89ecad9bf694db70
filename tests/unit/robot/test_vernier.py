from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.frames import Array
from robot.vernier import Vernier
from support import bench

STEP_RAD = math.tau / 4096
KINEMATICS = bench.body().kinematics
Q = np.array([0.0, -0.3, 0.6, 0.3, 0.4, 0.2])
SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])


def along_x(q_rad: Array, there_rad: Array) -> float:
    """How far the tip at other angles is along the tool's x."""
    here, there = KINEMATICS.forward(q_rad), KINEMATICS.forward(there_rad)
    return float((there[:3, 3] - here[:3, 3]) @ here[:3, 0])


def pushed(count: int = 400, by_m: float = 16e-6) -> list[Array]:
    """Angles of a straight push along the tool's x, a step each 8 ms at 2 mm/s."""
    angles = [Q]
    for _ in range(count):
        twist = np.zeros(6)
        twist[:3] = KINEMATICS.forward(angles[-1])[:3, 0] * by_m
        angles.append(angles[-1] + np.linalg.solve(KINEMATICS.jacobian(angles[-1]), twist))
    return angles


@given(st.lists(st.floats(-0.4, 0.4), min_size=6, max_size=6))
def test_steps_are_the_one_below_or_the_one_above(off: list[float]) -> None:
    q = Q + np.array(off)
    exact = SIGNS * q / STEP_RAD + 2048
    steps = Vernier(KINEMATICS).steps(q, exact, SIGNS * STEP_RAD)
    assert (steps == np.round(steps)).all()
    assert (np.abs(steps - exact) <= 1.0).all()


def test_tip_of_a_push_is_an_order_of_magnitude_nearer_than_by_the_nearest_steps() -> None:
    vernier, fine, nearest = Vernier(KINEMATICS), [], []
    for q in pushed():
        exact = SIGNS * q / STEP_RAD
        fine.append(along_x(q, vernier.steps(q, exact, SIGNS * STEP_RAD) * SIGNS * STEP_RAD))
        nearest.append(along_x(q, np.round(exact) * SIGNS * STEP_RAD))
    assert np.abs(nearest).max() > 5e-4
    assert np.quantile(np.abs(fine), 0.95) < 1e-4


def test_tip_is_never_far_to_the_side() -> None:
    vernier = Vernier(KINEMATICS)
    for q in pushed(200):
        steps = vernier.steps(q, SIGNS * q / STEP_RAD, SIGNS * STEP_RAD)
        off = KINEMATICS.forward(steps * SIGNS * STEP_RAD)[:3, 3] - KINEMATICS.forward(q)[:3, 3]
        assert np.linalg.norm(off) < 8e-4


def test_steps_that_fit_exactly_are_kept() -> None:
    whole = np.array([3.0, -200.0, 390.0, 195.0, 260.0, 130.0])
    q = whole * STEP_RAD
    assert Vernier(KINEMATICS).steps(q, whole, np.full(6, STEP_RAD)) == pytest.approx(whole)


def test_backwards_the_tip_keeps_to_its_line_better_than_forwards() -> None:
    def aside(by_m: float) -> float:
        vernier, off = Vernier(KINEMATICS), []
        for q in pushed(by_m=by_m):
            steps = vernier.steps(q, SIGNS * q / STEP_RAD, SIGNS * STEP_RAD)
            here, there = KINEMATICS.forward(q), KINEMATICS.forward(steps * SIGNS * STEP_RAD)
            off.append((here[:3, :3].T @ (there[:3, 3] - here[:3, 3]))[2])
        return float(np.std(off))

    assert aside(-16e-6) < 0.7 * aside(16e-6)


def test_push_begins_as_finely_wherever_the_last_one_ended() -> None:
    off_m = []
    for k in range(20):
        vernier, elsewhere = Vernier(KINEMATICS), Q + 0.4 * np.sin(np.arange(6) + k)
        vernier.steps(elsewhere, SIGNS * elsewhere / STEP_RAD, SIGNS * STEP_RAD)
        first = vernier.steps(Q, SIGNS * Q / STEP_RAD, SIGNS * STEP_RAD)
        off_m.append(along_x(Q, first * SIGNS * STEP_RAD))
    fresh = Vernier(KINEMATICS).steps(Q, SIGNS * Q / STEP_RAD, SIGNS * STEP_RAD)
    assert off_m == pytest.approx([along_x(Q, fresh * SIGNS * STEP_RAD)] * 20)
