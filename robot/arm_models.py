"""The arms that the program can play with: what differs from one to the next, as data.

Those that come with it are built alike, by Interbotix: waist, shoulder and elbow, then three axes that meet in the
wrist, and a gripper whose two fingers slide apart. Lengths and finger travel are those of the maker's URDF, as
roboticstoolbox ships it. Any other arm has its joints from a URDF of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from robot.errors import BadInputError
from robot.frames import Array, pose
from robot.urdf import Urdf

JOINT_NAMES = ("waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate")


@dataclass(frozen=True)
class Place:
    """Where an arm and its tower stand best, and with which fingers (`python -m benchmarks.reach`).

    The world's origin is the centre of the mat on the table.

    Attributes:
        x_m: Base of the arm in the world.
        z_m: Height of its base above the table: what it is raised by.
        plinth_m: Height of the tower's plinth.
        leg_m: Length of the fingers that suit it, from the gripper's axis to the tip.
        slim_m: The slim part of that.
    """

    x_m: float
    z_m: float
    plinth_m: float
    leg_m: float
    slim_m: float


@dataclass(frozen=True)
class Lengths:
    """Of an arm whose last three axes meet in one point.

    Attributes:
        shoulder_m: Height of the shoulder's axis above the base.
        upper_m: From the shoulder's axis to the elbow's, out and up.
        forearm_m: From the elbow's axis to the wrist's centre.
        wrist_m: From the wrist's centre to the flange, along the gripper's axis.
    """

    shoulder_m: float
    upper_m: tuple[float, float]
    forearm_m: float
    wrist_m: float


@dataclass(frozen=True)
class Described:
    """An arm as a URDF of its own has it.

    Attributes:
        urdf: The file.
        q_min_rad: Lowest angles (n,).
        q_max_rad: Highest angles (n,).
    """

    urdf: Urdf
    q_min_rad: Array
    q_max_rad: Array


@dataclass(frozen=True)
class ArmModel:
    """One model of arm.

    Attributes:
        name: What the settings and the files in hardware/arms call it; of an arm of one's own, its file.
        title: What people call it.
        description: Name of its model in roboticstoolbox, and of its URDF there; or its own URDF.
        lengths: For postures in closed form; None where they are searched.
        T_hand_flange: Pose (4, 4) of the flange in the frame of the link that carries the fingers.
        flange_m: From where the fingers slide on to the flange, along the gripper's axis.
        travel_m: Value of a finger's joint with the fingers closed, and with them as far apart as they go.
        opening_m: So far apart the fingers go in play, which is short of that.
        stall_nm: Stall torque of all servos of each joint (n,).
        park_rad: A posture (n,) in which the arm hides nothing from the cameras.
        foot_m: What stands under its base where that is raised, in the base's frame: from where to where along x, and
            along y. The WidowX's base overhangs it in front by 27 mm, or the forearm would touch it.
        place: Where it stands unless the settings say otherwise.
        narrower_deg: Limits of joints whose sources disagree: the narrowest of all.
        joint_names: From the base to the hand.
        hand: The link that carries the fingers.
        cannot_play: Why it cannot, where its file says so.
    """

    name: str
    title: str
    description: str | Described
    lengths: Lengths | None
    T_hand_flange: Array
    flange_m: float
    travel_m: tuple[float, float]
    opening_m: float
    stall_nm: tuple[float, ...]
    park_rad: Array
    foot_m: tuple[tuple[float, float], tuple[float, float]]
    place: Place
    narrower_deg: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    joint_names: tuple[str, ...] = JOINT_NAMES
    hand: str = "gripper_link"
    cannot_play: str = ""

    @cached_property
    def opening_max_m(self) -> float:
        """Widest opening that its gripper has."""
        closed_m, open_m = self.travel_m
        return round(2 * (open_m - closed_m), 6)


VIPERX_300S = ArmModel(
    name="viperx-300s",
    title="ViperX-300s",
    description="vx300s",
    lengths=Lengths(
        shoulder_m=0.0787 + 0.04805,
        upper_m=(0.05955, 0.300),
        forearm_m=0.300,
        wrist_m=0.069744 + 0.042825 + 0.025875 + 0.0385,
    ),
    T_hand_flange=pose(None, [0.042825 + 0.025875 + 0.0385, 0.0, 0.0]),
    flange_m=0.0385,
    travel_m=(0.021, 0.057),
    opening_m=0.060,
    stall_nm=(10.0, 20.0, 20.0, 10.0, 10.0, 4.0),
    park_rad=np.array([0.0, -1.2, 1.2, 0.0, 0.3, 0.0]),
    foot_m=((-0.198, 0.102), (-0.102, 0.102)),
    place=Place(x_m=-0.380, z_m=0.0, plinth_m=0.100, leg_m=0.100, slim_m=0.060),
    narrower_deg={
        "shoulder": (
            -101.0,
            72.0,
        ),  # roboticstoolbox -106/101, the maker's newest URDF -106/72, the pages -101/101
        "wrist_angle": (
            -128.0,
            107.0,
        ),  # roboticstoolbox -130/107; that URDF, which counts it the other way, -107/128
    },
)
WIDOWX_250S = ArmModel(
    name="widowx-250s",
    title="WidowX-250s",
    description="wx250s",
    lengths=Lengths(
        shoulder_m=0.0716 + 0.03865,
        upper_m=(0.04975, 0.250),
        forearm_m=0.250,
        wrist_m=0.065 + 0.043 + 0.023 + 0.027575,
    ),
    T_hand_flange=pose(None, [0.043 + 0.023 + 0.027575, 0.0, 0.0]),
    flange_m=0.027575,
    travel_m=(0.015, 0.037),
    opening_m=0.042,
    stall_nm=(4.1, 8.2, 8.2, 4.1, 4.1, 1.5),
    park_rad=np.array([0.0, -1.2, 1.2, 0.0, 0.3, 0.0]),
    foot_m=((-0.157, 0.050), (-0.077, 0.077)),
    place=Place(x_m=-0.330, z_m=0.100, plinth_m=0.100, leg_m=0.085, slim_m=0.050),
)
ARM_MODELS = {model.name: model for model in (VIPERX_300S, WIDOWX_250S)}


def arm_model(name: str) -> ArmModel:
    """A model by its name.

    Raises:
        BadInputError: The program does not know its joints and lengths.
    """
    if name not in ARM_MODELS:
        raise BadInputError(f"arm model {name!r} is not known: choose one of {', '.join(ARM_MODELS)}")
    return ARM_MODELS[name]
