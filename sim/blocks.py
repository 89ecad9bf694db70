"""One tower drawn from a block set: every block with its own size, taper, mass, friction and place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from planning.blockset import BlockSet, Spread
from robot.frames import Array, pose, rot_z
from robot.seeding import generator

_ASIDE_M = (0.16, -0.20)  # in the tower's frame


@dataclass(frozen=True)
class Block:
    """A block as the simulation knows it.

    Attributes:
        name: `b01`, `b02` ... in order of layer, then position, in the tower it was drawn for.
        slot: Layer and position, None of a block that lies aside.
        size_m: Length, width and mean thickness (3,).
        taper_m: Thickness at the +x end less that at the -x end.
        T_tower_block: Pose (4, 4) before the tower has settled.
    """

    name: str
    slot: tuple[int, int] | None
    size_m: tuple[float, float, float]
    taper_m: float
    mass_kg: float
    friction: float
    T_tower_block: Array


def draw(rng: np.random.Generator, spread: Spread) -> float:
    """One value of a distribution, within three standard deviations."""
    return spread.mean + spread.sd * float(np.clip(rng.standard_normal(), -3.0, 3.0))


def draw_friction(rng: np.random.Generator, blockset: BlockSet) -> float:
    """The mean friction of one tower."""
    value = draw(rng, blockset.friction)
    return float(np.clip(value, blockset.friction_low, blockset.friction_high))


def draw_tower(blockset: BlockSet, slots: Iterable[tuple[int, int]], seed: int) -> list[Block]:
    """The blocks of a tower, stacked with small gaps and turns, not yet settled.

    Args:
        blockset: What to draw from.
        slots: (layer, position), both from 1, in order of layer, then position.
        seed: The same seed gives the same blocks in the same slots.
    """
    rng = generator(seed, "tower", blockset.name)
    friction = draw_friction(rng, blockset)
    layers: dict[int, list[int]] = {}
    for layer, position in slots:
        layers.setdefault(layer, []).append(position)
    blocks: list[Block] = []
    bottom_m = 0.0
    for layer in sorted(layers):
        row = [_draw_body(rng, blockset, friction) for _ in layers[layer]]
        for position, body, T in zip(
            layers[layer], row, _places(rng, blockset, layer, layers[layer], row), strict=True
        ):
            T[2, 3] = bottom_m + body.thickest_m / 2
            blocks.append(
                Block(
                    f"b{len(blocks) + 1:02d}",
                    (layer, position),
                    body.size_m,
                    body.taper_m,
                    body.mass_kg,
                    body.friction,
                    T,
                )
            )
        bottom_m += max(body.thickest_m for body in row)
    return blocks


def draw_aside(blockset: BlockSet, count: int, seed: int, table_m: float, first_number: int) -> list[Block]:
    """Blocks that lie on the table beside the tower, where neither arm nor cameras are disturbed by them.

    Args:
        blockset: What to draw from.
        count: How many.
        seed: The same seed gives the same blocks.
        table_m: Height of the table in the tower's frame.
        first_number: Of their names, which go on after those of the tower.
    """
    rng = generator(seed, "aside", blockset.name)
    friction = draw_friction(rng, blockset)
    blocks = []
    for k in range(count):
        body = _draw_body(rng, blockset, friction)
        T = pose(None, [_ASIDE_M[0], _ASIDE_M[1] + 0.04 * k, table_m + body.thickest_m / 2])
        name = f"b{first_number + k:02d}"
        blocks.append(Block(name, None, body.size_m, body.taper_m, body.mass_kg, body.friction, T))
    return blocks


@dataclass(frozen=True)
class _Body:
    size_m: tuple[float, float, float]
    taper_m: float
    mass_kg: float
    friction: float

    @property
    def thickest_m(self) -> float:
        """Thickness at the thicker end."""
        return self.size_m[2] + abs(self.taper_m) / 2


def _draw_body(rng: np.random.Generator, blockset: BlockSet, friction: float) -> _Body:
    size = (draw(rng, blockset.length_m), draw(rng, blockset.width_m), draw(rng, blockset.height_m))
    taper = draw(rng, Spread(0.0, blockset.taper_m))
    mass = max(draw(rng, blockset.mass_kg), 1e-3)
    mu = draw(rng, Spread(friction, blockset.friction_block_sd))
    return _Body(size, taper, mass, float(np.clip(mu, 0.02, 1.5)))


def _places(
    rng: np.random.Generator, blockset: BlockSet, layer: int, positions: Sequence[int], row: Sequence[_Body]
) -> list[Array]:
    """Poses (4, 4) in the tower frame, height left 0; odd layers lie along x, even ones along y."""
    along = blockset.offset_m * np.clip(rng.standard_normal(len(row)), -2.5, 2.5)
    yaw = blockset.yaw_rad * np.clip(rng.standard_normal(len(row)), -2.0, 2.0)
    pitch = blockset.width_m.mean + blockset.gap_m
    across = [(positions[0] - 2) * pitch]
    for i in range(1, len(row)):
        nominal = (positions[i] - positions[i - 1]) * pitch
        turned = abs(yaw[i] - yaw[i - 1]) * blockset.length_m.mean / 2
        gap = rng.uniform(0.2, 1.8) * blockset.gap_m
        touching = (row[i - 1].size_m[1] + row[i].size_m[1]) / 2 + turned + gap
        across.append(across[-1] + max(touching, nominal if positions[i] - positions[i - 1] > 1 else 0.0))
    shift = np.mean([a - (p - 2) * pitch for a, p in zip(across, positions, strict=True)])
    places = []
    for a, o, w in zip(np.array(across) - shift, along, yaw, strict=True):
        if layer % 2:
            places.append(pose(rot_z(w), [o, a, 0.0]))
        else:
            places.append(pose(rot_z(np.pi / 2 + w), [a, o, 0.0]))
    return places
