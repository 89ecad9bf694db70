"""Blocks that moved by more than a few pixels: every shift of a grid tried, on pixels spread over their faces."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from perception.boxes import Bools, Boxes, Ints
from perception.patches import lens_of, project
from perception.register import WINDOW_PX, Pair, agreement, followed
from robot.compiled import compiled
from robot.frames import Array, inverse

# Blocks are pushed along their length; what they drag lies across them, and moves across its own
FAR_M, NEAR_M = 0.75e-3 * np.arange(-16, 17), 0.75e-3 * np.arange(-2, 3)
PIXELS = 200  # of a block in a view
ROUNDS = 5
CANDIDATES = 4


def best_shifts(pairs: Sequence[Pair], boxes: Boxes, layer: Ints, moved: Array, lost: Bools) -> Array:
    """Motions (N, 6) in which those of lost blocks are replaced by the best that the search finds."""
    centre = np.ascontiguousarray(boxes.centres_m)
    part = [pair.take(lost[pair.where.block]) for pair in pairs]
    part = [pair for pair in part if len(pair.was)]
    best, most = moved.copy(), _agreeing(part, centre, moved)
    trials = _grid(boxes)
    order = np.argsort(-_scores(pairs, trials, lost), axis=1)[:, :CANDIDATES]
    starts = np.take_along_axis(trials, order[..., None], axis=1).transpose(1, 0, 2)
    for shift in [_neighbours(layer, moved, lost), *starts]:
        _, end = followed(part, centre, np.concatenate([shift, np.zeros_like(shift)], axis=1), ROUNDS)
        agreeing = _agreeing(part, centre, end)
        better = lost & (agreeing > most)
        best[better], most[better] = end[better], agreeing[better]
    return best


def _neighbours(layer: Ints, moved: Array, lost: Bools) -> Array:
    """Shift (N, 3) of the blocks in the nearest layers of which something is known: a tower leans as a whole."""
    out = np.zeros((len(layer), 3))
    known = np.flatnonzero(~lost)
    for i in range(len(layer)):
        near = known[np.argsort(np.abs(layer[known] - layer[i]), kind="stable")[:5]]
        if len(near):
            out[i] = np.median(moved[near, :3], axis=0)
    return out


def _grid(boxes: Boxes) -> Array:
    """Shifts (N, G, 3) of each block: far along its length and a little across, and the other way round."""
    far, near = (x.ravel() for x in np.meshgrid(FAR_M, NEAR_M))
    a, b = np.concatenate([far, near]), np.concatenate([near, far])
    return np.asarray(a[None, :, None] * boxes.T[:, None, :3, 0] + b[None, :, None] * boxes.T[:, None, :3, 1])


def _agreeing(pairs: Sequence[Pair], centre: Array, moved: Array) -> Array:
    """How much detail (N,) of each block looks as before, over all views."""
    all_views = [agreement(pair, centre, moved) for pair in pairs]
    return np.asarray(np.sum([a.grain * a.share for a in all_views], axis=0))


def _scores(pairs: Sequence[Pair], trials: Array, lost: Bools) -> Array:
    """How alike (N, G) lost blocks are under every shift; one view that agrees well outweighs two that do a little."""
    out = np.zeros(trials.shape[:2])
    for pair in pairs:
        chosen = _spread(pair.where.block, lost)
        where = pair.where.take(chosen)
        was = pair.detail(pair.was)[0][chosen]
        after = pair.after - cv2.blur(pair.after, (WINDOW_PX, WINDOW_PX))
        T = np.ascontiguousarray(inverse(pair.camera.T_world_camera)[:3])
        alike = _correlations(after, lens_of(pair.camera), T, where.p_world_m, where.block, was, trials)
        out += np.maximum(alike, 0.0) ** 3
    return out


@compiled
def _correlations(
    after: Array, lens: Array, T: Array, p_world_m: Array, block: Ints, was: Array, trials: Array
) -> Array:
    """Correlation (N, G) of the detail before with the picture's detail after, for every shift of every block."""
    n, g = trials.shape[0], trials.shape[1]
    product, now_size, was_size = np.zeros((n, g)), np.full((n, g), 1e-6), np.full(n, 1e-6)
    height, width = after.shape
    for i in range(len(p_world_m)):
        b = block[i]
        was_size[b] += was[i] * was[i]
        for k in range(g):
            u, v = project(p_world_m[i] + trials[b, k], lens, T)
            c, r = int(u), int(v)
            if not (0 <= c < width - 1 and 0 <= r < height - 1):
                continue
            x, y = u - c, v - r
            low = (1 - x) * after[r, c] + x * after[r, c + 1]
            high = (1 - x) * after[r + 1, c] + x * after[r + 1, c + 1]
            now = (1 - y) * low + y * high
            product[b, k] += was[i] * now
            now_size[b, k] += now * now
    for b in range(n):
        for k in range(g):
            product[b, k] /= np.sqrt(now_size[b, k] * was_size[b])
    return product


def _spread(block: Ints, lost: Bools) -> Ints:
    """Indices of pixels of lost blocks, about PIXELS a block, spread evenly."""
    own = np.flatnonzero(lost[block])
    order = own[np.argsort(block[own], kind="stable")]
    counts = np.bincount(block[order], minlength=len(lost))
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    stride = np.maximum(counts // PIXELS, 1)
    return np.asarray(order[rank % stride[block[order]] == 0])
