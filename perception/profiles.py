"""Where an edge really is: brightness across each piece of edge, and the shift at which the expected parts fit best.

No brightness is expected beforehand. The label picture says which parts (face, chamfer, the neighbour's chamfer, ...)
lie across a piece; their levels are free, and what they cannot explain is the cost of a trial shift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perception.edges import Pieces
from perception.paint import LabelPicture, Labels
from robot.compiled import compiled
from robot.frames import Array

ALONG = 12  # samples along a piece
STEP_PX = 0.5  # between samples of brightness across
SHIFT_PX = 0.25  # between trial shifts, and between samples of the label picture: half of STEP_PX
HALF_PX = 3.5  # of the profile that is explained, on each side of the expected edge
INSIDE_PX = 1.3  # where the label picture is asked whether the face is visible
BLUR_PX = 0.6  # standard deviation of the optics
MOST_PARTS = 7
NOISE_LEVELS = 0.8  # of a profile's mean brightness, at least
LEAST_PART = 0.02  # a part that hardly covers any of the profile is not fitted


@compiled
def _label(labels: Labels, frame: Array, u: float, v: float) -> int:
    """The label at a pixel; `frame`: left, top, samples a pixel."""
    column, row = int(np.round((u - frame[0]) * frame[2])), int(np.round((v - frame[1]) * frame[2]))
    if 0 <= row < labels.shape[0] and 0 <= column < labels.shape[1]:
        return int(labels[row, column])
    return -1


@compiled
def _bilinear(image: Array, u: float, v: float) -> float:
    c, r = int(u), int(v)
    x, y = u - c, v - r
    low = (1 - x) * image[r, c] + x * image[r, c + 1]
    high = (1 - x) * image[r + 1, c] + x * image[r + 1, c + 1]
    return float((1 - y) * low + y * high)


@compiled
def _visible(
    shape: tuple[int, int], labels: Labels, frame: Array, piece: Array, reach: float, at: Array
) -> int:
    """How many of the points along a piece are seen; their places (ALONG, 2) are put first into `at`.

    `piece`: start, end, normal, and the labels that must be seen inside and, unless negative, outside.
    """
    seen = 0
    for k in range(ALONG):
        a = (k + 0.5) / ALONG
        u, v = piece[0] + (piece[2] - piece[0]) * a, piece[1] + (piece[3] - piece[1]) * a
        du, dv = INSIDE_PX * piece[4], INSIDE_PX * piece[5]
        if not (reach < u < shape[1] - 1 - reach and reach < v < shape[0] - 1 - reach):
            continue
        if _label(labels, frame, u - du, v - dv) != piece[6]:
            continue
        if piece[7] < 0 or _label(labels, frame, u + du, v + dv) == piece[7]:
            at[seen, 0], at[seen, 1] = u, v
            seen += 1
    return seen


@compiled
def _brightness(image: Array, at: Array, piece: Array, profile: Array) -> None:
    """Mean brightness (S,) across a piece, over the points (n, 2)."""
    profile[:] = 0.0
    half = (len(profile) - 1) / 2
    for k in range(len(at)):
        for j in range(len(profile)):
            s = (j - half) * STEP_PX
            profile[j] += _bilinear(image, at[k, 0] + s * piece[4], at[k, 1] + s * piece[5]) / len(at)


@compiled
def _cover(labels: Labels, frame: Array, at: Array, piece: Array, cover: Array) -> int:
    """Share (MOST_PARTS, C) of each part across a piece, over the points (n, 2); returns the number of parts."""
    cover[:] = 0.0
    names = np.full(MOST_PARTS, -9)
    used = 0
    half = (cover.shape[1] - 1) / 2
    for k in range(len(at)):
        for j in range(cover.shape[1]):
            s = (j - half) * SHIFT_PX
            label = _label(labels, frame, at[k, 0] + s * piece[4], at[k, 1] + s * piece[5])
            m = 0
            while m < used and names[m] != label:
                m += 1
            if m == used and used < MOST_PARTS:
                names[m] = label
                used += 1
            cover[min(m, MOST_PARTS - 1), j] += 1.0 / len(at)
    return used


@compiled
def _blur(cover: Array, used: int, kernel: Array, soft: Array) -> None:
    n, half = cover.shape[1], len(kernel) // 2
    for m in range(used):
        for j in range(n):
            total = 0.0
            for k in range(len(kernel)):
                total += kernel[k] * cover[m, min(max(j + k - half, 0), n - 1)]
            soft[m, j] = total


@compiled
def _unexplained(profile: Array, soft: Array, used: int, first: int, base: Array, rest: Array) -> float:
    """Sum of squares of `profile` (S,) that the parts cannot explain when they are taken from sample `first` on.

    `base` (MOST_PARTS, S) and `rest` (S,) are room to work in (Gram-Schmidt).
    """
    n = len(profile)
    rest[:] = profile
    kept = 0
    for m in range(used):
        for j in range(n):
            base[kept, j] = soft[m, first + 2 * j]
        for k in range(kept):
            along = 0.0
            for j in range(n):
                along += base[k, j] * base[kept, j]
            for j in range(n):
                base[kept, j] -= along * base[k, j]
        size, along = 0.0, 0.0
        for j in range(n):
            size += base[kept, j] * base[kept, j]
            along += base[kept, j] * rest[j]
        if size < LEAST_PART:
            continue
        for j in range(n):
            rest[j] -= along / size * base[kept, j]
            base[kept, j] /= np.sqrt(size)
        kept += 1
    total = 0.0
    for j in range(n):
        total += rest[j] * rest[j]
    return total


@compiled
def _fit_all(
    image: Array, labels: Labels, frame: Array, pieces: Array, n_shifts: int, kernel: Array
) -> tuple[Array, Array, Array]:
    """For every piece (P, 8): what each trial shift leaves unexplained (P, D), visible share (P,), total (P,)."""
    n, n_s = len(pieces), round(HALF_PX / STEP_PX) * 2 + 1
    n_c = 2 * n_s - 1 + n_shifts - 1
    cost, share, total = np.zeros((n, n_shifts)), np.zeros(n), np.zeros(n)
    at, profile, rest = np.zeros((ALONG, 2)), np.zeros(n_s), np.zeros(n_s)
    cover, soft = np.zeros((MOST_PARTS, n_c)), np.zeros((MOST_PARTS, n_c))
    base = np.zeros((MOST_PARTS, n_s))
    for i in range(n):
        seen = _visible(image.shape, labels, frame, pieces[i], n_c * SHIFT_PX / 2 + 2, at)
        share[i] = seen / ALONG
        if seen < ALONG // 4:
            continue
        _brightness(image, at[:seen], pieces[i], profile)
        used = _cover(labels, frame, at[:seen], pieces[i], cover)
        _blur(cover, used, kernel, soft)
        profile -= profile.mean()
        total[i] = (profile * profile).sum()
        for d in range(n_shifts):  # the parts shifted outwards are the parts read further inside
            cost[i, d] = _unexplained(profile, soft, used, n_shifts - 1 - d, base, rest)
    return cost, share, total


@dataclass(frozen=True)
class Offsets:
    """How far edges lie from where they were expected.

    Attributes:
        offset_px: Along each piece's normal (P,).
        sd_px: Standard deviation (P,).
        share: Visible share of each piece (P,).
        unexplained: Share of the profile's variance (P,) that no shift explains.
    """

    offset_px: Array
    sd_px: Array
    share: Array
    unexplained: Array


def measure(image: Array, expected: LabelPicture, pieces: Pieces, reach_px: float) -> Offsets:
    """Offsets of pieces, each searched within `reach_px` of where it is expected.

    Args:
        image: Brightness (rows, columns).
        expected: What the picture shows if the expectation is right.
        pieces: The expected edges.
        reach_px: Largest offset tried.
    """
    n = round(reach_px / SHIFT_PX)
    shifts = np.arange(-n, n + 1) * SHIFT_PX
    x = np.arange(-6, 7) * SHIFT_PX
    kernel = np.exp(-0.5 * (x / BLUR_PX) ** 2)
    ends = np.concatenate([pieces.start_px, pieces.end_px, pieces.normal_px], axis=1)
    table = np.concatenate([ends, pieces.inside[:, None], pieces.outside[:, None]], axis=1)
    frame = np.array([expected.left, expected.top, expected.fine])
    cost, share, total = _fit_all(image, expected.labels, frame, table, len(shifts), kernel / kernel.sum())
    return _believed(cost, np.asarray(shifts, dtype=float), share, total, reach_px / 2)


def _believed(cost: Array, shifts: Array, share: Array, total: Array, spread_px: float) -> Offsets:
    """Offset and its standard deviation from the costs of all trial shifts, so that a doubtful piece says little.

    The shifts are expected to spread by `spread_px`; what that expectation adds is taken out again at the end, so that
    only what the picture itself says remains.
    """
    least = cost.min(axis=1, keepdims=True)
    noise = np.maximum(least * STEP_PX / (2 * HALF_PX - 4), NOISE_LEVELS**2)
    expected = -0.5 * (shifts / spread_px) ** 2
    belief = np.exp(-(cost - least) * STEP_PX / (2 * noise) + expected)
    belief /= belief.sum(axis=1, keepdims=True)
    mean = belief @ shifts
    variance = np.maximum((belief * (shifts - mean[:, None]) ** 2).sum(axis=1), 1e-4)
    prior = np.exp(expected) / np.exp(expected).sum()
    prior_variance = float((prior * shifts**2).sum())
    told = np.maximum(1 / variance - 1 / prior_variance, 1e-6)
    return Offsets(mean / variance / told, 1 / np.sqrt(told), share, (least[:, 0]) / np.maximum(total, 1e-9))
