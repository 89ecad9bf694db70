"""Our driver of G-code arms against grblHAL's own firmware, built as a program by its makers' simulator.

It is built by `tools/grbl_peer.sh` (it is GPL, so it is fetched and never part of this project) and named in GRBL_PEER.
Its three axes count degrees here, as a controller's that turns joints do. Its time is the wall's.
"""

from __future__ import annotations

import os
import subprocess
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hardware.grbl_arm import GrblArm
from hardware.transport import Port
from robot.clock import WallClock
from robot.errors import DeviceError, LimitError
from robot.frames import Array
from robot.limits import ArmLimits

PEER = os.environ.get("GRBL_PEER", "")
pytestmark = pytest.mark.skipif(
    not PEER, reason="GRBL_PEER names no simulator; tools/grbl_peer.sh builds one"
)
ONE = np.ones(3)
LIMITS = ArmLimits(-3 * ONE, 3 * ONE, 2 * ONE, 9 * ONE, 90 * ONE, opening_max_m=0.06)
BRISK = [f"${number}={value}" for number, value in zip(range(110, 113), [6000] * 3, strict=True)]
PATIENCE_S = 60.0


@pytest.fixture
def line(tmp_path: Path) -> Iterator[str]:
    """The firmware at the far end of a pseudo-terminal, its settings fresh."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    quiet = ["-n", "-b", os.devnull, "-s", os.devnull, "-e", str(tmp_path / "settings")]
    peer = subprocess.Popen([PEER, *quiet], stdin=ours, stdout=ours, stderr=subprocess.DEVNULL, cwd=tmp_path)
    try:
        time.sleep(0.5)
        os.write(theirs, "".join(f"{text}\n" for text in BRISK).encode())
        time.sleep(0.5)
        termios.tcflush(theirs, termios.TCIFLUSH)
        yield os.ttyname(theirs)
    finally:
        peer.kill()
        peer.wait()
        os.close(ours)
        os.close(theirs)


@pytest.fixture
def arm(line: str) -> Iterator[GrblArm]:
    letters = {"waist": "X", "shoulder": "Y", "elbow": "Z"}
    arm = GrblArm(
        Port(line, 115_200), letters, lambda m: f"M3 S{m * 1e3:.0f}", LIMITS, WallClock(), modes=("G21", "G90", "G94")
    )  # fmt: skip
    arm.connect()
    yield arm
    arm.close()


def go(arm: GrblArm, q_rad: Array) -> None:
    """There, in steps that the limits let pass, however busy the machine is."""
    start, until_s = arm.state().q_rad, time.monotonic() + PATIENCE_S
    for share in np.linspace(0.2, 1.0, 5):
        goal = start + share * (q_rad - start)
        arm.command(goal, np.zeros(3))
        while np.abs(arm.state().q_rad - goal).max() > 1e-3:
            assert time.monotonic() < until_s
            time.sleep(0.02)


def test_connecting_moves_nothing(arm: GrblArm) -> None:
    assert arm.state().q_rad == pytest.approx(np.zeros(3))


def test_it_goes_where_it_is_sent_and_says_so(arm: GrblArm) -> None:
    goal = np.array([0.3, -0.2, 0.1])
    go(arm, goal)
    assert arm.state().q_rad == pytest.approx(goal, abs=1e-3)


def under_way(arm: GrblArm) -> None:
    """In the midst of a slow motion of the waist."""
    arm.command(np.array([0.2, 0.0, 0.0]), np.array([0.04, 0.0, 0.0]))
    until_s = time.monotonic() + PATIENCE_S
    while arm.state().q_rad[0] < 0.02:
        assert time.monotonic() < until_s
        time.sleep(0.02)


def test_stop_in_motion_keeps_its_place_and_it_goes_on_from_there(arm: GrblArm) -> None:
    under_way(arm)
    arm.stop()
    here = arm.state().q_rad
    assert here[0] < 0.19, "it was in the midst of its way"
    time.sleep(0.5)
    assert arm.state().q_rad == pytest.approx(here, abs=1e-4)
    go(arm, np.array([0.1, 0.1, 0.0]))


def test_what_the_limits_refuse_is_not_sent(arm: GrblArm) -> None:
    with pytest.raises(LimitError, match="joint waist"):
        arm.command(np.array([3.1, 0.0, 0.0]), np.zeros(3))
    assert arm.state().q_rad == pytest.approx(np.zeros(3))


def test_line_that_it_refuses_is_told_and_it_goes_on_after(arm: GrblArm) -> None:
    """It repeats an error at every line until an empty one comes."""
    arm._say("M21")  # a Mirobot's mode, which a plain GRBL does not know
    time.sleep(1.0)
    with pytest.raises(DeviceError, match=r"refused a line \(error:\d+\)"):
        arm.state()
    go(arm, np.array([0.1, 0.0, 0.0]))


def test_controller_that_something_else_has_reset_moves_no_more(arm: GrblArm, line: str) -> None:
    under_way(arm)
    end = os.open(line, os.O_WRONLY | os.O_NOCTTY)
    os.write(end, b"\x18")
    os.close(end)
    time.sleep(1.0)
    with pytest.raises(DeviceError, match=r"it moves no more\. See to the cause"):
        go(arm, np.array([0.1, 0.0, 0.0]))
