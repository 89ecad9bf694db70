"""What every force sensor must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import pytest

from hardware.force import STALE_S
from robot.clock import ManualClock
from robot.errors import DeviceError
from robot.fakes import FakeForce
from robot.ports import Clock, ForceReading, ForceSensor
from sim.arm_model import FINGERS, PREFIX
from sim.finger import BeamCell, SimForceSensor
from sim.simulation import FingerMechanics
from support import bench
from support.wired import wired

STEP_S = 0.004
CELLS = {"as built": BeamCell(), "slow": BeamCell(0.01, 0.2, 20.0), "quick": BeamCell(0.1, 0.0, 125.0)}


@dataclass
class Pushed:
    """A sensor, its time, and a way to push it with a known force."""

    sensor: ForceSensor
    clock: Clock
    push: Callable[[float], None]

    def readings(self, seconds: float) -> list[ForceReading]:
        """Every new reading of a time, looked for at every step."""
        found: list[ForceReading] = []
        end_s = self.clock.now_s() + seconds
        while self.clock.now_s() < end_s:
            self.clock.sleep_until(self.clock.now_s() + STEP_S)
            reading = self.sensor.read()
            if not found or reading.t_s != found[-1].t_s:
                found.append(reading)
        return found


def simulated(cell: BeamCell) -> Pushed:
    world = bench.simulation("111", seed=2).world
    noses = [world.model.joint(f"{PREFIX}{side}_nose").dofadr[0] for side in FINGERS]

    def push(force_n: float) -> None:
        world.data.qfrc_applied[noses] = -force_n / 2  # back along the legs, against the springs

    return Pushed(SimForceSensor(world, FingerMechanics(), cell, 2), world, push)


def faked(cell: BeamCell) -> Pushed:
    clock, force_n = ManualClock(), [0.0]
    sensor = FakeForce(
        lambda: force_n[0], clock, noise_n=cell.noise_n, delay_s=cell.delay_s, rate_hz=cell.rate_hz, seed=2
    )
    return Pushed(sensor, clock, lambda n: force_n.__setitem__(0, n))


@pytest.fixture(params=["simulated", "fake", "serial"])
def make(request: pytest.FixtureRequest) -> Iterator[Callable[[BeamCell], Pushed]]:
    with ExitStack() as stack:

        def serial(cell: BeamCell) -> Pushed:
            """The real driver, connected, at the other end of an emulated HX711."""
            it = stack.enter_context(
                wired(
                    noise_n=cell.noise_n,
                    delay_s=cell.delay_s,
                    rate_hz=cell.rate_hz,
                    stale_s=max(STALE_S, 2.5 / cell.rate_hz),
                )
            )
            it.sensor.connect()
            it.sensor.measure(800 / cell.rate_hz)  # so long that what it says of its noise is exact
            return Pushed(it.sensor, it.clock, lambda n: it.force_n.__setitem__(0, n))

        yield {"simulated": simulated, "fake": faked, "serial": serial}[request.param]


@pytest.fixture(params=CELLS)
def pushed(request: pytest.FixtureRequest, make: Callable[[BeamCell], Pushed]) -> Pushed:
    it = make(CELLS[request.param])
    it.clock.sleep_until(it.clock.now_s() + 0.5)
    it.sensor.read()
    it.readings(0.3)
    return it


def test_what_it_says_of_itself_is_usable(pushed: Pushed) -> None:
    sensor = pushed.sensor
    assert sensor.noise_n >= 0
    assert sensor.delay_s >= 0
    assert sensor.rate_hz > 0


def test_readings_come_at_the_rate_it_says(pushed: Pushed) -> None:
    seconds = 4.0
    assert len(pushed.readings(seconds)) == pytest.approx(seconds * pushed.sensor.rate_hz, rel=0.05)


def test_time_of_a_reading_is_when_it_was_measured(pushed: Pushed) -> None:
    sensor, last_s = pushed.sensor, -np.inf
    for _ in range(200):
        pushed.clock.sleep_until(pushed.clock.now_s() + STEP_S)
        reading = sensor.read()
        age_s = pushed.clock.now_s() - reading.t_s
        assert sensor.delay_s - 1e-6 <= age_s <= sensor.delay_s + 1 / sensor.rate_hz + 2 * STEP_S
        assert reading.t_s >= last_s
        last_s = reading.t_s


def test_same_moment_gives_the_same_reading(pushed: Pushed) -> None:
    assert pushed.sensor.read() == pushed.sensor.read()


def test_noise_is_as_large_as_it_says(pushed: Pushed) -> None:
    values = [reading.force_n for reading in pushed.readings(1500 / pushed.sensor.rate_hz)]
    assert np.std(values) == pytest.approx(pushed.sensor.noise_n, rel=0.08)
    assert np.mean(values) == pytest.approx(0.0, abs=4 * pushed.sensor.noise_n / np.sqrt(len(values)) + 2e-3)


@pytest.mark.parametrize("force_n", [1.0, -0.5])
def test_force_is_told_with_its_sign_after_the_delay_and_not_before(
    make: Callable[[BeamCell], Pushed], force_n: float
) -> None:
    it = make(BeamCell(noise_n=0.0, delay_s=0.1, rate_hz=80.0))
    it.clock.sleep_until(0.5)
    it.readings(0.3)
    pushed_s = it.clock.now_s()
    it.push(force_n)
    for reading in it.readings(1.0):
        if reading.t_s < pushed_s - STEP_S:
            assert abs(reading.force_n) < 0.01
        if reading.t_s > pushed_s + 0.2:
            assert reading.force_n == pytest.approx(force_n, abs=0.01)


def test_sensor_without_a_reading_says_so() -> None:
    fresh = bench.simulation("111", seed=2)
    sensor = SimForceSensor(fresh.world, FingerMechanics(), BeamCell(delay_s=0.3), 2)
    with pytest.raises(
        DeviceError, match=r"force sensor: no reading within .* s of the start; wait 0\.300 s"
    ):
        sensor.read()


def test_fault_on_demand_is_a_device_error() -> None:
    it = faked(BeamCell())
    assert isinstance(it.sensor, FakeForce)
    it.sensor.broken = True
    with pytest.raises(DeviceError, match="force sensor: no answer"):
        it.sensor.read()
