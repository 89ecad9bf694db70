"""The truth log of a world that knows no turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from robot.errors import BadInputError
from sim.simulation import Simulation
from steadyhand.truth_watch import TruthWatch
from support import bench


@pytest.fixture
def table() -> Simulation:
    it = bench.simulation("111*3", seed=1)
    it.world.sleep_until(2.0)
    return it


@pytest.fixture
def log(table: Simulation, tmp_path: Path) -> Iterator[TruthWatch]:
    it = TruthWatch(tmp_path / "truth.jsonl", table)
    yield it
    it.close()


def rows(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]


def wait(table: Simulation, seconds: float) -> None:
    table.world.sleep_until(table.world.now_s() + seconds)


def throw(table: Simulation, name: str, speed_m_s: float, axis: int = 2) -> None:
    table.world.data.joint(name).qvel[axis] = speed_m_s
    table.world.data.xfrc_applied[table.world.model.body(name).id, 2] = 1e-6  # or it would sleep on
    table.world.step()


@pytest.mark.usefixtures("log")
def test_world_at_rest_is_told_once(table: Simulation, tmp_path: Path) -> None:
    wait(table, 3.0)
    [row] = rows(tmp_path)
    assert list(row) == ["t", "phase", "slot", "limit_n", "peak_n", "poses", "slots"]
    assert (row["t"], row["phase"], row["slot"], row["limit_n"], row["peak_n"]) == (
        0.0, "start", None, None, None,
    )  # fmt: skip
    assert row["poses"] == table.world.poses()
    assert len(row["slots"]) == 9


@pytest.mark.usefixtures("log")
def test_block_that_falls_off_is_followed_and_stands_nowhere_in_the_end(
    table: Simulation, tmp_path: Path
) -> None:
    top = rows(tmp_path)[0]["slots"]["3.2"]
    throw(table, top, 3.0)
    throw(table, top, 1.0, axis=0)
    wait(table, 5.0)
    start, *on_the_way, end = rows(tmp_path)
    assert {row["phase"] for row in on_the_way} == {"under-way"}
    assert all(later["t"] - row["t"] >= 0.5 for row, later in pairwise(on_the_way[1:]))
    assert end["phase"] == "at-rest"
    assert end["poses"][top][2] < start["poses"][top][2] - 0.05
    assert top not in end["slots"].values()
    assert {s: b for s, b in start["slots"].items() if b != top} == end["slots"]
    before = len(rows(tmp_path))
    wait(table, 2.0)
    assert len(rows(tmp_path)) == before, "nothing happens any more"


@pytest.mark.usefixtures("log")
def test_touch_without_motion_is_told_with_its_highest_force(table: Simulation, tmp_path: Path) -> None:
    table.gauge.peak_n = {"b05": 0.4}
    wait(table, 0.1)
    table.gauge.peak_n = {"b05": 0.7, "b02": 0.1}
    wait(table, 1.0)
    told = [(row["phase"], row["peak_n"]) for row in rows(tmp_path)]
    assert told == [("start", None), ("under-way", 0.4), ("at-rest", 0.7)]
    table.gauge.peak_n = {"b05": 0.2}
    wait(table, 1.0)
    told = [(row["phase"], row["peak_n"]) for row in rows(tmp_path)[3:]]
    assert told == [("under-way", 0.2), ("at-rest", 0.0)], "each row tells of the time since the one before"


def test_log_that_cannot_be_written_is_refused(table: Simulation, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"truth log .*cannot be written"):
        TruthWatch(tmp_path / "gone" / "truth.jsonl", table)
