"""Towers drawn from a block set by the hundred, given what has been seen of their blocks.

Thickness decides what a block carries, so it is the one size that is kept as a distribution of its own (mean and
standard deviation of every block): moves of `planning.rejuvenation` need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from planning.blockset import BlockSet, Spread
from planning.contacts import COLUMNS, FRICTION, HEIGHT, LENGTH, MASS, TAPER, WIDTH, YAW, X, Y
from planning.observation import BlockSeen, TowerObservation
from planning.senses import Senses
from planning.tower import Slot, axis_of
from robot.frames import Array, inverse

_LEAST = 1e-3  # of a mass [kg]


@dataclass(frozen=True)
class Ensemble:
    """Towers of the same slots.

    Attributes:
        slots: The slot of every block (n,), in order of layer, then position.
        bodies: As `planning.mechanics.Towers` has them (count, n, 9), every tower with the block set's mean friction.
        height_m: Mean thickness of each block as far as it was seen (n,), before any probe.
        height_sd_m: Its standard deviation (n,).
    """

    slots: tuple[Slot, ...]
    bodies: Array
    height_m: Array
    height_sd_m: Array

    def row(self, slot: Slot) -> int:
        """Which row a slot has.

        Raises:
            ValueError: No block stands there.
        """
        if slot not in self._rows:
            raise ValueError(f"no block in {slot}")
        return self._rows[slot]

    @cached_property
    def _rows(self) -> dict[Slot, int]:
        return {slot: row for row, slot in enumerate(self.slots)}

    def rows(self, layer: int) -> list[int]:
        """The rows of a layer."""
        return [k for k, slot in enumerate(self.slots) if slot.layer == layer]

    def without(self, slot: Slot) -> Ensemble:
        """The towers without a block."""
        kept = [k for k, other in enumerate(self.slots) if other != slot]
        return Ensemble(
            tuple(self.slots[k] for k in kept),
            np.ascontiguousarray(self.bodies[:, kept]),  # what is compiled is so for this layout
            self.height_m[kept],
            self.height_sd_m[kept],
        )

    def with_block(self, slot: Slot, bodies: Array) -> Ensemble:
        """The towers with a block more (count, 9)."""
        k = sum(other < slot for other in self.slots)
        heights = bodies[:, HEIGHT]
        return Ensemble(
            (*self.slots[:k], slot, *self.slots[k:]),
            np.ascontiguousarray(np.insert(self.bodies, k, bodies, axis=1)),
            np.insert(self.height_m, k, heights.mean()),
            np.insert(self.height_sd_m, k, heights.std()),
        )

    def placed(self, rng: np.random.Generator, seen: TowerObservation) -> Ensemble:
        """The same blocks where they are seen to stand now."""
        bodies = self.bodies.copy()
        _stand(rng, bodies, self.slots, seen)
        return replace(self, bodies=bodies)


def draw(
    rng: np.random.Generator, blockset: BlockSet, slots: Sequence[Slot], count: int, senses: Senses
) -> Ensemble:
    """Towers of which nothing has been seen but which slots hold a block."""
    return _drawn(rng, blockset, slots, count, senses, {})


def draw_seen(
    rng: np.random.Generator, blockset: BlockSet, seen: TowerObservation, count: int, senses: Senses
) -> Ensemble:
    """Towers whose blocks have the sizes and places that were seen, within what the cameras can tell."""
    slots = sorted(seen.blocks)
    ensemble = _drawn(rng, blockset, slots, count, senses, seen.blocks)
    return ensemble.placed(rng, seen)


def draw_block(rng: np.random.Generator, blockset: BlockSet, slot: Slot, count: int, senses: Senses) -> Array:
    """One block of which nothing is known (count, 9), as stacked in its slot."""
    return _drawn(rng, blockset, [slot], count, senses, {}).bodies[:, 0]


def _drawn(
    rng: np.random.Generator,
    blockset: BlockSet,
    slots: Sequence[Slot],
    count: int,
    senses: Senses,
    seen: Mapping[Slot, BlockSeen],
) -> Ensemble:
    shape = (count, len(slots))
    bodies = np.empty((*shape, COLUMNS))
    for column, spread in ((LENGTH, blockset.length_m), (WIDTH, blockset.width_m)):
        told = senses.told(spread, slots, seen, column - LENGTH)
        bodies[..., column] = told[0] + told[1] * _normal(rng, shape)
    height_m, height_sd_m = senses.told(blockset.height_m, slots, seen, HEIGHT - LENGTH)
    bodies[..., HEIGHT] = height_m + height_sd_m * _normal(rng, shape)
    bodies[..., TAPER] = blockset.taper_m * _normal(rng, shape)
    bodies[..., MASS] = np.maximum(_spread(rng, blockset.mass_kg, shape), _LEAST)
    friction = Spread(blockset.friction.mean, blockset.friction_block_sd)
    bodies[..., FRICTION] = np.clip(_spread(rng, friction, shape), 0.02, 1.5)
    _stack(rng, blockset, bodies, slots)
    return Ensemble(tuple(slots), bodies, height_m, height_sd_m)


def _normal(rng: np.random.Generator, shape: tuple[int, ...], cut: float = 3.0) -> Array:
    return np.clip(rng.standard_normal(shape), -cut, cut)


def _spread(rng: np.random.Generator, spread: Spread, shape: tuple[int, ...]) -> Array:
    return spread.mean + spread.sd * _normal(rng, shape)


def _stack(rng: np.random.Generator, blockset: BlockSet, bodies: Array, slots: Sequence[Slot]) -> None:
    """Places as people stack: small gaps and turns, every layer about the tower's axis."""
    for layer, named in groupby(enumerate(slots), key=lambda item: item[1].layer):
        rows, positions = zip(*((k, slot.position) for k, slot in named), strict=True)
        shape = (len(bodies), len(rows))
        yaw = blockset.yaw_rad * _normal(rng, shape, 2.0)
        along = blockset.offset_m * _normal(rng, shape, 2.5)
        across = _across(rng, blockset, bodies[:, rows, WIDTH], yaw, np.array(positions))
        x, y = (along, across) if axis_of(layer) == "x" else (across, along)
        bodies[:, rows, X], bodies[:, rows, Y] = x, y
        bodies[:, rows, YAW] = yaw + (0.0 if axis_of(layer) == "x" else np.pi / 2)


def _across(
    rng: np.random.Generator, blockset: BlockSet, width_m: Array, yaw: Array, positions: Array
) -> Array:
    """Where the blocks of a layer lie side by side (count, blocks)."""
    pitch = blockset.width_m.mean + blockset.gap_m
    across = np.full(width_m.shape, (positions[0] - 2) * pitch)
    for i in range(1, len(positions)):
        turned = np.abs(yaw[:, i] - yaw[:, i - 1]) * blockset.length_m.mean / 2
        gap = rng.uniform(0.2, 1.8, len(width_m)) * blockset.gap_m
        step = (width_m[:, i - 1] + width_m[:, i]) / 2 + turned + gap
        apart = positions[i] - positions[i - 1]
        across[:, i] = across[:, i - 1] + (np.maximum(step, apart * pitch) if apart > 1 else step)
    return np.asarray(across - (across - (positions - 2) * pitch).mean(axis=1, keepdims=True))


def _stand(rng: np.random.Generator, bodies: Array, slots: Sequence[Slot], seen: TowerObservation) -> None:
    """Put the blocks that are seen where they are seen, within its error."""
    T_tower_world = inverse(seen.T_world_tower)
    for k, slot in enumerate(slots):
        if slot in seen.blocks:
            block = seen.blocks[slot]
            T = T_tower_world @ block.T_world_block
            bodies[:, k, [X, Y]] = T[:2, 3] + block.sd_m * rng.standard_normal((len(bodies), 2))
            bodies[:, k, YAW] = np.arctan2(T[1, 0], T[0, 0])
