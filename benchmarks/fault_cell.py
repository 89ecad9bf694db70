"""One fault at one moment: what became of arm, tower, record and message."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.fault_game import Moment, Table
from planning.notes import Note, Phase
from robot.errors import SteadyhandError
from robot.frames import Array
from steadyhand.faults import Kind
from steadyhand.journal import Journal
from steadyhand.match import EXIT_CODES, Summary
from steadyhand.record_file import judge_file

AFTER_S = 1.5  # the world is watched so long after the program has ended
MOVED_MM, SANK_MM, NOTICED_MM = 10.0, 5.0, 2.0
_WINDOW_S, _MOVING_M_S = 0.05, 0.003  # slower than that the arm sinks, or springs back
_TRIES = 4

_ELBOW, _ANY_SERVO = r"servo 4 \(elbow\)", r"servo \d+ \(\w+"
_PORT, _SENSOR = r"port '/dev/\S+'", r"force sensor at '/dev/\S+'"
_CABLE = "check its cable"
# What a message must say of whom, and what to do; and how long after the fault the arm may move
SAYS: dict[Kind, tuple[str, str, str, float]] = {
    Kind.LOST: (_ELBOW, "damaged bytes|does not answer", _CABLE, 0.8),
    Kind.CORRUPTED: (_ELBOW, "damaged bytes", _CABLE, 0.8),
    Kind.DOUBLED: (_ELBOW, "damaged bytes|does not answer", _CABLE, 0.8),
    Kind.SILENT: (_ELBOW, "does not answer", _CABLE, 0.8),
    Kind.OVERLOAD: (_ELBOW, "overload", "support the arm", 0.8),
    Kind.BROWN_OUT: (_ANY_SERVO, r"input voltage|9\.0 V", "check the supply", 0.8),
    Kind.HANG_UP: (_PORT, "unplugged or has hung up", "check its cable and the power", 1.0),
    Kind.RENAMED: (_PORT, "unplugged or has hung up", "check its cable and the power", 1.0),
    Kind.STUCK: (_SENSOR, "stuck", "check the wires", 1.3),
    Kind.NO_SENSOR: (_SENSOR, "late", "Check its cable", 0.9),
}
# These the program may go on under; where one ends the game it says why
MAY_GO_ON = {
    Kind.DELAYED: (_ELBOW, "does not answer", _CABLE, 0.8),
    Kind.DRIFT: (r"finger|force|contact|rest", r"N\b", r".", float("inf")),
    Kind.SPIKES: (r"finger|force|contact|rest", r"N\b", r".", float("inf")),
}
_CHANGES_FORCES = (Kind.DRIFT, Kind.SPIKES)


@dataclass
class Outcome:
    """What is written of a cell; lengths in mm."""

    kind: str
    part: str
    doing: str
    option: str
    ended_by: str = ""
    code: int = 0
    said: str = ""
    still_s: float = 0.0
    tool_mm: float = 0.0
    sank_mm: float = 0.0
    other_mm: float = 0.0
    force_n: float = 0.0
    events: list[str] = field(default_factory=list)
    resumed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Cell:
    """Watches a table from a fault on, in a process of its own.

    Args:
        table: The table, in the midst of a game.
        kind: What fails now.
        moment: When that is.
        block: The block that the turn is about, where there is one.
        held: Whether it is in the hand.
    """

    def __init__(self, table: Table, kind: Kind, moment: Moment, block: str | None, *, held: bool) -> None:
        self._table, self.kind, self._block, self._held = table, kind, block, held
        self.outcome = Outcome(str(kind), moment.part, moment.doing, moment.option)
        self._samples = [table.sample()]
        self._before = self._blocks()
        table.simulation.gauge.reset()
        table.world.watch(lambda _: self._samples.append(table.sample()))

    @property
    def since_s(self) -> float:
        """How long ago it was."""
        return self._table.world.now_s() - self._samples[0].t_s

    def ended(self, summary: Summary, said: Sequence[str], record: Path, as_ever: Sequence[str]) -> None:
        """Judge it once the match is over and the program has left the wires."""
        out, table = self.outcome, self._table
        out.ended_by, out.code, out.said = summary.ended_by, EXIT_CODES[summary.ended_by], " ".join(said)
        table.devices.close()
        table.world.sleep_until(table.world.now_s() + AFTER_S)
        self._arm()
        self._tower()
        self._record(record, as_ever)
        out.force_n = max(table.simulation.gauge.peak_n.values(), default=0.0)
        if out.code == 3:
            self._fault()
        elif self.kind in SAYS and out.tool_mm > NOTICED_MM:
            out.wrong.append(f"it went on moving, and ended by {out.ended_by}")

    def _arm(self) -> None:
        out, places = self.outcome, np.array([s.tool_m for s in self._samples])
        window = round(_WINDOW_S / self._table.world.step_s)
        moving = np.linalg.norm(places[window:] - places[:-window], axis=1) > _MOVING_M_S * _WINDOW_S
        last = int(np.flatnonzero(moving).max(initial=-1)) + 1
        out.still_s = self._samples[last].t_s - self._samples[0].t_s
        out.tool_mm = float(np.linalg.norm(places - places[0], axis=1).max()) * 1e3
        out.sank_mm = float(np.linalg.norm(places[last:] - places[last], axis=1).max()) * 1e3

    def _fault(self) -> None:
        """The arm stands still in time and stays up, and the message says who, what, and what to do."""
        out = self.outcome
        who, what, remedy, in_s = (SAYS | MAY_GO_ON)[self.kind]
        if out.still_s > in_s:
            out.wrong.append(f"the arm stood still after {out.still_s:.2f} s, {in_s:g} s are stated")
        if out.sank_mm > SANK_MM:
            out.wrong.append(f"the arm sank by {out.sank_mm:.0f} mm")
        for part, pattern in (("who it is", who), ("what is wrong", what), ("what to do", remedy)):
            if not re.search(pattern, out.said):
                out.wrong.append(f"the message lacks {part}")

    def _tower(self) -> None:
        out, now = self.outcome, self._blocks()
        gone = {name: float(np.linalg.norm(now[name] - was)) * 1e3 for name, was in self._before.items()}
        if self._block is not None:
            del gone[self._block]
        out.other_mm = max(gone.values())
        fell = [name for name, moved in gone.items() if moved > MOVED_MM]
        if fell:
            out.wrong.append(f"blocks moved: {', '.join(fell)}")
        if self._held and self._block is not None and out.code == 3:
            sank_m = self._before[self._block][2] - self._samples[0].tool_m[2]
            sank_m -= now[self._block][2] - self._samples[-1].tool_m[2]
            if sank_m * 1e3 > MOVED_MM:
                out.wrong.append("the block in the hand fell")

    def _record(self, record: Path, as_ever: Sequence[str]) -> None:
        """It is read, breaks no rule, and is the beginning of what the same game writes without a fault."""
        out, lines = self.outcome, record.read_text().splitlines()
        told = [line for line in lines if json.loads(line)["type"] != "stop"]
        out.events = [json.loads(line)["type"] for line in lines[1:]]
        try:
            broken = judge_file(record).violations
        except SteadyhandError as error:
            out.wrong.append(f"the record is not read: {error}")
            return
        if broken:
            out.wrong.append(f"the record breaks rules: {[each.as_verdict() for each in broken]}")
        if self.kind not in _CHANGES_FORCES and told != list(as_ever[: len(told)]):
            out.wrong.append("the record is not what the game writes without a fault")

    def _blocks(self) -> dict[str, Array]:
        world = self._table.world
        return {b.name: world.T_world_block(b.name)[:3, 3] for b in world.blocks}


def resume(cell: Cell, table: Table, record: Path) -> None:
    """Mend the fault and resume, as often as the program has a person do something first.

    Args:
        cell: Its outcome is filled in.
        table: As the fault left it.
        record: Of the game that broke off.
    """
    out = cell.outcome
    table.repair(cell.kind)
    for _ in range(_TRIES):
        again = Again(table, record)
        out.resumed.append("it goes on" if again.ended_by in ("stop", "turns") else again.said)
        if not again.looked_first:
            out.wrong.append("resumed: it moved before it looked")
        if again.went_on:
            return
        done = obeyed(again.said, table, record)
        if done is None:
            break
        out.resumed.append(f"({done})")
    out.wrong.append("resumed: it did not go on")


class Again:
    """A game that is resumed until it goes on: chooses and probes, settles, or concedes for a reason.

    Attributes:
        said: Why it ended.
        looked_first: Whether every camera had taken a picture before the tool moved.
        went_on: Whether it did.
    """

    _SEEN = (Phase.PROBE_START, Phase.SETTLED)

    def __init__(self, table: Table, record: Path) -> None:
        for camera in table.cameras:
            camera.taken = 0
        rig, self._stop = table.connect()
        self._table, self._start_m = table, table.sample().tool_m
        self.looked_first: bool | None = None
        said: list[str] = []
        table.world.watch(lambda _: self._look())
        rig.listeners.append(self._listen)
        with Journal.resume(record) as journal:
            summary = table.match(rig, journal, said).play(1)
        rig.close()
        self.said, self.ended_by = " ".join(said), summary.ended_by
        self.went_on = summary.ended_by in ("stop", "turns", "concede")
        if self.looked_first is None:
            self.looked_first = self._pictures()

    def _pictures(self) -> bool:
        return all(camera.taken for camera in self._table.cameras)

    def _look(self) -> None:
        far_m = float(np.linalg.norm(self._table.sample().tool_m - self._start_m))
        if self.looked_first is None and far_m * 1e3 > NOTICED_MM:
            self.looked_first = self._pictures()

    def _listen(self, note: Note) -> None:
        if note.phase in self._SEEN:
            self._stop.set("seen enough")


def obeyed(said: str, table: Table, record: Path) -> str | None:
    """What a person does who reads that, in words; None where there is nothing that a person could do."""
    game = judge_file(record)
    if "steadyhand arm open" in said:
        table.take_away(game.in_hand[0])
        table.lead_clear()
        return "a person takes the block and leads the arm clear"
    if "lead it clear" in said or "steadyhand arm park" in said:
        table.lead_clear()
        return "a person leads the arm clear"
    if "push it flush" in said:
        table.push_home(game.must_restore)
        return "a person pushes it flush"
    return None


def written(outcome: Outcome) -> str:
    """As one line."""
    return json.dumps(asdict(outcome))
