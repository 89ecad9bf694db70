"""A hand that learns from where its tool is seen what its joints are off by."""

from __future__ import annotations

import numpy as np

from robot.frames import Array, rotation_vector
from robot.hand import Hand


def doubt_m(hand: Hand) -> float:
    """How far the tip may be from where its joints say that it is: a standard deviation, in the worst direction."""
    return 0.0 if hand.offsets is None else hand.offsets.doubt_m(hand.body.kinematics.jacobian(hand.q()))


def learn(hand: Hand, T_world_tool: Array, covariance: Array) -> None:
    """Believe where the tool is seen to be.

    Nothing moves, but from now on measured angles and places are what they truly are.

    Args:
        hand: The tool's.
        T_world_tool: Seen pose (4, 4).
        covariance: Of its place (3) and turn (3), along and about the world's axes (6, 6).

    Raises:
        MotionError: A joint would be off by more than it can be.
    """
    if hand.offsets is None:
        return
    T, to_base = hand.T_world_tool(), np.kron(np.eye(2), hand.body.T_base_world[:3, :3])
    turn = rotation_vector(T_world_tool[:3, :3] @ T[:3, :3].T)
    off = to_base @ np.concatenate([T_world_tool[:3, 3] - T[:3, 3], turn])
    jacobian = hand.body.kinematics.jacobian(hand.q())
    change = hand.offsets.learn(jacobian, off, to_base @ covariance @ to_base.T)
    if hand.mover.sent_rad is not None:
        hand.mover.sent_rad = hand.mover.sent_rad + change
