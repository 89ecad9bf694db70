"""The mechanics of a tower: who bears what, which push starts which block, and what stands without it.

One tower and thousands of sampled ones go through the same compiled code. docs/mechanics.md says how well it agrees
with the simulator, docs/decisions/tower-mechanics.md why it is built like this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from planning import contacts as columns
from planning.assessing import FIELDS, STIFFNESS_N_M3, Assessed, assess_towers, load_towers
from planning.contacts import COLUMNS, Ints
from planning.equilibrium import STANDS
from planning.tower import Slot
from robot.errors import BadInputError
from robot.frames import Array

Flags = npt.NDArray[np.bool_]
SAFE_MARGIN_M = 0.0015  # towers fall about a millimetre before the edge (docs/physics.md)
SAFE_HOLD = (
    3.0  # of pushed blocks in the simulator those that were held less took others along (docs/mechanics.md)
)
SAFE_SHARE = 0.5


@dataclass(frozen=True)
class Towers:
    """Towers of the same slots whose blocks differ; one tower is a batch of one.

    Attributes:
        slots: The slot of every block (n,), in order of layer, then position.
        bodies: The blocks (towers, n, 9): place of the centre (x, y) in a frame whose z points up [m], yaw [rad],
            length, width, mean thickness [m], taper (thickness at the +x end less that at the -x end) [m], mass [kg],
            friction.

    Raises:
        BadInputError: The slots are not in order, or a size, mass or friction is no number above 0.
    """

    slots: tuple[Slot, ...]
    bodies: Array

    def __post_init__(self) -> None:
        if self.bodies.ndim != 3 or self.bodies.shape[1:] != (len(self.slots), COLUMNS) or not self.slots:
            raise BadInputError(
                f"blocks of a tower: shape {self.bodies.shape}, expected (towers, {len(self.slots)}, {COLUMNS})"
            )
        if list(self.slots) != sorted(set(self.slots)):
            raise BadInputError(
                "blocks of a tower: give them in order of layer, then position, each slot once"
            )
        must = self.bodies[
            ..., [columns.LENGTH, columns.WIDTH, columns.HEIGHT, columns.MASS, columns.FRICTION]
        ]
        if not np.isfinite(self.bodies).all() or not (must > 0).all():
            raise BadInputError("blocks of a tower: sizes, mass and friction must be numbers above 0")

    @cached_property
    def starts(self) -> Ints:
        """First row of each layer (layers + 1,)."""
        layers = np.array([slot.layer for slot in self.slots])
        return np.searchsorted(layers, np.arange(1, layers[-1] + 2)).astype(np.int64)


@dataclass(frozen=True)
class Loads:
    """What every block bears (towers, n).

    Attributes:
        stands: Whether the tower stands (towers,). Forces of one that does not are NaN, its heights mean nothing.
        top_n: What lies on the block.
        bottom_n: What it presses down with.
        height_m: Height of its centre above the ground.
    """

    stands: Flags
    top_n: Array
    bottom_n: Array
    height_m: Array


@dataclass(frozen=True)
class Mechanics:
    """What is known of every block, each (towers, n).

    Attributes:
        stands: Whether the tower stands as it is (towers,). Forces of one that does not are NaN.
        top_n: What lies on the block.
        bottom_n: What it presses down with.
        push_n: The force that starts it along its length when it is pushed towards its own +x.
        push_minus_n: The same towards -x.
        slide_n: The force that slides it alone, everything else held.
        drag_n: The force at which it slides with all above moving along; equal to `slide_n` where all above stays.
        hold: How many times as much the neighbours hold all above as the block pulls at it (below 1 it goes along).
        tip_plus_n: The force towards its own +x that tips the column below.
        tip_minus_n: The same towards -x.
        stands_without: Whether the tower stands without the block.
        margin_m: How far the weight above is from the edge of its support at the worst layer, without the block:
            negative where it falls; half the block's length at most, and minus that where a layer is left empty.
    """

    stands: Flags
    top_n: Array
    bottom_n: Array
    push_n: Array
    push_minus_n: Array
    slide_n: Array
    drag_n: Array
    hold: Array
    tip_plus_n: Array
    tip_minus_n: Array
    stands_without: Flags
    margin_m: Array


def loads(towers: Towers, stiffness_n_m3: float = STIFFNESS_N_M3) -> Loads:
    """Who bears what.

    Args:
        towers: The towers.
        stiffness_n_m3: Pressure a metre of approach of two faces.
    """
    state, top_n, bottom_n, height_m = load_towers(towers.bodies, towers.starts, stiffness_n_m3)
    stands = state == STANDS
    top_n[~stands], bottom_n[~stands] = np.nan, np.nan
    return Loads(stands, top_n, bottom_n, height_m)


def assess(towers: Towers, stiffness_n_m3: float = STIFFNESS_N_M3, *, thorough: bool = True) -> Mechanics:
    """Everything about every block.

    Args:
        towers: The towers.
        stiffness_n_m3: Pressure a metre of approach of two faces.
        thorough: Each block is thought away and the rest settled, which costs some ten times as much as all else; or
            the rest is said to stand where the margin is not negative.
    """
    return _mechanics(towers.bodies, assess_towers(towers.bodies, towers.starts, stiffness_n_m3, thorough))


def joined(parts: Sequence[Mechanics]) -> Mechanics:
    """Batches of the same slots as one."""
    names = (field.name for field in fields(Mechanics))
    return Mechanics(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def comes_out(known: Mechanics) -> Flags:
    """Whether each block (towers, n) comes out safely from one end or the other.

    The tower stands without it, with `SAFE_MARGIN_M` in hand, its neighbours hold all above `SAFE_HOLD` times, and the
    push stays under `SAFE_SHARE` of what tips the column below.
    """
    alone = known.hold >= SAFE_HOLD
    calm = known.slide_n <= SAFE_SHARE * np.maximum(known.tip_plus_n, known.tip_minus_n)
    stays = known.stands_without & (known.margin_m >= SAFE_MARGIN_M)
    return np.asarray(known.stands[:, None] & stays & alone & calm)


def body(
    xy_m: npt.ArrayLike,
    yaw_rad: float,
    size_m: npt.ArrayLike,
    taper_m: float,
    mass_kg: float,
    friction: float,
) -> Array:
    """One row (9,) of `Towers.bodies`."""
    return np.concatenate([np.asarray(xy_m), [yaw_rad], np.asarray(size_m), [taper_m, mass_kg, friction]])


def _mechanics(bodies: Array, found: Assessed) -> Mechanics:
    stands = found.state == STANDS
    of = {name: np.where(stands[:, None], found.of_block[..., k], np.nan) for k, name in enumerate(FIELDS)}
    half_m = bodies[..., columns.LENGTH] / 2
    return Mechanics(
        stands=stands,
        push_n=np.minimum(of["drag_n"], of["tip_plus_n"]),
        push_minus_n=np.minimum(of["drag_n"], of["tip_minus_n"]),
        stands_without=found.without == STANDS,
        margin_m=np.clip(found.margin_m, -half_m, half_m),
        **of,
    )
