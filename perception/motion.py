"""How far each block moved between two moments, from the grain of the wood.

Every block's visible pixels in the pictures before are looked for in the pictures after, all views together. A view in
which a block does not look the same afterwards, because something hides it or a shadow's edge lies on it, is left out;
a block that no view shows well enough is left out of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perception.paint import window_of
from perception.patches import Surface, surface
from perception.register import Pair, agreement, followed, pair_of
from perception.search import best_shifts
from perception.stack import Stack, stack_of
from perception.views import View, views_of
from planning.observation import BlockMotion, TowerObservation
from planning.tower import Slot
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame

FINE_PX, SOFT_PX = 0.8, 1.6  # blur for the last rounds, and for the first, which must bridge a few pixels
FINE_ROUNDS, SOFT_ROUNDS, LAST_ROUNDS = 4, 5, 3
MARGIN_PX = 30  # kept around the tower
LEAST_GRAIN = 400.0  # squared grey levels over all pixels: less says nothing
SURE_SHARE = 0.9  # of a block's grain that looks as it was when nothing is in the way
STILL_M = 0.4e-3  # a block that moved less than this has stayed
# Below these shares it is not the same place. Side grain runs along a block: it may have slid and yet much looks as it
# was. More is asked of one that stayed.
STILL_SHARE, MOVED_SHARE = 0.70, 0.55
MOST_SD_M = 0.2e-3  # a block known less well than this is left out
# A shadow's edge lets a few pixels claim a millimetre, up or down as often as aside; a block slides, and clearly so.
SLID_SD_M, CLEARLY = 0.1e-3, 4.0
STEEP, ROUGH_M = 0.25, 0.15e-3  # share of a slide that may go up or down, and so much in any case
FLOOR_M = 15e-6
DOUBT = 1.2  # by how much errors measured against truth exceed what least squares expects


@dataclass(frozen=True)
class _Moments:
    """The pictures of one camera before and after, and the blocks' pixels in them."""

    before: View
    after: View
    where: Surface

    def pair(self, centre: Array, blur_px: float) -> Pair:
        return pair_of(self.before.camera, self.where, self.before.grey, self.after.grey, centre, blur_px)


def block_motions(
    before: Sequence[Frame],
    after: Sequence[Frame],
    cameras: Mapping[str, CameraModel],
    observation: TowerObservation,
) -> dict[Slot, BlockMotion]:
    """How far every block of an observation moved, up to 12 mm; blocks that cannot be compared are left out.

    Args:
        before: Pictures at the moment of the observation, one a camera.
        after: Pictures at a later moment, from the same cameras.
        cameras: Calibration by camera name.
        observation: Where the blocks were before, to about 1 mm.

    Raises:
        PerceptionError: A picture cannot be read, or a camera has a picture at one moment only.
    """
    slots = sorted(observation.blocks)
    blocks = [observation.blocks[s] for s in slots]
    stack = stack_of(slots, [b.T_world_block for b in blocks], [b.size_m for b in blocks])
    return _motions(_moments(before, after, cameras, stack), stack)


def _moments(
    before: Sequence[Frame], after: Sequence[Frame], cameras: Mapping[str, CameraModel], stack: Stack
) -> list[_Moments]:
    first = {view.camera.name: view for view in views_of(before, cameras)}
    second = {view.camera.name: view for view in views_of(after, cameras)}
    if set(first) != set(second):
        raise PerceptionError(
            f"pictures before are from {sorted(first)}, after from {sorted(second)}: the same cameras are needed",
            reason="camera-moved",
        )
    out = []
    for name, view in first.items():
        window = window_of(view.camera, stack.boxes, MARGIN_PX)
        one, two = view.cropped(window), second[name].cropped(window)
        out.append(_Moments(one, two, surface(one, two, stack)))
    return out


def _motions(moments: Sequence[_Moments], stack: Stack) -> dict[Slot, BlockMotion]:
    centre = np.ascontiguousarray(stack.boxes.centres_m)
    soft, fine = ([m.pair(centre, blur) for m in moments] for blur in (SOFT_PX, FINE_PX))
    soft = [pair.take((pair.where.row + pair.where.column) % 2 == 0) for pair in soft]
    _, moved = followed(soft, centre, np.zeros((len(stack), 6)), SOFT_ROUNDS)
    lost = _share(soft, centre, moved) < SURE_SHARE
    if lost.any():
        moved = best_shifts(soft, stack.boxes, stack.layer, moved, lost)
    _, moved = followed(fine, centre, moved, FINE_ROUNDS)
    share = _share(fine, centre, moved)
    fine = [pair.take(agreement(pair, centre, moved).good) for pair in fine]
    normal, moved = followed([pair for pair in fine if len(pair.was)], centre, moved, LAST_ROUNDS)
    sd = DOUBT * np.sqrt(np.linalg.eigvalsh(np.linalg.inv(normal)[:, :3, :3])[:, -1])
    return {
        slot: BlockMotion(moved[i, :3].copy(), float(np.hypot(sd[i], FLOOR_M)))
        for i, slot in enumerate(stack.slots())
        if sd[i] < MOST_SD_M and _sure(moved[i, :3], float(sd[i]), float(share[i]))
    }


def _sure(moved_m: Array, sd_m: float, share: float) -> bool:
    """Whether a block's motion (3,) is believed, by the share of its grain that looks as it was."""
    by_m = float(np.linalg.norm(moved_m))
    if by_m <= STILL_M:
        return share >= STILL_SHARE
    level = abs(float(moved_m[2])) <= max(STEEP * by_m, ROUGH_M)
    return share >= MOVED_SHARE and level and sd_m <= min(SLID_SD_M, by_m / CLEARLY)


def _share(pairs: Sequence[Pair], centre: Array, moved: Array) -> Array:
    """Share (N,) of each block's grain, over all views, that looks as it was."""
    views = [agreement(pair, centre, moved) for pair in pairs]
    same = np.sum([a.grain * a.share for a in views], axis=0)
    return np.asarray(same / np.maximum(np.sum([a.grain for a in views], axis=0), LEAST_GRAIN))
