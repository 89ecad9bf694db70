from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hardware.arm_file import load_arm
from hardware.arm_urdf import model_of
from robot.arm_models import VIPERX_300S, Described
from robot.errors import BadInputError
from support.own_arm import PARK_DEG, SIX, own_arm


def test_arm_of_ones_own_is_known_by_its_two_files(tmp_path: Path) -> None:
    path = own_arm(tmp_path)
    model, parts = model_of(str(path)), load_arm(str(path))
    assert model.name == parts.body == str(path), "so that servos and joints are seen to be of one arm"
    assert model.title == "Heron"
    assert model.joint_names == tuple(bone.name for bone in SIX)
    assert isinstance(model.description, Described)
    assert model.description.q_min_rad == pytest.approx([bone.limits_rad[0] for bone in SIX])
    assert model.description.q_max_rad == pytest.approx([bone.limits_rad[1] for bone in SIX])
    assert np.degrees(model.park_rad) == pytest.approx(PARK_DEG)
    assert model.stall_nm == pytest.approx([10.6] * 6)
    assert model.opening_max_m == pytest.approx(0.060)
    assert model.T_hand_flange[:3, 3] == pytest.approx([0.1, 0.0, 0.0])


def test_name_of_a_known_model_is_that_model() -> None:
    assert model_of("viperx-300s") is VIPERX_300S


def test_joint_without_an_end_may_turn_once_round(tmp_path: Path) -> None:
    path = own_arm(tmp_path)
    urdf = tmp_path / "heron.urdf"
    urdf.write_text(urdf.read_text().replace('"twist" type="revolute"', '"twist" type="continuous"'))
    description = model_of(str(path)).description
    assert isinstance(description, Described)
    assert (description.q_min_rad[5], description.q_max_rad[5]) == pytest.approx((-np.pi, np.pi))


@pytest.mark.parametrize(
    ("of", "by", "why"),
    [
        ('file = "heron.urdf"', 'file = "other.urdf"', r"URDF .*other\.urdf: no such file; .* beside the arm's"),
        ('hand = "twist_link"', 'hand = "tool0"', r"no link 'tool0'; its links are base, turn_link"),
        ('hand = "twist_link"', 'hand = "nod_link"', r"to 'nod_link' the joints of heron\.urdf are turn, lift, bend, "
         r"roll, nod; the file has turn, lift, bend, roll, nod, twist: name the same joints in the same order"),
        ('name = "lift"', 'name = "shoulder"', r"the file has turn, shoulder, bend"),
        ("flange_mm = [100, 0, 0]", "flange_mm = [100, 0]", r"urdf\.flange_mm"),
        ("flange_mm = [100, 0, 0]", "flange_mm = [nan, 0, 0]", r"urdf\.flange_mm.*finite"),
        ("opening_mm = 60", "opening_mm = 90", r"opening_mm = 90: the gripper of .* opens by 74\.0 mm at most"),
        ("opening_mm = 60", "", r"urdf\.opening_mm: Field required"),
        ("opening_mm = 60", "opening_mm = 60\nopening_m = 0.06", r"urdf\.opening_m: Extra inputs are not permitted"),
        ("park_deg = [0, -69, 63", "park_deg = [0, -69", r"park_deg has 5 angles, the arm 6 joints"),
        ("park_deg = [0, -69", "park_deg = [0, -169", r"park_deg: -169 for joint 'lift'; .* -103\.1 to 80\.2"),
        ("most_celsius = 60", 'most_celsius = 60\nbody = "viperx-300s"', r"give one of body, .* and \[urdf\]"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_each_other_are_refused(tmp_path: Path, of: str, by: str, why: str) -> None:
    path = own_arm(tmp_path)
    text = path.read_text()
    assert of in text
    path.write_text(text.replace(of, by))
    with pytest.raises(BadInputError, match=why):
        model_of(str(path))


@pytest.mark.parametrize(
    ("of", "by", "why"),
    [
        (
            '"nod" type="revolute"',
            '"nod" type="prismatic"',
            r"joint 'nod' of heron\.urdf is prismatic; a servo turns",
        ),
        (
            '<limit lower="-1.9" upper="2.1" effort="10" velocity="3"/>',
            "",
            r"joint 'nod' of heron\.urdf has no limit",
        ),
        (
            '<limit lower="-1.9"',
            '<mimic joint="roll"/><limit lower="-1.9"',
            r"joint 'nod' of .* follows joint 'roll'",
        ),
        (
            '<limit lower="-1.9" upper="2.1"',
            '<limit lower="-109" upper="120"',
            r"are these degrees\? A URDF has rad",
        ),
    ],
)
def test_joint_that_no_servo_can_turn_is_refused(tmp_path: Path, of: str, by: str, why: str) -> None:
    path, urdf = own_arm(tmp_path), tmp_path / "heron.urdf"
    assert of in urdf.read_text()
    urdf.write_text(urdf.read_text().replace(of, by))
    with pytest.raises(BadInputError, match=why):
        model_of(str(path))


def test_file_without_a_urdf_is_refused_as_a_model(tmp_path: Path) -> None:
    path = own_arm(tmp_path)
    path.write_text(path.read_text().split("[urdf]")[0])
    with pytest.raises(BadInputError, match=r"joints and lengths of a Heron: add a section \[urdf\]"):
        model_of(str(path))
