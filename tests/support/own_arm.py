"""An arm of nobody's make, as a person with an arm of their own writes it down: a file of its servos and a URDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Bone(NamedTuple):
    """A joint and the link that it moves."""

    name: str
    origin: str
    axis: str
    limits_rad: tuple[float, float]
    box_m: tuple[float, float, float]  # its size; it begins at the joint, along x


# Waist, shoulder, elbow, roll, bend, turn; the wrist's axes do not meet, and some count the other way round
SIX = (
    Bone("turn", 'xyz="0 0 0.07"', "0 0 -1", (-3.0, 3.0), (0.06, 0.06, 0.05)),
    Bone("lift", 'xyz="0 0 0.05" rpy="0 -1.5708 0"', "0 2 0", (-1.8, 1.4), (0.30, 0.04, 0.04)),
    Bone("bend", 'xyz="0.30 0 0.05" rpy="0 1.5708 0"', "0 1 0", (-1.6, 1.9), (0.19, 0.04, 0.04)),
    Bone("roll", 'xyz="0.20 0 0"', "-1 0 0", (-3.1, 3.1), (0.09, 0.04, 0.04)),
    Bone("nod", 'xyz="0.10 0 0.004"', "0 1 0", (-1.9, 2.1), (0.055, 0.035, 0.035)),
    Bone("twist", 'xyz="0.068 0 0"', "1 0 0", (-3.1, 3.1), (0.06, 0.06, 0.03)),
)
_GRIPPER = """
<link name="claw"><collision><geometry><box size="0.02 0.01 0.01"/></geometry></collision></link>
<joint name="claw_slide" type="prismatic"><parent link="twist_link"/><child link="claw"/>
 <origin xyz="0.08 0.03 0"/><axis xyz="0 1 0"/><limit lower="0" upper="0.03" effort="5" velocity="1"/></joint>"""


def urdf_of(bones: Sequence[Bone] = SIX) -> str:
    """The URDF: a base, a link for each joint, and a gripper whose claw slides."""
    parts, parent = ['<robot name="heron">', _link("base", (0.12, 0.12, 0.06), middle="0 0 0.03")], "base"
    for bone in bones:
        parts.append(_link(f"{bone.name}_link", bone.box_m, middle=f"{bone.box_m[0] / 2} 0 0"))
        low, high = bone.limits_rad
        parts.append(
            f'<joint name="{bone.name}" type="revolute"><parent link="{parent}"/><child link="{bone.name}_link"/>'
            f'<origin {bone.origin}/><axis xyz="{bone.axis}"/>'
            f'<limit lower="{low}" upper="{high}" effort="10" velocity="3"/></joint>'
        )
        parent = f"{bone.name}_link"
    return "\n".join([*parts, _GRIPPER.replace("twist_link", parent), "</robot>"])


def _link(name: str, size_m: Sequence[float], middle: str) -> str:
    size = " ".join(map(str, size_m))
    return (
        f'<link name="{name}"><visual><geometry><box size="{size}"/></geometry></visual>'
        f'<collision><origin xyz="{middle}"/><geometry><box size="{size}"/></geometry></collision></link>'
    )


_HEAD = """name = "Heron"
protocol = "dynamixel"
baud = 1_000_000
profile_ms = 20
gentle_profile_ms = 100
watchdog_ms = 200
least_volts = 11.0
most_volts = 13.0
most_celsius = 60
{more}
"""
_JOINT = """
[[joint]]
name = "{name}"
servos = [{servo}]
models = [1120]
reverse = [false]
ceiling_a = 2.0
"""
_TAIL = """
[gripper]
servo = {servo}
model = 1020
reverse = false
ceiling_a = 0.25
horn_mm = 22.0
rod_mm = 36.0
closed_mm = 21.0

[urdf]
file = "heron.urdf"
hand = "{hand}"
flange_mm = [100, 0, 0]
opening_mm = 60
park_deg = {park}
"""
PARK_DEG = (0, -69, 63, 0, 29, 0)


def arm_file_of(bones: Sequence[Bone] = SIX, more: str = "", park: Sequence[float] = PARK_DEG) -> str:
    """The file of its servos, one for each joint and one for the gripper."""
    joints = [_JOINT.format(name=bone.name, servo=k) for k, bone in enumerate(bones, start=1)]
    hand, used = f"{bones[-1].name}_link", list(park)[: len(bones)]
    return (
        _HEAD.format(more=more) + "".join(joints) + _TAIL.format(servo=len(bones) + 1, hand=hand, park=used)
    )


def own_arm(folder: Path, bones: Sequence[Bone] = SIX, more: str = "") -> Path:
    """Both files in a folder; the path of the arm's."""
    (folder / "heron.urdf").write_text(urdf_of(bones))
    path = folder / "heron.toml"
    path.write_text(arm_file_of(bones, more))
    return path
