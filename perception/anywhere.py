"""A tower that stands anywhere on the table: the lines of a full one are laid over the views at many places.

The best places are then looked at more closely, in finer pictures and by finer steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from perception.lines import Steps, lines_of, scores
from perception.screening import screened
from perception.views import View
from planning.blockset import BlockSet
from robot.frames import Array, pose, rot_z

LAYERS = 14  # drawn in the search; a tower in play has more
REACH_M, STEP_M, STEP_RAD = 0.10, 0.006, np.radians(4.0)  # of the search on the table
APART_M, APART_RAD = 0.010, np.radians(7.0)  # places nearer to each other are one
KEPT = 4  # places that are looked at more closely
# Of the search and of the closer look: pictures are shrunk so many times, then their blur [px]; points on a groove.
COARSE, FINE = (4, 0.7, 4), (2, 0.8, 8)
# Steps of the closer look: along x and y [m], yaw [rad], thickness.
FINER = (
    (0.004, np.radians(2.0), 0.006),
    (0.002, np.radians(1.0), 0.004),
    (0.001, np.radians(0.5), 0.002),
    (0.0005, np.radians(0.25), 0.001),
)
MOVES = 4  # at most so many with each of these steps
_NEAR = np.array(list(product((-1, 0, 1), repeat=4)))
# A place is not looked at more closely that scores less than this share of the best, or is not so many steps from one.
BEHIND, ALIKE = 0.8, 0.1
# What layers measure in towers, against the block set's mean thickness: a normal distribution's mean and deviation.
# A layer is as high as the highest of its three blocks, and so a little thicker than the mean block. Without this, a
# view from far or from one side trades thickness for distance: a tower that is thicker and further off looks alike.
USUAL, SPREAD = 1.007, 0.007
THINNEST, THICKEST = 0.97, 1.04  # layers, against the block set's: nothing beyond is tried


@dataclass(frozen=True)
class Place:
    """Where a tower may stand.

    Attributes:
        T_world_tower: Pose (4, 4), on the table, at z = 0.
        thickness: Of its layers, against the block set's mean.
        score: How clearly its lines show, in deviations of a blank picture, less what an unusual thickness costs.
    """

    T_world_tower: Array
    thickness: float
    score: float


def find_anywhere(views: Sequence[View], blockset: BlockSet, middles_m: Array) -> list[Place]:
    """Where towers may stand on the plane z = 0, within 10 cm of one of some points along x and y.

    Args:
        views: At least one, taken at one moment.
        blockset: The blocks.
        middles_m: Middles of where to look (2,) or (n, 2), world frame.

    Returns:
        At most KEPT places about each point, the likeliest first. Layer 1 lies along their x; which way x points cannot
        be seen. Some answer comes back for any picture, and only its score tells whether there is a tower.
    """
    best = [place for middle in middles_m.reshape(-1, 2) for place in _likely(views, blockset, middle)]
    shrunk, blur_px, points = FINE
    fine, lines = [Steps.of(view, shrunk, blur_px) for view in views], lines_of(blockset, 1, LAYERS, points)
    return _closer(fine, lines, best)


def find_near(views: Sequence[View], blockset: BlockSet, start: Place) -> Place:
    """Where a tower stands that stood at some place before; it may have been pushed by a centimetre."""
    T = start.T_world_tower
    at = np.array([T[0, 3], T[1, 3], np.arctan2(T[1, 0], T[0, 0]), start.thickness, 0.0])
    shrunk, blur_px, points = FINE
    fine, lines = [Steps.of(view, shrunk, blur_px) for view in views], lines_of(blockset, 1, LAYERS, points)
    return _closer(fine, lines, [at])[0]


def _likely(views: Sequence[View], blockset: BlockSet, middle_m: Array) -> list[Array]:
    """At most KEPT places (5,) about one point of the table (2,)."""
    shrunk, blur_px, points = COARSE
    coarse, lines = [Steps.of(view, shrunk, blur_px) for view in views], lines_of(blockset, 1, LAYERS, points)
    places = screened(coarse, lines, _everywhere(middle_m))
    return _apart(places, scores(coarse, lines, places))


def _everywhere(middle_m: Array) -> Array:
    """Places (M, 5: x, y, yaw, thickness, z) all over a part of the table."""
    axis = np.arange(-REACH_M, REACH_M + 1e-9, STEP_M)
    yaws = np.arange(0.0, np.pi, STEP_RAD)
    yaw, x, y = (
        it.ravel() for it in np.meshgrid(yaws, middle_m[0] + axis, middle_m[1] + axis, indexing="ij")
    )
    return np.column_stack([x, y, yaw, np.ones(len(x)), np.zeros(len(x))])


def _apart(places: Array, scores: Array) -> list[Array]:
    """The best KEPT places (5,) that are not each other's neighbours."""
    out: list[Array] = []
    for i in np.argsort(-scores):
        if all(_differ(places[i], other) for other in out):
            out.append(places[i])
            if len(out) == KEPT:
                break
    return out


def _differ(a: Array, b: Array) -> bool:
    """Whether two places (5,) are apart; half a turn makes no difference."""
    turn = (a[2] - b[2] + np.pi / 2) % np.pi - np.pi / 2
    return bool(np.hypot(*(a[:2] - b[:2])) > APART_M or abs(turn) > APART_RAD)


def _closer(steps: Sequence[Steps], lines: Array, starts: Sequence[Array]) -> list[Place]:
    """The best places near others (5,), the best first, by steps that grow finer; poor and double ones are dropped."""
    found = [(start, -np.inf) for start in starts]
    for by_m, by_rad, by in FINER:
        step = np.array([by_m, by_m, by_rad, by, 0.0])
        moved = [_climbed(steps, lines, at, score, step) for at, score in found]
        found = _promising(sorted(moved, key=lambda it: -it[1]), step)
    return [Place(pose(rot_z(at[2]), [at[0], at[1], 0.0]), float(at[3]), score) for at, score in found]


def _climbed(
    steps: Sequence[Steps], lines: Array, start: Array, score: float, step: Array
) -> tuple[Array, float]:
    """The best place near another one (5,), and its score, by moves of one step in any of four ways at once."""
    told, at = dict[tuple[int, ...], float](), np.zeros(4, dtype=np.int64)
    for _ in range(MOVES):
        near = [tuple(it) for it in (at + _NEAR).tolist()]
        new = [it for it in near if it not in told]
        trial = start + np.column_stack([np.array(new).reshape(-1, 4), np.zeros(len(new))]) * step
        value = scores(steps, lines, trial) - _unusual(trial[:, 3])
        value[(trial[:, 3] <= THINNEST) | (trial[:, 3] >= THICKEST)] = -np.inf
        told.update(zip(new, value.tolist(), strict=True))
        best = max(near, key=lambda it: told[it])
        if told[best] <= score + 1e-9:
            break
        at, score = np.array(best), told[best]
    return start + np.append(at, 0) * step, score


def _promising(found: Sequence[tuple[Array, float]], step: Array) -> list[tuple[Array, float]]:
    """Those of places, the best first, that may yet become the best, without such as end where a better one does."""
    out = list[tuple[Array, float]]()
    for at, score in found:
        alike = any((np.abs(at - other)[:4] < ALIKE * step[:4]).all() for other, _ in out)
        if score >= BEHIND * found[0][1] and not alike:
            out.append((at, score))
    return out


def _unusual(thickness: Array) -> Array:
    """What thicknesses (M,) cost: the negative logarithm of how usual they are."""
    return np.asarray(((thickness - USUAL) / SPREAD) ** 2 / 2)
