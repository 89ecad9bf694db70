"""A stopped arm that is set to sink, over the wire, in a world with weight: slowly down, until the table bears it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planning.blockset import load_blockset
from planning.tower import Tower
from robot.arm_models import VIPERX_300S
from sim.arm import T_world_flange, put_arm
from sim.joints import ArmErrors
from sim.simulation import Simulation
from sim.world import World
from steadyhand import wiring
from steadyhand.settings import Settings
from steadyhand.wired import over_the_wire
from support import bench

BESIDE_THE_TOWER = VIPERX_300S.park_rad + np.array([1.6, 1.2, -1.1, 0.0, 0.0, 0.0])
RATE_RAD_S = np.radians(6.0)
SWINGS_S = 0.5


def test_stopped_arm_comes_down_slowly_and_lies_on_the_table() -> None:
    tower, weighs = Tower.parse("111"), ArmErrors(sag=1.0)  # no servo bears its arm's weight by itself
    plan = wiring.plan_of(Settings(), load_blockset("standard"), tower, 4, looks=False)
    table = Simulation(replace(plan, errors=weighs), bench.body().limits, BESIDE_THE_TOWER)
    put_arm(table.world.data, BESIDE_THE_TOWER, 0.0)
    devices = over_the_wire(table, bench.body().limits, 4.0, sinks_rad_s=RATE_RAD_S)
    table.world.sleep_until(table.world.now_s() + 0.3)
    devices.arm.stop()
    seen = list[tuple[float, float, float, float]]()

    def look(world: World) -> None:
        x, y, z = T_world_flange(world)[:3, 3]
        seen.append((world.now_s(), float(x), float(y), float(z)))

    table.world.watch(look)
    devices.close()
    t_s, places_m = np.array(seen)[:, 0], np.array(seen)[:, 1:]
    speeds_m_s = np.linalg.norm(np.diff(places_m, axis=0), axis=1) / np.diff(t_s)
    assert places_m[0, 2] - places_m[-1, 2] > 0.3, "it came down"
    assert speeds_m_s[t_s[1:] > t_s[0] + SWINGS_S].max() < 0.25, (
        "three joints of it at 6 degrees a second, 0.8 m long"
    )
    assert speeds_m_s[-50:].max() < 0.002, "it lies"
    assert devices.far is not None
    assert all(servo.torque for servo in devices.far.arm.bus.servos), "and its servos hold on"
