"""A simulated tower for perception's tests: blocks are laid elsewhere by hand, then pictured as they lie."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from planning.blockset import BlockSet, load_blockset
from planning.observation import Seen, TowerObservation
from planning.tower import Slot
from robot.camera_model import CameraModel
from robot.frames import Array, pose, rotation_from_vector
from robot.ports import Frame
from sim.camera import SimCamera
from sim.simulation import Simulation

NOISE_LEVELS = 2.0  # what `play` simulates
_AWAY = pose(None, [0.0, 3.0, 0.5])  # behind the left camera


@dataclass(frozen=True)
class Shot:
    """Pictures of all cameras, and where the blocks were at that moment.

    Attributes:
        truth: `T_world_block` (4, 4) of every block that stood in the tower.
    """

    frames: tuple[Frame, ...]
    truth: dict[Slot, Array]

    def off_m(self, seen: TowerObservation) -> Array:
        """Distance (N,) between where each block was seen and where it was."""
        return np.array(
            [np.linalg.norm(seen.blocks[s].T_world_block[:3, 3] - T[:3, 3]) for s, T in self.truth.items()]
        )


class Scene:
    """A table with a full tower, the arm parked.

    Nothing is simulated between pictures: a block stays where it is put, even in the air.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.blockset: BlockSet = load_blockset("standard")
        self.T_world_tower = simulation.world.room.T_world_tower
        self.cameras: dict[str, CameraModel] = {c.model.name: c.model for c in simulation.cameras}
        self._simulation = simulation
        world = simulation.world
        self._names = {Slot(*block.slot): block.name for block in world.blocks}
        self.sizes_m = {Slot(*block.slot): np.array(block.size_m) for block in world.blocks}
        self.home = {slot: world.T_world_block(name) for slot, name in self._names.items()}

    def shot(
        self,
        *,
        without: Collection[Slot] = (),
        pushed: Mapping[Slot, float] | None = None,
        moved: Mapping[Slot, Array] | None = None,
        seed: int = 1,
    ) -> Shot:
        """Pictures of the tower with a few changes.

        Args:
            without: Blocks that are taken away.
            pushed: Distances [m] by which blocks are moved along their own length.
            moved: Motions (4, 4) of blocks, in each block's own frame.
            seed: Of the pictures' noise.
        """
        T = {slot: self.home[slot] @ pose(None, [d, 0, 0]) for slot, d in (pushed or {}).items()}
        T |= {slot: self.home[slot] @ motion for slot, motion in (moved or {}).items()}
        truth = {slot: home for slot, home in (self.home | T).items() if slot not in without}
        laid = {self._names[slot]: where for slot, where in (T | dict.fromkeys(without, _AWAY)).items()}
        with self._simulation.world.laid(laid):
            return Shot(tuple(self._camera(name, seed).capture() for name in self.cameras), truth)

    @contextmanager
    def bumped(self, name: str, by_m: Array, turned_rad: Array) -> Iterator[None]:
        """A camera stands elsewhere for a while: moved by (3,) and turned by a rotation vector (3,), world frame."""
        seat = self._simulation.world.data.camera(name)
        before = seat.xpos.copy(), seat.xmat.copy()
        seat.xpos[:] += by_m
        seat.xmat[:] = (rotation_from_vector(turned_rad) @ before[1].reshape(3, 3)).ravel()
        try:
            yield
        finally:
            seat.xpos[:], seat.xmat[:] = before

    def _camera(self, name: str, seed: int) -> SimCamera:
        place = next(place for place in self._simulation.places if place.name == name)
        return SimCamera(self._simulation.world, place, self._simulation.renderer, NOISE_LEVELS, seed)


def expected_slots(shot: Shot) -> dict[Slot, Seen]:
    """What an observation should hold, up to the highest layer that holds a block."""
    top = max(slot.layer for slot in shot.truth)
    every = [Slot(k, p) for k in range(1, top + 1) for p in (1, 2, 3)]
    return {slot: Seen.BLOCK if slot in shot.truth else Seen.GAP for slot in every}
