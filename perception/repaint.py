"""Pictures of labels painted again and again: laid over each other, and compared, many labels at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perception.paint import NOTHING, Labels
from robot.compiled import compiled

AT_ONCE = 16  # labels that are compared together: four words

Bytes = npt.NDArray[np.uint8]
Spots = npt.NDArray[np.int32]


@compiled
def lay(labels: Labels, over: Labels) -> None:
    """Lay a picture of labels over another of the same size."""
    to, of = labels.ravel(), over.ravel()
    for i in range(len(of)):
        to[i] = to[i] if of[i] == NOTHING else of[i]


@compiled
def copy(labels: Labels, of: Labels) -> None:
    """Make one picture of labels the same as another."""
    to, words = labels.ravel().view(np.int64), of.ravel().view(np.int64)
    for i in range(len(words)):
        to[i] = words[i]


@compiled
def widened(labels: Labels) -> Labels:
    """As wide as a multiple of AT_ONCE."""
    height, width = labels.shape
    out = np.full((height, (width + AT_ONCE - 1) // AT_ONCE * AT_ONCE), NOTHING, np.int16)
    out[:, :width] = labels
    return out


@compiled
def all_of(region: Bytes, spots: Spots) -> Spots:
    """All pixels of a region but those at its border (n, 2), put first into `spots`."""
    height, width = region.shape
    n = 0
    for r in range(1, height - 1):
        for c in range(1, width - 1):
            if region[r, c]:
                spots[n, 0], spots[n, 1] = r, c
                n += 1
    return spots[:n]


@compiled
def changed(
    now: Labels, then: Labels, region: Bytes, touched: Bytes, spots: Spots, first: int, last: int
) -> int:
    """Put the pixels of a region into `spots` that are or lie beside pixels which differ; returns how many.

    Only rows from `first` to `last` - 1 differ. `touched` is room to work in, all 0: the pixels with one more around,
    and so wide that eight can be looked at together.
    """
    height, width = region.shape
    old, new, eights = now.ravel().view(np.int64), then.ravel().view(np.int64), touched.ravel().view(np.int64)
    for i in range(first * now.shape[1] // 4, last * now.shape[1] // 4, 4):
        differs = (old[i] ^ new[i]) | (old[i + 1] ^ new[i + 1])
        differs |= (old[i + 2] ^ new[i + 2]) | (old[i + 3] ^ new[i + 3])
        if differs != 0:
            r, begin = 4 * i // now.shape[1], 4 * i % now.shape[1]
            for c in range(begin, min(begin + AT_ONCE, width)):
                if now[r, c] != then[r, c]:
                    touched[r, c + 1] = touched[r + 2, c + 1] = 1
                    touched[r + 1, c] = touched[r + 1, c + 1] = touched[r + 1, c + 2] = 1
    n = 0
    for i in range(first * touched.shape[1] // 8, (last + 2) * touched.shape[1] // 8):
        if eights[i] != 0:
            r, begin = 8 * i // touched.shape[1], 8 * i % touched.shape[1]
            for c in range(begin, begin + 8):
                if touched[r, c] and 1 < r < height and 1 < c < width and region[r - 1, c - 1]:
                    spots[n, 0], spots[n, 1] = r - 1, c - 1
                    n += 1
            eights[i] = 0
    return n
