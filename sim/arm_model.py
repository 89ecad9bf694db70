"""The simulated arm from roboticstoolbox's own description of it, or from a URDF of its own, with L-shaped fingers.

Each finger is a bracket bent by 90 degrees about the pinch axis and a slim nose that gives along its length like the
beam of a load cell. Closed, the two noses probe; open, they pinch a block on its thickness.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import mujoco
import numpy as np

from robot.arm_models import ArmModel, Described
from robot.frames import quaternion
from robot.lfinger import BAR_HALF_M, LFinger
from sim.scene import ARM_BIT, HULLS, LOOKS, SOLIMP, SOLREF, TOUCHES
from sim.urdf_arm import own_arm

PREFIX = "arm/"
FINGERS = ("left", "right")
FLANGE = "flange"  # a site
_RATE = "_rate"  # ends the name of a joint's second actuator
# A joint's position servo, for each Nm of its stall torque: what turns harder is as much stiffer and heavier. Arms of
# other than six joints are not simulated in motion: they have the last one's from there on
_STIFFNESS_PER_RAD = (20.0, 12.5, 12.5, 10.0, 10.0, 12.5)
_DAMPING_S_PER_RAD = (1.2, 0.8, 0.6, 0.3, 0.25, 0.2)
_ARMATURE_S2 = (0.010, 0.006, 0.005, 0.003, 0.002, 0.0025)


@dataclass(frozen=True)
class FingerMechanics:
    """What the simulated fingertip does when it is pushed.

    Attributes:
        stiffness_n_m: Of the closed pair of noses, along their length.
        pinch_n: Force with which a finger closes on a block.
    """

    stiffness_n_m: float = 500.0
    pinch_n: float = 4.0


@lru_cache
def arm_urdf(description: str) -> str:
    """An arm's URDF with absolute mesh paths, rendered from the description that roboticstoolbox ships."""
    import rtbdata
    from xacrodoc import XacroDoc, packages

    root = Path(rtbdata.__file__).parent / "xacro"
    packages.update_package_cache({"trossen_descriptions": str(root / "trossen_descriptions")})
    doc = XacroDoc.from_file(str(root / f"trossen_descriptions/urdf/{description}.urdf.xacro"))
    text = doc.to_urdf_string(use_protocols=False)
    return re.sub(r"file://", "", text)


def arm_spec(model: ArmModel, finger: LFinger, mechanics: FingerMechanics) -> mujoco.MjSpec:
    """The arm with its fingers and servos, its base frame at the origin."""
    described = model.description
    if isinstance(described, Described):
        spec = own_arm(model, described, FINGERS)
        _clean(spec)
    else:
        spec = mujoco.MjSpec.from_string(arm_urdf(described))
        for body in spec.bodies[1:]:
            body.name = body.name.removeprefix("/")
        _clean(spec)
        _take_out_the_gripper(spec)
    T = model.T_hand_flange
    spec.body(model.hand).add_site(name=FLANGE, pos=T[:3, 3], quat=quaternion(T[:3, :3]), group=HULLS)
    for side in FINGERS:
        _finger(spec, side, model, finger, mechanics)
    _servos(spec, model, mechanics)
    return spec


def joints_of(model: mujoco.MjModel) -> tuple[str, ...]:
    """The joints of a compiled arm that its servos turn, from the base on, without prefix."""
    names = (str(model.actuator(k).name).removeprefix(PREFIX) for k in range(model.nu))
    return tuple(name.removesuffix(_RATE) for name in names if name.endswith(_RATE))


def closed_m(model: mujoco.MjModel) -> float:
    """Value of the left finger's joint of a compiled arm at which the noses touch."""
    return float(model.joint(f"{PREFIX}{FINGERS[0]}_finger").range[0])


def _clean(spec: mujoco.MjSpec) -> None:
    """Bear the arm's weight, and give it a contact bit of its own."""
    for body in spec.bodies:
        body.gravcomp = 0.0 if body.name == "world" else 1.0
        for geom in body.geoms:
            geom.contype, geom.conaffinity = ARM_BIT, TOUCHES
            geom.solref, geom.solimp, geom.condim = SOLREF, SOLIMP, 3
            geom.group = LOOKS
            geom.rgba = [0.16, 0.17, 0.19, 1]


def _take_out_the_gripper(spec: mujoco.MjSpec) -> None:
    """Give no joint to the gripper's propeller, and no shape to its fingers."""
    spec.delete(spec.joint("gripper"))
    for side in FINGERS:
        for geom in spec.body(f"{side}_finger_link").geoms:
            spec.delete(geom)


def _finger(
    spec: mujoco.MjSpec, side: str, model: ArmModel, finger: LFinger, mechanics: FingerMechanics
) -> None:
    """One L: a bar out of the gripper, the strong part of the leg, and the sliding nose."""
    body = spec.body(f"{side}_finger_link")
    body.explicitinertial = True
    body.fullinertia = [np.nan] * 6  # MuJoCo's mark for "not given"
    body.iquat = [1, 0, 0, 0]
    body.mass, body.ipos, body.inertia = 0.03, [0.03, 0, 0.02], [2e-5, 2e-5, 1e-5]
    shut_m = model.travel_m[0]
    inner = -shut_m if side == "left" else shut_m  # the pinching face, in the finger link's frame
    sign = 1.0 if side == "left" else -1.0
    x = model.flange_m
    thick = finger.root_thickness_m
    root = finger.leg_m - finger.slim_m
    _box(
        body,
        f"{side}_bar",
        [0.005, x + finger.root_width_m / 2],
        [inner, inner + sign * thick],
        [-BAR_HALF_M, BAR_HALF_M],
    )
    half = finger.root_width_m / 2
    _box(body, f"{side}_root", [x - half, x + half], [inner, inner + sign * thick], [0.0, root])
    nose = body.add_body(name=f"{side}_nose", gravcomp=1.0)
    nose.explicitinertial = True
    nose.mass, nose.ipos, nose.inertia = 0.01, [x, inner, root + finger.slim_m / 2], [3e-6, 3e-6, 2e-7]
    slide = nose.add_joint(name=f"{side}_nose", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    slide.limited, slide.range = True, [-0.008, 0.008]
    half_stiffness = mechanics.stiffness_n_m / 2
    slide.stiffness, slide.damping = [half_stiffness, 0, 0], [2 * np.sqrt(half_stiffness * 0.01), 0, 0]
    half = finger.nose_width_m / 2
    tip = _box(
        nose,
        f"{side}_nose",
        [x - half, x + half],
        [inner, inner + sign * finger.nose_thickness_m],
        [root, finger.leg_m],
    )
    tip.contype = tip.conaffinity = TOUCHES
    tip.friction = [0.8, 0.005, 0.0001]
    tip.rgba = [0.85, 0.30, 0.12, 1]


def _box(body: mujoco.MjsBody, name: str, x: list[float], y: list[float], z: list[float]) -> mujoco.MjsGeom:
    low, high = np.array([x, y, z]).min(1), np.array([x, y, z]).max(1)
    geom = body.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=(low + high) / 2, size=(high - low) / 2, mass=0
    )
    geom.contype, geom.conaffinity, geom.condim = ARM_BIT, TOUCHES, 3
    geom.solref, geom.solimp, geom.group = SOLREF, SOLIMP, LOOKS
    geom.rgba = [0.30, 0.32, 0.36, 1]
    return geom


def _servos(spec: mujoco.MjSpec, model: ArmModel, mechanics: FingerMechanics) -> None:
    """A position and a velocity servo a joint, their sum limited to the stall torque; one position servo a finger."""
    for k, (name, torque) in enumerate(zip(model.joint_names, model.stall_nm, strict=True)):
        kp, kv, armature = (
            row[min(k, len(row) - 1)] for row in (_STIFFNESS_PER_RAD, _DAMPING_S_PER_RAD, _ARMATURE_S2)
        )
        joint = spec.joint(name)
        joint.actfrclimited, joint.actfrcrange = True, [-torque, torque]
        joint.armature = torque * armature
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_position(
            kp=torque * kp
        )
        spec.add_actuator(
            name=f"{name}{_RATE}", target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT
        ).set_to_velocity(kv=torque * kv)
    for side in FINGERS:
        joint = spec.joint(f"{side}_finger")
        joint.armature, joint.damping = 0.05, [20.0, 0, 0]
        servo = spec.add_actuator(
            name=f"{side}_finger", target=f"{side}_finger", trntype=mujoco.mjtTrn.mjTRN_JOINT
        )
        servo.set_to_position(kp=2000.0, kv=20.0)
        servo.forcelimited, servo.forcerange = True, [-mechanics.pinch_n, mechanics.pinch_n]
    for equality in spec.equalities:
        equality.solref = [0.008, 1.0]
