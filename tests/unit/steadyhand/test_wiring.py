from __future__ import annotations

import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.tower import Tower
from robot.errors import BadInputError
from robot.fakes import Flying
from sim.arm import REAL_ERRORS
from steadyhand import wiring
from steadyhand.settings import Settings


def test_tower_is_the_starting_one_unless_told() -> None:
    assert wiring.checked_tower(None, 54) == Tower.parse("111*18")
    assert wiring.checked_tower(None, 45) == Tower.parse("111*15")
    assert wiring.checked_tower("111*3/010/101", 54) == Tower.parse("111*3/010/101")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("111/100/111", r"cannot stand on layer 2: what is above it weighs down 12\.5 mm outside the edge"),
        ("111/000/111", r"cannot stand on layer 2: that is empty"),
        ("111*3/001/111", r"cannot stand on layer 4"),
        ("111*15/010/010/001", r"cannot stand on layer 16: what is above it weighs down 0\.0 mm"),
        ("", r"0 layers, allowed 1 to 30"),
        ("111*31", r"31 layers, allowed 1 to 30: the arm reaches no higher"),
        ("111*100000", r"100000 layers"),
        ("11/111", r"expected tower text such as 111/101"),
        ("111/211", r"expected tower text"),
        ("111/000", r"topmost layer holds a block"),
    ],
)
def test_tower_that_cannot_be_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        wiring.checked_tower(text, 54)


@pytest.mark.parametrize("text", ["111*30", "010*17/111", "110*18", "101/010/101/001", "1" * 3])
def test_tower_that_can_stand_is_taken(text: str) -> None:
    assert str(wiring.checked_tower(text, 54)) == str(Tower.parse(text))


def test_block_set_is_that_of_the_option_before_that_of_the_settings() -> None:
    chosen = Settings.model_validate({"blockset": "tight"})
    assert wiring.block_set(chosen, None).name == "tight"
    assert wiring.block_set(chosen, "loose").name == "loose"
    with pytest.raises(BadInputError, match="block set '' is not known"):
        wiring.block_set(chosen, "")


def test_limits_are_those_of_the_settings_in_si_units() -> None:
    chosen = Settings.model_validate(
        {"arm": {"joint_speed_deg_s": 90, "joint_accel_deg_s2": 180, "joint_jerk_deg_s3": 360},
         "finger": {"max_opening_mm": 50}, "force": {"ceiling_n": 2.5}}
    )  # fmt: skip
    chosen.arm.tool_speed_mm_s = 800
    flying = Flying()
    limits = wiring.limits_of(chosen, flying)
    assert limits.dq_max_rad_s == pytest.approx(np.full(6, np.pi / 2))
    assert limits.ddq_max_rad_s2 == pytest.approx(np.full(6, np.pi))
    assert limits.dddq_max_rad_s3 == pytest.approx(np.full(6, 2 * np.pi))
    assert limits.opening_max_m == pytest.approx(0.05)
    assert limits.force_ceiling_n == 2.5
    one_degree = np.radians(1.0)
    assert limits.q_min_rad == pytest.approx(flying.q_min_rad - one_degree), "plans stay a degree inside"
    assert limits.q_max_rad == pytest.approx(flying.q_max_rad + one_degree)
    assert limits.tool_max_m_s == pytest.approx(0.8)
    assert limits.tool_m_s(np.zeros(6), np.array([0.3, 0.4, 0, 0, 0, 0])) == pytest.approx(0.5)


def test_plan_is_made_of_the_settings_in_si_units() -> None:
    chosen = Settings.model_validate(
        {
            "force": {"noise_n": 0.01, "delay_ms": 20, "rate_hz": 100},
            "finger": {"stiffness_n_mm": 0.8, "pinch_n": 3},
            "sim": {
                "camera_noise": 4,
                "arm_errors": True,
                "joint_offset_deg": 1,
                "backlash_deg": 0.5,
                "sag": 0.2,
            },
            "tower": {"plinth_mm": 90, "yaw_deg": 30, "x_mm": 5},
        }
    )
    plan = wiring.plan_of(chosen, load_blockset("tight"), Tower.parse("111/101"), 7, looks=False)
    assert plan.slots == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 3)]
    assert (plan.seed, plan.blockset.name, plan.looks, plan.camera_noise) == (7, "tight", False, 4)
    assert (plan.cell.noise_n, plan.cell.delay_s, plan.cell.rate_hz) == pytest.approx((0.01, 0.02, 100))
    assert (plan.mechanics.stiffness_n_m, plan.mechanics.pinch_n) == pytest.approx((800, 3))
    assert (plan.errors.offset_sd_rad, plan.errors.backlash_rad) == pytest.approx(np.radians((1, 0.5)))
    assert plan.errors.sag == 0.2
    assert plan.room.T_world_tower[:3, 3] == pytest.approx([0.005, 0, 0.09])
    assert plan.room.plinth_m[1] == pytest.approx(0.09)


def test_arm_has_the_errors_of_a_real_one_until_the_lever_is_off() -> None:
    settings = Settings()
    assert wiring.plan_of(settings, load_blockset("tight"), Tower.parse("111"), 1).errors == REAL_ERRORS
    settings.sim.arm_errors = False
    errors = wiring.plan_of(settings, load_blockset("tight"), Tower.parse("111"), 1).errors
    assert (errors.offset_sd_rad, errors.backlash_rad, errors.sag) == (0, 0, 0)
