from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planning.notes import Note, Phase
from planning.tower import Slot
from robot.errors import BadInputError
from sim.simulation import Simulation
from steadyhand.truth import TruthLog
from support import bench

S, TOP = Slot(2, 2), Slot(4, 1)


@pytest.fixture
def table() -> Simulation:
    return bench.simulation("111*3", seed=1)


@pytest.fixture
def log(table: Simulation, tmp_path: Path) -> Iterator[TruthLog]:
    it = TruthLog(tmp_path / "truth.jsonl", table, table.world.now_s())
    yield it
    it.close()


def rows(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]


def move(table: Simulation, name: str, up_m: float) -> None:
    adr = table.world.model.joint(name).qposadr[0]
    table.world.data.qpos[adr + 2] += up_m
    table.world.data.xfrc_applied[table.world.model.body(name).id, 2] = 1e-3
    table.world.step()


def test_only_the_phases_of_the_contract_are_logged(log: TruthLog, tmp_path: Path) -> None:
    for phase in Phase:
        log(Note(phase, S, 0.3))
    quiet = {"waiting", "chosen", "given-up", "settling", "person-played"}
    assert [row["phase"] for row in rows(tmp_path)] == [str(phase) for phase in Phase if phase not in quiet]


def test_row_is_on_the_disk_when_the_phase_is_over(log: TruthLog, tmp_path: Path) -> None:
    log(Note(Phase.TURN_START))
    (row,) = rows(tmp_path)
    assert (row["t"], row["phase"], row["slot"], row["limit_n"], row["peak_n"]) == (
        0.0,
        "turn-start",
        None,
        None,
        None,
    )
    assert row["slots"] == {f"{k}.{p}": f"b{3 * (k - 1) + p:02d}" for k in (1, 2, 3) for p in (1, 2, 3)}


def test_time_is_the_records(log: TruthLog, table: Simulation, tmp_path: Path) -> None:
    table.world.sleep_until(table.world.now_s() + 1.25)
    log(Note(Phase.PROBE_START, S, 0.3))
    assert rows(tmp_path)[0]["t"] == pytest.approx(1.252, abs=0.004)
    assert rows(tmp_path)[0]["limit_n"] == 0.3


def test_peak_is_the_highest_of_the_motion_that_ends_and_then_begins_anew(
    log: TruthLog, table: Simulation, tmp_path: Path
) -> None:
    table.gauge.peak_n = {"b05": 0.2, "b06": 0.31}
    log(Note(Phase.PROBE_END, S, 0.3))
    log(Note(Phase.RESTORED, S, 0.5))
    assert [row["peak_n"] for row in rows(tmp_path)] == [0.31, 0.0]


def test_block_leaves_its_slot_and_comes_to_stand_on_top(
    log: TruthLog, table: Simulation, tmp_path: Path
) -> None:
    log(Note(Phase.EXTRACTED, S, 1.2))
    move(table, "b05", 0.1)
    log(Note(Phase.PLACED, TOP))
    log(Note(Phase.SETTLED, TOP))
    out, placed, settled = (row["slots"] for row in rows(tmp_path))
    assert "2.2" not in out
    assert "b05" not in out.values()
    assert placed["4.1"] == settled["4.1"] == "b05"
    assert "2.2" not in placed


def test_block_that_a_person_laid_stands_where_it_lies(
    log: TruthLog, table: Simulation, tmp_path: Path
) -> None:
    move(table, "b08", 0.030)  # the middle one of the top layer, straight up into the next but one
    log(Note(Phase.PERSON_PLAYED, TOP, detail="whatever is said of it"))
    log(Note(Phase.TURN_START))
    (row,) = rows(tmp_path)
    assert row["slots"]["4.2"] == "b08"
    assert "3.2" not in row["slots"]
    assert len(row["slots"]) == 9


def test_fallen_block_stands_in_no_slot(log: TruthLog, table: Simulation, tmp_path: Path) -> None:
    move(table, "b09", 0.05)
    log(Note(Phase.COLLAPSE))
    (row,) = rows(tmp_path)
    assert "3.3" not in row["slots"]
    assert len(row["slots"]) == 8
    assert len(row["poses"]) == 9, "its pose is told all the same"


def test_log_that_cannot_be_written_is_refused(table: Simulation, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"truth log .*: cannot be written: No such file or directory"):
        TruthLog(tmp_path / "gone" / "truth.jsonl", table, 0.0)


def test_old_log_is_written_over(table: Simulation, tmp_path: Path) -> None:
    (tmp_path / "truth.jsonl").write_text("old\n")
    TruthLog(tmp_path / "truth.jsonl", table, 0.0).close()
    assert (tmp_path / "truth.jsonl").read_text() == ""
