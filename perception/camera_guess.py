"""A camera guessed for a picture so that the lines of a tower lie where its brightness steps.

A tower alone does not tell focal length from distance well, and need not: what each side shows looks the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perception.lines import lines_of, score_view
from perception.pattern import LAYERS, Hint, steps_of
from planning.blockset import BlockSet
from robot.compiled import compiled
from robot.frames import Array

# A guess: column and row of the stretch's middle [px], log of focal length over distance [px a metre], yaw, pitch and
# roll against the line of sight [rad], log of the layers' thickness over the block set's, log of the focal length [px].
U, V, SIZE, YAW, PITCH, ROLL, THICK, FOCAL = range(8)
POINTS, BLUR_PX = 6, 0.8
THICK_SD, FOCAL_SD = 0.08, 0.25  # of how thick blocks are and how long lenses are, before anything is seen
PITCH_SD, ROLL_SD = np.radians(30.0), np.radians(6.0)


@dataclass(frozen=True)
class Guess:
    """A camera and a tower of layers `first` to `last`, numbered from some layer that shows no end on the x sides.

    Attributes:
        values: The guess (8,), as above; rows and columns are those of the middle of layers 1 to LAYERS.
        first: Lowest layer that shows.
        last: Highest.
        score: How clearly its lines show.
    """

    values: Array
    first: int
    last: int
    score: float


class Picture:
    """A picture (rows, columns) shrunken so that a layer is about `layer_px` thick, and the usual focal length."""

    def __init__(self, grey: Array, factor: float, blockset: BlockSet, focal_px: float) -> None:
        self.gx, self.gy = steps_of(grey, factor, BLUR_PX)
        self.factor, self.blockset, self.focal_px = factor, blockset, focal_px
        self.size = np.array(grey.shape[::-1])

    def scores(self, values: Array, first: int, last: int) -> Array:
        """How clearly the lines of some layers show for guesses (M, 8), less what is unusual about these (M,)."""
        lines = lines_of(self.blockset, first, last, POINTS)
        return self.told(values, lines) - self._unusual(values)

    def told(self, values: Array, lines: Array) -> Array:
        """How clearly lines show for guesses (M, 8), in deviations of a blank picture (M,)."""
        focal = np.exp(values[:, FOCAL]) / self.factor
        centre = (self.size / 2) / self.factor - 0.5
        lens = np.column_stack([focal, focal, np.tile(centre, (len(values), 1))])
        T = np.ascontiguousarray(T_camera_tower(values, self.size, self.blockset)[:, :3])
        return np.asarray(_scores(self.gx, self.gy, lens, T, lines, np.exp(values[:, THICK])))

    def _unusual(self, values: Array) -> Array:
        off = np.column_stack(
            [
                values[:, THICK] / THICK_SD,
                (values[:, FOCAL] - np.log(self.focal_px)) / FOCAL_SD,
                (values[:, PITCH] - np.radians(15.0)) / PITCH_SD,
                values[:, ROLL] / ROLL_SD,
            ]
        )
        return np.asarray((off**2).sum(axis=1) / 2)


@compiled
def _scores(gx: Array, gy: Array, lens: Array, T: Array, lines: Array, thick: Array) -> Array:
    out = np.zeros(len(T))
    place = np.zeros((1, 5))
    for m in range(len(T)):
        place[0, 3] = thick[m]
        out[m] = score_view(gx, gy, lens[m], T[m], lines, place)[0]
    return out


def T_camera_tower(values: Array, size_px: Array, blockset: BlockSet) -> Array:
    """Poses (M, 4, 4) of the tower, its origin under the middle of layer 1, in the frames of guessed cameras.

    Args:
        values: Guesses (M, 8).
        size_px: Width and height of the picture.
        blockset: The blocks.
    """
    ray = np.ones((len(values), 3))
    ray[:, :2] = (values[:, [U, V]] + 0.5 - size_px / 2) / np.exp(values[:, [FOCAL]])
    tilt, roll, yaw = (values[:, k] for k in (PITCH, ROLL, YAW))
    R = _towards(ray) @ _about(2, roll) @ _about(0, np.pi / 2 + tilt) @ _about(2, yaw)
    depth = np.exp(values[:, FOCAL] - values[:, SIZE])
    up_m = LAYERS / 2 * blockset.height_m.mean * np.exp(values[:, THICK])
    ray /= np.linalg.norm(ray, axis=1)[:, None]
    T = np.tile(np.eye(4), (len(values), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = R, ray * depth[:, None] - R[:, :, 2] * up_m[:, None]
    return T


def _about(axis: int, angle_rad: Array) -> Array:
    """Rotations (M, 3, 3) about x (0) or z (2)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out = np.tile(np.eye(3), (len(angle_rad), 1, 1))
    out[:, i, i] = out[:, j, j] = np.cos(angle_rad)
    out[:, j, i] = np.sin(angle_rad)
    out[:, i, j] = -out[:, j, i]
    return out


def _towards(ray: Array) -> Array:
    """The smallest rotations (M, 3, 3) that turn the optical axis to rays (M, 3)."""
    x, y, z = (ray / np.linalg.norm(ray, axis=1)[:, None]).T
    a = 1.0 / (1.0 + z)
    rows = [[1 - a * x * x, -a * x * y, x], [-a * x * y, 1 - a * y * y, y], [-x, -y, z]]
    return np.array(rows).transpose(2, 0, 1)


def guess_of(hint: Hint, picture: Picture, turned: bool) -> Array:
    """A first guess (8,) from a hint, the tower turned by a quarter or not."""
    thick = picture.blockset.height_m.mean
    yaw = hint.yaw_rad + (np.pi / 2 if turned else 0.0)
    size = np.log(hint.layer_px / thick)
    return np.array([*hint.at_px, size, yaw, hint.pitch_rad, hint.roll_rad, 0.0, np.log(picture.focal_px)])


def spread_of(layer_px: float) -> Array:
    """How far off a first guess may be (8,)."""
    return np.array([0.5 * layer_px, 0.25 * layer_px, 0.04, *np.radians([7.0, 8.0, 2.5]), 0.03, 0.02])


def improved(
    told: Callable[[Array], Array],
    start: Array,
    spread: Array,
    rounds: int,
    tries: int,
    rng: np.random.Generator,
) -> tuple[Array, float]:
    """The best of many guesses (N,) drawn around `start`, nearer and nearer to the best of them (cross entropy)."""
    mean, best, most = start, start, float(told(start[None])[0])
    for _ in range(rounds):
        drawn = mean + spread * rng.standard_normal((tries, len(start)))
        drawn[0] = best
        score = told(drawn)
        order = np.argsort(-score)[: max(tries // 8, 4)]
        if score[order[0]] > most:
            best, most = drawn[order[0]], float(score[order[0]])
        mean, spread = drawn[order].mean(axis=0), 0.3 * spread + 0.7 * drawn[order].std(axis=0)
    return best, most
