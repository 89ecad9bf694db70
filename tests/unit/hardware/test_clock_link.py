"""A simulated world's time in another program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from robot.errors import DeviceError
from support.linked import Told

ROOT = Path(__file__).parents[3]


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    it = Told(tmp_path)
    yield it
    it.time.close()


def pass_time(told: Told, seconds: float) -> float:
    """By how much the world goes on while real time passes."""
    before_s, end_s = told.now_s, told.wall.now_s() + seconds
    while told.wall.now_s() < end_s:
        told.wall.sleep_until(told.wall.now_s() + 0.01)
    return told.now_s - before_s


def test_world_that_nobody_plays_in_goes_on(told: Told) -> None:
    assert pass_time(told, 1.0) > 0.1


def test_world_stands_still_while_the_player_thinks_and_goes_on_while_it_waits(told: Told) -> None:
    with told.clock() as clock:
        assert clock.now_s() == told.now_s
        assert pass_time(told, 5.0) == 0.0
        clock.sleep_until(clock.now_s() + 0.5)
        assert 7.5 - 1e-9 <= clock.now_s() == told.now_s < 7.503
        assert pass_time(told, 5.0) == 0.0
    assert pass_time(told, 1.0) > 0.1, "it is free again"


def test_time_that_the_last_player_waited_for_is_not_the_next_ones(told: Told) -> None:
    with told.clock() as clock:
        clock.sleep_until(clock.now_s() + 0.1)
    pass_time(told, 1.0)
    with told.clock() as clock:
        pass_time(told, 0.5)
        assert pass_time(told, 5.0) == 0.0


def test_second_player_is_refused(told: Told) -> None:
    with told.clock(), pytest.raises(DeviceError, match="another program plays in that world; end it"):
        told.clock()
    told.clock().close()


def test_player_that_died_leaves_the_world_free(told: Told) -> None:
    code = "import os, sys, pathlib; from hardware.clock_link import LinkedClock\n"
    code += "it = LinkedClock(pathlib.Path(sys.argv[1])); print(it.now_s(), flush=True); os._exit(9)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(told.folder)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stdout) == (9, "7.0\n"), done.stderr
    assert pass_time(told, 1.0) > 0.1


def test_world_that_goes_on_no_more_is_an_error_after_ten_seconds(told: Told) -> None:
    with told.clock() as clock:
        told.stands, began_s = True, told.wall.now_s()
        with pytest.raises(
            DeviceError, match=r"stood still at 7\.00 s for 10 s: has `steadyhand emulate` ended"
        ):
            clock.sleep_until(clock.now_s() + 0.01)
        assert told.wall.now_s() - began_s == pytest.approx(10.0, abs=0.1)


def test_slow_world_is_waited_for(told: Told) -> None:
    with told.clock() as clock:
        steps = iter(range(10**9))
        told.wall.passing = lambda: told.go_on() if next(steps) % 20_000 == 0 else None
        clock.sleep_until(clock.now_s() + 0.008)
        assert told.now_s == pytest.approx(7.008)


def test_world_that_has_ended_tells_no_time(told: Told) -> None:
    told.time.close()
    with pytest.raises(DeviceError, match="no time is told there: No such file or directory; start"):
        told.clock()
