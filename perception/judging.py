"""How well blocks supposed to be there explain a part of a picture: four kinds of evidence, none of which is enough.

Lines: where one face ends and another begins, brightness should step. Plain: elsewhere on a face it should not. Wood: a
face should have this tower's colour. Level: faces in the tower's wall should be as bright as the wall, and what a hole
shows is darker.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perception.boxes import N_FACES, Bools, Ints
from perception.chamfer import LABELS_PER_BOX, PARTS
from perception.paint import NOTHING, Labels, Room, put, room_for
from perception.repaint import Bytes, Spots, all_of, changed, copy, lay, widened
from perception.sides import TURNED, UPRIGHT
from perception.views import Singles
from robot.compiled import compiled
from robot.frames import Array

LINES, PLAIN, WOOD, LEVEL = range(4)
KINDS = 4
WALL, INNER, VEILED = range(3)  # faces in the tower's wall, inside it, and those of which nothing is known
# How much a pixel's evidence counts where blocks are looked for (neighbours are not independent); LEVEL is by face.
PIXEL_WEIGHT = np.array([0.10, 0.12, 0.03, 1.5])
INNER_PLAIN = 0.6  # as much is expected of inner faces: shadows lie on them
LEAST_PIXELS, ENOUGH_PIXELS = 6, 40  # of a face, for its brightness to count at all, and in full
MOST_OFF = 25.0  # squared deviations that a face's brightness costs at most
BRIGHTER, BRIGHTER_SD = 0.1, 0.25  # an inner face may be this much brighter than the wall, in log brightness
EXACT = 2.0**-20  # evidence of a pixel comes in multiples of this
# Widths that a block's middle is away from the tower's, at least, if its long side lies in the wall.
IN_WALL = 0.6


Images = tuple[Singles, Singles, Singles, Singles]


class Pixels(NamedTuple):
    """What the pixels of a picture tell (rows, columns), each in whole multiples of `EXACT`: sums of them are exact.

    Log brightness, evidence for a line, evidence for a plain face, and evidence for wood; `spread` is that of a
    `Portrait`.
    """

    log_grey: Singles
    line: Singles
    plain: Singles
    wood: Singles
    spread: float


class Faces(NamedTuple):
    """What kind of face each label is (labels,), and how bright it should be in log brightness (labels,)."""

    kind: Ints
    expected: Array


class Stage(NamedTuple):
    """A part of a picture as it is painted (rows, columns): what lies behind the blocks in question, and before them.

    `left`, `top`: its first column and row in the picture.
    """

    behind: Labels
    before: Labels
    left: int
    top: int


class Actors(NamedTuple):
    """Blocks in question: vertices (C, 24, 2) [px], parts that face the camera (C, 26), box (C,) with whose labels."""

    px: Array
    facing: Bools
    box: Ints


def exact(values: Array) -> Singles:
    """Rounded to whole multiples of `EXACT`; within 8 of 0 a single float holds them, a double their sums."""
    return np.asarray(np.round(values / EXACT) * EXACT, dtype=np.float32)


@compiled
def _count(
    sums: Array,
    faces: Array,
    sign: float,
    images: Images,
    labels: Labels,
    kind: Ints,
    spots: Spots,
    top: int,
    left: int,
) -> None:
    """Add (or with `sign` -1 take away) what some pixels tell, whose rows and columns are `spots` (n, 2).

    `sums` (4,): lines, plain wall, plain inner faces, wood; `faces` (labels, 2): pixels, and their log brightness.
    """
    log_grey, line, plain, wood = images
    lines, wall, inner, colour = 0.0, 0.0, 0.0, 0.0
    for i in range(len(spots)):
        r, c = spots[i, 0], spots[i, 1]
        k = labels[r, c]
        up, down, before, after = labels[r - 1, c], labels[r + 1, c], labels[r, c - 1], labels[r, c + 1]
        if k != up or k != down or k != before or k != after:
            veiled = _veiled(kind, k) or _veiled(kind, up) or _veiled(kind, down)
            if not (veiled or _veiled(kind, before) or _veiled(kind, after)):
                lines += line[top + r, left + c]
        elif k >= 0 and k % LABELS_PER_BOX < N_FACES and kind[k] != VEILED:
            faces[k, 0] += sign
            faces[k, 1] += sign * log_grey[top + r, left + c]
            wall += plain[top + r, left + c] if kind[k] == WALL else 0.0
            inner += plain[top + r, left + c] if kind[k] != WALL else 0.0
            colour += wood[top + r, left + c]
    sums[0] += sign * lines
    sums[1] += sign * wall
    sums[2] += sign * inner
    sums[3] += sign * colour


@compiled
def _veiled(kind: Ints, label: int) -> bool:
    return bool(label >= 0 and kind[label] == VEILED)


@compiled
def _evidence(sums: Array, faces: Array, kind: Ints, expected: Array, spread: float, out: Array) -> None:
    """Put the evidence of each kind into `out` (KINDS,)."""
    out[LINES], out[PLAIN], out[WOOD] = sums[0], sums[1] + INNER_PLAIN * sums[2], sums[3]
    out[LEVEL], usual = 0.0, np.log(spread)
    for k in range(len(faces)):
        if faces[k, 0] < LEAST_PIXELS:
            continue
        off = faces[k, 1] / faces[k, 0] - expected[k]
        if kind[k] == WALL:
            told = -0.5 * min((off / spread) ** 2, MOST_OFF) - usual - 1.0
        else:
            told = -1.1 - 0.5 * min((max(0.0, off - BRIGHTER) / BRIGHTER_SD) ** 2, 12.0)
        out[LEVEL] += told * min(1.0, faces[k, 0] / ENOUGH_PIXELS)


@compiled
def _judge(
    images: Images, spread: float, stage: Stage, region: Bytes, actors: Actors, ways: Ints, faces: Faces
) -> Array:
    """Evidence (A, KINDS): of the first way pixel by pixel, of every other by the pixels that it changes."""
    left, top, kind = stage.left, stage.top, faces.kind
    behind, before = widened(stage.behind), widened(stage.before)
    now, then, none = behind.copy(), np.empty_like(behind), np.empty_like(before)
    spots = np.empty((region.size, 2), np.int32)
    touched = np.zeros((len(region) + 2, (region.shape[1] + 9) // 8 * 8), np.uint8)
    room, rows = room_for(len(behind)), np.empty((2, 2), np.int64)
    sums, levels, out = np.zeros(4), np.zeros((len(kind), 2)), np.empty((len(ways), KINDS))
    low, high = _unlike(ways)
    _put_all(behind, actors, ways[0, :low], left, top, room, rows[0])
    none[:, :] = NOTHING
    _put_all(none, actors, ways[0, high:], left, top, room, rows[0])
    lay(none, before)
    rows[:, 0], rows[:, 1] = 0, len(behind)
    for a in range(len(ways)):
        copy(then, behind)
        _put_all(then, actors, ways[a, low:high], left, top, room, rows[1])
        lay(then, none)
        if a == 0:
            fresh = all_of(region, spots)
        else:
            first, last = min(rows[0, 0], rows[1, 0]), max(rows[0, 1], rows[1, 1])
            fresh = spots[: changed(now, then, region, touched, spots, first, last)]
            _count(sums, levels, -1.0, images, now, kind, fresh, top, left)
        _count(sums, levels, 1.0, images, then, kind, fresh, top, left)
        _evidence(sums, levels, kind, faces.expected, spread, out[a])
        now, then = then, now
        rows[0] = rows[1]
    return out


@compiled
def _unlike(ways: Ints) -> tuple[int, int]:
    """The first seat that is not the same in all ways, and the one after the last."""
    low, high = ways.shape[1], 0
    for seat in range(ways.shape[1]):
        for a in range(1, len(ways)):
            if ways[a, seat] != ways[0, seat]:
                low, high = min(low, seat), seat + 1
                break
    return min(low, high), high


@compiled
def _put_all(labels: Labels, actors: Actors, way: Ints, left: int, top: int, room: Room, rows: Ints) -> None:
    """Paint some blocks (-1 for none); the first of the `rows` (2,) that they reach, and the one after the last."""
    rows[0], rows[1] = len(labels), 0
    for i in range(len(way)):
        c = way[i]
        if c >= 0:
            put(labels, actors.px[c], actors.facing[c], PARTS, actors.box[c], left, top, room)
            low, high = actors.px[c, :, 1].min() - top, actors.px[c, :, 1].max() - top
            rows[0], rows[1] = max(0, min(rows[0], int(low))), min(len(labels), max(rows[1], int(high) + 1))


def judge(pixels: Pixels, stage: Stage, region: Bytes, actors: Actors, ways: Ints, faces: Faces) -> Array:
    """Evidence (A, KINDS), weighted, for ways to place blocks on a stage.

    Args:
        pixels: The whole picture.
        stage: The part of it.
        region: Where its pixels count (rows, columns), where not 0.
        actors: The blocks in question; those of one seat bear the same labels.
        ways: Which of them each way has (A, seats), the farthest seat first; -1 for none.
        faces: From `faces_of`.
    """
    return np.asarray(_judge(pixels[:4], pixels.spread, stage, region, actors, ways, faces) * PIXEL_WEIGHT)


@compiled
def faces_of(
    T: Array, size_m: Array, layer: Ints, every: Array, some: Ints, veiled: tuple[int, int], level: Array
) -> Faces:
    """What the labels of some blocks are expected to look like.

    Args:
        T: Poses (N, 4, 4) of all blocks.
        size_m: Sizes (N, 3).
        layer: Layers (N,).
        every: Places (M, 2) of all blocks from above, whose middle is that of the tower.
        some: The blocks whose labels are asked for.
        veiled: The first of those that are veiled, and the one after the last.
        level: Of a `Portrait`.
    """
    kind, expected = (
        np.full((len(some), LABELS_PER_BOX), INNER),
        np.full((len(some), LABELS_PER_BOX), level.max()),
    )
    x, y = np.median(every[:, 0]), np.median(every[:, 1])
    for i in range(len(some)):
        k = some[i]
        for part in range(UPRIGHT):
            expected[i, part] = level[part if layer[k] % 2 else TURNED[part]]
        expected[i, UPRIGHT] += BRIGHTER
        across = (T[k, 0, 3] - x) * T[k, 0, 1] + (T[k, 1, 3] - y) * T[k, 1, 1]
        kind[i, :2] = WALL
        if abs(across) > IN_WALL * size_m[k, 1]:
            kind[i, 2 if across > 0 else 3] = WALL
        if veiled[0] <= k < veiled[1]:
            kind[i] = VEILED
    return Faces(kind.ravel(), expected.ravel())
