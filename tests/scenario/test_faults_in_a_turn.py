"""One case of each fault in the midst of a probe over the wire: how it ends, what is written, how it is gone on with.

Eyes that see the truth stand for the cameras. Every kind in every part of a turn, with cameras: `benchmarks/faults.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from planning.notes import Note, Phase
from planning.opening import Opening
from robot.fakes import Button
from robot.frames import Array
from robot.vernier import Vernier
from sim.arm import put_arm
from sim.simulation import Simulation
from sim.world import World
from steadyhand import wiring
from steadyhand.faults import Emulated, Kind
from steadyhand.journal import Journal
from steadyhand.match import EXIT_CODES, Match, Summary
from steadyhand.record_file import judge_file
from steadyhand.settings_file import load_settings
from steadyhand.wired import far_ends, near_ends
from support import bench
from support.truth_eyes import Poses, TruthEyes

pytestmark = pytest.mark.timeout(
    600
)  # on a busy machine two threads of a wire wait for each other at every packet
ROOT = Path(__file__).parents[2]
TOWER, SEED = "111*4", 1
PATIENCE_S = 0.15
PUSHED_N, BOOT_S = 0.1, 0.4  # servos that start anew are deaf for a while
ENDS = {
    Kind.LOST: r"servo 4 \(elbow\).* (answers only damaged bytes|does not answer).*check its cable",
    Kind.CORRUPTED: r"servo 4 \(elbow\).* answers only damaged bytes.*check its cable",
    Kind.DOUBLED: r"servo 4 \(elbow\).* answers only damaged bytes.*check its cable",
    Kind.SILENT: r"servo 4 \(elbow\).* does not answer.*check its cable",
    Kind.OVERLOAD: r"servo 4 \(elbow\): overload .*support the arm.*arm reboot",
    Kind.BROWN_OUT: r"servo \d .*(input voltage|9\.0 V).*check the supply",
    Kind.HANG_UP: r"port '/dev/pts/\d+' .*has hung up.*check its cable and the power",
    Kind.RENAMED: r"port '/dev/pts/\d+' .*has hung up.*check its cable and the power",
    Kind.STUCK: r"force sensor at '/dev/pts/\d+': stuck.*check the wires",
    Kind.NO_SENSOR: r"force sensor at '/dev/pts/\d+': the newest sample is \d+ ms late.*Check its cable",
}
UNNOTICED = [Kind.DELAYED, Kind.SPLIT, Kind.REPEATED]  # the wire is slow or talkative, and true
MISLEADING = [Kind.DRIFT, Kind.SPIKES]  # the sensor tells forces that are not there


class Looks(TruthEyes):
    """Keeps where the arm was at the first look."""

    first_q: Array | None = None

    def look(self) -> Poses:
        if self.first_q is None:
            self.first_q = true_q(self._world)
        return super().look()


def true_q(world: World) -> Array:
    names = bench.body().kinematics.joint_names
    return np.array([world.data.joint(f"arm/{name}").qpos[0] for name in names])


@dataclass
class Game:
    """A game whose devices fail as the finger pushes a block."""

    table: Simulation
    far: Emulated
    record: Path
    ends_at: Phase = Phase.PROBE_END
    notes: list[Phase] = field(default_factory=list)
    said: str = ""

    @property
    def world(self) -> World:
        return self.table.world

    def play(self, journal: Journal) -> tuple[Summary, Looks]:
        """Connect, play until a phase, and give the devices back."""
        said, button = list[str](), Button()
        vernier = Vernier(bench.body().kinematics)
        with closing(
            near_ends(self.world, self.far, bench.body().limits, None, PATIENCE_S, vernier)
        ) as devices:
            table = bench.table_of(self.table, devices, stop=button, eyes=Looks)
            rig = table.rig([])

            def listen(note: Note) -> None:
                self.notes.append(note.phase)
                if note.phase is self.ends_at:
                    button.press()

            rig.listeners.append(listen)
            summary = Summary(SEED, "standard", "classic", ["Robot"], record=str(self.record))
            policy = wiring.policy_of(load_settings(None), rig.actors, SEED)
            Match(rig, journal, summary, said.append, lambda _name: policy).play(1)
        self.said = " ".join(said)
        assert isinstance(table.eyes, Looks)
        return summary, table.eyes

    def begin(self, kind: Kind | None) -> Summary:
        """A new game, in which that happens."""
        if kind is not None:
            self._when_pushed(kind)
        with Journal.create(self.record, Opening.of(["Robot"], tower=TOWER)) as journal:
            return self.play(journal)[0]

    def resume(self) -> tuple[Summary, Looks]:
        self.ends_at = Phase.PROBE_START
        self.notes.clear()
        with Journal.resume(self.record) as journal:
            return self.play(journal)

    def _when_pushed(self, kind: Kind) -> None:
        waiting = [kind]

        def look(_world: World) -> None:
            if waiting and Phase.PROBE_START in self.notes and self.table.force.true_n() > PUSHED_N:
                self.far.spoil(waiting.pop())

        self.world.watch(look)

    def repair(self) -> None:
        """What the messages tell a person to do."""
        self.far.arm.faults.mend()
        for servo in self.far.arm.bus.servos:
            servo.silent, servo.voltage_v = False, servo.table.volts
            if servo.get("hardware_error"):
                servo.boot()
        self.far.arm.terminal.start()
        assert self.far.sensor is not None
        self.far.sensor.fault = None

    def lead_clear(self) -> None:
        for servo in self.far.arm.bus.servos:
            servo.put("torque_enable", 0)
        put_arm(self.world.data, bench.body().park_rad, 0.0)

    def wait(self, seconds: float) -> None:
        self.world.sleep_until(self.world.now_s() + seconds)

    def blocks(self) -> Array:
        return np.array([pose[:3] for pose in self.world.poses().values()])

    def lines(self) -> list[str]:
        return [line for line in self.record.read_text().splitlines() if '"stop"' not in line]


@contextmanager
def game(folder: Path) -> Iterator[Game]:
    table = bench.simulation(TOWER, seed=SEED)
    with far_ends(table, 4.0) as far:
        yield Game(table, far, folder / "game.jsonl")


@pytest.fixture(scope="module")
def as_ever(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The record of the same game without a fault."""
    with game(tmp_path_factory.mktemp("as-ever")) as it:
        assert it.begin(None).ended_by == "stop"
        return it.lines()


@pytest.mark.parametrize("kind", ENDS)
def test_fault_in_a_probe_ends_the_game_and_resuming_it_looks_first(
    tmp_path: Path, kind: Kind, as_ever: list[str]
) -> None:
    with game(tmp_path) as it:
        before = it.blocks()
        summary = it.begin(kind)
        assert (summary.ended_by, EXIT_CODES[summary.ended_by]) == ("fault", 3)
        it.wait(1.0)
        stopped = true_q(it.world)
        it.wait(1.0)
        assert np.abs(true_q(it.world) - stopped).max() < 2e-3, "it stands still, and stays up"
        assert sorted(np.linalg.norm(it.blocks() - before, axis=1))[-2] < 1e-3, "the tower stands"
        assert it.lines() == as_ever[: len(it.lines())], "nothing is written that was not measured"
        assert judge_file(it.record).verdict()["violations"] == []
        it.repair()
        it.wait(BOOT_S)
        it.lead_clear()
        resumed, eyes = it.resume()
        assert resumed.ended_by == "stop", it.said
        assert it.notes[:1] == [Phase.TURN_START]
        assert it.notes[-1] is Phase.PROBE_START
        assert eyes.first_q == pytest.approx(bench.body().park_rad, abs=0.01)


@pytest.mark.parametrize("kind", UNNOTICED)
def test_slow_or_talkative_wire_changes_nothing(tmp_path: Path, kind: Kind, as_ever: list[str]) -> None:
    with game(tmp_path) as it:
        assert it.begin(kind).ended_by == "stop", it.said
        assert it.lines() == as_ever


@pytest.mark.parametrize("kind", MISLEADING)
def test_forces_that_are_not_there_move_no_tower(tmp_path: Path, kind: Kind) -> None:
    with game(tmp_path) as it:
        before = it.blocks()
        summary = it.begin(kind)
        assert summary.ended_by in ("stop", "fault"), it.said
        it.wait(1.0)
        assert sorted(np.linalg.norm(it.blocks() - before, axis=1))[-2] < 1e-3, "the tower stands"
        assert max(it.table.gauge.peak_n.values()) < 1.0, "it pushes no harder"
        assert judge_file(it.record).verdict()["violations"] == []


def test_command_tells_the_fault_and_how_to_go_on(tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "steadyhand", "play", "--json", "--wire", "--tower", "111*6", "--turns", "1",
        "--record", "a.jsonl", "--fault", "hang-up@probe-start+1",
    ]  # fmt: skip
    env = {
        name: value for name, value in os.environ.items() if name not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")
    }
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, check=False,
        env={**env, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["ended_by"] == "fault"
    assert "it is unplugged or has hung up" in done.stderr
    assert "steadyhand play --resume a.jsonl" in done.stderr
    assert [json.loads(line)["type"] for line in (tmp_path / "a.jsonl").read_text().splitlines()] == [
        "game", "touch",
    ]  # fmt: skip
