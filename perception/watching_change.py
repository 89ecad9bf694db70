"""Where two pictures of one camera differ, told apart by whether light alone could have done it.

Light multiplies: it may brighten or dim everything, tint everything, and lay a shadow anywhere. It cannot give a thing
another colour than its neighbours', nor take away the fine detail of what it falls on. What did either is a change of
substance. A change of brightness alone, as of a grey sleeve before a grey wall, may be either.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import Bools
from perception.views import DARKEST, View
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Image

COLUMNS = 320  # of the small pictures that are compared
SOFT_PX = 1.2  # blur before colours are compared, and by how much it lowers noise
SOFTER = 4.2
TINGE = (
    0.15  # change of a log colour ratio against the rest of the picture that lamps of two colours do not make
)
TINGE_OF_BRIGHT = 0.40  # the same where a colour is saturated: overexposed wood turns white
LEVEL = 0.12  # change of log brightness against the rest of the picture that is seen
DARKER_THAN_SHADOW = 1.9  # change of log brightness that no shadow of a lit room makes
SURE = 4.0  # standard deviations of noise
WINDOW_PX = 7
LOST = 0.7  # share of a window's detail that is gone
LEAST_DETAIL = 0.06  # of the window's brightness, below which it has none
SATURATED = 245.0  # levels


@dataclass(frozen=True)
class Change:
    """How a picture differs from an earlier one of the same camera, at `COLUMNS` columns.

    Attributes:
        substance: Pixels (rows, columns) that light alone cannot have changed so.
        level: Pixels whose brightness changed against that of the whole; both kinds of change make this.
        gain: By how much the whole grew brighter, blue, green and red (3,).
    """

    substance: Bools
    level: Bools
    gain: Array

    @property
    def any(self) -> Bools:
        """Pixels that changed, by whatever."""
        return np.asarray(self.substance | self.level)

    @property
    def share(self) -> float:
        """Share of the picture that changed."""
        return float(self.any.mean())


def changed(before: View, after: View) -> Change:
    """What differs, after the gain of each colour over the whole picture has been taken out.

    Raises:
        PerceptionError: The pictures are of different sizes.
    """
    if before.image.shape != after.image.shape:
        raise PerceptionError(
            f"pictures of camera {after.camera.name!r} cannot be compared: they are {before.image.shape} and "
            f"{after.image.shape}; leave the camera's size as it is",
            reason="wrong-resolution",
        )
    first, second = _small(before.image), _small(after.image)
    noise = max(_noise(first), _noise(second), 0.2)
    whole = np.median((_log(second) - _log(first)).reshape(-1, 3), axis=0)
    expected = np.minimum((first + DARKEST) * np.exp(whole) - DARKEST, 255.0)
    ratio = _log(second) - _log(expected)  # (rows, columns, 3)
    clipped, clipped_before = (x.max(axis=-1) >= SATURATED for x in (np.maximum(first, second), first))
    dark = np.minimum(first, second).min(axis=-1) + DARKEST
    doubt = SURE * noise / SOFTER / dark  # of a log ratio
    tinge = np.maximum(abs(ratio[..., 2] - ratio[..., 1]), abs(ratio[..., 1] - ratio[..., 0]))
    brighter = ratio.mean(axis=-1)
    substance = tinge > np.hypot(np.where(clipped, TINGE_OF_BRIGHT, TINGE), 2 * doubt)
    substance |= (abs(brighter) > DARKER_THAN_SHADOW) & ~clipped
    substance |= _detail_lost(first.mean(axis=-1), second.mean(axis=-1), noise)
    level = (abs(brighter) > np.hypot(LEVEL, 2 * doubt)) & ~(clipped_before & (brighter > 0))
    return Change(np.asarray(substance), np.asarray(level), np.exp(whole))


def _small(image: Image) -> Array:
    """The picture (rows, COLUMNS, 3) with less noise."""
    share = COLUMNS / image.shape[1]
    small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32)


def _log(small: Array) -> Array:
    return np.asarray(np.log(cv2.GaussianBlur(small, (0, 0), SOFT_PX) + DARKEST))


def _noise(small: Array) -> float:
    """Standard deviation of a small picture's noise (Immerkaer's mask, by the median, so that edges do not count)."""
    grey = np.ascontiguousarray(small[..., 1])
    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float32)
    return float(1.4826 * np.median(abs(cv2.filter2D(grey, -1, mask))) / 6)


def _detail_lost(first: Array, second: Array, noise: float) -> Bools:
    """Where the detail of the first is not found in the second, whatever gain and offset it has there."""
    mean, mean_after = _around(first), _around(second)
    spread, spread_after = _around(first * first) - mean**2, _around(second * second) - mean_after**2
    both = np.maximum(_around(first * second) - mean * mean_after, 0.0)
    lost = spread - both**2 / np.maximum(spread_after, 1e-3)
    least = (LEAST_DETAIL * (mean + DARKEST)) ** 2 + (SURE * noise) ** 2
    return np.asarray((lost > LOST * spread) & (spread > least))


def _around(values: Array) -> Array:
    return np.asarray(cv2.blur(values, (WINDOW_PX, WINDOW_PX), borderType=cv2.BORDER_REFLECT))
