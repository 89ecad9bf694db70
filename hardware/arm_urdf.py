"""An arm of one's own: joints from the URDF that its file names, servos from the file itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hardware.arm_file import is_file, load_arm
from hardware.arm_parts import ArmParts
from hardware.tables import table_of
from hardware.urdf_section import MM, UrdfSection
from robot.arm_models import VIPERX_300S, ArmModel, Described, arm_model
from robot.errors import BadInputError
from robot.frames import Array
from robot.urdf import Urdf, UrdfJoint, read_urdf

_OPENS_SAME_M = 1e-4
_APART_M = (
    0.020  # from one finger's carrier to the middle with the fingers closed; only the simulation has them
)
_OURS = ("left_finger", "right_finger", "left_nose", "right_nose")  # joints of the simulated fingers


def model_of(name_or_path: str) -> ArmModel:
    """A model of arm by its name, or as its own file and the URDF named there describe it.

    Raises:
        BadInputError: It is not known; or a file cannot be used, or names no URDF, or both do not fit each other.
    """
    if not is_file(name_or_path):
        return arm_model(name_or_path)
    parts = load_arm(name_or_path)
    if parts.urdf is None:
        raise BadInputError(
            f"arm {name_or_path!r}: the program does not know the joints and lengths of a {parts.name}: add a "
            "section [urdf] to the file (docs/arms.md shows one), or name a model in arm.model"
        )
    return _Fitter(name_or_path, parts, parts.urdf).model()


class _Fitter:
    """Sees that an arm's file and its URDF speak of the same arm."""

    def __init__(self, name: str, parts: ArmParts, section: UrdfSection) -> None:
        self._name, self._parts, self._section = name, parts, section
        self._urdf: Urdf = read_urdf(Path(name).parent / section.file)
        self._turning = self._joints()

    def model(self) -> ArmModel:
        """All that is known of the arm."""
        section, parts = self._section, self._parts
        low, high = np.array([self._range(joint) for joint in self._turning]).T
        opening_m = section.opening_mm * MM
        self._check_opening(opening_m)
        return ArmModel(
            name=self._name,
            title=parts.name,
            description=Described(self._urdf, low, high),
            lengths=None,
            T_hand_flange=section.T_hand_flange(),
            flange_m=section.fingers_mm * MM,
            travel_m=(_APART_M, _APART_M + opening_m / 2),
            opening_m=min(opening_m, VIPERX_300S.opening_m),
            stall_nm=tuple(
                sum(table_of(part.model).stall_nm for part in joint.servos) for joint in parts.joints
            ),
            park_rad=self._park(low, high),
            foot_m=section.foot_m(),
            place=VIPERX_300S.place,
            joint_names=tuple(joint.name for joint in self._turning),
            hand=section.hand,
            cannot_play=parts.cannot_play,
        )

    def _bad(self, what: str) -> BadInputError:
        return BadInputError(f"arm {self._name!r}, urdf: {what}")

    def _joints(self) -> list[UrdfJoint]:
        """The joints that turn between base and hand: those of the file, one by one."""
        turning = [joint for joint in self._urdf.chain(self._section.hand) if joint.moves]
        ours, theirs = [joint.name for joint in self._parts.joints], [joint.name for joint in turning]
        if ours != theirs:
            raise self._bad(
                f"from its base to {self._section.hand!r} the joints of {self._urdf.path.name} are "
                f"{', '.join(theirs) or 'none'}; the file has {', '.join(ours)}: name the same joints in the same "
                "order, from the base on, and as hand the link that the last one moves"
            )
        for joint in turning:
            self._check_joint(joint)
        return turning

    def _check_joint(self, joint: UrdfJoint) -> None:
        wrong: list[tuple[Callable[[UrdfJoint], bool], str]] = [
            (
                lambda j: j.kind not in ("revolute", "continuous"),
                f"is {joint.kind}; a servo turns a joint: revolute",
            ),
            (
                lambda j: bool(j.follows),
                f"follows joint {joint.follows!r}, and cannot have servos of its own",
            ),
            (lambda j: j.kind == "revolute" and j.range_rad is None, "has no limit; give lower and upper"),
            (lambda j: j.name in _OURS, "has a name that the simulated fingers have; call it otherwise"),
        ]
        for is_wrong, text in wrong:
            if is_wrong(joint):
                raise self._bad(f"joint {joint.name!r} of {self._urdf.path.name} {text}")

    def _range(self, joint: UrdfJoint) -> tuple[float, float]:
        """What the URDF allows; a joint without an end turns once round, for its servo counts no further."""
        low, high = joint.range_rad or (-math.pi, math.pi)
        if high - low > 2 * math.tau:
            raise self._bad(
                f"joint {joint.name!r}: its range {low:g} to {high:g} rad is more than two turns: are these degrees? "
                "A URDF has radians"
            )
        return low, high

    def _park(self, low: Array, high: Array) -> Array:
        park = np.radians(self._section.park_deg)
        if len(park) != len(low):
            raise self._bad(f"park_deg has {len(park)} angles, the arm {len(low)} joints; give one for each")
        for joint, angle, a, b in zip(self._turning, park, low, high, strict=True):
            if not a <= angle <= b:
                raise self._bad(
                    f"park_deg: {math.degrees(angle):g} for joint {joint.name!r}; its URDF allows "
                    f"{math.degrees(a):.1f} to {math.degrees(b):.1f}"
                )
        return np.asarray(park)

    def _check_opening(self, opening_m: float) -> None:
        gripping = self._parts.gripping
        most_m = gripping.opening_m(gripping.angle_rad(opening_m))
        if abs(most_m - opening_m) > _OPENS_SAME_M:
            raise self._bad(
                f"opening_mm = {opening_m / MM:g}: the gripper of [gripper] opens by {most_m / MM:.1f} mm at most"
            )
