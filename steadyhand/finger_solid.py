"""One L-finger as a solid to print: boxes on a grid with round screw holes, and its surface as an STL file.

Frame: the flange's (`robot.lfinger`), in millimetres as STL has it: x out of the gripper, y along the pinch with the
pinching face at 0, z along the leg. The bar between gripper and leg has a window, so that two thin leaves let the leg
give along z and keep it from turning: the spring of a load cell.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robot.errors import BadInputError
from robot.frames import Array
from robot.lfinger import BAR_HALF_M, LFinger

MM = 1e3
BAR_BACK_MM = 33.5  # from the leg's middle to the end of the bar that sits on the gripper's carriage
_FOOT_MM, _WINDOW_END_MM = (
    8.0,
    0.5,
)  # length of the foot with its screw holes; the window ends so far before the leg
_THINNEST_MM = 0.4  # one line of a common nozzle
_SIDES = 32  # of a round hole, a multiple of four
_ROUND_MM = 1.0  # wall between a hole and its square on the grid

Box = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Print:
    """What a printed finger needs beyond the fingers' dimensions.

    Attributes:
        stiffness_n_mm: Of the closed pair along the legs; each finger has half of it.
        modulus_mpa: Of the material: PETG about 2000, PLA about 3000.
        hole_mm: Diameter of the screw holes.
        holes_apart_mm: Between their middles, along the leg.
        leaf_width_mm: Of a leaf, along the pinch.
    """

    stiffness_n_mm: float = 0.5
    modulus_mpa: float = 2000.0
    hole_mm: float = 3.2
    holes_apart_mm: float = 8.0
    leaf_width_mm: float = 4.0


@dataclass(frozen=True)
class Finger:
    """The solid: what is added, what is cut away, and round holes along y (x, z, diameter), all in mm.

    Attributes:
        leaf_mm: Thickness and length of the two leaves.
    """

    added: tuple[Box, ...]
    cut: tuple[Box, ...]
    holes: tuple[tuple[float, float, float], ...]
    leaf_mm: tuple[float, float]


def finger_of(finger: LFinger, made: Print) -> Finger:
    """The left finger; the right one is its mirror image.

    Raises:
        BadInputError: The leaves would be too thin to print, or the holes do not fit.
    """
    half, bar = finger.root_width_m * MM / 2, BAR_HALF_M * MM
    thick, root = finger.root_thickness_m * MM, (finger.leg_m - finger.slim_m) * MM
    nose = finger.nose_width_m * MM / 2
    window = (-BAR_BACK_MM + _FOOT_MM, -half - _WINDOW_END_MM)
    leaf = leaf_mm(made, window[1] - window[0])
    _check_holes(made, bar)
    return Finger(
        added=(
            ((-BAR_BACK_MM, half), (0.0, thick), (-bar, bar)),
            ((-half, half), (0.0, thick), (0.0, root)),
            ((-nose, nose), (0.0, finger.nose_thickness_m * MM), (root, finger.leg_m * MM)),
        ),
        cut=(
            (window, (0.0, thick), (-bar + leaf, bar - leaf)),
            (window, (made.leaf_width_mm, thick), (-bar, bar)),
        ),
        holes=tuple(
            (-BAR_BACK_MM + _FOOT_MM / 2, side * made.holes_apart_mm / 2, made.hole_mm) for side in (-1, 1)
        ),
        leaf_mm=(leaf, window[1] - window[0]),
    )


def leaf_mm(made: Print, length_mm: float) -> float:
    """Thickness of each of two leaves, clamped at both ends, that give each finger half of the stiffness.

    Of one such beam, k = 12 E I / L^3 with I = b t^3 / 12 (any handbook of mechanics).

    Raises:
        BadInputError: Thinner than can be printed.
    """
    each_n_mm = made.stiffness_n_mm / 2 / 2
    leaf = (each_n_mm * length_mm**3 / (made.modulus_mpa * made.leaf_width_mm)) ** (1 / 3)
    if leaf < _THINNEST_MM:
        raise BadInputError(
            f"finger.stiffness_n_mm = {made.stiffness_n_mm:g} needs leaves of {leaf:.2f} mm, printable are "
            f"{_THINNEST_MM:g} mm or more: take a softer material (--modulus-mpa), narrower leaves (--leaf-width-mm), "
            "or a stiffer finger"
        )
    return float(leaf)


def strain_of(solid: Finger, made: Print, force_n: float) -> tuple[float, float]:
    """How far the tip gives (mm) and how much the leaves are stressed (MPa) by a force on the closed pair.

    Of a beam clamped at both ends, the largest stress is 3 E t d / L^2 for a shift d of its ends.
    """
    thick, length = solid.leaf_mm
    gives_mm = force_n / made.stiffness_n_mm
    return gives_mm, 3 * made.modulus_mpa * thick * gives_mm / length**2


def _check_holes(made: Print, bar_mm: float) -> None:
    square = made.hole_mm / 2 + _ROUND_MM
    if not square < _FOOT_MM / 2 or not square < made.holes_apart_mm / 2 <= bar_mm - square:
        raise BadInputError(
            f"screw holes of {made.hole_mm:g} mm, {made.holes_apart_mm:g} mm apart, do not fit on a foot of "
            f"{_FOOT_MM:g} x {2 * bar_mm:g} mm: with {_ROUND_MM:g} mm round each, allowed are up to "
            f"{2 * (_FOOT_MM / 2 - _ROUND_MM):g} mm wide and "
            f"{2 * square:g} to {2 * (bar_mm - square):g} mm apart"
        )


def triangles(solid: Finger) -> Array:
    """The surface (n, 3, 3) in mm; corners run counter-clockwise as seen from outside."""
    axes = _grid(solid)
    full = _filled(solid, axes)
    holed = {_cell(axes, x, z): (x, z, d / 2) for x, z, d in solid.holes}
    found: list[Array] = []
    for cell in np.argwhere(full):
        i, j, k = (int(index) for index in cell)
        hole = holed.get((i, k))
        for axis in range(3):
            for side in (0, 1):
                beside = [i, j, k]
                beside[axis] += 2 * side - 1
                if not _inside(full, beside):
                    corners = _face(axes, (i, j, k), axis, side)
                    found += _ring(corners, hole, side) if hole and axis == 1 else _halves(corners)
        if hole:
            found += _wall(hole, axes[1][j], axes[1][j + 1])
    return np.array(found)


def _grid(solid: Finger) -> list[Array]:
    """Where anything begins or ends along x, y and z."""
    marks: list[set[float]] = [set(), set(), set()]
    for box in (*solid.added, *solid.cut):
        for axis in range(3):
            marks[axis] |= set(box[axis])
    for x, z, diameter in solid.holes:
        square = diameter / 2 + _ROUND_MM
        marks[0] |= {x - square, x + square}
        marks[2] |= {z - square, z + square}
    return [np.array(sorted(values)) for values in marks]


def _filled(solid: Finger, axes: Sequence[Array]) -> Array:
    middles = np.stack(np.meshgrid(*[(a[:-1] + a[1:]) / 2 for a in axes], indexing="ij"), axis=-1)

    def within(box: Box) -> Array:
        low, high = np.array(box).T
        return np.asarray(((middles > low) & (middles < high)).all(axis=-1))

    added = np.any([within(box) for box in solid.added], axis=0)
    return np.asarray(added & ~np.any([within(box) for box in solid.cut], axis=0))


def _cell(axes: Sequence[Array], x: float, z: float) -> tuple[int, int]:
    """Which cells, seen along y, a hole's middle is in: a hole has a square of its own."""
    return int(np.searchsorted(axes[0], x)) - 1, int(np.searchsorted(axes[2], z)) - 1


def _inside(full: Array, cell: Sequence[int]) -> bool:
    return all(0 <= at < n for at, n in zip(cell, full.shape, strict=True)) and bool(full[tuple(cell)])


def _face(axes: Sequence[Array], cell: tuple[int, int, int], axis: int, side: int) -> Array:
    """Corners (4, 3) of a cell's face, counter-clockwise as seen from outside."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    corners = np.empty((4, 3))
    corners[:, axis] = axes[axis][cell[axis] + side]
    for row, (du, dv) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        corners[row, u], corners[row, v] = axes[u][cell[u] + du], axes[v][cell[v] + dv]
    return corners if side else corners[::-1]


def _halves(corners: Array) -> list[Array]:
    return [corners[[0, 1, 2]], corners[[0, 2, 3]]]


def _circle(hole: tuple[float, float, float], y: float) -> Array:
    """Points (n, 3) of a hole's rim, counter-clockwise as seen against y, the first towards -z and -x."""
    x, z, radius = hole
    angle = -3 * np.pi / 4 + np.arange(_SIDES) * 2 * np.pi / _SIDES
    return np.stack([x + radius * np.sin(angle), np.full(_SIDES, y), z + radius * np.cos(angle)], axis=-1)


def _ring(corners: Array, hole: tuple[float, float, float], side: int) -> list[Array]:
    """A face with a round hole: each quarter of the rim joined to the corners on its two sides."""
    outer = corners if side else corners[::-1]  # both the same way round
    rim, quarter = _circle(hole, float(outer[0, 1])), _SIDES // 4
    found = []
    for q in range(4):
        a, b = outer[q], outer[(q + 1) % 4]
        points = [rim[(q * quarter + m) % _SIDES] for m in range(quarter + 1)]
        middle = quarter // 2
        found += [np.array([a, points[m + 1], points[m]]) for m in range(middle)]
        found.append(np.array([a, b, points[middle]]))
        found += [np.array([b, points[m + 1], points[m]]) for m in range(middle, quarter)]
    return found if side else [triangle[::-1] for triangle in found]


def _wall(hole: tuple[float, float, float], y0: float, y1: float) -> list[Array]:
    """The inside of a hole between two heights."""
    low, high, found = _circle(hole, y0), _circle(hole, y1), list[Array]()
    for m in range(_SIDES):
        n = (m + 1) % _SIDES
        found += _halves(np.array([low[m], high[m], high[n], low[n]]))
    return found


def mirrored(surface: Array) -> Array:
    """The other finger's surface: y turned round, and the corners' order with it."""
    return np.asarray((surface * [1.0, -1.0, 1.0])[:, ::-1])


def stl(surface: Array, name: str) -> bytes:
    """A binary STL file of a surface (n, 3, 3) in mm."""
    rows = [struct.pack("<80sI", name.encode("ascii")[:80], len(surface))]
    rows += [struct.pack("<12fH", *_normal(corners), *corners.ravel(), 0) for corners in surface]
    return b"".join(rows)


def read_stl(data: bytes) -> Array:
    """The surface (n, 3, 3) of a binary STL file."""
    (count,) = struct.unpack_from("<I", data, 80)
    rows = [struct.unpack_from("<12fH", data, 84 + 50 * k)[3:12] for k in range(count)]
    return np.array(rows).reshape(-1, 3, 3)


def _normal(corners: Array) -> Iterator[float]:
    across = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    yield from across / np.linalg.norm(across)
