from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robot.errors import BadInputError
from robot.frames import rot_x, rot_y, rot_z
from robot.urdf import Urdf, read_urdf
from support.own_arm import urdf_of

WHOLE = urdf_of()
XACRO = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arm/>'


def read(folder: Path, text: str) -> Urdf:
    path = folder / "arm.urdf"
    path.write_text(text)
    return read_urdf(path)


def test_chain_goes_from_the_base_to_the_link_that_is_asked_for(tmp_path: Path) -> None:
    urdf = read(tmp_path, WHOLE)
    assert urdf.root == "base"
    names = [joint.name for joint in urdf.chain("twist_link")]
    assert names == ["turn", "lift", "bend", "roll", "nod", "twist"]
    assert [joint.kind for joint in urdf.chain("claw")][-1] == "prismatic"
    assert urdf.chain("base") == ()


def test_axis_is_made_a_unit_vector_and_rpy_is_about_fixed_axes(tmp_path: Path) -> None:
    text = WHOLE.replace('xyz="0 0 0.05" rpy="0 -1.5708 0"', 'xyz="1 2 3" rpy="0.1 0.2 0.3"')
    lift = read(tmp_path, text).chain("lift_link")[1]
    assert lift.axis == pytest.approx([0, 1, 0])
    assert np.allclose(lift.T_parent_joint[:3, :3], rot_z(0.3) @ rot_y(0.2) @ rot_x(0.1))
    assert lift.T_parent_joint[:3, 3] == pytest.approx([1, 2, 3])
    assert lift.range_rad == pytest.approx((-1.8, 1.4))


def test_joint_without_an_axis_turns_about_x_and_one_without_an_origin_stands_where_its_parent_does(
    tmp_path: Path,
) -> None:
    """As the format has it."""
    text = WHOLE.replace('<axis xyz="-1 0 0"/>', "").replace('<origin xyz="0.20 0 0"/>', "")
    roll = read(tmp_path, text).chain("roll_link")[3]
    assert roll.axis == pytest.approx([1, 0, 0])
    assert np.array_equal(roll.T_parent_joint, np.eye(4))


@pytest.mark.parametrize(
    ("of", "by", "why"),
    [
        ("</robot>", "", r"is no whole XML: no element found: line \d+, column \d+; fetch it anew"),
        ("<robot", "<sdf", r"is no whole XML: mismatched tag"),
        (WHOLE, "<sdf/>", r"begins with <sdf>, a URDF begins with <robot>"),
        (WHOLE, '<robot name="x"/>', r"a link has no name, or there is none"),
        (WHOLE, "", r"is no whole XML"),
        (
            'xyz="0.30 0 0.05"',
            'xyz="nan 0 0.05"',
            r"joint 'bend': origin xyz='nan 0 0.05': allowed are 3 finite",
        ),
        ('xyz="0.30 0 0.05"', 'xyz="inf 0 0.05"', r"joint 'bend': origin xyz='inf 0 0.05'"),
        (
            'xyz="0.30 0 0.05"',
            'xyz="0.30 0.05"',
            r"joint 'bend': origin xyz='0.30 0.05': allowed are 3 finite",
        ),
        ('rpy="0 1.5708 0"', 'rpy="0 pi/2 0"', r"joint 'bend': origin rpy='0 pi/2 0'"),
        ('xyz="0 2 0"', 'xyz="0 0 0"', r"joint 'lift': axis xyz=\(0.0, 0.0, 0.0\) has no length"),
        ('lower="-1.8"', 'lower="1.8"', r"joint 'lift': limit lower=1.8 must be below upper=1.4"),
        ('lower="-1.8"', 'lower="NaN"', r"joint 'lift': limit lower='NaN'"),
        (
            'type="prismatic"',
            'type="screw"',
            r"joint 'claw_slide': type 'screw' is not known; allowed are revolute",
        ),
        ('<child link="bend_link"/>', "", r"joint 'bend': it has no <child link="),
        ('<child link="bend_link"/>', '<child link="elbow"/>', r"joint 'bend': its child 'elbow' is no link"),
        (
            '<child link="claw"/>',
            '<child link="base"/>',
            r"links 'claw' hang|links 'claw'|hangs on itself|hang on no",
        ),
        (
            '<child link="claw"/>',
            '<child link="roll_link"/>',
            r"link 'roll_link' hangs on two joints, 'roll' and",
        ),
        (
            '<parent link="base"/>',
            '<parent link="nod_link"/>',
            r"links 'base'.*hang on nothing|hangs on itself",
        ),
        ('<link name="claw">', '<link name="base">', r"two links are called 'base'"),
        ('name="claw_slide"', 'name="bend"', r"two joints are called 'bend'"),
        (
            '<robot name="heron">',
            XACRO,
            r"is a xacro file, not yet a URDF: run",
        ),
    ],
)
def test_what_is_damaged_or_no_tree_is_refused_with_the_place(
    tmp_path: Path, of: str, by: str, why: str
) -> None:
    assert of in WHOLE
    with pytest.raises(BadInputError, match=why) as told:
        read(tmp_path, WHOLE.replace(of, by))
    assert str(tmp_path / "arm.urdf") in str(told.value)


def test_links_in_a_ring_are_refused_and_nothing_hangs(tmp_path: Path) -> None:
    ring = (
        '<link name="a"/><link name="b"/><joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint></robot>'
    )
    with pytest.raises(BadInputError, match=r"link '[ab]' hangs on itself: its joints form a loop"):
        read(tmp_path, WHOLE.replace("</robot>", ring))


def test_link_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"no link 'tool0'; its links are base, turn_link"):
        read(tmp_path, WHOLE).chain("tool0")


def test_missing_file_and_binary_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such file"):
        read_urdf(tmp_path / "none.urdf")
    (tmp_path / "b.urdf").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadInputError, match="cannot be read"):
        read_urdf(tmp_path / "b.urdf")


def test_file_that_grows_out_of_bounds_is_refused(tmp_path: Path) -> None:
    """A few hundred bytes that would become gigabytes."""
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    text = f'<!DOCTYPE robot [<!ENTITY l0 "ha">{laughs}]><robot name="&l9;"/>'
    with pytest.raises(BadInputError, match="no whole XML"):
        read(tmp_path, text)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 40), st.text(max_size=8))
def test_any_damage_is_read_or_refused_and_nothing_else(tmp_path: Path, at: int, cut: int, put: str) -> None:
    try:
        text = (WHOLE[:at] + put + WHOLE[at + cut :]).encode("utf-8", "surrogatepass")
        (tmp_path / "arm.urdf").write_bytes(text)
        urdf = read_urdf(tmp_path / "arm.urdf")
    except BadInputError:
        return
    for link in urdf.links:
        for joint in urdf.chain(link):
            assert np.isfinite(joint.T_parent_joint).all()
            assert not joint.moves or np.linalg.norm(joint.axis) == pytest.approx(1.0)
