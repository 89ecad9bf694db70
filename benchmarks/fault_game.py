"""A game over the wire that is watched by the truth: where the tool and the blocks are, and what presses on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from planning.notes import Note, Phase
from planning.opening import Opening
from planning.tower import Slot, Tower
from robot.frames import Array, pose, quaternion
from robot.ports import Camera, Frame
from robot.vernier import Vernier
from sim.arm import T_world_flange, put_arm
from sim.arm_model import PREFIX
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.acting import Seen, actors_of
from steadyhand.devices import Devices
from steadyhand.faults import Emulated, Kind
from steadyhand.journal import Journal
from steadyhand.match import Match, Summary
from steadyhand.rig import Rig, told_to
from steadyhand.settings import Settings
from steadyhand.stopping import HumanStop
from steadyhand.wired import far_ends, near_ends

_SAMPLE_S, _BOOT_S = 0.02, 0.4
_ASIDE_M, _HALF_M = (0.16, -0.20), 0.0085  # where a block lies beside the tower
PLAYERS = ["Robot"]


@dataclass
class Sample:
    """The world at a moment: where the tool is (3,), and what presses on the finger."""

    t_s: float
    tool_m: Array
    force_n: float


class Table:
    """A simulated table whose drivers can be connected anew, as after a repair.

    Args:
        tower: Its text.
        seed: Of everything.
    """

    def __init__(self, tower: str, seed: int) -> None:
        self.settings, self.seed, self.tower = Settings(), seed, tower
        self.blockset = wiring.block_set(self.settings, None)
        self.body = wiring.body_of(self.settings)
        standing = wiring.checked_tower(tower, 54)
        plan = wiring.plan_of(self.settings, self.blockset, standing, seed)
        self.simulation = Simulation(plan, self.body.limits, self.body.park_rad)
        self.world = self.simulation.world
        self._made = ExitStack()
        self.far: Emulated = self._made.enter_context(far_ends(self.simulation, self.settings.finger.pinch_n))
        self.devices: Devices
        self.names = {Slot(*b.slot): b.name for b in self.world.blocks if b.slot is not None}
        self._homes = {b.name: self.world.data.joint(b.name).qpos.copy() for b in self.world.blocks}
        self.cameras = [Watched(camera) for camera in self.simulation.cameras]

    def connect(self) -> tuple[Rig, HumanStop]:
        """The drivers, and hand and eyes."""
        vernier = Vernier(self.body.kinematics)
        self.devices = near_ends(self.world, self.far, self.body.limits, vernier=vernier)
        stop, listeners = HumanStop(), []
        seen = Seen(self.cameras, len(self.world.blocks), True, told_to(listeners))
        actors = actors_of(self.settings, self.blockset, self.body, seen, self.devices, self.seed, stop)
        rig = Rig(actors, self.devices.clock, self.cameras, self.devices.close, listeners)
        return rig, stop

    def begun(self, path: Path) -> Journal:
        """A new record."""
        return Journal.create(path, Opening.of(PLAYERS, tower=str(Tower.parse(self.tower))))

    def match(self, rig: Rig, journal: Journal, said: list[str]) -> Match:
        """As `play` makes it."""
        summary = Summary(self.seed, self.blockset.name, "classic", PLAYERS)
        policy = wiring.policy_of(self.settings, rig.actors, self.seed)
        return Match(rig, journal, summary, said.append, lambda _name: policy)

    def sample(self) -> Sample:
        """Now."""
        T = T_world_flange(self.world) @ self.settings.finger.fingers().T_flange_tool()
        return Sample(self.world.now_s(), T[:3, 3], self.simulation.force.true_n())

    def rename(self, ports: dict[str, str]) -> None:
        """Its sensor's port has another name now."""
        self.far = replace(self.far, sensor_port=ports.get(self.far.sensor_port, self.far.sensor_port))

    def repair(self, kind: Kind) -> None:
        """Undo a fault, as its message tells a person to."""
        bus = self.far.arm.bus
        self.far.arm.faults.mend()
        for servo in bus.servos:
            servo.silent, servo.voltage_v = False, servo.table.volts
            if servo.get("hardware_error"):
                servo.boot()
        if kind is Kind.HANG_UP:
            self.far.arm.terminal.start()
        if self.far.sensor is not None:
            self.far.sensor.fault = None
        self._supported(_BOOT_S)

    def _supported(self, seconds: float) -> None:
        """Time passes while a person supports the arm: servos that start anew are limp, and deaf."""
        world = self.world
        names = [world.model.joint(k).name for k in range(world.model.njnt)]
        joints = [world.data.joint(name) for name in names if name.startswith(PREFIX)]
        held = [joint.qpos.copy() for joint in joints]
        until_s = world.now_s() + seconds
        while world.now_s() < until_s:
            world.step()
            for joint, qpos in zip(joints, held, strict=True):
                joint.qpos, joint.qvel = qpos, 0.0

    def lead_clear(self) -> None:
        """A person lets the arm go limp and leads it to where it parks."""
        for servo in self.far.arm.bus.servos:
            servo.put("torque_enable", 0)
        put_arm(self.world.data, self.body.park_rad, 0.0)

    def push_home(self, slots: Sequence[Slot]) -> None:
        """A person puts blocks back where they stood at first."""
        for slot in slots:
            joint = self.world.data.joint(self.names[slot])
            joint.qpos, joint.qvel = self._homes[self.names[slot]], np.zeros(6)

    def take_away(self, slot: Slot) -> None:
        """A person lays a block on the table, beside the tower."""
        joint = self.world.data.joint(self.names[slot])
        T = self.world.room.T_world_tower
        at = T @ pose(None, [*_ASIDE_M, _HALF_M - float(T[2, 3])])
        joint.qpos, joint.qvel = [*at[:3, 3], *quaternion(at[:3, :3])], np.zeros(6)


class Watched:
    """Implements `Camera` on another, and counts its pictures."""

    def __init__(self, camera: Camera) -> None:
        self._camera, self.model, self.taken = camera, camera.model, 0

    def capture(self) -> Frame:
        """A picture."""
        self.taken += 1
        return self._camera.capture()


@dataclass
class Timeline:
    """What a whole game was like: its moments and samples."""

    notes: list[tuple[float, Phase]] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    def watch(self, table: Table) -> None:
        """See every step of a table."""

        def look(world) -> None:
            if not self.samples or world.now_s() >= self.samples[-1].t_s + _SAMPLE_S:
                self.samples.append(table.sample())

        table.world.watch(look)

    def save(self, path: Path, record: list[str]) -> None:
        """Keep it, and the record that belongs to it."""
        samples = [[s.t_s, *s.tool_m.tolist(), s.force_n] for s in self.samples]
        path.write_text(json.dumps({"record": record, "notes": self.notes, "samples": samples}))

    @classmethod
    def load(cls, path: Path) -> tuple[Timeline, list[str]]:
        """What was kept."""
        kept = json.loads(path.read_text())
        notes = [(t_s, Phase(phase)) for t_s, phase in kept["notes"]]
        samples = [Sample(t_s, np.array(at), force_n) for t_s, *at, force_n in kept["samples"]]
        return cls(notes, samples), kept["record"]

    def listener(self, table: Table):
        """For a rig."""

        def listen(note: Note) -> None:
            if note.phase is not Phase.SETTLING:
                self.notes.append((table.world.now_s(), note.phase))

        return listen


@dataclass(frozen=True)
class Moment:
    """When a fault comes: in which part of a turn, what the arm does then, and as `--fault` says it."""

    part: str
    doing: str
    t_s: float
    option: str


PARTS = {
    (Phase.PROBE_START, Phase.PROBE_END): "probing",
    (Phase.PROBE_END, Phase.RESTORED): "putting back",
    (Phase.PROBE_END, Phase.EXTRACTED): "drawing out",
    (Phase.EXTRACTED, Phase.PLACED): "laying on top",
    (Phase.PLACED, Phase.SETTLED): "settling",
}
DOINGS = ("fastest", "hardest", "middle")
_PRESSED_N = 0.1


def moments(timeline: Timeline) -> list[Moment]:
    """Of each part of a turn, the longest of its kind: when the tool is fastest, or pressed hardest, and its middle."""
    longest: dict[str, tuple[float, float]] = {}
    times = [note for note in timeline.notes if note[1] is not Phase.CHOSEN]
    for (from_s, one), (to_s, other) in pairwise(times):
        part = PARTS.get((one, other))
        if part and to_s - from_s > np.subtract(*longest.get(part, (0.0, 0.0))[::-1]):
            longest[part] = (from_s, to_s)
    return [
        moment
        for part in PARTS.values()
        if part in longest
        for moment in _of_part(timeline, part, *longest[part])
    ]


def _of_part(timeline: Timeline, part: str, from_s: float, to_s: float) -> list[Moment]:
    inside = [s for s in timeline.samples if from_s < s.t_s < to_s]
    speeds = [float(np.linalg.norm(b.tool_m - a.tool_m)) for a, b in pairwise(inside)]
    forces = [abs(s.force_n) for s in inside]
    times = {"fastest": inside[int(np.argmax(speeds))].t_s, "middle": (from_s + to_s) / 2}
    if max(forces) > _PRESSED_N:
        times["hardest"] = inside[int(np.argmax(forces))].t_s
    return [
        Moment(part, doing, times[doing], _option(timeline, times[doing]))
        for doing in DOINGS
        if doing in times
    ]


def _option(timeline: Timeline, t_s: float) -> str:
    """PHASE+SECONDS from the first time that a phase began, the last one before."""
    first: dict[Phase, float] = {}
    for at_s, phase in timeline.notes:
        first.setdefault(phase, at_s)
    phase = max((p for p in reversed(first) if first[p] <= t_s), key=lambda p: first[p])
    return f"{phase}+{t_s - first[phase]:.2f}"
