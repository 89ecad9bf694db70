"""Forward and inverse kinematics of an arm of six joints on roboticstoolbox; the only module that knows it.

Every answer of the solver is checked by forward kinematics and against the limits: the solver's own default tolerance
leaves up to 1.2 mm of error, and its joint limits are not the maker's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import roboticstoolbox as rtb

from robot.arm_models import JOINT_NAMES, ArmModel
from robot.branches import postures
from robot.frames import Array, inverse, rotation_vector

END_LINK = "/ee_gripper_link"  # else the solver goes to the gripper's propeller
POSITION_TOLERANCE_M = 5e-5
ANGLE_TOLERANCE_RAD = 1e-3
_SOLVER_TOLERANCE = 1e-10


class ArmKinematics:
    """The arm from its base to the tool.

    Args:
        model: Which arm it is.
        T_flange_tool: Pose (4, 4) of the tool in the flange's frame.
        inset_rad: To stay away from either end of every joint: true angles differ from those that its servos allow.
    """

    joint_names: Sequence[str] = JOINT_NAMES

    def __init__(self, model: ArmModel, T_flange_tool: Array, inset_rad: float = 0.0) -> None:
        self.model = model
        self._ets = getattr(rtb.models, model.description)().ets(end=END_LINK)
        self._T_flange_tool = np.array(T_flange_tool)
        self._T_tool_flange = inverse(self._T_flange_tool)
        low, high = np.array(self._ets.qlim)
        for name, limits_deg in model.narrower_deg.items():
            low[JOINT_NAMES.index(name)], high[JOINT_NAMES.index(name)] = np.radians(limits_deg)
        self.q_min_rad, self.q_max_rad = low + inset_rad, high - inset_rad

    def forward(self, q_rad: Array) -> Array:
        """`T_base_tool` (4, 4) of joint angles (6,)."""
        return np.asarray(self._ets.eval(np.ascontiguousarray(q_rad)) @ self._T_flange_tool)

    def jacobian(self, q_rad: Array) -> Array:
        """Geometric Jacobian (6, 6) of the tool's origin in the base frame: linear rows, then angular ones."""
        J = np.array(self._ets.jacob0(np.ascontiguousarray(q_rad)))
        arm = self._ets.eval(np.ascontiguousarray(q_rad))[:3, :3] @ self._T_flange_tool[:3, 3]
        J[:3] += np.cross(J[3:].T, arm).T  # from the flange's origin to the tool's
        return J

    def inverse(self, T_base_tool: Array, seed_rad: Array) -> Array | None:
        """Joint angles (6,) near `seed_rad` that reach the pose and are within the limits, or None."""
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
        """Every posture (n,) within the limits that reaches the pose."""
        found = (
            self.inverse(T_base_tool, seed)
            for seed in postures(self.model, T_base_tool @ self._T_tool_flange)
        )
        return [q for q in found if q is not None]

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
