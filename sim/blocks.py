"""One tower drawn from a block set: every block with its own size, taper, mass, friction and place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from planning.blockset import BlockSet, Spread
from robot.frames import Array, pose, rot_z
from robot.seeding import generator


@dataclass(frozen=True)
class Block:
    """A block as the simulation knows it.

    Attributes:
        name: `b01`, `b02` ... in order of layer, then position, in the tower it was drawn for.
        size_m: Length, width and mean thickness (3,).
        taper_m: Thickness at the +x end less that at the -x end.
        T_tower_block: Pose (4, 4) before the tower has settled.
    """

    name: str
    slot: tuple[int, int]
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
            T[2, 3] = bottom_m + body.size_m[2] / 2
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
        bottom_m += max(body.size_m[2] + abs(body.taper_m) / 2 for body in row)
    return blocks


@dataclass(frozen=True)
class _Body:
    size_m: tuple[float, float, float]
    taper_m: float
    mass_kg: float
    friction: float


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


def names_by_slot(blocks: Sequence[Block]) -> dict[tuple[int, int], str]:
    """Which block stands in which slot at the start."""
    return {block.slot: block.name for block in blocks}
