from __future__ import annotations

import json
from pathlib import Path

from benchmarks.fault_game import Moment
from benchmarks.faults import Plan
from steadyhand.faults import Kind

KINDS = [Kind.SILENT, Kind.STUCK, Kind.DRIFT]
EARLY, LATE = (
    Moment("probing", doing, t_s, f"probe-start+{t_s}") for doing, t_s in (("fastest", 1.0), ("middle", 2.0))
)


def plan(path: Path) -> Plan:
    return Plan(KINDS, [EARLY, LATE], [], path, "none")


def row(kind: Kind, moment: Moment) -> str:
    return (
        json.dumps({"kind": str(kind), "part": moment.part, "doing": moment.doing, "option": moment.option})
        + "\n"
    )


def test_cells_that_were_played_before_are_not_played_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    assert plan(path).missing(EARLY) == KINDS
    path.write_text(row(Kind.STUCK, EARLY) + row(Kind.SILENT, LATE))
    again = plan(path)
    assert again.missing(EARLY) == [Kind.SILENT, Kind.DRIFT]
    assert again.missing(LATE) == [Kind.STUCK, Kind.DRIFT]


def test_same_part_at_another_moment_is_another_cell(tmp_path: Path) -> None:
    """As after a change of the program, by which the game takes another course."""
    path = tmp_path / "rows.jsonl"
    path.write_text(row(Kind.STUCK, Moment("probing", "fastest", 1.0, "probe-start+0.77")))
    assert plan(path).missing(EARLY) == KINDS
