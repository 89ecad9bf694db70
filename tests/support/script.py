"""A turn whose parts follow a script, on the toy table: for tests of what a turn and a match make of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from planning.extract import Drag
from planning.eyes import View
from planning.notes import Note, Phase
from planning.observation import BlockSeen, TowerObservation
from planning.probe import ProbeReport, Verdict
from planning.restore import Restored
from planning.scribe import Scribe
from planning.tower import Slot
from planning.turn import Turn
from robot.guarded import Sample
from robot.ports import Held
from robot.trajectory import Line
from support.players import Eager
from support.records import Paper
from support.toy import SIZE_M, ToyTable, toy_table

TEXT = "111*4"


@dataclass
class Script:
    """What each part of the turn does, one entry a call; the last one goes on for ever.

    An exception is raised, a function is called.
    """

    probes: list[Any] = field(default_factory=lambda: [Verdict.LOOSE])
    restores: list[Any] = field(default_factory=lambda: [None])
    pushes_out: list[Any] = field(default_factory=lambda: [None])
    pulls: list[Any] = field(default_factory=lambda: [None])
    places: list[Any] = field(default_factory=lambda: [None])
    restored: list[tuple[Slot, float, Any]] = field(default_factory=list)
    placed: list[Slot] = field(default_factory=list)
    moved_mm: float = 6.0
    others_mm: dict[Slot, float] = field(default_factory=dict)
    drawn_mm: dict[Slot, float] = field(default_factory=dict)


def told(answers: list[Any]) -> Any:
    answer = answers.pop(0) if len(answers) > 1 else answers[0]
    if isinstance(answer, Exception):
        raise answer
    return answer() if callable(answer) else answer


class Parts:
    """Stands for prober, restorer, extractor and placer."""

    peak_n, limit_n, pinched_m = 0.4, 0.9, 0.0151

    def __init__(self, script: Script, table: ToyTable) -> None:
        self._script, self._table = script, table
        self._taken = Slot(1, 1)

    def probe(self, slot: Slot, end: int, line: Line, seen: TowerObservation, limit_n: float) -> ProbeReport:
        verdict = told(self._script.probes)
        others = {s: mm * 1e-3 for s, mm in self._script.others_mm.items()}
        self._table.hand.go(line.q(0.0))
        before = self._table.tower.look()
        trace = (Sample(0.0, 0.06, 0.1), Sample(0.1, 0.066, 0.05))
        moved_m = -end * self._script.moved_mm * 1e-3 * seen.blocks[slot].T_world_block[:3, 0]
        return ProbeReport(slot, end, verdict, before, seen, line, 0.0, limit_n, moved_m, others, trace)

    def restore(
        self, slot: Slot, _before: Any, seen: Any, peak_n: float, limit_n: float, known_m: Any
    ) -> Restored:
        self._script.restored.append((slot, peak_n, known_m))
        limit = told(self._script.restores)
        return Restored(
            slot, np.zeros(3), 0 if limit is None else 1, limit or limit_n, 0.0 if limit is None else 0.6
        )

    def push_out(self, probe: ProbeReport) -> Drag | None:
        drag: Drag | None = told(self._script.pushes_out)
        return drag

    def pull(self, probe: ProbeReport, _clear: Any) -> Held:
        told(self._script.pulls)
        self._taken = probe.slot
        return Held(np.eye(4), SIZE_M)

    def drawn_along(self, probe: ProbeReport, held: Held, clear: View) -> dict[Slot, float]:
        return {s: mm * 1e-3 for s, mm in self._script.drawn_mm.items()}

    def place(self, held: Held, slot: Slot, seen: TowerObservation) -> BlockSeen:
        self._script.placed.append(slot)
        told(self._script.places)
        return self._table.tower.lay(self._taken, slot)


class Stage:
    """A turn with scripted parts on the toy table."""

    def __init__(
        self, script: Script | None = None, *, paper: Paper | None = None, text: str = TEXT, **toy: Any
    ) -> None:
        self.script = script or Script()
        self.table = toy_table(text, **toy)
        parts: Any = Parts(self.script, self.table)
        self.actors = replace(self.table.actors, prober=parts, restorer=parts, extractor=parts, placer=parts)
        self.paper = paper or Paper(text)
        self.notes: list[Note] = []
        self.player = Eager()
        scribe = Scribe(self.paper, self.table.tower.clock, "Robot", -self.paper.game.t_s)
        self.turn = Turn(self.actors, scribe, self.player, self._note, None)

    def _note(self, note: Note) -> None:
        self.notes.append(note)

    def phases(self) -> list[str]:
        quiet = (Phase.SETTLING, Phase.CHOSEN)
        return [str(note.phase) for note in self.notes if note.phase not in quiet]

    def note(self, phase: Phase) -> Note:
        return next(note for note in self.notes if note.phase is phase)
