"""All postures in which an arm of six joints reaches one pose, in closed form, as seeds for the solver.

The last three axes meet in the wrist's centre, so position and orientation come apart: two ways for the waist to
face, two for the elbow to bend, two for the wrist to flip (Pieper's condition).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robot.arm_models import Lengths
from robot.frames import Array, rot_x, rot_y, rot_z

_STRAIGHT = 1e-9  # sine of the wrist angle below which its direction is rounding


def postures(lengths: Lengths, T_base_flange: Array) -> list[Array]:
    """Up to eight sets of joint angles (6,) that reach `T_base_flange` (4, 4), limits not regarded."""
    found = []
    p_wrist_m = T_base_flange[:3, 3] - lengths.wrist_m * T_base_flange[:3, 0]
    for waist, shoulder, elbow in _arm(lengths, p_wrist_m):
        R_base_forearm = rot_z(waist) @ rot_y(shoulder) @ rot_x(np.pi) @ rot_y(elbow)
        for roll, bend, turn in _wrist(R_base_forearm.T @ T_base_flange[:3, :3]):
            q = np.array([waist, shoulder, elbow, roll, bend, turn])
            found.append(np.arctan2(np.sin(q), np.cos(q)))
    return found


def _arm(lengths: Lengths, p_wrist_m: Array) -> Iterator[tuple[float, float, float]]:
    """Waist, shoulder and elbow that bring the wrist's centre (3,) to its place."""
    up = float(np.hypot(*lengths.upper_m))
    rest = np.arctan2(lengths.upper_m[1], lengths.upper_m[0])
    height = p_wrist_m[2] - lengths.shoulder_m
    for turn, sign in ((0.0, 1.0), (np.pi, -1.0)):
        out = sign * float(np.hypot(p_wrist_m[0], p_wrist_m[1]))
        distance = np.hypot(out, height)
        cosine = (up**2 + distance**2 - lengths.forearm_m**2) / (2 * up * distance)
        if abs(cosine) > 1:
            continue
        for bend in (np.arccos(cosine), -np.arccos(cosine)):
            upper = np.arctan2(height, out) + bend
            forearm = np.arctan2(height - up * np.sin(upper), out - up * np.cos(upper))
            shoulder = rest - upper
            waist = np.arctan2(p_wrist_m[1], p_wrist_m[0]) + turn
            yield float(waist), float(shoulder), float(forearm + shoulder)


def _wrist(R_forearm_flange: Array) -> Iterator[tuple[float, float, float]]:
    """Forearm roll, wrist angle and wrist rotation of a rotation (3, 3): Euler angles about x, y, x.

    The gripper's joint frame is turned by half a turn. With the wrist straight both rolls turn about one axis, and the
    forearm is left unrolled.
    """
    R = R_forearm_flange
    bend = float(np.arccos(np.clip(R[0, 0], -1.0, 1.0)))
    if np.hypot(R[1, 0], R[2, 0]) < _STRAIGHT:
        yield 0.0, bend, float(np.arctan2(-R[1, 2], R[1, 1]) + np.pi)
        return
    for sign in (1.0, -1.0):
        roll = np.arctan2(sign * R[1, 0], -sign * R[2, 0])
        turn = np.arctan2(sign * R[0, 1], sign * R[0, 2]) + np.pi
        yield float(roll), sign * bend, float(turn)
