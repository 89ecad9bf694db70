from __future__ import annotations

from pathlib import Path

import pytest

from hardware.arm_file import BUILT_IN, arm_names, load_arm
from robot.errors import BadInputError
from robot.kinematics import JOINT_NAMES

VIPERX = (BUILT_IN / "viperx-300s.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", arm_names())
def test_arms_of_the_project_can_be_read(name: str) -> None:
    arm = load_arm(name)
    assert len(arm.servos) == sum(len(joint.servos) for joint in arm.all_joints)
    for opening_m in (0.0, 0.02, 0.04):
        angle = arm.gripping.angle_rad(opening_m)
        assert arm.gripping.opening_m(angle) == pytest.approx(opening_m, abs=1e-9)


def test_joints_of_the_viperx_stand_in_the_order_of_its_kinematics() -> None:
    arm = load_arm("viperx-300s")
    assert tuple(joint.name for joint in arm.joints) == JOINT_NAMES
    assert [part.servo for part in arm.joints[1].shadows] == [3]


def test_ticks_and_angles_are_inverse() -> None:
    part = load_arm("viperx-300s").all_joints[0]
    assert part.ticks(0.0) == 2048
    assert part.angle_rad(part.ticks(1.234)) == pytest.approx(1.234)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("servos = [2, 3]", "servos = [2, 1]", "servo 1 is named twice"),
        ("ceiling_a = 2.0\n", "", "joint.0: give one of ceiling_a"),
        ("models = [1120, 1120]", "models = [1120]", "joint shoulder: servos, models and reverse must be"),
        ("baud = 1_000_000", "baud = 5", "baud: Input should be greater than or equal to 9600, got 5"),
        ("rod_mm = 36.0", "", "gripper: give either horn_mm, rod_mm and closed_mm, or jaw_mm"),
        ("least_volts = 11.0", "least_volts = 14.0", "least_volts = 14 must be below most_volts"),
        ("baud =", "boud =", "baud: Field required"),
        ('name = "waist"', "name = ", "cannot be read"),
        (
            "models = [1120]",
            "models = [42]",
            "joint waist: model 42 is not known; of protocol 'dynamixel' these",
        ),
        ("models = [1120]", "models = [777]", "joint waist: model 777 is not known"),
        ("models = [1120]", "models = [1060]", "joint waist: a XL430-W250 needs ceiling_share"),
        ("ceiling_a = 0.25", "ceiling_share = 0.25", "gripper: a XM430-W350 needs ceiling_a"),
        (
            "watchdog_ms = 200",
            "watchdog_ms = 100",
            "watchdog_ms = 100: allowed are 200 to 2540, or 0 for none",
        ),
    ],
)
def test_wrong_file_is_refused_with_the_key(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in VIPERX
    path = tmp_path / "arm.toml"
    path.write_text(VIPERX.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BadInputError, match=told.replace("(", r"\(")):
        load_arm(str(path))


def test_watchdog_of_servos_that_have_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    so_101 = (BUILT_IN / "so-101.toml").read_text(encoding="utf-8")
    path.write_text(so_101.replace("watchdog_ms = 0", "watchdog_ms = 200"), encoding="utf-8")
    with pytest.raises(BadInputError, match="watchdog_ms = 200: these servos have none; write 0"):
        load_arm(str(path))


def test_unknown_arm_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInputError, match=r"arm 'r2d2' is not known: choose one of so-101, viperx-300s"):
        load_arm("r2d2")
