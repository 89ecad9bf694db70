"""What every clock must do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from robot.clock import ManualClock, WallClock
from robot.ports import Clock
from sim.scene import Room
from sim.world import World
from support.linked import Told

CLOCKS: dict[str, Callable[[Path], Clock]] = {
    "wall": lambda _: WallClock(),
    "manual": lambda _: ManualClock(100.0),
    "simulated world": lambda _: World(Room(), [], 1, looks=False),
    "linked": lambda folder: Told(folder).clock(),
}


@pytest.fixture(scope="module", params=CLOCKS)
def clock(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Clock:
    return CLOCKS[request.param](tmp_path_factory.mktemp("clock"))


@pytest.mark.parametrize("wait_s", [0.004, 0.001, 0.0035, 0.0055, 0.01234])
def test_sleep_never_returns_too_early(clock: Clock, wait_s: float) -> None:
    until_s = clock.now_s() + wait_s
    clock.sleep_until(until_s)
    assert clock.now_s() >= until_s - 1e-9


def test_time_never_runs_backwards(clock: Clock) -> None:
    times = []
    for k in range(50):
        clock.sleep_until(clock.now_s() + (k % 3) * 0.0007)
        times.append(clock.now_s())
    assert times == sorted(times)


def test_sleeping_until_the_past_returns_at_once(clock: Clock) -> None:
    now_s = clock.now_s()
    clock.sleep_until(now_s - 5.0)
    clock.sleep_until(now_s)
    assert clock.now_s() - now_s < 1.0
