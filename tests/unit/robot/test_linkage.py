from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.linkage import Linkage

VIPERX = Linkage(horn_m=0.022, rod_m=0.036, closed_m=0.021)
OPENINGS = st.floats(0.0, 0.070)


@given(OPENINGS)
def test_angle_and_opening_are_inverse(opening_m: float) -> None:
    assert VIPERX.opening_m(VIPERX.angle_rad(opening_m)) == pytest.approx(opening_m, abs=1e-9)


@given(OPENINGS)
def test_lever_is_the_slope_of_one_fingers_way(opening_m: float) -> None:
    angle, h = VIPERX.angle_rad(opening_m), 1e-6
    slope = (VIPERX.opening_m(angle + h) - VIPERX.opening_m(angle - h)) / (2 * h) / 2
    assert VIPERX.lever_m(angle) == pytest.approx(slope, rel=1e-4)


def test_horn_turns_one_way_only_as_the_fingers_open() -> None:
    angles = [VIPERX.angle_rad(mm * 1e-3) for mm in range(71)]
    assert angles == sorted(angles)
    assert VIPERX.opening_m(VIPERX.angle_rad(0.5)) < 0.08, "wider than it can: fully open"
