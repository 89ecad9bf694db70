"""An arm from a URDF, against the same arm with lengths that the program knows in closed form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from robot.arm_models import ARM_MODELS, Described
from robot.kinematics import ArmKinematics
from robot.lfinger import LFinger
from robot.urdf import read_urdf
from sim.arm_model import arm_urdf

DRAWS = 60


@pytest.fixture(scope="module", params=ARM_MODELS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[ArmKinematics]:
    """A model as the program knows it, and as the URDF of its maker has it."""
    model = ARM_MODELS[request.param]
    assert isinstance(model.description, str)
    path: Path = tmp_path_factory.mktemp("urdf") / "arm.urdf"
    path.write_text(arm_urdf(model.description))
    tool = LFinger().T_flange_tool()
    known = ArmKinematics(model, tool)
    described = Described(read_urdf(path), known.q_min_rad, known.q_max_rad)
    own = replace(model, description=described, lengths=None, hand="/gripper_link")
    return [known, ArmKinematics(own, tool)]


def test_tool_and_jacobian_are_the_same(pair: list[ArmKinematics]) -> None:
    known, own = pair
    draw = np.random.default_rng(1)
    for _ in range(DRAWS):
        q = draw.uniform(known.q_min_rad, known.q_max_rad)
        assert np.allclose(known.forward(q), own.forward(q), atol=1e-9)
        assert np.allclose(known.jacobian(q), own.jacobian(q), atol=1e-9)


def test_search_finds_nearly_all_postures_and_each_once(pair: list[ArmKinematics]) -> None:
    known, own = pair
    draw = np.random.default_rng(2)
    there = found = 0
    for _ in range(DRAWS):
        T = known.forward(draw.uniform(known.q_min_rad, known.q_max_rad))
        postures, all_of_them = own.branches(T), known.branches(T)
        apart = [np.abs(a - b).max() for k, a in enumerate(postures) for b in postures[:k]]
        assert min(apart, default=1.0) > 1e-3
        there += len(all_of_them)
        found += sum(any(np.abs(q - other).max() < 1e-2 for other in postures) for q in all_of_them)
    assert found / there > 0.95


def test_search_is_the_same_each_time(pair: list[ArmKinematics]) -> None:
    _, own = pair
    T = own.forward(np.array([0.2, -0.5, 0.4, 0.1, 0.6, -0.3]))
    assert np.array_equal(own.branches(T), own.branches(T))
