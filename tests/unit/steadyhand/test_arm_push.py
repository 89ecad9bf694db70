"""`arm push` on an emulated bus: forward under guard, back on the same line, and what is kept of it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from robot.errors import BadInputError, DeviceError, LimitError, MotionError
from robot.fakes import Button, FakeForce
from robot.follow import Mover
from robot.vernier import Vernier
from steadyhand.arm_push import Request, push, run
from steadyhand.devices import Devices
from steadyhand.last_push import LAST, LastPush, last_push
from steadyhand.settings import Settings
from steadyhand.wired import GUARDED_M_S
from support import bench
from support.arm_ports import arm_port
from support.servo_arms import Emulated, emulated

REACHING = np.array([0.0, 0.1, -0.1, 0.0, 0.2, 0.0])
WALL_M, STIFFNESS_N_M = 0.002, 500.0


class Bench:
    """An arm with fine steps; 2 mm ahead of its tip something hard stands, on which the tip's spring bears."""

    def __init__(self, far: Emulated, *, noise_n: float = 0.01) -> None:
        self.arm, self.most_n = far.arm, 0.0
        self.arm.energise()
        self.began = bench.body().kinematics.forward(self.arm.state().q_rad)
        force = FakeForce(self.felt_n, far.clock, noise_n=noise_n)
        self.devices = Devices(far.arm, far.attended, force, GUARDED_M_S, far.parts.gentle_profile_s)
        self.mover = Mover(far.arm, far.attended, Button())

    def ahead_m(self) -> float:
        T = bench.body().kinematics.forward(self.arm.state().q_rad)
        return float((T[:3, 3] - self.began[:3, 3]) @ self.began[:3, 0])

    def felt_n(self) -> float:
        force_n = STIFFNESS_N_M * max(self.ahead_m() - WALL_M, 0.0)
        self.most_n = max(self.most_n, force_n)
        return force_n

    def push(self, travel_mm: float, limit_n: float) -> LastPush:
        return push(Settings(), bench.body(), self.devices, self.mover, travel_mm * 1e-3, limit_n)


@pytest.fixture
def it() -> Iterator[Bench]:
    with emulated(REACHING, vernier=Vernier(bench.body().kinematics)) as far:
        yield Bench(far)


def test_push_stops_at_its_limit_and_comes_back(it: Bench) -> None:
    found = it.push(travel_mm=8.0, limit_n=0.5)
    assert found.ended == "force"
    assert found.over_n is not None
    assert found.peak_n == pytest.approx(0.5 + found.over_n)
    assert it.most_n < 0.5 + 0.25 + 0.1, "a step of an encoder is 0.25 N here"
    assert found.contact_mm == pytest.approx(2.0, abs=0.8)
    assert it.ahead_m() == pytest.approx(0.0, abs=0.0006)


def test_push_that_meets_nothing_goes_its_whole_way_and_comes_back(it: Bench) -> None:
    found = it.push(travel_mm=1.5, limit_n=0.5)
    assert (found.ended, found.over_n) == ("travel", None)
    assert it.most_n == 0.0
    assert it.ahead_m() == pytest.approx(0.0, abs=0.0006)


def test_limit_that_noise_would_hide_is_refused_and_nothing_moves() -> None:
    with emulated(REACHING) as far:
        it = Bench(far, noise_n=0.3)
        far.forget()
        with pytest.raises(LimitError, match="nothing was pushed"):
            it.push(travel_mm=5.0, limit_n=0.5)
        assert far.writes() == []


def test_line_that_is_out_of_reach_is_refused_and_nothing_moves(it: Bench) -> None:
    with pytest.raises(MotionError, match="nothing moved: lead the arm by hand"):
        it.push(travel_mm=600.0, limit_n=0.5)


def test_what_was_measured_is_read_again_and_a_spoilt_file_is_nothing(tmp_path: Path, it: Bench) -> None:
    assert last_push(tmp_path) is None
    found = it.push(travel_mm=1.5, limit_n=0.5)
    (tmp_path / LAST).write_text(found.model_dump_json())
    assert last_push(tmp_path) == found
    (tmp_path / LAST).write_text("{}")
    assert last_push(tmp_path) is None


def test_settings_without_an_arm_or_without_a_sensor_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("")
    with pytest.raises(BadInputError, match=r"arm\.port: no arm is named"):
        run(Request(file, 5.0, 0.3, yes=2), io.StringIO(), print, tmp_path)
    file.write_text('[arm]\nport = "/dev/none"\n')
    with pytest.raises(BadInputError, match=r"force\.port: no port is named"):
        run(Request(file, 5.0, 0.3, yes=2), io.StringIO(), print, tmp_path)


def test_arm_is_not_even_asked_where_the_stop_pedal_is_not_there(tmp_path: Path) -> None:
    with arm_port(REACHING) as far:
        file = far.settings(
            tmp_path, '[force]\nport = "loop://"\nformat = "newtons"\n[stop]\nport = "/dev/no-pedal"\n'
        )
        with pytest.raises(DeviceError, match=r"port '/dev/no-pedal' cannot be opened"):
            run(Request(file, 5.0, 0.3, yes=2), io.StringIO(), print, tmp_path)
        assert far.sent == []
