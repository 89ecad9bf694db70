"""The real driver over the wire, in motion, when something fails: it says what and stands still, or nobody notices."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from planning.notes import Note, Phase
from robot.arm_models import VIPERX_300S
from robot.errors import BadInputError, DeviceError
from robot.fakes import Button
from robot.follow import Mover
from robot.frames import Array
from robot.trajectory import Transit
from sim.simulation import Simulation
from steadyhand.devices import Devices
from steadyhand.faults import Emulated, Fault, FaultsToCome, Kind, read_fault, read_timed_fault
from steadyhand.wired import over_the_wire
from support import bench

ROOT = Path(__file__).parents[2]
LOADED = "import sys, steadyhand.faults; print(*(m for m in ('mujoco', 'cv2', 'serial') if m in sys.modules))"
PARK = VIPERX_300S.park_rad
GOAL = PARK + np.array([0.5, 0.1, -0.1, 0.3, 0.2, 0.2])
FAILS_AFTER_S = 0.3
PATIENCE_S = 0.15
STOPS = {
    Kind.LOST: r"servo 4 \(elbow\).* (answers only damaged bytes|does not answer)",
    Kind.CORRUPTED: r"servo 4 \(elbow\).* answers only damaged bytes",
    Kind.DOUBLED: r"servo 4 \(elbow\).* answers only damaged bytes",
    Kind.SILENT: r"servo 4 \(elbow\).* does not answer",
    Kind.OVERLOAD: r"servo 4 \(elbow\): overload \(alarm register 0x20\): support the arm",
    Kind.BROWN_OUT: r"servo \d .*(input voltage|9\.0 V).*: check the supply",
    Kind.HANG_UP: r"port '/dev/pts/\d+' .*unplugged or has hung up.* connect anew",
    Kind.RENAMED: r"port '/dev/pts/\d+' .*unplugged or has hung up.* connect anew",
    Kind.STUCK: r"force sensor at '/dev/pts/\d+': stuck",
    Kind.NO_SENSOR: r"force sensor at '/dev/pts/\d+': the newest sample is \d+ ms late",
}
HARMLESS = [Kind.SPLIT, Kind.REPEATED, Kind.SPIKES, Kind.DRIFT]


@dataclass
class OnWire:
    """A table whose arm is moved over the wire."""

    table: Simulation
    devices: Devices
    mover: Mover

    @property
    def far(self) -> Emulated:
        assert self.devices.far is not None
        return self.devices.far

    def true_q(self) -> Array:
        return np.array(
            [self.table.world.data.joint(f"arm/{name}").qpos[0] for name in self.devices.arm.joint_names]
        )

    def speed(self) -> float:
        data = self.table.world.data
        return max(abs(float(data.joint(f"arm/{n}").qvel[0])) for n in self.devices.arm.joint_names)

    def move(self, kind: Kind) -> None:
        """A motion of more than a second, in which something fails."""
        fault = Fault(kind, Phase.TURN_START, FAILS_AFTER_S)
        FaultsToCome([fault], self.table.world, self.far.spoil)(Note(Phase.TURN_START))
        self.mover.follow(Transit(np.stack([PARK, GOAL]), bench.body().limits, pace=0.25))


@pytest.fixture
def wire() -> Iterator[OnWire]:
    table = bench.simulation("111", seed=3)
    with closing(over_the_wire(table, bench.body().limits, 4.0, patience_s=PATIENCE_S)) as devices:
        yield OnWire(table, devices, Mover(devices.arm, devices.clock, Button()))


@pytest.mark.parametrize("kind", STOPS)
def test_fault_in_motion_is_told_and_the_arm_stands_still_and_stays_up(wire: OnWire, kind: Kind) -> None:
    with pytest.raises(DeviceError, match=STOPS[kind]):
        wire.move(kind)
    wire.table.world.sleep_until(wire.table.world.now_s() + 0.5)
    assert wire.speed() < 0.01
    at = wire.true_q()
    wire.table.world.sleep_until(wire.table.world.now_s() + 1.0)
    assert np.abs(wire.true_q() - at).max() < 0.005, "it neither goes on nor drops"
    assert np.abs(at - GOAL).max() > 0.05, "it did not get there"


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_harms_nobody_in_free_space_is_not_noticed(wire: OnWire, kind: Kind) -> None:
    wire.move(kind)
    assert np.abs(wire.true_q() - GOAL).max() < 4e-3


@pytest.mark.parametrize("kind", [Kind.SILENT, Kind.OVERLOAD, Kind.HANG_UP])
def test_after_a_fault_nothing_moves_until_it_is_mended_and_switched_on(wire: OnWire, kind: Kind) -> None:
    with pytest.raises(DeviceError):
        wire.move(kind)
    with pytest.raises(DeviceError):
        wire.devices.arm.command(wire.true_q(), np.zeros(6))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("overload@probe-start", Fault(Kind.OVERLOAD, Phase.PROBE_START, 0.5)),
        ("hang-up@placed+2.5", Fault(Kind.HANG_UP, Phase.PLACED, 2.5)),
    ],
)
def test_fault_is_read(text: str, fault: Fault) -> None:
    assert read_fault(text) == fault


@pytest.mark.parametrize("text", ["overload", "fire@placed", "silent@lunch", "silent@placed+x"])
def test_fault_that_cannot_be_read_is_refused_with_what_can_be(text: str) -> None:
    with pytest.raises(BadInputError, match=r"expected KIND@PHASE.*kinds are lost, .*phases are waiting, "):
        read_fault(text)


def test_faults_are_read_before_mujoco_has_chosen_what_draws() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "\n"


def test_fault_of_an_emulation_is_read_by_its_second() -> None:
    assert read_timed_fault("hang-up@30") == (Kind.HANG_UP, 30.0)
    with pytest.raises(BadInputError, match="expected KIND@SECONDS, such as overload@30; kinds are lost"):
        read_timed_fault("overload@placed")
