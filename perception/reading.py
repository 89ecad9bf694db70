"""A tower read from pictures alone, wherever it stands on the table, from one view or several.

Where it stands (`anywhere`), where its layers lie (`climb`), what each holds, from the base up and then again with all
others in place (`layer_choice`), and how sure that is (`odds`, `verdict`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perception.align import aligned
from perception.anywhere import Place, find_anywhere, find_near
from perception.climb import MOST_LAYERS, Ladder, climbed
from perception.contours import Portrait, portrait
from perception.exact import all_exact
from perception.layer_choice import (
    POSITIONS,
    LayerQuestion,
    SlotChoice,
    chosen_for,
    filled,
    settled,
)
from perception.paint import window_of
from perception.stack import Stack, empty_stack, mean_size, merged, nominal_block, stack_of
from perception.verdict import Reading, observed
from perception.views import View
from planning.blockset import BlockSet
from planning.observation import TowerObservation
from planning.tower import Slot
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array, pose, rot_z

AIMED_M, SAME_M = 0.13, 0.05  # height at which cameras are aimed; two places so near need one search
LEAST_SCORE = 12.0  # of the lines of a tower; those of a table without one reach half of it
LEAST_BLOCKS = 6
BELOW, ABOVE = 3, 3  # layers that can be seen through a hole in one, or hide a part of it
AGAIN = 2  # times that each layer is decided with all others in place
ELSEWHERE_M = 2.5e-3
MARGIN_PX = 110  # kept around the tower: a block may stand out by a third
CUT_PX = 3.0  # from the border of a picture, at which a tower counts as cut off


def read_tower(
    views: Sequence[View], blockset: BlockSet, base_z_m: float = 0.0, before: TowerObservation | None = None
) -> TowerObservation:
    """The tower that stands within 10 cm of the world's origin or of where the cameras look.

    Slots that no view tells of are unknown. A block's `sd_m` beyond 2 mm says that it is not known how far it stands
    out. A tower that was read before is looked for where it stood, and everywhere if it does not stand there any
    more; what its slots hold comes from the pictures alone.

    Args:
        views: Calibrated pictures of one moment.
        blockset: What the blocks are like.
        base_z_m: Height of what the tower stands on, world frame.
        before: What was read of the same tower, in the same world frame.

    Raises:
        PerceptionError: No tower, or one that the border of every picture cuts; `reason` says which.
    """
    lowered = [_lowered(view, base_z_m) for view in views]
    if before is not None:
        place = find_near(lowered, blockset, _stood(before, blockset))
        if place.score >= LEAST_SCORE:
            return _raised(read_placed(lowered, blockset, _turned(place)), base_z_m)
    return _raised(read_placed(lowered, blockset, _place(lowered, blockset)), base_z_m)


def _stood(before: TowerObservation, blockset: BlockSet) -> Place:
    """Where a tower stood that was read before."""
    rise = before.layer_top_m[-1] / len(before.layer_top_m)
    return Place(before.T_world_tower, rise / blockset.height_m.mean, 0.0)


def _lowered(view: View, by_m: float) -> View:
    T = pose(None, [0.0, 0.0, -by_m]) @ view.camera.T_world_camera
    return replace(view, camera=replace(view.camera, T_world_camera=T))


def _raised(seen: TowerObservation, by_m: float) -> TowerObservation:
    up = pose(None, [0.0, 0.0, by_m])
    blocks = {s: replace(b, T_world_block=up @ b.T_world_block) for s, b in seen.blocks.items()}
    return replace(seen, T_world_tower=up @ seen.T_world_tower, blocks=blocks)


def read_placed(
    views: Sequence[View],
    blockset: BlockSet,
    place: Place,
    layers: int = MOST_LAYERS,
    *,
    wary: bool = False,
) -> TowerObservation:
    """The tower whose base stands at a place on z = 0.

    Args:
        views: Calibrated pictures of one moment.
        blockset: What the blocks are like.
        place: Where its base stands.
        layers: How many layers it has at most.
        wary: Whether cameras and blocks are but guessed: then more is asked of a slot to be known.

    Raises:
        PerceptionError: The border of every picture cuts it, or it is none; `reason` says which.
    """
    ladder = climbed(views, blockset, place).up_to(layers)
    thick = replace(blockset.height_m, mean=blockset.height_m.mean * place.thickness)
    blockset = replace(blockset, height_m=thick)
    full = _full(ladder, blockset)
    _check_whole([view.camera for view in views], full.take(full.layer <= ladder.shown))
    looks = _portraits(views, full, ladder.shown)
    reading = _again(looks, blockset, ladder, _first(looks, blockset, ladder, full))
    seen = observed(looks, reading, mean_size(blockset), ABOVE, wary=wary)
    _check_blocks(seen)
    return seen


def _check_blocks(seen: TowerObservation) -> None:
    """What has a tower's outline, but not the ends of its blocks, is a box."""
    if len(seen.blocks) < LEAST_BLOCKS:
        raise PerceptionError(
            f"no tower: {len(seen.blocks)} blocks are seen where one might stand, at least {LEAST_BLOCKS} are needed; "
            "put the tower there, or take what has its shape away",
            reason="no-tower",
        )


def _place(views: Sequence[View], blockset: BlockSet) -> Place:
    """Where the tower stands."""
    place = find_anywhere(views, blockset, _middles([view.camera for view in views]))[0]
    if place.score < LEAST_SCORE:
        raise PerceptionError(
            "no tower within 10 cm of the world's origin or of where the cameras look: the clearest lines score "
            f"{place.score:.1f}, at least {LEAST_SCORE:g} are needed; put the tower there, or check the camera's pose",
            reason="no-tower",
        )
    return _turned(place)


def _turned(place: Place) -> Place:
    """A tower's place with its x turned to the world's +x, or at a right angle to its +y."""
    T = place.T_world_tower
    yaw = float(np.arctan2(T[1, 0], T[0, 0]))
    yaw -= np.pi * np.ceil((yaw - np.pi / 2 - 1e-9) / np.pi)
    return replace(place, T_world_tower=pose(rot_z(yaw), T[:3, 3]))


def _middles(cameras: Sequence[CameraModel]) -> Array:
    """Where on the table to look (n, 2): about the world's origin, and where the cameras' axes come nearest."""
    A, b = np.zeros((3, 3)), np.zeros(3)
    for camera in cameras:
        axis = camera.T_world_camera[:3, 2]
        across = np.eye(3) - np.outer(axis, axis)
        A, b = A + across, b + across @ camera.position_m()
    height = np.array([0.0, 0.0, 1.0])
    aimed = np.asarray(np.linalg.solve(A + np.outer(height, height), b + height * AIMED_M), dtype=float)[:2]
    origin: Array = np.zeros(2)
    return np.array([origin] if np.abs(aimed).max() < SAME_M else [origin, aimed])


def _full(ladder: Ladder, blockset: BlockSet) -> Stack:
    slots = [Slot(k, p) for k in range(1, len(ladder.frames) + 1) for p in POSITIONS]
    blocks = [nominal_block(ladder.frame(slot.layer), slot, blockset) for slot in slots]
    return stack_of(slots, [T for T, _ in blocks], [size for _, size in blocks])


def _check_whole(cameras: Sequence[CameraModel], stack: Stack) -> None:
    corners = stack.boxes.corners_m()
    for camera in cameras:
        px, size = camera.project(corners), np.array(camera.size_px)
        if ((px > CUT_PX) & (px < size - CUT_PX)).all():
            return
    raise PerceptionError(
        f"the border of the picture cuts the tower: its {int(stack.layer.max())} layers must be in one picture whole; "
        "move the camera back or turn it",
        reason="cut-by-frame",
    )


def _portraits(views: Sequence[View], full: Stack, shown: int) -> list[Portrait]:
    there = full.take(full.layer <= shown)
    cut = [view.cropped(window_of(view.camera, full.boxes, MARGIN_PX)) for view in views]
    return [portrait(view, there) for view in cut]


def _first(looks: Sequence[Portrait], blockset: BlockSet, ladder: Ladder, full: Stack) -> Stack:
    """Layer by layer from the base, those above not known yet, every block in its place."""
    stack, views = empty_stack(), [look.view for look in looks]
    for k in range(1, len(ladder.frames) + 1):
        veil = full.take((full.layer > k) & (full.layer <= k + ABOVE))
        around = stack.take(stack.layer >= k - BELOW)
        question = LayerQuestion(k, ladder.frame(k), around, veil, empty_stack())
        found = filled(looks, blockset, question)
        if len(found):
            stack = merged(stack, aligned(views, stack, found))
    return stack


def _again(looks: Sequence[Portrait], blockset: BlockSet, ladder: Ladder, stack: Stack) -> Reading:
    """Every layer with all others in place, moved to where it fits best before it is decided.

    A second time only those near which something changed.
    """
    frames = {k: ladder.frame(k) for k in range(1, len(ladder.frames) + 1)}
    slots, changed = dict[Slot, SlotChoice](), set(frames)
    for _ in range(AGAIN):
        due, changed = sorted({k for k in frames for c in changed if -ABOVE <= k - c <= BELOW}), set()
        for k in due:
            near, before = stack.take(_near(stack, k) & (stack.layer != k)), stack.take(stack.layer == k)
            frames[k], own = settled(looks, k, frames[k], near, before)
            answer = chosen_for(looks, blockset, LayerQuestion(k, frames[k], near, empty_stack(), own))
            slots.update({Slot(k, p): choice for p, choice in answer.slots.items()})
            stack = merged(stack.take(stack.layer != k), answer.stack)
            changed |= {k} if _differ(before, answer.stack) else set()
    return Reading(ladder, *all_exact(looks, stack, slots, mean_size(blockset), ABOVE))


def _differ(a: Stack, b: Stack) -> bool:
    """Whether two answers for a layer hold other blocks, or one of them elsewhere."""
    if a.position.tolist() != b.position.tolist():
        return True
    moved = np.linalg.norm(a.boxes.centres_m - b.boxes.centres_m, axis=1)
    return bool((moved > ELSEWHERE_M).any())


def _near(stack: Stack, k: int) -> Array:
    return np.asarray((stack.layer >= k - BELOW) & (stack.layer <= k + ABOVE))
