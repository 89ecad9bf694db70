"""Where an edge really is: brightness across each piece of edge, and the shift at which the expected parts fit best.

No brightness is expected beforehand. The label picture says which parts (face, chamfer, the neighbour's chamfer, ...)
lie across a piece; their levels are free, and what they cannot explain is the cost of a trial shift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perception.compiled import compiled
from perception.edges import Pieces
from perception.paint import LabelPicture, Labels
from robot.frames import Array

ALONG = 12  # samples along a piece
STEP_PX = 0.5  # between samples across
HALF_PX = 3.5  # of the profile that is explained, on each side of the expected edge
INSIDE_PX = 1.3  # where the label picture is asked whether the face is visible
BLUR_PX = 0.5  # standard deviation of the optics
MOST_PARTS = 7
NOISE_LEVELS = 0.8  # of a profile's mean brightness, at least
_SHIFT_STEP_PX = 0.2


@compiled
def _label(labels: Labels, left: float, top: float, fine: int, u: float, v: float) -> int:
    column, row = int(np.round((u - left) * fine)), int(np.round((v - top) * fine))
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
def _profile(
    image: Array,
    labels: Labels,
    frame: Array,
    piece: Array,
    wanted: Array,
    profile: Array,
    cover: Array,
    parts: Array,
) -> float:
    """Fill the mean brightness across one piece and the cover of each part there; returns the visible share.

    `frame`: left, top, fine; `piece`: start, end, normal; `wanted`: labels inside and outside (negative: any);
    `profile` (S,) at steps STEP_PX; `cover` (C, MOST_PARTS) at steps STEP_PX / 2 over a wider range; `parts` (MOST_PARTS,).
    """
    left, top, fine = frame[0], frame[1], int(frame[2])
    height, width = image.shape
    half_s, half_c = (len(profile) - 1) / 2 * 0.5, (len(cover) - 1) / 2 * 0.25
    profile[:] = 0.0
    cover[:] = 0.0
    parts[:] = -9
    seen = 0
    for k in range(12):
        a = (k + 0.5) / 12
        u, v = piece[0] + (piece[2] - piece[0]) * a, piece[1] + (piece[3] - piece[1]) * a
        reach = half_c + 2
        if not (reach < u < width - reach - 1 and reach < v < height - reach - 1):
            continue
        if _label(labels, left, top, fine, u - 1.3 * piece[4], v - 1.3 * piece[5]) != wanted[0]:
            continue
        if (
            wanted[1] >= 0
            and _label(labels, left, top, fine, u + 1.3 * piece[4], v + 1.3 * piece[5]) != wanted[1]
        ):
            continue
        seen += 1
        for j in range(len(profile)):
            s = j * 0.5 - half_s
            profile[j] += _bilinear(image, u + s * piece[4], v + s * piece[5])
        for j in range(len(cover)):
            s = j * 0.25 - half_c
            label = _label(labels, left, top, fine, u + s * piece[4], v + s * piece[5])
            slot = len(parts) - 1
            for m in range(len(parts)):
                if parts[m] == label or parts[m] == -9:
                    parts[m] = label
                    slot = m
                    break
            cover[j, slot] += 1.0
    if seen > 0:
        profile /= seen
        cover /= seen
    return seen / 12


@compiled
def _blur(cover: Array, kernel: Array, out: Array) -> None:
    n, half = len(cover), len(kernel) // 2
    for j in range(n):
        for m in range(cover.shape[1]):
            total = 0.0
            for k in range(len(kernel)):
                total += kernel[k] * cover[min(max(j + k - half, 0), n - 1), m]
            out[j, m] = total


@compiled
def _unexplained(profile: Array, basis: Array, work: Array) -> float:
    """Sum of squares of `profile` (S,) that the columns of `basis` (S, K) cannot explain."""
    rest = profile.copy()
    used = 0
    for m in range(basis.shape[1]):
        column = basis[:, m].copy()
        size = (column * column).sum()
        if size < 0.05:
            continue
        for k in range(used):
            column -= (work[k] * column).sum() * work[k]
        norm = (column * column).sum()
        if norm < 0.02:
            continue
        work[used] = column / np.sqrt(norm)
        rest -= (work[used] * rest).sum() * work[used]
        used += 1
    return float((rest * rest).sum())


@compiled
def _fit_all(
    image: Array,
    labels: Labels,
    frame: Array,
    pieces: Array,
    wanted: Array,
    shifts: Array,
    kernel: Array,
    half_px: float,
) -> tuple[Array, Array, Array]:
    n_s = int(round(half_px / 0.5)) * 2 + 1
    n_c = int(round((half_px + shifts[-1] + 0.5) / 0.25)) * 2 + 1
    n = len(pieces)
    cost, share, total = np.zeros((n, len(shifts))), np.zeros(n), np.zeros(n)
    profile, cover, soft = np.zeros(n_s), np.zeros((n_c, 7)), np.zeros((n_c, 7))
    parts, work, basis = np.zeros(7), np.zeros((7, n_s)), np.zeros((n_s, 7))
    for i in range(n):
        share[i] = _profile(image, labels, frame, pieces[i], wanted[i], profile, cover, parts)
        if share[i] < 0.25:
            continue
        _blur(cover, kernel, soft)
        level = profile.mean()
        total[i] = ((profile - level) ** 2).sum()
        for d in range(len(shifts)):
            for j in range(n_s):
                at = (j * 0.5 - (n_s - 1) / 2 * 0.5 - shifts[d]) / 0.25 + (n_c - 1) / 2
                low = int(np.floor(at))
                part = at - low
                for m in range(7):
                    basis[j, m] = (1 - part) * soft[low, m] + part * soft[min(low + 1, n_c - 1), m]
            cost[i, d] = _unexplained(profile - level, basis, work)
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
    n = int(round(reach_px / _SHIFT_STEP_PX))
    shifts = np.arange(-n, n + 1) * _SHIFT_STEP_PX
    x = np.arange(-6, 7) * STEP_PX / 2
    kernel = np.exp(-0.5 * (x / BLUR_PX) ** 2)
    stacked = np.concatenate([pieces.start_px, pieces.end_px, pieces.normal_px], axis=1)
    wanted = np.stack([pieces.inside, pieces.outside], axis=1).astype(np.float64)
    frame = np.array([expected.left, expected.top, expected.fine])
    cost, share, total = _fit_all(
        image, expected.labels, frame, stacked, wanted, shifts, kernel / kernel.sum(), HALF_PX
    )
    return _believed(cost, shifts, share, total, reach_px / 2)


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
