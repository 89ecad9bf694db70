from __future__ import annotations

import pytest

from sim.simulation import Simulation
from support import bench


def test_sleeves_touch_nothing_and_weigh_nothing(drawn: Simulation) -> None:
    bare = bench.simulation("111", seed=1)
    model = drawn.world.model
    sleeves = [model.geom(f"arm/sleeve{k}") for k in range(6)]
    assert all(geom.contype[0] == geom.conaffinity[0] == 0 for geom in sleeves)
    body = "arm/left_finger_link"
    assert model.body(body).mass[0] == pytest.approx(bare.world.model.body(body).mass[0])
    assert "arm/sleeve0" not in [bare.world.model.geom(k).name for k in range(bare.world.model.ngeom)]
    bare.close()
