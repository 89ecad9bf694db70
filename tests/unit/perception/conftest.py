from __future__ import annotations

from collections.abc import Iterator

import pytest

from perception.observe import observe
from planning.observation import TowerObservation
from robot.errors import BadInputError
from support import bench
from support.pictures import Scene, Shot


@pytest.fixture(scope="session")
def scene() -> Iterator[Scene]:
    """A full standard tower at seed 1, to be pictured with changes."""
    simulation = bench.simulation(seed=1, looks=True)
    try:
        simulation.renderer.prepare(simulation.world)
    except BadInputError as error:
        pytest.skip(f"no pictures to read on this machine: {error}")
    yield Scene(simulation)
    simulation.close()


@pytest.fixture(scope="session")
def standing(scene: Scene) -> Shot:
    """The tower as it was stacked."""
    return scene.shot()


@pytest.fixture(scope="session")
def seen(scene: Scene, standing: Shot) -> TowerObservation:
    """What is seen of the tower as it was stacked."""
    return observe(standing.frames, scene.cameras, scene.blockset, scene.T_world_tower)
