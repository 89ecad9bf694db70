from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim.collision import TowerCollisions
from sim.simulation import Simulation
from support import bench


@pytest.fixture(scope="session")
def drawn() -> Iterator[Simulation]:
    """A full standard tower at seed 1 that can be drawn; for looking only."""
    it = bench.simulation(seed=1, looks=True)
    yield it
    it.close()


@pytest.fixture(scope="session")
def checker() -> TowerCollisions:
    return bench.collisions()
