from __future__ import annotations

import numpy as np
import pytest

from robot.fakes import Gantry
from robot.frames import Array, rotation_vector
from robot.kinematics import ArmKinematics
from robot.lines import first_hit, follow_line, lines_from_branches
from robot.trajectory import Line

# With the wrist straight at the middle of a line the two rolls may turn fast: the hard case for following it.
STRAIGHT_WRIST = np.array([0.1, -0.6, 0.9, 0.8, 0.0, 0.3])
BENT_WRIST = np.array([0.3, -0.5, 0.6, 0.2, 0.8, -0.4])
Y = np.array([0.0, 1.0, 0.0])


def past(arm: ArmKinematics, q: Array, direction: Array, aside_m: float) -> Array:
    """A pose from which a line of 60 mm passes at a distance from that of a posture, half way."""
    T = arm.forward(q)
    side = np.cross(direction, [0.3, 0.5, 0.7])
    T[:3, 3] += aside_m * side / np.linalg.norm(side) - 0.03 * direction
    return T


def assert_straight(arm: ArmKinematics, line: Line, T_start: Array, direction: Array) -> None:
    for s in np.linspace(0, line.length_m, 301):
        T = arm.forward(line.q(float(s)))
        off = T[:3, 3] - (T_start[:3, 3] + s * direction)
        assert np.linalg.norm(off) < 1e-4, f"{np.linalg.norm(off) * 1e3:.3f} mm off at {s * 1e3:.1f} mm"
        assert np.linalg.norm(rotation_vector(T[:3, :3].T @ T_start[:3, :3])) < 3e-3


@pytest.mark.parametrize("direction", np.vstack([np.eye(3), -np.eye(3)]), ids=str)
def test_tool_goes_straight_without_turning(arm_kinematics: ArmKinematics, direction: Array) -> None:
    T = arm_kinematics.forward(BENT_WRIST)
    line = follow_line(arm_kinematics, T, direction, 0.03, BENT_WRIST)
    assert line is not None
    assert line.length_m == pytest.approx(0.03)
    assert_straight(arm_kinematics, line, T, direction)


@pytest.mark.parametrize("aside_mm", [0.5, 1.0, 2.0, 4.0, 8.0])
def test_line_passes_near_a_straight_wrist(arm_kinematics: ArmKinematics, aside_mm: float) -> None:
    T = past(arm_kinematics, STRAIGHT_WRIST, Y, aside_mm * 1e-3)
    found = list(lines_from_branches(arm_kinematics, arm_kinematics.branches(T), T, Y, 0.06, STRAIGHT_WRIST))
    nearest = min(found, key=lambda line: np.abs(line.q_rad[:, 4]).min())
    assert np.abs(nearest.q_rad[:, 4]).min() < 0.05, "it does come near the singularity"
    assert np.abs(np.diff(nearest.q_rad, axis=0)).max() <= 0.06 + 1e-9, "no jump between neighbouring points"
    assert_straight(arm_kinematics, nearest, T, Y)


def test_line_beyond_the_arms_reach_is_none(arm_kinematics: ArmKinematics) -> None:
    T = arm_kinematics.forward(BENT_WRIST)
    assert follow_line(arm_kinematics, T, np.array([1.0, 0, 0]), 1.0, BENT_WRIST) is None


def test_line_through_a_joints_limit_is_none(arm_kinematics: ArmKinematics) -> None:
    q = BENT_WRIST.copy()
    q[4] = arm_kinematics.q_max_rad[4] - 0.02
    T, found = arm_kinematics.forward(q), []
    for direction in np.vstack([np.eye(3), -np.eye(3)]):
        line = follow_line(arm_kinematics, T, direction, 0.1, q)
        found.append(line is not None)
        if line is not None:
            assert (line.q_rad <= arm_kinematics.q_max_rad + 1e-9).all()
    assert not all(found)


def test_line_whose_start_cannot_be_reached_is_none(arm_kinematics: ArmKinematics) -> None:
    T = arm_kinematics.forward(BENT_WRIST)
    T[2, 3] += 2.0
    assert follow_line(arm_kinematics, T, Y, 0.01, BENT_WRIST) is None


def test_posture_nearest_to_the_present_comes_first(arm_kinematics: ArmKinematics) -> None:
    T = arm_kinematics.forward(BENT_WRIST)
    branches = arm_kinematics.branches(T)
    assert len(branches) > 1
    for near in branches:
        first = next(lines_from_branches(arm_kinematics, branches, T, Y, 0.01, near))
        assert first.q(0.0) == pytest.approx(near, abs=1e-4)


def straight_line() -> Line:
    line = follow_line(Gantry(), np.eye(4), np.array([1.0, 0, 0]), 0.1, np.zeros(3))
    assert line is not None
    return line


def test_first_hit_names_what_is_touched_first() -> None:
    def hit(q: Array) -> str | None:
        return "post" if 0.05 < q[0] < 0.055 else "wall" if q[0] >= 0.08 else None

    assert first_hit(straight_line(), hit) == "post"
    assert first_hit(straight_line(), hit, upto_m=0.049) is None
    assert first_hit(straight_line(), lambda q: "start" if q[0] == 0 else None) == "start"
    assert first_hit(straight_line(), lambda q: "end" if q[0] > 0.0999 else None) == "end"


def test_first_hit_looks_at_least_every_spacing() -> None:
    places: list[float] = []

    def hit(q: Array) -> str | None:
        places.append(float(q[0]))
        return None

    assert first_hit(straight_line(), hit, spacing_m=0.004) is None
    assert np.diff(places).max() <= 0.004 + 1e-9
    assert (places[0], places[-1]) == (0.0, pytest.approx(0.1))
