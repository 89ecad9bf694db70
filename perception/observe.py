"""Pictures of all cameras at one moment in, the tower as a `TowerObservation` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from perception.appearance import appearance
from perception.build import MOST_LAYERS, Known, built, doubtful_layers, verified
from perception.coarse import LAYERS as DRAWN
from perception.coarse import find_tower, score_near
from perception.hypotheses import Look
from perception.paint import window_of
from perception.refine import refined
from perception.report import observation
from perception.stack import Stack, empty_stack, nominal_stack, stack_of
from perception.views import View, views_of
from planning.blockset import BlockSet
from planning.observation import Seen, TowerObservation
from planning.tower import Slot
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame

FIRST_REACHES_PX, LAST_REACHES_PX = (2.5,), (2.5, 1.6, 1.2)
MARGIN_PX = 70  # kept around the tower: a block may stand out by its half
LAYERS = 12  # of a nominal tower, from which its looks are learned
LEAST_SCORE = 2.5  # mean brightness step on the lines of a nominal tower, below which there is none
# The same where a tower was seen before: hands in front of all cameras leave 3.7, an empty table 1.0.
LEAST_AGAIN = 3.0
FAVOUR = 3.0


def observe(
    frames: Sequence[Frame],
    cameras: Mapping[str, CameraModel],
    blockset: BlockSet,
    expected: Array | TowerObservation,
) -> TowerObservation:
    """The tower as all cameras see it at one moment.

    Args:
        frames: One picture a camera, BGR.
        cameras: Calibration by camera name.
        blockset: What the blocks are like.
        expected: `T_world_tower` (4, 4) to within 15 mm and 5 degrees, or what was seen of this tower before; where it
            does not stand there any more, what was seen before says only about where to look.

    Raises:
        PerceptionError: A picture cannot be read, or shows no tower; `reason` says why.
    """
    views = views_of(frames, cameras)
    before = expected if isinstance(expected, TowerObservation) else None
    if before and not _stands_still(views, blockset, before):
        before = None
    T_world_tower = expected.T_world_tower if isinstance(expected, TowerObservation) else expected
    if before is None:
        T_world_tower = _found(views, blockset, T_world_tower)
    start = _as_before(before) if before else nominal_stack(T_world_tower, range(1, LAYERS + 1), blockset)
    looks = _looks(views, blockset, T_world_tower, start)
    views = [look.view for look in looks]
    if before is None:
        known = _first_look(looks, blockset, T_world_tower)
    else:
        stack = refined(views, start, blockset, FIRST_REACHES_PX).stack
        layers = range(1, int(stack.layer.max(initial=0)) + 1)
        known = verified(looks, blockset, T_world_tower, Known(stack, {}), layers, _favour(before))
        known = built(looks, blockset, T_world_tower, known)
    fitted = refined(views, known.stack, blockset, LAST_REACHES_PX)
    return observation(max(frame.t_s for frame in frames), fitted, known.odds, blockset, before)


def _first_look(looks: Sequence[Look], blockset: BlockSet, T_world_tower: Array) -> Known:
    """The tower from nothing but its place.

    Raises:
        PerceptionError: There is none.
    """
    known = built(looks, blockset, T_world_tower, Known(empty_stack(), {}))
    if len(known.stack) == 0:
        raise PerceptionError(
            f"no block lies in the lowest layer of where the tower should stand, "
            f"{np.round(T_world_tower[:3, 3], 4).tolist()} m: at least one is needed; put the tower on its place or "
            "correct its nominal pose",
            reason="no-tower",
        )
    stack = refined([look.view for look in looks], known.stack, blockset, FIRST_REACHES_PX).stack
    layers = doubtful_layers(known, T_world_tower)
    return verified(looks, blockset, T_world_tower, Known(stack, known.odds), layers, {})


def _found(views: Sequence[View], blockset: BlockSet, T_world_nominal: Array) -> Array:
    T_world_tower, score = find_tower(views, blockset, T_world_nominal)
    if score < LEAST_SCORE:
        raise PerceptionError(
            f"no tower within 20 mm of where it should be: its lines show steps of {score:.1f} grey levels, at least "
            f"{LEAST_SCORE} are needed; put the tower on its place or correct its nominal pose",
            reason="no-tower",
        )
    return T_world_tower


def _stands_still(views: Sequence[View], blockset: BlockSet, before: TowerObservation) -> bool:
    """Whether the lines of a tower show where it stood; fewer are asked of a low one."""
    share = min(len(before.layer_top_m) / DRAWN, 1.0)
    return score_near(views, blockset, before.T_world_tower) > LEAST_AGAIN * share


def _looks(views: Sequence[View], blockset: BlockSet, T_world_tower: Array, start: Stack) -> list[Look]:
    """The views, cut to where a tower can be, with what wood looks like there."""
    room = nominal_stack(T_world_tower, range(1, MOST_LAYERS + 1), blockset).boxes
    views = [view.cropped(window_of(view.camera, room, MARGIN_PX)) for view in views]
    return [Look(view, appearance(view, start)) for view in views]


def _as_before(before: TowerObservation) -> Stack:
    slots = sorted(before.blocks)
    return stack_of(
        slots, [before.blocks[s].T_world_block for s in slots], [before.blocks[s].size_m for s in slots]
    )


def _favour(before: TowerObservation) -> dict[Slot, float]:
    """Log odds for a block from an earlier look: most blocks stay where they are."""
    weight = {Seen.BLOCK: FAVOUR, Seen.GAP: -FAVOUR, Seen.UNKNOWN: 0.0}
    return {slot: weight[seen] for slot, seen in before.slots.items()}
