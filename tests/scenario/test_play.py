"""`steadyhand play` as people run it: real processes, real signals, a real terminal, pictures read by perception."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest

from steadyhand.journal import Journal
from steadyhand.record_file import judge_file
from support.bench import EXACT_TOML
from support.once import once

ROOT = Path(__file__).parents[2]
PATIENCE_S = 400
# A process of its own that takes charge of the terminal it is given, then is the command.
ON_TERMINAL = (
    "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from steadyhand.__main__ import main; sys.argv[0] = 'steadyhand'; main()"
)
TOWER = "111*6"
pytestmark = pytest.mark.timeout(600)  # a whole turn, with pictures


class Playing:
    """A match under way."""

    def __init__(self, folder: Path, *options: str, terminal: bool = False) -> None:
        self.folder = folder
        self.record, self.truth = folder / "game.jsonl", folder / "truth.jsonl"
        start = ["-c", ON_TERMINAL] if terminal else ["-m", "steadyhand"]
        game = [] if "--resume" in options else ["--tower", TOWER, "--record", str(self.record)]
        command = [
            sys.executable, *start, "play", *game, "--seed", "1", "--turns", "1", "--truth", str(self.truth), *options,
        ]  # fmt: skip
        self.keyboard, slave = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=slave if terminal else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=terminal,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        )  # fmt: skip
        os.close(slave)

    def wait_for(self, kind: str) -> None:
        """Until a line of this kind stands in the record."""
        for _ in range(PATIENCE_S * 20):
            if self.record.exists() and f'"type": "{kind}"' in self.record.read_text():
                return
            try:
                self.process.wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"ended before {kind}: {self.process.communicate()}")
        raise AssertionError(f"no {kind} within {PATIENCE_S} s")

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        os.close(self.keyboard)

    def kinds(self) -> list[str]:
        return [json.loads(line)["type"] for line in self.record.read_text().splitlines()]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[..., Playing]]:
    begun: list[Playing] = []

    def start(*options: str, **more: Any) -> Playing:
        begun.append(Playing(tmp_path, *options, **more))
        return begun[-1]

    yield start
    for playing in begun:
        playing.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Playing, int, str, str]:
    """One turn from the command line, from pictures to the record."""
    return once(tmp_path_factory, "whole", _ended)


def _ended(folder: Path) -> tuple[Playing, int, str, str]:
    playing = Playing(folder, "--json", "--strip", "turn.png")
    code, out, err = playing.end()
    playing.close()
    del playing.process, playing.keyboard  # over, and not for other test processes
    return playing, code, out, err


def test_json_summary_is_all_that_stands_on_standard_output(whole: tuple[Playing, int, str, str]) -> None:
    _, code, out, err = whole
    assert code == 0, err
    assert out.count("\n") == 1
    summary = json.loads(out)
    assert (summary["turns_completed"], summary["ended_by"], summary["violations"]) == (1, "turns", [])
    assert (summary["seed"], summary["blockset"], summary["edition"]) == (1, "standard", "classic")
    assert "Traceback" not in err
    assert "Warning" not in err


def test_record_of_the_command_is_judged_without_violation(whole: tuple[Playing, int, str, str]) -> None:
    playing, _, out, _ = whole
    game = judge_file(playing.record)
    assert game.completed_turns == 1
    assert not list(game.violations)
    assert str(game.tower) == json.loads(out)["tower"]


def test_truth_agrees_with_the_record(whole: tuple[Playing, int, str, str]) -> None:
    playing = whole[0]
    rows = [json.loads(line) for line in playing.truth.read_text().splitlines()]
    assert {str(slot) for slot in judge_file(playing.record).tower.blocks()} == set(rows[-1]["slots"])
    assert rows[0]["phase"] == "turn-start"
    assert rows[-1]["phase"] == "settled"


def test_picture_strip_is_written_where_it_was_asked_for(whole: tuple[Playing, int, str, str]) -> None:
    image = cv2.imread(str(whole[0].folder / "turn.png"))
    assert image is not None
    assert image.shape[1] >= 5 * 320


@pytest.mark.parametrize(
    ("number", "moment"), [(signal.SIGINT, "game"), (signal.SIGINT, "touch"), (signal.SIGTERM, "move")]
)
def test_signal_ends_a_match_with_the_arm_still_and_the_record_whole(
    play: Callable[..., Playing], number: signal.Signals, moment: str
) -> None:
    playing = play("--json")
    playing.wait_for(moment)
    playing.process.send_signal(number)
    code, out, err = playing.end()
    summary = json.loads(out)
    assert (code, summary["ended_by"]) == (0, "stop"), err
    assert "the arm stands still" in err
    assert playing.kinds()[-1] == "stop"
    assert judge_file(playing.record).verdict()["violations"] == []


def test_space_bar_ends_a_match_on_a_terminal(play: Callable[..., Playing]) -> None:
    playing = play(terminal=True)
    playing.wait_for("touch")
    os.write(playing.keyboard, b" ")
    code, out, err = playing.end()
    assert (code, playing.kinds()[-1]) == (0, "stop"), err
    assert "steadyhand plays in simulation: block set standard, seed 1, tower 111*6" in out
    assert "0 turns, ended by stop; 1 probes" in out
    assert f"steadyhand referee {playing.record} --explain" in " ".join(out.split())


def test_killed_match_leaves_a_record_that_is_whole_but_for_half_a_line(play: Callable[..., Playing]) -> None:
    playing = play("--json")
    playing.wait_for("touch")
    playing.process.kill()
    assert playing.end()[0] == -signal.SIGKILL
    Journal.resume(playing.record).close()  # cuts half a line off
    assert judge_file(playing.record).verdict()["state"] == "playing"
    assert playing.kinds()[:2] == ["game", "touch"]
    rows = playing.truth.read_text().splitlines()
    assert [json.loads(row)["phase"] for row in rows[:2]] == ["turn-start", "probe-start"]


def test_killed_match_is_resumed_by_a_fresh_look_and_played_to_its_end(
    play: Callable[..., Playing], tmp_path: Path
) -> None:
    (tmp_path / "exact.toml").write_text(EXACT_TOML)
    exact = ("--json", "--settings", "exact.toml")
    killed = play(*exact)
    killed.wait_for("touch")
    killed.process.kill()
    killed.end()
    with killed.record.open("ab") as record:
        record.write(b'{"t": 99.0, "type": "mo')
    resumed = play(*exact, "--resume", str(killed.record))
    code, out, err = resumed.end()
    assert code == 0, err
    summary = json.loads(out)
    assert (summary["ended_by"], summary["turns_completed"], summary["violations"]) == ("turns", 1, [])
    assert summary["record"] == str(killed.record)
    verdict = judge_file(killed.record).verdict()
    assert (verdict["completed_turns"], verdict["violations"]) == (1, [])
    assert json.loads(resumed.truth.read_text().splitlines()[0])["phase"] == "turn-start"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tower", "111*6"), "the record says what --tower would say"),
        (
            ("--players", "Robot", "--option", "settle_s=5"),
            "the record says what --players, --option would say",
        ),
        ((), "that game has ended by stop; begin a new record"),
    ],
)
def test_resume_refuses_what_it_cannot_go_on_with(
    play: Callable[..., Playing], tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    record = tmp_path / "ended.jsonl"
    lines = [
        {"type": "game", "format": 1, "edition": "classic", "players": ["Robot"], "options": {}},
        {"t": 1.0, "type": "stop"},
    ]
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, err = play("--resume", str(record), *options).end()
    assert (code, out) == (2, "")
    assert message in err
    assert len(record.read_text().splitlines()) == 2, "the record is untouched"
