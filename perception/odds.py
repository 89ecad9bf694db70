"""How sure it is that a slot holds a block: log odds from the evidence for its best block against none.

Evidence counts less the more there is of it, so that no one kind and no one view (a hand in front of it) decides alone.
The weights were fitted by logistic regression on rendered towers with known truth, checked on towers left out, and
rounded; `benchmarks/reading.py` shows how good they are on pictures of another renderer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import Boxes, joined
from perception.chamfer import BEVEL_M, LABELS_PER_BOX
from perception.contours import Portrait
from perception.layer_choice import IN_PLACE_M, SlotChoice
from perception.paint import paint, painting_order, window_of
from perception.sides import tower_side
from perception.stack import Stack
from robot.frames import Array

MOST = np.array([12.0, 8.0, 12.0, 8.0])  # evidence of each kind beyond which more says nothing
BY_KIND = np.array([0.22, 0.21, 0.135, 0.07])  # log odds by evidence of each kind
END_SHOWS = 2.8  # an end of the block would show in a view
BRIGHTER, BRIGHTER_MOST = (
    -1.65,
    3.0,
)  # by spreads that it is brighter there than wood: paper, a wall, the window
DARKER_MOST = 1.8  # the same of darker ones, where they count: a mixed set has dark blocks
UNEVEN = -6.7  # standard deviation of log brightness there: several things show
UNEVEN_PUSHED = -3.3  # the same where a block stands out or back: its neighbours' shadows lie on its end
PUSHED, USUAL = -2.2, -1.24  # a block out of its place; a block nothing speaks of
LEAST_PIXELS, LEAST_INNER = 25, 15  # of an end that shows
MARGIN_PX = 3


@dataclass(frozen=True)
class EndShown:
    """What a picture shows where a block's end should be: log brightness over the wall's, and its deviation."""

    over: float
    sd: float


def log_odds(
    looks: Sequence[Portrait],
    k: int,
    choice: SlotChoice,
    others: Stack,
    size_m: Array,
    darker: float = 0.0,
) -> float:
    """Log odds that a slot of layer k holds its best block.

    Args:
        looks: The views.
        k: The layer.
        choice: The best block.
        others: The other blocks near it.
        size_m: Of the block (3,).
        darker: Log odds by spreads that it is darker there than wood: they count against a block, but not for a gap.
    """
    gain = choice.with_block - choice.without
    out = float((MOST * np.tanh(gain / MOST) @ BY_KIND).sum())
    pushed = abs(choice.out_m) > IN_PLACE_M
    uneven, against = UNEVEN_PUSHED if pushed else UNEVEN, 0.0
    for look in looks:
        shown = _end_shown(look, k, choice.T_world_block, others, size_m)
        if shown is not None:
            bright = min(max(shown.over / look.pixels.spread, 0.0), BRIGHTER_MOST)
            against += darker * min(max(-shown.over / look.pixels.spread, 0.0), DARKER_MOST)
            out += END_SHOWS + BRIGHTER * bright + uneven * shown.sd
    out += USUAL + (PUSHED if pushed else 0.0)
    return max(out - against, min(out, 0.0))


def _end_shown(look: Portrait, k: int, T: Array, others: Stack, size_m: Array) -> EndShown | None:
    """The end of a block that shows most, were it there; None where none does."""
    boxes = joined([others.boxes, Boxes(T[None], size_m[None])])
    layer = np.append(others.layer, k)
    camera = look.view.camera
    window = window_of(camera, Boxes(T[None], size_m[None]), MARGIN_PX)
    order = painting_order(layer, boxes, camera.position_m())
    labels = paint(camera, boxes, order, BEVEL_M, window).labels
    ends = [labels == (len(boxes) - 1) * LABELS_PER_BOX + part for part in (0, 1)]
    part = int(np.argmax([end.sum() for end in ends]))
    if ends[part].sum() < LEAST_PIXELS:
        return None
    inner = cv2.erode(ends[part].astype(np.uint8), np.ones((3, 3))) > 0
    left, top, right, bottom = window
    value = look.pixels.log_grey[top:bottom, left:right].astype(np.float64)[
        inner if inner.sum() >= LEAST_INNER else ends[part]
    ]
    return EndShown(
        float(value.mean() - look.level[tower_side(np.array(part), np.array(k))]), float(value.std())
    )
