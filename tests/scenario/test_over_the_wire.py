"""What a simulated table over the wire promises: the same each time, and no push faster than a real one may be."""

from __future__ import annotations

from contextlib import closing

import numpy as np

from planning.poses import push_aim
from robot.arm_models import VIPERX_300S
from robot.fakes import Button
from robot.follow import Mover
from robot.frames import Array
from robot.trajectory import Transit
from steadyhand.wired import GUARDED_M_S, over_the_wire
from support import bench
from support.truth_eyes import TruthEyes

PARK = VIPERX_300S.park_rad
GOAL = PARK + np.array([0.2, 0.1, -0.1, 0.3, 0.2, 0.2])


def moved() -> tuple[Array, list[float]]:
    """Where everything is after a motion, and the sensor's readings on the way."""
    table, forces = bench.simulation("111", seed=3), list[float]()
    with closing(over_the_wire(table, bench.body().limits, 4.0)) as devices:
        mover = Mover(devices.arm, devices.clock, Button())
        transit = Transit(np.stack([PARK, GOAL]), bench.body().limits)
        mover.follow(transit, lambda: forces.append(devices.force.read().force_n))
        return table.world.data.qpos.copy(), forces


def test_game_over_the_wire_is_the_same_each_time() -> None:
    first, second = moved(), moved()
    assert np.array_equal(first[0], second[0])
    assert first[1] == second[1]


def test_push_over_the_wire_is_no_faster_than_a_real_one_may_be() -> None:
    table = bench.table("111", seed=2, wire=True, eyes=TruthEyes)
    assert table.devices is not None
    with closing(table.devices):
        hand, eyes = table.hand, table.eyes
        block = next(iter(eyes.observe(eyes.look()).blocks.values()))
        line = hand.line(push_aim(block.T_world_block, float(block.size_m[0]), 1, 0.0), 0.0)
        assert line is not None
        hand.go(line.q(0.0))
        hand.pusher.tare()
        began_s, far_m = table.devices.clock.now_s(), 0.006
        hand.pusher.advance(line, 0.0, far_m, 0.010, 0.8)
        assert table.devices.clock.now_s() - began_s >= far_m / GUARDED_M_S
