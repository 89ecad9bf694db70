"""What the program does about every fault in every part of a turn over the wire.

    python -m benchmarks.faults [--kinds silent,stuck] [--parts probing] [--doings fastest] [--seed 1] [--tower 111*10]

A game without a fault shows when the tool is fastest in each part, when it is pressed hardest, and what is in the
middle. The same game is played again then, and at each of these moments it goes on in one process more for each kind of
fault, in which that happens. What the program does not stop for is followed for a while. After some of the faults, each
kind and each moment among them, the table is repaired and the game resumed, with the arm where it stopped.

All of it writes the tables of docs/faults.md; a part of it (the options) prints its cells only. With --rows FILE every
cell is kept as soon as it is played, and what is in the file already is not played again: the same command goes on
where it was broken off, and writes the tables once none is missing. After a change of the program begin another file.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.branching import alone, branch
from benchmarks.fault_cell import Cell, Outcome, resume, written
from benchmarks.fault_game import DOINGS, PARTS, Moment, Table, Timeline, moments
from benchmarks.fault_table import DOCS, Row, tell, write_docs
from benchmarks.machine import describe
from planning.notes import Note, Phase
from steadyhand.faults import Kind

_PATIENCE_S = 1200.0  # real time that a cell may take
_LONG_S = 6.0  # so long a game goes on that a fault does not stop


@dataclass
class Plan:
    """Which cells are played.

    Attributes:
        as_ever: The record of the game without a fault.
        rows: What became of them, and where it is written at once.
    """

    kinds: Sequence[Kind]
    moments: list[Moment]
    as_ever: list[str]
    path: Path
    resumes: str
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.path.exists():
            self.rows += [json.loads(line) for line in self.path.read_text().splitlines()]

    def missing(self, moment: Moment) -> list[Kind]:
        """The kinds of fault that were not played at a moment yet."""
        played = {(row["kind"], row["part"], row["doing"], row["option"]) for row in self.rows}
        return [
            kind for kind in self.kinds if (str(kind), moment.part, moment.doing, moment.option) not in played
        ]

    def resumed(self, moment: Moment, kind: Kind) -> bool:
        """Whether a game is resumed after this fault: of some in turns, so that no kind and no moment is left out."""
        turn = self.moments.index(moment) + list(self.kinds).index(kind)
        some = turn % min(len(self.kinds), len(self.moments)) == 0
        return self.resumes == "all" or (self.resumes == "some" and some)

    def keep(self, row: Row) -> None:
        """A cell is done."""
        self.rows.append(row)
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        tell(row)


class Player:
    """Plays a game, and goes on in another process for each cell of a plan."""

    def __init__(self, folder: Path, tower: str, seed: int, plan: Plan | None = None) -> None:
        self._table, self._plan, self._folder = Table(tower, seed), plan, folder
        self._record = folder / "game.jsonl"
        self._left = [moment for moment in plan.moments if plan.missing(moment)] if plan else []
        self._cell: Cell | None = None
        self._block: str | None = None
        self._held = self._resumes = False
        folder.mkdir()

    def play(self, timeline: Timeline) -> list[str]:
        """The whole game; the lines of its record. A process that plays a cell does not come back."""
        table, said = self._table, list[str]()
        rig, self._stop = table.connect()
        timeline.watch(table)
        table.world.watch(lambda _world: self._look())
        rig.listeners += [timeline.listener(table), self._listen]
        with table.begun(self._record) as journal:
            summary = table.match(rig, journal, said).play(1)
        if self._cell is not None:
            self._end(self._cell, summary, said)
        if summary.ended_by != ("stop" if self._plan else "turns"):
            raise SystemExit(f"the game without a fault ended by {summary.ended_by}: {said}")
        return self._record.read_text().splitlines()

    def _listen(self, note: Note) -> None:
        if note.phase is Phase.PROBE_START and note.slot is not None:
            self._block, self._held = self._table.names[note.slot], False
        self._held = note.phase is Phase.EXTRACTED or (self._held and note.phase is not Phase.PLACED)

    def _look(self) -> None:
        if self._cell is not None and self._cell.since_s > _LONG_S:
            self._stop.set("seen for long enough")
        while self._plan and self._cell is None and self._left and self._due():
            moment = self._left.pop(0)
            for kind in self._plan.missing(moment):
                self._branch(self._plan, moment, kind)
                if self._cell is not None:
                    return
            if not self._left:
                self._stop.set("every cell is played")

    def _due(self) -> bool:
        return self._table.world.now_s() >= self._left[0].t_s

    def _branch(self, plan: Plan, moment: Moment, kind: Kind) -> None:
        folder = self._folder / f"{kind}-{moment.part}-{moment.doing}".replace(" ", "-")
        child, ports = branch(folder, [self._table.far.arm.terminal])
        if child == 0:
            self._table.rename(ports)
            self._record = folder / self._record.name
            self._resumes = plan.resumed(moment, kind)
            self._cell = Cell(self._table, kind, moment, self._block, held=self._held)
            self._table.far.spoil(kind)
        else:
            plan.keep(_awaited(child, folder / "cell.json") or _nothing(kind, moment))

    def _end(self, cell: Cell, summary, said: list[str]) -> None:
        """Judge the cell, mend and resume, and end this process."""
        assert self._plan is not None
        try:
            cell.ended(summary, said, self._record, self._plan.as_ever)
            if self._resumes and cell.outcome.code == 3:
                resume(cell, self._table, self._record)
        except BaseException as error:
            cell.outcome.wrong.append(repr(error))
        finally:
            (self._record.parent / "cell.json").write_text(written(cell.outcome))
            sys.stdout.flush()
            os._exit(0)


def _awaited(child: int, said: Path) -> Row | None:
    """What a process that plays a cell says; one that hangs is ended."""
    until_s = time.monotonic() + _PATIENCE_S
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > until_s:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.05)
    with suppress(OSError, ValueError):
        return dict(json.loads(said.read_text()))
    return None


def _nothing(kind: Kind, moment: Moment) -> Row:
    outcome = Outcome(
        str(kind), moment.part, moment.doing, moment.option, wrong=["it did not come to an end"]
    )
    return dict(json.loads(written(outcome)))


def _as_ever(asked: argparse.Namespace, folder: Path) -> tuple[Timeline, list[str]]:
    """The game without a fault, played or kept."""
    if asked.reference and asked.reference.exists():
        return Timeline.load(asked.reference)
    timeline = Timeline()
    record = Player(folder, asked.tower, asked.seed).play(timeline)
    if asked.reference:
        timeline.save(asked.reference, record)
    return timeline, record


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", default=",".join(Kind))
    parser.add_argument("--parts", default=",".join(PARTS.values()))
    parser.add_argument("--doings", default=",".join(DOINGS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tower", default="111*10")
    parser.add_argument(
        "--resumes", choices=("all", "some", "none"), default="some", help="after which faults"
    )
    parser.add_argument("--rows", type=Path, help="add what became of each cell to this file, a line each")
    parser.add_argument(
        "--reference", type=Path, help="keep the game without a fault here, or take it from there"
    )
    parser.add_argument(
        "--tables", action="store_true", help="write the tables from --rows; nothing is played"
    )
    return parser.parse_args()


def main() -> None:
    asked = _options()
    told = f"{describe()}; seed {asked.seed}, tower {asked.tower}"
    if asked.tables:
        write_docs([json.loads(line) for line in asked.rows.read_text().splitlines()], told)
        return
    alone()
    print(f"faults: {told}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        timeline, record = _as_ever(asked, folder / "as-ever")
        parts, doings = asked.parts.split(","), asked.doings.split(",")
        wanted = [m for m in moments(timeline) if m.part in parts and m.doing in doings]
        kinds = [Kind(name) for name in asked.kinds.split(",")]
        plan = Plan(kinds, wanted, record, asked.rows or folder / "rows.jsonl", asked.resumes)
        left = any(plan.missing(moment) for moment in wanted)
        again = Player(folder / "faulty", asked.tower, asked.seed, plan).play(Timeline()) if left else record
    if again[:-1] != record[: len(again) - 1]:
        raise SystemExit("the same game was played otherwise the second time: the record cannot be compared")
    wrong = [row for row in plan.rows if row["wrong"]]
    print(f"{len(plan.rows) - len(wrong)} of {len(plan.rows)} cells are as they should be")
    if len(kinds) == len(Kind) and len(parts) == len(PARTS) and len(doings) == len(DOINGS):
        write_docs(plan.rows, told)
        print(f"tables written to {DOCS}")


if __name__ == "__main__":
    main()
