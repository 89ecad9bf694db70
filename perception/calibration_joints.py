"""By how much each joint's zero is off, from postures at which it is known where the hand really was.

Touched: the tip is at known points of the world. Shown: a camera that stands still sees a board in the hand; where the
camera stands and how the hand holds the board are then found, too. Some joints cannot be told apart from those: turning
the first one is the same as turning the camera or the base, turning the last one the same as holding the board
otherwise, and it hardly moves the tip. Which joints the postures do tell is checked by the problem's singular values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from perception.calibration_checks import Refusal
from perception.calibration_hand_eye import turns_of
from perception.hand_eye import difference, moved, refined
from robot.errors import BadInputError
from robot.frames import Array, inverse
from robot.ports import Kinematics

_FEWEST = 12
_PARTS = 4
_SD_DEG = 0.3  # a joint's offset must be known at least so well
_NOISE_M = 0.2e-3  # nothing is measured better
_ROBUST_M = 2e-3  # residuals beyond this count less
_STEP = 1e-5  # rad or m, of derivatives
_LOST = 1e-6  # singular values below this share of the largest tell nothing
_TAKES_PART = 0.05  # of a joint in a combination that nothing tells
_LARGEST_DEG = 15.0


@dataclass(frozen=True)
class Posture:
    """What the joints said and what was seen.

    Attributes:
        name: Which one, for people.
        q_rad: Joint angles (n,).
        seen: Touched: where the tip was (3,), world frame. Shown: `T_camera_board` (4, 4).
    """

    name: str
    q_rad: Array
    seen: Array

    @property
    def shown(self) -> bool:
        """Whether a board was shown; else a point was touched."""
        return self.seen.ndim == 2


@dataclass(frozen=True)
class JointOffsets:
    """The outcome.

    Attributes:
        offsets_rad: To add to what each joint says (n,); 0 where it was not asked for. None where nothing was solved.
        sd_rad: Their standard deviations (n,).
        held_out_mm: Error (root mean square) at postures that were left out, with offsets.
        without_mm: The same without offsets.
        refusal: Why they are not to be used, or None.
    """

    refusal: Refusal | None
    offsets_rad: Array | None = None
    sd_rad: Array | None = None
    held_out_mm: float | None = None
    without_mm: float | None = None


@dataclass(frozen=True)
class _Problem:
    """Joint angles (N, n), what was seen, and what is not known besides the offsets of `free` joints."""

    kinematics: Kinematics
    postures: Sequence[Posture]
    free: tuple[int, ...]
    T_seen_base: Array  # the base in the frame in which things are seen
    T_tool_seen: Array  # what is seen of the hand
    loose_base: bool
    loose_hand: bool

    @property
    def size(self) -> int:
        return len(self.free) + 6 * self.loose_base + 6 * self.loose_hand

    def residuals(self, x: Array, postures: Sequence[Posture] | None = None) -> Array:
        """[m], of all postures or of these."""
        asked = self.postures if postures is None else postures
        rest, offsets = x[len(self.free) :], self.offsets(x)
        base = moved(self.T_seen_base, rest[:6]) if self.loose_base else self.T_seen_base
        hand = moved(self.T_tool_seen, rest[-6:]) if self.loose_hand else self.T_tool_seen
        T = base @ np.array([self.kinematics.forward(p.q_rad + offsets) for p in asked]) @ hand
        seen = np.array([p.seen for p in asked])
        return np.ravel(difference(seen, T) if asked[0].shown else T[:, :3, 3] - seen)

    def offsets(self, x: Array) -> Array:
        offsets = np.zeros(len(self.postures[0].q_rad))
        offsets[list(self.free)] = x[: len(self.free)]
        return offsets

    def solved(self, postures: Sequence[Posture]) -> Array:
        """What is not known (size,), by least squares over postures; outliers count less."""
        if not self.size:
            return np.zeros(0)

        def fit(x: Array) -> Array:
            return self.residuals(x, postures)

        start = np.zeros(self.size)
        return np.asarray(least_squares(fit, start, x_scale=0.01, loss="soft_l1", f_scale=_ROBUST_M).x)

    def jacobian(self, x: Array) -> Array:
        """Derivatives of the residuals (m, size), by central differences."""
        steps = np.eye(self.size) * _STEP
        return np.stack([self.residuals(x + s) - self.residuals(x - s) for s in steps], axis=1) / (2 * _STEP)


def joint_offsets(
    kinematics: Kinematics,
    postures: Sequence[Posture],
    T_world_base: Array,
    joints: Sequence[str] | None = None,
    *,
    loose_base: bool = False,
    most_mm: float = 2.0,
) -> JointOffsets:
    """By how much each joint's zero is off.

    Args:
        kinematics: The arm's, without offsets.
        postures: All touched, or all shown.
        T_world_base: Where the base stands (4, 4); shown, it does not matter.
        joints: Names of those whose offsets are asked for; those that such postures can tell where it is None.
        loose_base: Touched: find where the base stands, too.
        most_mm: Held-out error [mm] beyond which the offsets are refused.

    Raises:
        BadInputError: Some postures are touched and some shown, or a joint is not known.
    """
    shown = _all_shown(postures)
    names = tuple(kinematics.joint_names)
    asked = joints if joints is not None else names[1 if shown or loose_base else 0 : -1]
    free = _numbers(asked, names)
    if len(postures) < _FEWEST:
        return JointOffsets(_too_few(len(postures)))
    if shown and (parallel := turns_of([kinematics.forward(p.q_rad) for p in postures])[1]) is not None:
        return JointOffsets(parallel)
    problem = _problem(kinematics, postures, free, T_world_base, shown=shown, loose_base=loose_base)
    x = problem.solved(postures)
    untold, sd_rad, noise_m = _known(problem, x)
    if untold:
        return JointOffsets(_not_told([names[free[k]] for k in untold], asked))
    held_out, without = _held_out_mm(problem), _held_out_mm(replace(problem, free=()))
    offsets, sd = problem.offsets(x), np.zeros(len(names))
    sd[list(free)] = sd_rad
    sd_deg = dict(zip(asked, np.degrees(sd_rad), strict=True))
    at_best = {name: sd * min(1.0, _NOISE_M / noise_m) for name, sd in sd_deg.items()}
    refusal = _weak(at_best) or _judged(offsets, held_out, without, most_mm) or _weak(sd_deg)
    return JointOffsets(refusal, offsets, sd, held_out, without)


def _all_shown(postures: Sequence[Posture]) -> bool:
    shown = {p.shown for p in postures}
    if len(shown) > 1:
        raise BadInputError(
            "some postures touch a point and some show a board: record and calibrate them apart"
        )
    return shown == {True}


def _numbers(asked: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    unknown = [name for name in asked if name not in names]
    if unknown or not asked:
        raise BadInputError(f"joint {(*unknown, '')[0]!r} is not known: choose out of {', '.join(names)}")
    return tuple(names.index(name) for name in asked)


def _problem(
    kinematics: Kinematics,
    postures: Sequence[Posture],
    free: tuple[int, ...],
    T_world_base: Array,
    *,
    shown: bool,
    loose_base: bool,
) -> _Problem:
    if not shown:
        return _Problem(kinematics, postures, free, T_world_base, np.eye(4), loose_base, False)
    hands = [kinematics.forward(p.q_rad) for p in postures]
    T_tool_board, T_base_camera = refined(hands, [p.seen for p in postures])
    return _Problem(kinematics, postures, free, inverse(T_base_camera), T_tool_board, True, True)


def _known(problem: _Problem, x: Array) -> tuple[list[int], Array, float]:
    """Which of the free joints nothing tells, the standard deviations of all, and the noise [m] that they rest on."""
    J = problem.jacobian(x)
    _, s, Vt = np.linalg.svd(J)
    s = np.pad(s, (0, len(Vt) - len(s)))
    lost = Vt[s <= _LOST * s[0]]
    taking_part = (
        np.linalg.norm(lost[:, : len(problem.free)], axis=0) if len(lost) else np.zeros(len(problem.free))
    )
    untold = [int(k) for k in np.flatnonzero(taking_part > _TAKES_PART)]
    noise_m = max(_NOISE_M, float(np.sqrt(np.mean(problem.residuals(x) ** 2))))
    variances = (Vt.T**2 @ np.where(s > _LOST * s[0], 1 / np.maximum(s, 1e-300) ** 2, 0.0)) * noise_m**2
    return untold, np.sqrt(variances[: len(problem.free)]), noise_m


def _held_out_mm(problem: _Problem) -> float:
    off = list[Array]()
    for part in range(_PARTS):
        x = problem.solved([p for k, p in enumerate(problem.postures) if k % _PARTS != part])
        off += [problem.residuals(x, [p])[:3] for p in problem.postures[part::_PARTS]]
    return float(np.sqrt(np.mean(np.sum(np.square(off), axis=1)))) * 1e3


def _too_few(count: int) -> Refusal:
    return Refusal(
        "too-few",
        f"{count} postures, at least {_FEWEST} are needed, 20 to 30 are good: record more, far apart",
    )


def _not_told(names: Sequence[str], asked: Sequence[str]) -> Refusal:
    others = [name for name in asked if name not in names]
    leave = f"leave them out (--joints {','.join(others)}), or " if others else ""
    return Refusal(
        "not-told",
        f"nothing in these postures tells the offsets of {', '.join(names)}: turning them is the same as moving "
        f"something else that is not known; {leave}record postures in which they turn far",
    )


def _weak(sd_deg: Mapping[str, float]) -> Refusal | None:
    weak = {name: sd for name, sd in sd_deg.items() if sd > _SD_DEG}
    if not weak:
        return None
    told = ", ".join(f"{name} to {sd:.2f}" for name, sd in weak.items())
    return Refusal(
        "not-told",
        f"offsets are known too badly: {told} degrees (standard deviation), needed is {_SD_DEG:g}: record more "
        "postures in which those joints turn far and the hand is far out",
    )


def _judged(offsets_rad: Array, held_out_mm: float, without_mm: float, most_mm: float) -> Refusal | None:
    """The first thing that is wrong with offsets that were found."""
    largest = float(np.degrees(np.abs(offsets_rad).max()))
    if largest > _LARGEST_DEG:
        return Refusal(
            "too-large",
            f"an offset comes out as {largest:.1f} degrees, allowed are {_LARGEST_DEG:g}: check the order and sense of "
            "the joint angles, and mount the joint's horn anew if it is really off by so much",
        )
    if held_out_mm >= without_mm:
        return Refusal(
            "no-gain",
            f"at postures left out the hand is {held_out_mm:.2f} mm off with offsets and {without_mm:.2f} without: "
            "they are of no use; keep the joints as they are",
        )
    if held_out_mm > most_mm:
        return Refusal(
            "held-out",
            f"at postures left out the hand is {held_out_mm:.2f} mm off (without offsets {without_mm:.2f}), allowed "
            f"are {most_mm:g} mm: look for play in the joints, and let the arm come to rest before each reading",
        )
    return None
