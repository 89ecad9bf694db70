"""From a tower's place up to its top: where each layer lies, and how clearly each shows.

A layer follows the one below unless its lines and those of the next ones show clearly that it is shifted or turned.
Then each is fitted by itself and its neighbours, held by a straight tower of layers as thick as they were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from perception.anywhere import Place
from perception.boxes import Ints
from perception.lines import Steps, lines_from, scores
from perception.views import View, Window
from planning.blockset import BlockSet
from robot.frames import Array, pose, rot_z

MOST_LAYERS = 34
POINTS = 8  # on each groove
HALF, FULL = (2, 0.8), (1, 1.0)  # pictures are shrunk so many times, then their blur [px]
ROOM = 0.9  # of a block's length, about the middle of every layer: what is looked at in full
AHEAD = 4  # layers that are looked at together on the way up
# x, y [m] and turn [rad] of a layer against the one below: steps, how many to each side, and what one costs in score.
UP_STEP, UP_REACH, UP_COST = np.array([1.5e-3, 1.5e-3, np.radians(1.0)]), (1, 1, 4), np.array([0.3, 0.3, 0.4])
UP_GAIN = 2.0  # in score, below which a layer is taken to follow the one below
# x, y, turn and z of a layer in the second pass.
FIT_STEP, FIT_MOVES = np.array([6e-4, 6e-4, np.radians(0.5), 3e-4]), 3
_STEPS = np.array(list(product((-1, 0, 1), repeat=4)))
FIT_PULL = np.array([0.3, 0.3, 0.2])  # in score for a step off the middle of its neighbours
HEIGHT_SD_M = 0.4e-3
FIT_ROUNDS = 3
SEEN = 2.0  # score of a layer's own lines above which it is surely there
FAINT = 0.35  # of the median layer: what shows less speaks against being a layer
SPARE = 2  # layers above those that show, to be looked at all the same


@dataclass(frozen=True)
class Ladder:
    """Where the layers of a tower lie.

    Attributes:
        frames: x, y [m], yaw [rad] and height of its lower side [m] (N, 4) of each layer; a few above the top too.
        shown: How many of them show.
    """

    frames: Array
    shown: int

    def frame(self, k: int) -> Array:
        """`T_world_layer` (4, 4) of layer k, from 1."""
        x, y, yaw, z = self.frames[k - 1]
        return pose(rot_z(yaw), [x, y, z])

    def up_to(self, layers: int) -> Ladder:
        """The same without what is above so many layers."""
        return Ladder(self.frames[:layers], min(self.shown, layers))


def climbed(views: Sequence[View], blockset: BlockSet, place: Place) -> Ladder:
    """The layers of a tower, from the place of its base."""
    thick = blockset.height_m.mean * place.thickness
    frames, support = _up([Steps.of(view, *HALF) for view in views], blockset, place, thick)
    shown = _shown(support)
    frames = frames[: min(shown + SPARE, MOST_LAYERS)]
    return Ladder(_settled(views, blockset, frames, place.thickness), shown)


def _settled(views: Sequence[View], blockset: BlockSet, frames: Array, thickness: float) -> Array:
    """Frames (N, 4) of layers, each moved to where it and its neighbours show best, some rounds over all."""
    reach = blockset.length_m.mean * ROOM
    full = [Steps.of(view, *FULL, _window(view, frames, reach)) for view in views]
    layers = [_Layer(full, blockset, frames, k, thickness) for k in range(1, len(frames) + 1)]
    frames = frames.copy()
    for _ in range(FIT_ROUNDS):
        for k, layer in enumerate(layers, 1):
            frames[k - 1] = layer.fitted(frames)
    return frames


def _window(view: View, frames: Array, reach_m: float) -> Window:
    """The part of the undistorted picture that shows a tower."""
    corners = [
        [x, y, z] for x in (-reach_m, reach_m) for y in (-reach_m, reach_m) for z in (-reach_m, reach_m)
    ]
    points = (frames[:, [0, 1, 3]][:, None] + np.array(corners)).reshape(-1, 3)
    straight = replace(view.camera, distortion=np.zeros(5))
    px, (width, height) = straight.project(points), view.camera.size_px
    low, high = np.floor(px.min(axis=0)).astype(int), np.ceil(px.max(axis=0)).astype(int)
    left, top = int(np.clip(low[0], 0, width - 8)), int(np.clip(low[1], 0, height - 8))
    return left, top, int(np.clip(high[0], left + 8, width)), int(np.clip(high[1], top + 8, height))


def _up(steps: Sequence[Steps], blockset: BlockSet, place: Place, thick: float) -> tuple[Array, Array]:
    """Frames (MOST_LAYERS, 4), and the score of each layer's own lines (MOST_LAYERS,)."""
    T = place.T_world_tower
    at = np.array([T[0, 3], T[1, 3], np.arctan2(T[1, 0], T[0, 0]), 0.0])
    ways = np.array(list(product(*(range(-n, n + 1) for n in UP_REACH))), dtype=float)
    near = np.concatenate([ways * UP_STEP, np.zeros((len(ways), 1))], axis=1)
    cost = np.abs(ways) @ UP_COST
    frames, support = [], []
    for k in range(1, MOST_LAYERS + 1):
        lines = lines_from(blockset, k, k, k + AHEAD - 1, POINTS, place.thickness)
        told = _scores_at(steps, lines, at + near)
        best = int((told - cost).argmax())
        if told[best] - cost[best] > told[len(near) // 2] + UP_GAIN:
            at = at + near[best]
        frames.append(at)
        support.append(_scores_at(steps, lines_from(blockset, k, k, k, POINTS, place.thickness), at[None])[0])
        at = at + np.array([0.0, 0.0, 0.0, thick])
    return np.array(frames), np.array(support)


def _shown(support: Array) -> int:
    """The number of layers at which what speaks for them exceeds what speaks against them most."""
    clear = support[support > SEEN]
    usual = float(np.median(clear)) if len(clear) else 1.0
    return int(np.argmax(np.cumsum(support - FAINT * usual))) + 1


class _Layer:
    """A layer that is fitted again and again: how clearly its lines show at a place is looked at once."""

    def __init__(
        self, steps: Sequence[Steps], blockset: BlockSet, frames: Array, k: int, thickness: float
    ) -> None:
        first, last = max(1, k - 1), min(len(frames), k + 1)
        self._steps, self._start = steps, frames[k - 1]
        self._lines = lines_from(blockset, k, first, last, POINTS, thickness)
        self._beside = [j - 1 for j in (k - 1, k + 1) if first <= j <= last]
        self._height = (k - 1) * blockset.height_m.mean * thickness
        self._at, self._told = np.zeros(4, dtype=np.int64), dict[tuple[int, ...], float]()

    def fitted(self, frames: Array) -> Array:
        """Frame (4,) at which its lines and those of its neighbours show best, by single steps."""
        middle = np.mean(frames[self._beside], axis=0)
        for _ in range(FIT_MOVES):
            near = self._at + _STEPS
            trials = self._start + near * FIT_STEP
            off, high = (trials - middle)[:, :3] / FIT_STEP[:3], (trials[:, 3] - self._height) / HEIGHT_SD_M
            told = self._scores(near) - off**2 @ FIT_PULL - high**2 / 2
            best = int(told.argmax())
            if told[best] <= told[len(_STEPS) // 2]:
                break
            self._at = near[best]
        return np.asarray(self._start + self._at * FIT_STEP)

    def _scores(self, near: Ints) -> Array:
        """Scores (M,) at so many steps (M, 4) from the start."""
        keys = [tuple(it) for it in near.tolist()]
        new = [key for key in keys if key not in self._told]
        if new:
            told = _scores_at(self._steps, self._lines, self._start + np.array(new) * FIT_STEP)
            self._told.update(zip(new, told.tolist(), strict=True))
        return np.array([self._told[key] for key in keys])


def _scores_at(steps: Sequence[Steps], lines: Array, at: Array) -> Array:
    """Scores (M,) of lines, given over the lower side of a layer, with that layer at `at` (M, 4)."""
    return scores(steps, lines, np.column_stack([at[:, :3], np.ones(len(at)), at[:, 3]]))
