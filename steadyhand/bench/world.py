"""A true tower of true blocks: what mechanics says of it, and how it changes as a block is taken, dragged or laid.

Blocks keep who they are, so that a test may count them: `names` says which of the first tower's blocks lies where.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from planning.across import across_m
from planning.blockset import BlockSet
from planning.contacts import WIDTH, YAW, Ints, X, Y
from planning.habits import PlaceHabits
from planning.leaving import ACROSS_SD_M, ALONG_SD_M, margins_m, tower_of
from planning.mechanics import Loads, Mechanics, Towers, assess, loads
from planning.tower import Slot, Tower, axis_of
from robot.frames import Array

EDGE_M = 0.001  # towers fall about a millimetre before the edge (docs/physics.md)
YAW_SD_RAD = 0.003  # of a laid block (docs/physics.md)
_HABIT = PlaceHabits()
_PLAY_M = 0.0002


@dataclass(frozen=True)
class World:
    """A tower at rest.

    Attributes:
        towers: A batch of one.
        names: Which block lies in each slot (n,).
    """

    towers: Towers
    names: tuple[int, ...]

    @classmethod
    def drawn(cls, blockset: BlockSet, n_blocks: int, seed: int) -> World:
        """The tower that the simulator stacks for the same seed.

        Raises:
            BadInputError: The blocks are no tower.
        """
        from steadyhand.mechanics import drawn, towers_of

        towers = towers_of([drawn(blockset, Tower.of_blocks(n_blocks), seed)])
        return cls(towers, tuple(range(len(towers.slots))))

    @cached_property
    def tower(self) -> Tower:
        """Which slots hold a block."""
        return tower_of(self.towers.slots)

    @cached_property
    def known(self) -> Mechanics:
        """Forces and margins of every block; a millisecond or two, once a tower."""
        return assess(self.towers, thorough=False)

    @cached_property
    def loads(self) -> Loads:
        """Who bears what, and how high every block is."""
        return loads(self.towers)

    @property
    def stands(self) -> bool:
        """Whether the tower finds an equilibrium, and none of its layers is too near an edge."""
        margin_m = float(margins_m(self.towers.bodies, self.towers.starts)[0])
        return margin_m >= EDGE_M and bool(self.loads.stands[0])

    @property
    def legal(self) -> tuple[Slot, ...]:
        """Blocks that may be taken: those below the highest complete layer."""
        return tuple(self.tower.blocks(self.tower.highest_complete_layer - 1))

    def row(self, slot: Slot) -> int:
        """Which row a slot has."""
        return self.towers.slots.index(slot)

    def without(self, slot: Slot) -> World:
        """The block is gone."""
        k = self.row(slot)
        slots = self.towers.slots[:k] + self.towers.slots[k + 1 :]
        bodies = np.ascontiguousarray(np.delete(self.towers.bodies, k, axis=1))
        return World(Towers(slots, bodies), self.names[:k] + self.names[k + 1 :])

    def with_block(self, slot: Slot, block: Array, name: int) -> World:
        """A block (9,) lies in a free slot."""
        k = sum(other < slot for other in self.towers.slots)
        slots = (*self.towers.slots[:k], slot, *self.towers.slots[k:])
        bodies = np.ascontiguousarray(np.insert(self.towers.bodies, k, block, axis=1))
        return World(Towers(slots, bodies), (*self.names[:k], name, *self.names[k:]))

    def dragged(self, slot: Slot, by_m: float) -> World:
        """All above a block's layer has gone along its length."""
        body = self.towers.bodies[0, self.row(slot)]
        bodies = self.towers.bodies.copy()
        above = np.array([other.layer > slot.layer for other in self.towers.slots])
        bodies[0, above, X] += by_m * np.cos(body[YAW])
        bodies[0, above, Y] += by_m * np.sin(body[YAW])
        return replace(self, towers=Towers(self.towers.slots, bodies))

    def laid(self, block: Array, top: Slot, rng: np.random.Generator) -> Array:
        """A block (9,) as the arm lays it into a free top slot: by the layer below, beside what lies there already."""
        body, lengthwise = block.copy(), axis_of(top.layer) == "x"
        side, along = (Y, X) if lengthwise else (X, Y)
        middle = self._middle(top.layer - 1)
        body[side] = self._across(top, middle[side], block[WIDTH], side) + ACROSS_SD_M * rng.standard_normal()
        body[along] = middle[along] + ALONG_SD_M * rng.standard_normal()
        body[YAW] = (0.0 if lengthwise else np.pi / 2) + YAW_SD_RAD * rng.standard_normal()
        return body

    def _rows(self, layer: int) -> Ints:
        return np.flatnonzero([slot.layer == layer for slot in self.towers.slots])

    def _middle(self, layer: int) -> Array:
        """Middle (2,) of a layer, by its blocks."""
        rows, bodies = self._rows(layer), self.towers.bodies[0]
        xy, side = bodies[rows][:, [X, Y]].copy(), (Y if axis_of(layer) == "x" else X)
        positions = np.array([self.towers.slots[k].position for k in rows])
        xy[:, side] -= (positions - 2) * (bodies[rows, WIDTH] + _PLAY_M)
        return np.asarray(xy.mean(axis=0))

    def _across(self, top: Slot, middle_m: float, width_m: float, side: int) -> float:
        """Where the block's middle goes, with room to the nearest neighbours."""
        lying = {self.towers.slots[k].position: self.towers.bodies[0, k] for k in self._rows(top.layer)}
        edges_m = {
            position: (body[side] - body[WIDTH] / 2 - middle_m, body[side] + body[WIDTH] / 2 - middle_m)
            for position, body in lying.items()
        }
        return middle_m + float(across_m(top.position, edges_m, width_m, _HABIT))
