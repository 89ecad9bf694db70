"""Forward and inverse kinematics of an arm on roboticstoolbox; the only module that knows it.

Every answer of the solver is checked by forward kinematics and against the limits: the solver's own default tolerance
leaves up to 1.2 mm of error, and its joint limits are not the maker's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import roboticstoolbox as rtb
from roboticstoolbox.ets.ET import ET
from roboticstoolbox.ets.ETS import ETS

from robot.arm_models import ArmModel, Described
from robot.branches import postures
from robot.frames import Array, inverse, pose, rotation_from_vector, rotation_vector
from robot.seeding import generator

END_LINK = "/ee_gripper_link"  # else the solver goes to the gripper's propeller
POSITION_TOLERANCE_M = 5e-5
ANGLE_TOLERANCE_RAD = 1e-3
_SOLVER_TOLERANCE = 1e-10
# From so many postures spread over its range the solver starts where no closed form is known: on the models that have
# one it then finds 97 of 100 postures (tests/unit/robot/test_kinematics_of_a_urdf.py)
_STARTS, _SAME_RAD = 40, 1e-3


class ArmKinematics:
    """The arm from its base to the tool.

    Args:
        model: Which arm it is.
        T_flange_tool: Pose (4, 4) of the tool in the flange's frame.
        inset_rad: To stay away from either end of every joint: true angles differ from those that its servos allow.
    """

    def __init__(self, model: ArmModel, T_flange_tool: Array, inset_rad: float = 0.0) -> None:
        self.model = model
        self.joint_names: Sequence[str] = model.joint_names
        self._ets = _chain_of(model)
        self._T_flange_tool = np.array(T_flange_tool)
        self._T_tool_flange = inverse(self._T_flange_tool)
        low, high = _range_of(model, self._ets)
        self.q_min_rad, self.q_max_rad = low + inset_rad, high - inset_rad
        self._starts = [] if model.lengths else _spread(self.q_min_rad, self.q_max_rad)

    def forward(self, q_rad: Array) -> Array:
        """`T_base_tool` (4, 4) of joint angles (n,)."""
        return np.asarray(self._ets.eval(np.ascontiguousarray(q_rad)) @ self._T_flange_tool)

    def jacobian(self, q_rad: Array) -> Array:
        """Geometric Jacobian (6, n) of the tool's origin in the base frame: linear rows, then angular ones."""
        J = np.array(self._ets.jacob0(np.ascontiguousarray(q_rad)))
        arm = self._ets.eval(np.ascontiguousarray(q_rad))[:3, :3] @ self._T_flange_tool[:3, 3]
        J[:3] += np.cross(J[3:].T, arm).T  # from the flange's origin to the tool's
        return J

    def inverse(self, T_base_tool: Array, seed_rad: Array) -> Array | None:
        """Joint angles (n,) near `seed_rad` that reach the pose and are within the limits, or None."""
        T_base_flange = np.asarray(T_base_tool) @ self._T_tool_flange
        answer = self._ets.ik_LM(
            T_base_flange,
            q0=np.asarray(seed_rad),
            tol=_SOLVER_TOLERANCE,
            slimit=1,
            ilimit=40,
            joint_limits=False,
        )
        q = self._wrapped(np.asarray(answer.q), np.asarray(seed_rad))
        return q if self._reaches(q, T_base_tool) else None

    def branches(self, T_base_tool: Array) -> list[Array]:
        """Every posture (n,) within the limits that reaches the pose; without a closed form, those that are found."""
        lengths = self.model.lengths
        seeds = postures(lengths, T_base_tool @ self._T_tool_flange) if lengths else self._starts
        found = [q for seed in seeds if (q := self.inverse(T_base_tool, seed)) is not None]
        return found if lengths else _different(found)

    def _wrapped(self, q: Array, seed: Array) -> Array:
        """The turn of each joint that is nearest to the seed and, where possible, within the limits."""
        q = q + 2 * np.pi * np.round((seed - q) / (2 * np.pi))
        q = np.where(q > self.q_max_rad, q - 2 * np.pi, q)
        return np.asarray(np.where(q < self.q_min_rad, q + 2 * np.pi, q))

    def _reaches(self, q: Array, T_base_tool: Array) -> bool:
        inside = (q >= self.q_min_rad - 1e-9) & (q <= self.q_max_rad + 1e-9)
        if not (np.isfinite(q).all() and inside.all()):
            return False
        T = self.forward(q)
        off_m = float(np.linalg.norm(T[:3, 3] - T_base_tool[:3, 3]))
        turned = float(np.linalg.norm(rotation_vector(T[:3, :3].T @ T_base_tool[:3, :3])))
        return off_m <= POSITION_TOLERANCE_M and turned <= ANGLE_TOLERANCE_RAD


def _chain_of(model: ArmModel) -> ETS:
    """From the base to the flange."""
    if not isinstance(model.description, Described):
        known: ETS = getattr(rtb.models, model.description)().ets(end=END_LINK)
        return known
    chain = ETS()
    for joint in model.description.urdf.chain(model.hand):
        chain *= ET.SE3(joint.T_parent_joint)
        if joint.moves:
            R = _with_z_along(joint.axis)
            turn = ET.Rz(jindex=model.joint_names.index(joint.name))
            chain *= ET.SE3(pose(R)) * turn * ET.SE3(pose(R.T))
    return chain * ET.SE3(model.T_hand_flange)


def _with_z_along(axis: Array) -> Array:
    """A rotation (3, 3) that turns z to an axis (3,)."""
    angle = float(np.arccos(np.clip(axis[2], -1.0, 1.0)))
    across = np.cross([0.0, 0.0, 1.0], axis)
    length = float(np.linalg.norm(across))
    return rotation_from_vector(angle * across / length) if length > 0.0 else np.diag([1.0, axis[2], axis[2]])


def _range_of(model: ArmModel, chain: ETS) -> tuple[Array, Array]:
    """Lowest and highest angles (n,)."""
    if isinstance(model.description, Described):
        return model.description.q_min_rad, model.description.q_max_rad
    low, high = np.array(chain.qlim)
    for name, limits_deg in model.narrower_deg.items():
        k = model.joint_names.index(name)
        low[k], high[k] = np.radians(limits_deg)
    return low, high


def _spread(low: Array, high: Array) -> list[Array]:
    """Postures all over a range, the same each time."""
    return list(generator(1, "postures to start from").uniform(low, high, (_STARTS, len(low))))


def _different(found: Sequence[Array]) -> list[Array]:
    """Each posture once."""
    kept = list[Array]()
    for q in found:
        if all(np.abs(q - other).max() > _SAME_RAD for other in kept):
            kept.append(q)
    return kept
