from __future__ import annotations

import numpy as np
import pytest

from planning.poses import APPROACH_M, push_aim
from robot.errors import MotionError
from robot.frames import Array
from robot.hand import need
from sim.arm_model import FINGERS, PREFIX
from sim.finger import ContactGauge
from steadyhand.settings import ForceSettings
from support import bench

EXACT = bench.exact_settings().model_copy(update={"force": ForceSettings(noise_n=0.0, delay_ms=0.0)})


@pytest.fixture(scope="module")
def pushed() -> tuple[bench.Table, str, Array]:
    """A tight side block low in the tower, pushed to 0.6 N and held."""
    table = bench.table(seed=1, settings=EXACT)
    hand, world = table.hand, table.simulation.world
    hand.collisions.set_tower([(world.T_world_block(b.name), np.array(b.size_m)) for b in world.blocks])
    for block in world.blocks[:45]:
        T = world.T_world_block(block.name)
        line = need(hand.line(push_aim(T, block.size_m[0], 1, 0.005), 0.0), "the push")
        hand.go(line.q(0.0))
        hand.along(line, 0.0, APPROACH_M - 0.003, 0.1)
        hand.pusher.tare()
        table.simulation.gauge.reset()
        result = hand.pusher.advance(line, APPROACH_M - 0.003, line.length_m, 0.002, 0.6)
        if result.ended.value == "force":
            return table, block.name, T
        hand.along(line, result.end_m, 0.0, 0.1)
    raise MotionError("no tight block in this tower")


def test_sensor_reads_what_the_contact_bears(pushed: tuple[bench.Table, str, Array]) -> None:
    table, name, _ = pushed
    peak = table.simulation.gauge.peak_n
    assert set(peak) == {name}
    assert peak[name] == pytest.approx(0.6, abs=0.08)
    table.simulation.world.sleep_until(table.simulation.world.now_s() + 0.3)
    gauge = ContactGauge(table.simulation.world)
    table.simulation.world.sleep_until(table.simulation.world.now_s() + 0.1)
    assert gauge.peak_n[name] == pytest.approx(table.simulation.force.read().force_n, abs=0.03)


def test_tip_gives_by_force_over_stiffness(pushed: tuple[bench.Table, str, Array]) -> None:
    table = pushed[0]
    data = table.simulation.world.data
    given = [float(data.joint(f"{PREFIX}{side}_nose").qpos[0]) for side in FINGERS]
    stiffness_n_m = EXACT.finger.stiffness_n_mm * 1e3
    assert np.mean(given) == pytest.approx(-table.simulation.force.read().force_n / stiffness_n_m, abs=1e-5)


def test_gauge_starts_anew_after_a_reset(pushed: tuple[bench.Table, str, Array]) -> None:
    table, name, _ = pushed
    table.simulation.gauge.reset()
    assert table.simulation.gauge.peak_n == {}
    table.simulation.world.step()
    assert 0.3 < table.simulation.gauge.peak_n[name] < 0.8


def test_free_tip_reads_nothing() -> None:
    table = bench.simulation("111", seed=1, settings=EXACT)
    table.world.sleep_until(1.0)
    assert table.force.read().force_n == pytest.approx(0.0, abs=2e-3)
    assert table.gauge.peak_n == {}
