"""What separates one face from the next in a picture: steps of brightness, and what this tower's wall shows of them.

Steps are counted on the logarithm of brightness, so that light and stain do not matter. How large they are on the lines
of a tower and on its plain faces is learned from the picture itself; both are told as log likelihood ratios by class of
step.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from perception.boxes import Bools, Ints
from perception.chamfer import BEVEL_M
from perception.judging import Pixels, exact
from perception.paint import NOTHING, Labels, paint, painting_order
from perception.sides import side_picture
from perception.stack import Stack
from perception.views import View
from robot.frames import Array

CLASSES, CLASS = 48, 1 / 60  # of steps of log brightness a pixel, and the width of one
BLUR_PX, DARKEST = 0.7, 10.0  # before the logarithm
PLAIN_PX = 2.5  # so far from every line a face is plain
MOST_ON, LEAST_OFF, MOST_OFF = 3.0, -3.0, 1.0  # of the ratios
UNSEEN_LINES = 0.25  # share of pixels of a face that may show a step nobody expects
SPREAD_LEAST, SPREAD_MOST = 0.10, 0.8  # of faces of one side of the tower, in log brightness
FEW = 60  # pixels of a side, below which nothing is learned of it
AROUND_PX = 25  # left out around the tower when the background's colour is learned
COLOURS, COLOUR_RANGE = 56, 1.6  # bins of a colour ratio, and their range to both sides of 0
ANY_COLOUR = 0.3  # share of background whose colour is not to be seen yet

DARK, BRIGHT = 3.0, 1.0  # below this log brightness colour tells nothing; so much above it all

Classes = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Portrait:
    """A view, and what the tower's wall looks like in it.

    Attributes:
        view: The picture.
        pixels: Log brightness, and three log likelihood ratios: of a line against a plain face, by the largest step
            within a pixel; of a plain face against anything, by the step at the pixel; and, from colour alone, of this
            tower's wood against its surroundings, for less where it is too dark to tell.
        level: Median log brightness (4,) of the tower's sides +x, -x, +y, -y.
    """

    view: View
    pixels: Pixels
    level: Array


def portrait(view: View, stack: Stack) -> Portrait:
    """What a view shows of a tower, learned from where blocks of a full one should be.

    Args:
        view: The picture.
        stack: A full tower; what is not as supposed is outvoted by the rest.
    """
    log_grey, step, near = _steps(view.grey)
    height, width = view.grey.shape
    order = painting_order(stack.layer, stack.boxes, view.camera.position_m())
    labels = paint(view.camera, stack.boxes, order, BEVEL_M, (0, 0, width, height)).labels
    side, border = side_picture(labels, stack), _borders(labels)
    far = cv2.distanceTransform((~border).astype(np.uint8), cv2.DIST_L2, 3) > PLAIN_PX
    plain_wall = far & (side >= 0)
    lines = border & (labels != NOTHING)
    level = _levels(log_grey, side, plain_wall)
    line = np.clip(np.log(_shares(near[lines]) / _shares(near[plain_wall])), -MOST_ON, MOST_ON)
    plain = _plain(_shares(step[plain_wall]), _shares(step[lines]))
    wood = _wood(view, labels, side >= 0) * np.clip((log_grey - DARK) / BRIGHT, 0.0, 1.0)
    spread = _spread(log_grey, labels, side, plain_wall, level)
    pixels = Pixels(exact(log_grey), exact(line)[near], exact(plain)[step], exact(wood), spread)
    return Portrait(view, pixels, level)


def _steps(grey: Array) -> tuple[Array, Classes, Classes]:
    logs = np.log(cv2.GaussianBlur(grey.astype(np.float32), (0, 0), BLUR_PX) + DARKEST)
    step = np.hypot(*(cv2.Scharr(logs, cv2.CV_32F, *d) / 32 for d in ((1, 0), (0, 1))))
    near = cv2.dilate(step, np.ones((3, 3), np.uint8))
    return logs.astype(np.float64), _classes(step), _classes(np.asarray(near))


def _classes(step: Array) -> Classes:
    return np.minimum(step / CLASS, CLASSES - 1).astype(np.int16)


def _borders(labels: Labels) -> Bools:
    """Pixels beside one with another label."""
    out = np.zeros(labels.shape, dtype=np.bool_)
    across, down = labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1]
    out[:, 1:] |= across
    out[:, :-1] |= across
    out[1:] |= down
    out[:-1] |= down
    return out


def _shares(classes: Classes) -> Array:
    """Share (CLASSES,) of pixels in each class, smoothed."""
    count = np.bincount(classes.ravel(), minlength=CLASSES).astype(float)
    smooth = np.convolve(np.pad(count, 2, mode="edge"), [0.1, 0.2, 0.4, 0.2, 0.1], "valid")
    smooth += 0.002 * count.sum() + 0.5
    return np.asarray(smooth / smooth.sum())


def _plain(plain: Array, lines: Array) -> Array:
    anything = (1 - UNSEEN_LINES) * plain + UNSEEN_LINES * lines
    return np.asarray(np.clip(np.log(plain / anything), LEAST_OFF, MOST_OFF))


def _levels(log_grey: Array, side: Ints, wall: Bools) -> Array:
    whole = float(np.median(log_grey[wall])) if wall.any() else float(np.median(log_grey))
    own = [log_grey[wall & (side == s)] for s in range(4)]
    return np.array([np.median(v) if len(v) > FEW else whole for v in own])


def _spread(log_grey: Array, labels: Labels, side: Ints, wall: Bools, level: Array) -> float:
    """How much one face's brightness differs from another's on the same side."""
    order = np.argsort(labels[wall], kind="stable")
    starts = np.unique(labels[wall][order], return_index=True)[1]
    values, sides = log_grey[wall][order], side[wall][order]
    off = [
        float(np.median(v)) - level[s[0]]
        for v, s in zip(np.split(values, starts[1:]), np.split(sides, starts[1:]), strict=True)
        if len(v) > FEW * 2 // 3
    ]
    return float(np.clip(1.6 * np.median(np.abs(off)) if off else SPREAD_MOST, SPREAD_LEAST, SPREAD_MOST))


def _wood(view: View, labels: Labels, walls: Bools) -> Array:
    chroma = view.chroma()
    tower = cv2.dilate((labels != NOTHING).astype(np.uint8), np.ones((AROUND_PX, AROUND_PX))) > 0
    wood, other = _colours(chroma[walls]), _colours(chroma[~tower])
    other = (1 - ANY_COLOUR) * other + ANY_COLOUR / COLOURS**2
    at = np.clip((chroma / COLOUR_RANGE + 1) / 2 * COLOURS, 0, COLOURS - 1).astype(int)
    ratio = cv2.blur(np.log(wood / other)[at[..., 0], at[..., 1]], (3, 3))
    return np.asarray(np.clip(ratio, -4.0, 2.0), dtype=np.float64)


def _colours(chroma: Array) -> Array:
    """Share (COLOURS, COLOURS) of pixels by their two colour ratios, smoothed."""
    reach = [-COLOUR_RANGE, COLOUR_RANGE]
    count = np.histogram2d(chroma[:, 0], chroma[:, 1], bins=COLOURS, range=[reach, reach])[0]
    smooth = cv2.GaussianBlur(count, (0, 0), 1.2)
    smooth += 0.05 * smooth.max() / COLOURS + 1e-3
    return np.asarray(smooth / smooth.sum())
