"""Where one block is, near a guess: pushed out of its slot, between the fingers, or just placed on top.

First the guess is moved over a grid of shifts and turns to where most brightness steps lie under the block's edges;
from the best few places least squares on the edges finds the pose, and the place whose edges are seen best wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perception.appearance import appearance
from perception.boxes import Boxes
from perception.boxes import joined as boxes_joined
from perception.equations import UNKNOWNS, Equations, equations, joined, moved, solve
from perception.hypotheses import Cast, Look
from perception.outline import best_places
from perception.paint import window_of
from perception.refine import edge_equations
from perception.stack import Stack, merged, stack_of
from perception.views import View, views_of
from planning.eyes import Doubt
from planning.observation import BlockSeen, TowerObservation
from planning.tower import Slot
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame

REACHES_PX = (3.0, 2.0, 1.6, 1.6)
MARGIN_PX = 25
UNSURE = Doubt((4e-3, 4e-3, 4e-3), (0.04, 0.04, 0.04))
SURE_SD_M = 1.5e-3  # a place known so well needs no search
SIZE_SD_M = (0.3e-3, 0.22e-3, 0.18e-3)
FACES_WEIGHT = 3.0  # of what faces show against what edges do
FITTED, FITTED_ALONE = 5, 6  # places that are fitted, with known surroundings or without
# Between middles: the tower hides a block that has just left it from a camera on its far side.
NEAR_M = 0.12
LEAST_PIECES, LEAST_SURE_PIECES = 8, 4
DOUBT = 1.6


def locate_block(
    frames: Sequence[Frame],
    cameras: Mapping[str, CameraModel],
    size_guess_m: Array,
    T_world_block_guess: Array,
    around: TowerObservation | None = None,
    doubt: Doubt = UNSURE,
) -> BlockSeen:
    """Pose and size of one block within 6 mm and 5 degrees of a guess.

    Args:
        frames: One picture a camera.
        cameras: Calibration by camera name.
        size_guess_m: Length, width, thickness (3,).
        T_world_block_guess: Pose (4, 4).
        around: The tower as last seen, this block left out of account: what stands there explains steps that are not
            this block's.
        doubt: How well its place is known already; a good guess keeps the fit from other edges near by.

    Raises:
        PerceptionError: A picture cannot be read, or too little of a block is seen there.
    """
    guess = Boxes(T_world_block_guess[None], np.asarray(size_guess_m, dtype=np.float64)[None])
    others = _others(around, guess)
    views = [view.cropped(window_of(view.camera, guess, MARGIN_PX)) for view in views_of(frames, cameras)]
    starts = best_places(views, guess) if max(doubt.place_m) > SURE_SD_M else [T_world_block_guess]
    likely = [T_world_block_guess, *_likely(views, others, guess, starts)]
    fits = [_fit(views, others, Boxes(T[None], guess.size_m), guess, doubt) for T in likely]
    cost = np.array([fit.cost for fit in fits])
    if len(others):
        cost = cost - FACES_WEIGHT * _told(views, others, guess, boxes_joined([fit.boxes for fit in fits]))
    best = fits[int(cost.argmin())]
    least = LEAST_PIECES if max(doubt.place_m) > SURE_SD_M else LEAST_SURE_PIECES
    if best.pieces < least:
        raise PerceptionError(
            f"no block is seen within 6 mm of {np.round(guess.T[0, :3, 3], 4).tolist()} m: {best.pieces} pieces of its "
            f"edges show, at least {least} are needed; look again with the arm out of the way",
            reason="no-tower",
        )
    T, size = best.boxes.T[0], best.boxes.size_m[0]
    middle = around.T_world_tower if around is not None else T_world_block_guess
    spread = float(np.linalg.eigvalsh(best.covariance[:2, :2])[-1])
    return BlockSeen(T, size, float((T[:2, 3] - middle[:2, 3]) @ T[:2, 0]), DOUBT * float(np.sqrt(spread)))


def _likely(views: Sequence[View], others: Stack, guess: Boxes, starts: Sequence[Array]) -> list[Array]:
    """The few of many poses whose faces the pictures show best; without known surroundings, those listed first."""
    if len(others) == 0:
        return list(starts[:FITTED_ALONE])
    told = _told(views, others, guess, Boxes(np.array(starts), np.repeat(guess.size_m, len(starts), axis=0)))
    return [starts[i] for i in np.argsort(-told)[:FITTED]]


def _told(views: Sequence[View], others: Stack, guess: Boxes, trials: Boxes) -> Array:
    """Log likelihood (G,) of what the faces of trial blocks would show, the others around them."""
    n, layer = len(trials), _layer_of(guess, others)
    known = merged(others, Stack(np.array([layer]), np.array([9]), guess))
    looks = [Look(view, appearance(view, known)) for view in views]
    layers = np.concatenate([others.layer, np.full(n, layer)])
    cast = Cast(
        looks, layers, boxes_joined([others.boxes, trials]), np.zeros(len(others) + n, dtype=np.bool_)
    )
    numbers = len(others) + np.arange(n)
    return cast.judged([np.append(np.arange(len(others)), i) for i in numbers], numbers).total()


def _others(around: TowerObservation | None, guess: Boxes) -> Stack:
    """Blocks near the guess, without any that stands where the guess is."""
    seen = around.blocks if around is not None else {}
    centre = guess.T[0, :3, 3]
    near = [s for s, b in seen.items() if 8e-3 < np.linalg.norm(b.T_world_block[:3, 3] - centre) < NEAR_M]
    near = [s for s in near if not _same(seen[s], guess)]
    return stack_of(near, [seen[s].T_world_block for s in near], [seen[s].size_m for s in near])


def _same(block: BlockSeen, guess: Boxes) -> bool:
    """Whether a block overlaps the guess by more than neighbours can."""
    apart = guess.T[0, :3, :3].T @ (block.T_world_block[:3, 3] - guess.T[0, :3, 3])
    parallel = abs(block.T_world_block[:3, 0] @ guess.T[0, :3, 0]) > 0.8
    return bool(parallel and (np.abs(apart) < 0.6 * guess.size_m[0]).all())


@dataclass(frozen=True)
class _Fit:
    """One way to see the block: boxes of one, covariance (9, 9), how many pieces of edges agree, and how badly."""

    boxes: Boxes
    covariance: Array
    pieces: int
    cost: float


def _fit(views: Sequence[View], others: Stack, start: Boxes, guess: Boxes, doubt: Doubt) -> _Fit:
    boxes = start
    for reach in REACHES_PX:
        seen = _seen(views, others, boxes, reach)
        system = joined([seen, _prior(boxes, guess, doubt)])
        unknowns, normal = solve(system, 1)
        boxes = moved(boxes, unknowns)
    residual = np.minimum((seen.value - seen.jacobian[:, :UNKNOWNS] @ unknowns[0]) / seen.sd, 5.0)
    agree = int((np.abs(residual) < 3).sum())
    # Every piece that is seen and agrees earns; one that is seen elsewhere costs.
    covariance = np.asarray(np.linalg.inv(normal), dtype=float)
    return _Fit(boxes, covariance, agree, float((np.minimum(residual**2, 9.0) - 5.0).sum()))


def _seen(views: Sequence[View], others: Stack, boxes: Boxes, reach: float) -> Equations:
    """Edge equations of the block, number 0, in all views, with the others painted around it."""
    layer = _layer_of(boxes, others)
    own = Stack(np.array([layer]), np.array([9]), boxes)
    both = merged(others, own)
    index = int(np.flatnonzero(both.position == 9)[0])
    found = joined([edge_equations(view, both, reach, only=index) for view in views])
    zero = np.zeros(len(found.value), dtype=np.int64)
    return equations(
        zero, found.jacobian[:, :UNKNOWNS], found.value, found.sd, float(found.tail.max(initial=2.0))
    )


def _layer_of(boxes: Boxes, others: Stack) -> int:
    if len(others) == 0:
        return 1
    lower = others.boxes.T[:, 2, 3] < boxes.T[0, 2, 3] - 5e-3
    return int(others.layer[lower].max(initial=int(others.layer.min()) - 1)) + 1


def _prior(boxes: Boxes, guess: Boxes, doubt: Doubt) -> Equations:
    sd = np.array([*doubt.place_m, *doubt.turn_rad, *SIZE_SD_M])
    R = guess.T[0, :3, :3].T
    away = guess.T[0, :3, :3] @ boxes.T[0, :3, :3].T
    turn = np.array([away[2, 1] - away[1, 2], away[0, 2] - away[2, 0], away[1, 0] - away[0, 1]]) / 2
    shift = guess.T[0, :3, 3] - boxes.T[0, :3, 3]
    value = np.concatenate([R @ shift, R @ turn, guess.size_m[0] - boxes.size_m[0]])
    jacobian = np.eye(UNKNOWNS)
    jacobian[:3, :3] = jacobian[3:6, 3:6] = R
    return equations(np.zeros(UNKNOWNS, dtype=np.int64), jacobian, value, sd, np.inf)


def slot_of(around: TowerObservation, T_world_block: Array) -> Slot:
    """The slot whose block, as last seen, lies nearest to a pose."""
    return min(
        around.blocks,
        key=lambda s: float(np.linalg.norm(around.blocks[s].T_world_block[:3, 3] - T_world_block[:3, 3])),
    )
