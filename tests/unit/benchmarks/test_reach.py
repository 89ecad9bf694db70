from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.five_joints import askew_rad, ends
from benchmarks.reach import Reach
from robot.arm_models import ARM_MODELS
from robot.frames import pose
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from support.own_arm import own_arm

BASE_M = np.array([-0.25, 0.0, 0.0])
AHEAD, ASIDE = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


@pytest.mark.parametrize("name", ARM_MODELS)
def test_every_arm_reaches_all_of_a_low_tower_where_it_stands_by_default(name: str) -> None:
    tally = Reach(Settings.of_arm(name)).tower(3, pose())
    assert (tally.probed, tally.taken, tally.blocks) == (9, 9, 9)
    assert (tally.laid, tally.tops) == (3, 3)


def test_arm_too_far_off_reaches_nothing() -> None:
    far = Settings.model_validate({"arm": {"x_mm": -900}})
    tally = Reach(far).tower(2, pose())
    assert (tally.probed, tally.taken, tally.laid) == (0, 0, 0)


def test_arm_from_a_urdf_of_its_own_is_measured_alike(tmp_path: Path) -> None:
    own_arm(tmp_path)
    (tmp_path / "s.toml").write_text('[arm]\nmodel = "heron.toml"\n')
    tally = Reach(load_settings(tmp_path / "s.toml")).tower(2, pose())
    assert tally.blocks == 6
    assert tally.probed >= 5


def test_finger_of_a_five_jointed_arm_is_square_only_along_its_plane() -> None:
    ahead, beside = np.array([0.0, 0.0, 0.1]), np.array([0.0, 0.025, 0.1])
    assert askew_rad(ahead, AHEAD, BASE_M, across=False) == pytest.approx(0)
    assert askew_rad(ahead, -AHEAD, BASE_M, across=False) == pytest.approx(np.pi), "never from behind"
    assert askew_rad(beside, AHEAD, BASE_M, across=False) == pytest.approx(np.arctan(0.1))
    assert askew_rad(ahead, ASIDE, BASE_M, across=True) == pytest.approx(0), "an L points across it, too"


def test_every_block_has_two_ends_that_are_pushed_against_each_other() -> None:
    there = ends(0.3)
    assert len(there) == 2 * 54
    for (p, push), (q, back) in zip(there[::2], there[1::2], strict=True):
        assert push == pytest.approx(-back)
        assert (q - p) @ push == pytest.approx(0.075)
