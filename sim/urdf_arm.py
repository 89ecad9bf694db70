"""A simulated arm from the URDF that its owner names: shapes of its links, and sliding carriers for our fingers.

What the gripper's own joints move in the URDF is left out, since the L-fingers take its place.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import mujoco

from robot.arm_models import ArmModel, Described
from robot.errors import BadInputError
from robot.frames import quaternion

_READ = (".stl", ".obj")
_CARRIER_ROOM_M = 0.004  # beyond the widest opening
_LEAST_KG, _LEAST_KG_M2 = 1e-3, 1e-6  # of a link whose mass its URDF leaves out
_SHAPES = ("box", "cylinder", "sphere", "mesh")


def own_arm(model: ArmModel, described: Described, sides: tuple[str, str]) -> mujoco.MjSpec:
    """The arm, with a link for each finger that slides along the flange's y, and none of its gripper's own.

    Args:
        model: The arm.
        described: Its URDF and limits.
        sides: What the fingers are called, the one towards the flange's +y first.

    Raises:
        BadInputError: A shape cannot be used, or there is none.
    """
    path = described.urdf.path
    try:
        spec = mujoco.MjSpec.from_string(_with_shapes(described))
        spec.copy().compile()
    except ValueError as error:
        said = " ".join(str(error).split())
        raise BadInputError(
            f"URDF {path}: MuJoCo cannot build the arm: {said}; correct that in the file"
        ) from None
    _take_out_the_gripper(spec, model)
    _carriers(spec, model, sides)
    for name, low, high in zip(model.joint_names, described.q_min_rad, described.q_max_rad, strict=True):
        joint = spec.joint(name)
        joint.limited, joint.range = True, [low, high]
    return spec


def _with_shapes(described: Described) -> str:
    """The URDF with every mesh where it is, and with what a link looks like where it says of no shape to touch."""
    urdf = described.urdf
    robot = ET.fromstring(urdf.text)
    for link in robot.findall("link"):
        if link.find("collision") is None:
            for visual in link.findall("visual"):
                visual.tag = "collision"
        for visual in link.findall("visual"):
            link.remove(visual)
        for mesh in link.iterfind("collision/geometry/mesh"):
            mesh.set("filename", str(_mesh(urdf.path, str(link.get("name")), mesh.get("filename") or "")))
    if not any(link.find("collision") is not None for link in robot.findall("link")):
        raise BadInputError(
            f"URDF {urdf.path}: no link has a shape, so that nobody could tell what the arm would touch; give "
            f"each link a <collision> with one of {', '.join(_SHAPES)}"
        )
    for extension in robot.findall("mujoco"):
        robot.remove(extension)
    ours = ET.SubElement(robot, "mujoco")
    ET.SubElement(
        ours,
        "compiler",
        {
            "strippath": "false",
            "fusestatic": "false",
            "balanceinertia": "true",
            "boundmass": str(_LEAST_KG),
            "boundinertia": str(_LEAST_KG_M2),
        },
    )
    return ET.tostring(robot, encoding="unicode")


def _mesh(urdf: Path, link: str, name: str) -> Path:
    """Where the file of a mesh is: by its name, or by that of its package in one of the folders above the URDF."""
    bare = name.removeprefix("file://")
    if bare.startswith("package://"):
        inner = Path(bare.removeprefix("package://"))
        tried = [
            folder / part for folder in urdf.absolute().parents for part in _with_and_without_package(inner)
        ]
    else:
        tried = [urdf.absolute().parent / bare]
    found = next((path for path in tried if path.is_file()), None)
    if found is None:
        raise BadInputError(
            f"URDF {urdf}: link {link!r}: there is no mesh {name!r} ({tried[0]}); put it there, or give the link a box"
        )
    if found.suffix.lower() not in _READ:
        raise BadInputError(
            f"URDF {urdf}: link {link!r}: mesh {name!r} is of a kind that is not read, allowed are {', '.join(_READ)}: "
            "convert it, or give the link a <collision> with a box"
        )
    return found


def _with_and_without_package(inner: Path) -> Iterator[Path]:
    yield inner
    if len(inner.parts) > 1:
        yield Path(*inner.parts[1:])


def _take_out_the_gripper(spec: mujoco.MjSpec, model: ArmModel) -> None:
    """Links that joints beside the arm's own move; what else of the URDF would take our fingers' names is renamed."""
    while others := [joint for joint in spec.joints if joint.name not in model.joint_names]:
        spec.delete(others[0].parent)  # and all that hangs on it
    for equality in list(spec.equalities):
        spec.delete(equality)
    for body in spec.bodies:
        if body.name.endswith(("_finger_link", "_nose")):
            body.name = f"{body.name}_of_the_urdf"


def _carriers(spec: mujoco.MjSpec, model: ArmModel, sides: tuple[str, str]) -> None:
    T, (closed_m, open_m) = model.T_hand_flange, model.travel_m
    place = T[:3, 3] - model.flange_m * T[:3, 0]
    for side, sign in zip(sides, (1.0, -1.0), strict=True):
        body = spec.body(model.hand).add_body(
            name=f"{side}_finger_link", pos=place, quat=quaternion(T[:3, :3])
        )
        joint = body.add_joint(name=f"{side}_finger", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 1, 0])
        joint.limited = True
        joint.range = sorted((sign * closed_m, sign * (open_m + _CARRIER_ROOM_M)))
    left, right = (f"{side}_finger" for side in sides)
    pair = spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=left, name2=right)
    pair.data[:5] = [0.0, -1.0, 0.0, 0.0, 0.0]
