"""Where a camera sits on the arm, or beside it, from pictures of a board at many postures of the arm.

Eye in the hand: the board lies still. Eye beside the arm: the hand holds the board. Several solvers are asked, each for
poses that it was not given, and the one that foretells those best is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from perception.calibration_checks import Refusal
from perception.hand_eye import LEVER_M, SOLVERS, Solution, difference
from robot.frames import Array, inverse

IN_HAND, BESIDE = "hand", "table"
_FEWEST = 10
_PARTS = 5
_SPREAD_DEG = 5.0  # of the hand's turns about a second axis (root mean square)
_OUTLIER, _OUTLIER_MM = 4.0, 1.0  # times the median misfit, and at least so much
_MOST_OUTLIERS = 0.25  # share


@dataclass(frozen=True)
class Sighting:
    """What the arm and the camera said at one moment, kept together.

    Attributes:
        name: Which one, for people.
        T_base_tool: The hand's pose (4, 4), by the arm.
        T_camera_board: The board's pose (4, 4), by the camera.
    """

    name: str
    T_base_tool: Array
    T_camera_board: Array


@dataclass(frozen=True)
class Error:
    """Root mean square over poses that a solver was not given: of the board's place, and of its turn."""

    mm: float
    deg: float


@dataclass(frozen=True)
class HandEye:
    """The outcome.

    Attributes:
        T_hand: `T_tool_camera` with the eye in the hand, else `T_tool_board` (4, 4); None where nothing was solved.
        T_base: `T_base_board` with the eye in the hand, else `T_base_camera` (4, 4).
        method: The solver that was taken.
        held_out: Each solver's error.
        spread_deg: Turns of the hand about its three main axes (root mean square).
        outliers: Sightings left out, and their misfit [mm].
        refusal: Why it is not to be used, or None.
    """

    spread_deg: tuple[float, float, float] | None
    refusal: Refusal | None
    T_hand: Array | None = None
    T_base: Array | None = None
    method: str | None = None
    held_out: dict[str, Error] | None = None
    outliers: dict[str, float] | None = None


def calibrate_hand_eye(
    sightings: Sequence[Sighting], eye: str, most_mm: float = 3.0, most_deg: float = 1.0
) -> HandEye:
    """Where the camera is, from what arm and camera said at many postures.

    Args:
        sightings: At different postures.
        eye: `hand` where the camera moves with the hand, `table` where it stands and the hand holds the board.
        most_mm: Held-out error of the board's place [mm] beyond which the result is refused.
        most_deg: The same of its turn [degrees].
    """
    if len(sightings) < _FEWEST:
        return HandEye(None, _too_few(len(sightings)))
    spread, refusal = turns_of([s.T_base_tool for s in sightings])
    if refusal is not None:
        return HandEye(spread, refusal)
    outliers = _outliers(sightings, eye)
    kept = [s for s in sightings if s.name not in outliers]
    if len(outliers) > _MOST_OUTLIERS * len(sightings) or len(kept) < _FEWEST:
        return HandEye(spread, _contradicting(outliers, len(sightings)), outliers=outliers)
    held_out = {name: _held_out(kept, eye, solve) for name, solve in SOLVERS.items()}
    method = min(held_out, key=lambda name: held_out[name].mm)
    X, Z = SOLVERS[method](*_sides(kept, eye))
    refusal = _inexact(held_out[method], most_mm, most_deg)
    return HandEye(spread, refusal, X, Z, method, held_out, outliers)


def _sides(sightings: Sequence[Sighting], eye: str) -> tuple[list[Array], list[Array]]:
    """A and B of A X = Z B."""
    A = [s.T_base_tool for s in sightings]
    return A, [inverse(s.T_camera_board) if eye == IN_HAND else s.T_camera_board for s in sightings]


def _misfit(sighting: Sighting, eye: str, X: Array, Z: Array) -> tuple[float, float]:
    """How far the board is from where the other way around has it, [mm] and [degrees]."""
    through_hand = sighting.T_base_tool @ X
    if eye == IN_HAND:
        off = difference(Z, through_hand @ sighting.T_camera_board)
    else:
        off = difference(through_hand, Z @ sighting.T_camera_board)
    return float(np.linalg.norm(off[:3])) * 1e3, float(np.degrees(np.linalg.norm(off[3:]) / LEVER_M))


def turns_of(hands: Sequence[Array]) -> tuple[tuple[float, float, float], Refusal | None]:
    """How much a hand turned, in degrees (root mean square), and a refusal where its axes are parallel.

    Args:
        hands: Its poses (4, 4).

    Returns:
        Turns about three axes at right angles, the most first, and what is wrong with them.
    """
    turns = Rotation.from_matrix([T[:3, :3] for T in hands])
    vectors = (turns.mean().inv() * turns).as_rotvec()
    first, second, third = np.degrees(np.linalg.svd(vectors, compute_uv=False) / np.sqrt(len(vectors)))
    spread = float(first), float(second), float(third)
    return spread, _parallel(spread) if second < _SPREAD_DEG else None


def _outliers(sightings: Sequence[Sighting], eye: str) -> dict[str, float]:
    """Sightings that the robust solution misses by far, and by how many mm."""
    X, Z = SOLVERS["refined"](*_sides(sightings, eye))
    off = {s.name: _misfit(s, eye, X, Z) for s in sightings}
    weighed = {name: mm + np.radians(deg) * LEVER_M * 1e3 for name, (mm, deg) in off.items()}
    limit = max(_OUTLIER_MM, _OUTLIER * float(np.median(list(weighed.values()))))
    return {name: off[name][0] for name, value in weighed.items() if value > limit}


def _held_out(
    sightings: Sequence[Sighting], eye: str, solve: Callable[[Sequence[Array], Sequence[Array]], Solution]
) -> Error:
    off = list[tuple[float, float]]()
    for part in range(_PARTS):
        given = [s for k, s in enumerate(sightings) if k % _PARTS != part]
        solution = solve(*_sides(given, eye))
        off += [_misfit(s, eye, *solution) for s in sightings[part::_PARTS]]
    mm, deg = np.sqrt(np.mean(np.square(off), axis=0))
    return Error(float(mm), float(deg))


def _too_few(count: int) -> Refusal:
    return Refusal(
        "too-few",
        f"{count} postures show the board, at least {_FEWEST} are needed, 15 to 25 are good: record more",
    )


def _parallel(spread: tuple[float, float, float]) -> Refusal:
    return Refusal(
        "parallel-axes",
        f"the hand turned by {spread[0]:.1f} degrees about one axis and by {spread[1]:.1f} about a second one (root "
        f"mean square), needed are {_SPREAD_DEG:g} about each: turned about parallel axes, nothing tells how far the "
        "camera is along them; add postures with the hand rolled and tilted other ways",
    )


def _contradicting(outliers: dict[str, float], count: int) -> Refusal:
    named = ", ".join(f"{name} ({mm:.1f} mm)" for name, mm in outliers.items())
    return Refusal(
        "outliers",
        f"{len(outliers)} of {count} postures contradict the others: {named}: was the board or the camera moved, or "
        "pictures and postures mixed up? record again",
    )


def _inexact(error: Error, most_mm: float, most_deg: float) -> Refusal | None:
    if error.mm <= most_mm and error.deg <= most_deg:
        return None
    return Refusal(
        "held-out",
        f"at postures left out of the solution the board is {error.mm:.2f} mm and {error.deg:.2f} degrees off, allowed "
        f"are {most_mm:g} mm and {most_deg:g} degrees: fix board and camera firmly, let the arm come to rest before "
        "each picture, calibrate the lens and the joints first",
    )
