"""Steering the finger: before it touches anything, see where it really is, and bring it onto its line.

What joints and gears put the tip off by is nearly the same over a few centimetres, so one look a little before the
block is enough: the arm learns from it what its joints are off by, and the rest of the line is followed rightly.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from planning.eyes import Eyes, View
from robot.correction import doubt_m, learn
from robot.errors import MotionError, PerceptionError
from robot.hand import Hand
from robot.trajectory import Line

_BEFORE_M = 0.025  # so far before the touch the finger is looked for
_RUN_UP_M = 0.012
_GOOD_M = 0.0004
_LOOKS = 4
_MOST_BLIND_M = (
    0.0005  # a finger that is not seen goes on where its place is known so well (standard deviation)
)
_FAR_M = 0.002  # known worse than that, it is looked for where the line begins, too


class LostFingerError(MotionError):
    """The finger could not be steered; it has not touched anything yet."""


class Steering:
    """Looks at the finger and corrects its way.

    Args:
        hand: Whose finger; where it has no offsets to learn, it goes as its joints say.
        eyes: Who finds it in the pictures.
    """

    def __init__(self, hand: Hand, eyes: Eyes) -> None:
        self._hand, self._eyes = hand, eyes

    def approach(self, line: Line, touch_m: float, to_m: float, speed_m_s: float) -> None:
        """From the beginning of a line to a place on it, seen to be on the line before it touches.

        Args:
            line: The arm stands at its beginning.
            touch_m: Where on it the tip will touch.
            to_m: Where to go.
            speed_m_s: Speed of the tip.

        Raises:
            LostFingerError: The finger is not seen and nobody knows well enough where it is, or it is where it cannot
                be, or could not be brought onto the line.
            MotionError: The arm did not arrive.
        """
        at_m = 0.0
        if self._hand.offsets is not None:
            if doubt_m(self._hand) > _FAR_M:
                self._bring_onto(line, 0.0, speed_m_s)
            at_m = float(np.clip(touch_m - _BEFORE_M, 0.0, to_m))
            self._hand.along(line, 0.0, at_m, speed_m_s)
            self._bring_onto(line, at_m, speed_m_s)
        self._hand.along(line, at_m, to_m, speed_m_s)

    def _bring_onto(self, line: Line, at_m: float, speed_m_s: float) -> None:
        hand = self._hand
        good_m = max(_GOOD_M, hand.grain_m(line))
        for _ in range(_LOOKS):
            hand.mover.level()
            if not self._looks():
                return
            off_m = float(np.linalg.norm(hand.T_world_tool()[:3, 3] - hand.T_at(line, at_m)[:3, 3]))
            if off_m <= good_m:
                return
            self._onto(line, at_m, speed_m_s)
        raise LostFingerError(
            f"steering: after {_LOOKS} looks the tip is still {off_m * 1e3:.1f} mm off its line, allowed "
            f"{good_m * 1e3:.1f} mm: something pushes it aside, or a joint has too much play"
        )

    def _onto(self, line: Line, at_m: float, speed_m_s: float) -> None:
        """From near a line to a place on it, the last bit along it, so that play lies as it does from there on."""
        start_m = max(at_m - _RUN_UP_M, 0.0)
        self._hand.go(line.q(start_m))
        self._hand.along(line, start_m, at_m, speed_m_s)

    def _looks(self) -> bool:
        """Learn from a new view where the finger is; False where it is not seen but known well enough.

        Raises:
            LostFingerError: It is neither, or it is seen where it cannot be.
        """
        try:
            self._learn(self._eyes.look())
        except (PerceptionError, MotionError) as error:
            known = doubt_m(self._hand) <= _MOST_BLIND_M
            if isinstance(error, MotionError) or not known:
                raise LostFingerError(f"steering: {error}; the finger has touched nothing") from error
            return False
        return True

    def glance(self, view: View) -> None:
        """Learn from a view where the finger is, if it is seen in it.

        Raises:
            MotionError: It is seen where it cannot be.
        """
        with suppress(PerceptionError):
            self._learn(view)

    def _learn(self, view: View) -> None:
        hand = self._hand
        if hand.offsets is not None:
            seen = self._eyes.locate_tool(view, hand.T_world_tool(), hand.mover.arm.state().opening_m)
            learn(hand, seen.T_world_tool, seen.covariance)
