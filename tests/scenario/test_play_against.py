"""`steadyhand play` with a person in it, as a script plays it: moves come through a pipe, perception reads pictures."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from planning.tower import Slot
from steadyhand.record_file import judge_file
from support.bench import EXACT_TOML
from support.once import once

ROOT = Path(__file__).parents[2]
PATIENCE_S = 800
# A process of its own that takes charge of the terminal it is given, then is the command.
ON_TERMINAL = (
    "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from steadyhand.__main__ import main; sys.argv[0] = 'steadyhand'; main()"
)
pytestmark = pytest.mark.timeout(900)  # a whole turn of both, with pictures
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}


@dataclass
class Ended:
    """A match that a script played."""

    code: int
    out: str
    err: str
    record: Path

    @property
    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.record.read_text().splitlines()]


def play(folder: Path, typed: str, *options: str) -> Ended:
    record = folder / "game.jsonl"
    names = [] if "--resume" in options else ["--players", "Guest,Robot", "--record", str(record)]
    (folder / "exact.toml").write_text(EXACT_TOML)
    more = ["--settings", "exact.toml", "--seed", "1", "--json", *options]
    command = [sys.executable, "-m", "steadyhand", "play", *names, *more]
    done = subprocess.run(
        command, input=typed, capture_output=True, text=True, cwd=folder, env=ENVIRONMENT, timeout=PATIENCE_S,
        check=False,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr, record)


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A person's turn, with one line that cannot be used, and then the robot's."""
    more = ("--tower", "111*6", "--turns", "2", "--truth", "truth.jsonl")
    return once(tmp_path_factory, "match", lambda folder: play(folder, "2.2 9.9\n2.2 7.1\n", *more))


def test_person_and_robot_play_a_turn_each(match: Ended) -> None:
    assert match.code == 0, match.err
    summary = match.summary
    assert (summary["ended_by"], summary["turns_completed"], summary["violations"]) == ("turns", 2, [])
    assert summary["players"] == ["Guest", "Robot"]
    assert summary["probes"] >= 1


def test_person_is_told_what_is_allowed_and_what_was_seen(match: Ended) -> None:
    said = " ".join(match.err.split())
    assert "Guest is in turn. May be taken: every block of layers 1 to 5." in said
    assert "9.9: there is no such slot. Free on top: 7.1, 7.2, 7.3. 4 more lines may go wrong" in said
    assert "I see: Guest took 2.2 and laid it in 7.1" in said
    assert "The tower stood 10 s" in said
    assert "Traceback" not in said


def test_record_has_the_persons_events_and_the_robots(match: Ended) -> None:
    rows = match.rows()
    kinds = [row["type"] for row in rows[:5]]
    assert kinds == ["game", "extract", "place", "release", "clock"]
    by = {"player": "Guest", "hand": "right"}
    assert {key: rows[1][key] for key in ("player", "hand", "block")} == {**by, "block": "2.2"}
    assert {key: rows[2][key] for key in ("player", "hand", "slot", "axis")} == {
        **by,
        "slot": "7.1",
        "axis": "x",
    }
    assert rows[4]["t"] - rows[3]["t"] == pytest.approx(10.0, abs=0.01)
    assert judge_file(match.record).completed_turns == 2


def test_truth_agrees_with_what_was_read_of_the_person(match: Ended) -> None:
    truth = [json.loads(line) for line in (match.record.parent / "truth.jsonl").read_text().splitlines()]
    assert truth[0]["phase"] == "turn-start", "the robot's turn only"
    assert truth[0]["slots"]["7.1"] == "b05"
    assert "2.2" not in truth[0]["slots"]
    assert {Slot.parse(slot) for slot in truth[-1]["slots"]} == set(judge_file(match.record).tower.blocks())


def test_match_that_broke_off_with_the_block_out_is_gone_on_with(
    tmp_path: Path,
) -> None:
    record = tmp_path / "game.jsonl"
    game = {
        "type": "game",
        "edition": "classic",
        "players": ["Guest", "Robot"],
        "tower": "111*6",
        "options": {},
    }
    taken = {"t": 1.0, "type": "extract", "player": "Guest", "hand": "right", "block": "2.2"}
    record.write_text(json.dumps(game) + "\n" + json.dumps(taken) + "\n")
    resumed = play(tmp_path, "hello\n7.1\n", "--resume", str(record), "--turns", "1")
    assert resumed.code == 0, resumed.err
    assert "'hello' is not understood" in " ".join(resumed.err.split())
    assert [row["type"] for row in resumed.rows()] == ["game", "extract", "place", "release", "clock"]


def test_end_of_input_stops_with_a_whole_record(tmp_path: Path) -> None:
    ended = play(tmp_path, "hello\n", "--tower", "111*6")
    assert (ended.code, ended.summary["ended_by"]) == (0, "stop"), ended.err
    assert [row["type"] for row in ended.rows()] == ["game", "stop"]


@pytest.mark.parametrize("how", ["space bar", "Ctrl-C"])
def test_stop_works_while_the_person_is_waited_for(tmp_path: Path, how: str) -> None:
    keyboard, slave = pty.openpty()
    command = [
        sys.executable, "-c", ON_TERMINAL, "play", "--players", "Guest", "--tower", "111*6", "--record", "game.jsonl",
        "--json",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env=ENVIRONMENT, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    assert process.stderr is not None
    while "Type " not in (line := process.stderr.readline()):
        assert line, "it ended before it asked"
    if how == "space bar":
        os.write(keyboard, b" ")
    else:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    os.close(keyboard)
    assert (process.returncode, json.loads(out)["ended_by"]) == (0, "stop"), err
    assert json.loads((tmp_path / "game.jsonl").read_text().splitlines()[-1])["type"] == "stop"
