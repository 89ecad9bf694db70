from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planning.strict_json import MAX_LINE_BYTES
from steadyhand.refereeing import USAGE, explain, follow, main, referee, rules

OPENING = '{"type":"game","edition":"classic","players":["Ana","Ben"],"options":{}}'
TURN = [
    '{"t":0,"type":"extract","player":"Ana","hand":"right","block":"5.2"}',
    '{"t":5,"type":"place","player":"Ana","hand":"right","slot":"19.1","axis":"x"}',
    '{"t":6,"type":"release","player":"Ana"}',
]
COLLAPSE = '{"t":20,"type":"collapse"}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    write(path, OPENING, *TURN)
    return path


def write(path: Path, *lines: str) -> None:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as record:
        record.write(text)


def run(command: Callable[..., int], *arguments: object, **keys: object) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return command(*arguments, out, err, **keys), out.getvalue(), err.getvalue()


def test_verdict_is_one_json_object_and_exit_0_whatever_it_is(path: Path) -> None:
    code, out, err = run(referee, path)
    assert (code, err) == (0, "")
    assert json.loads(out)["state"] == "settling"
    assert out.count("\n") == 1
    write(path, OPENING, COLLAPSE)
    code, out, err = run(referee, str(path))
    assert (code, json.loads(out)["state"], err) == (0, "rebuild", "")


@pytest.mark.parametrize("command", [referee, explain, follow])
def test_refusal_names_file_line_and_what_was_expected_and_exits_2(
    path: Path, command: Callable[..., int]
) -> None:
    append(path, '{"t":7,"type":"wiggle"}\n')
    code, _, err = run(command, path)
    assert code == 2
    assert err.startswith(f"{path}: line 5: expected `type` to be one of touch, move")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", [referee, explain])
@pytest.mark.parametrize("name", ["none.jsonl", ".", "a\0b"])
def test_record_that_cannot_be_read_exits_2_with_what_to_do(
    tmp_path: Path, command: Callable[..., int], name: str
) -> None:
    code, out, err = run(command, tmp_path / name)
    assert (code, out) == (2, "")
    assert err.startswith("cannot read the record ")
    assert err.endswith("Name a record file that exists and may be read\n")


def test_empty_record_is_refused(path: Path) -> None:
    path.write_bytes(b"")
    assert run(referee, path)[2] == (
        f"{path}: line 1: expected a record that begins with a line of type `game`, got an empty record\n"
    )


def test_record_without_a_last_line_feed_is_judged(path: Path) -> None:
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert run(referee, path)[0] == 0


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_either_line_ending_is_read(path: Path, ending: str) -> None:
    path.write_bytes("".join(line + ending for line in [OPENING, *TURN]).encode())
    assert run(referee, path)[0] == 0


def test_characters_that_look_like_line_ends_are_none(path: Path) -> None:
    append(path, '{"t":7,"type":"bump","by":"\u2028\u2029\x85"}\n')
    assert json.loads(run(referee, path)[1])["state"] == "rebuild"


def test_endless_line_is_refused_without_reading_it_to_its_end(path: Path) -> None:
    append(path, "x" * (MAX_LINE_BYTES + 1))
    code, _, err = run(referee, path)
    assert code == 2
    assert f"line 5: expected a line of at most {MAX_LINE_BYTES} bytes" in err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless file on this system")
def test_endless_file_is_refused() -> None:
    code, _, err = run(referee, "/dev/zero")
    assert (code, err.split(":")[1]) == (2, " line 1")


def test_names_beyond_ascii_survive_any_terminal(path: Path) -> None:
    write(path, OPENING.replace("Ana", "Jürgen"))
    code, out, _ = run(referee, path)
    assert (code, out.isascii(), json.loads(out)["turn_of"]) == (0, True, "Jürgen")


class Room:
    """Somebody who writes on while the record is followed: one action a poll, then Ctrl-C."""

    def __init__(self, *actions: Callable[[], object]) -> None:
        self._actions = list(actions)
        self.slept_s: list[float] = []

    def sleep(self, duration_s: float) -> None:
        self.slept_s.append(duration_s)
        if not self._actions:
            raise KeyboardInterrupt
        self._actions.pop(0)()


def test_follow_writes_a_verdict_for_each_event_and_ends_with_the_tower(path: Path) -> None:
    room = Room(lambda: append(path, '{"t":16,"type":"clock"}\n'), lambda: append(path, COLLAPSE + "\n"))
    code, out, err = run(follow, path, sleep=room.sleep)
    states = [json.loads(line)["state"] for line in out.splitlines()]
    assert states == ["playing", "playing", "settling", "playing", "over"]
    assert (code, err, room.slept_s) == (0, "", [0.2, 0.2])


def test_follow_waits_for_the_rest_of_a_line(path: Path) -> None:
    room = Room(
        lambda: append(path, COLLAPSE[:9]), lambda: append(path, COLLAPSE[9:]), lambda: append(path, "\n")
    )
    code, out, _ = run(follow, path, sleep=room.sleep)
    assert (code, len(out.splitlines())) == (0, 4)


def test_follow_takes_a_half_line_that_was_cut_off_as_never_written(path: Path) -> None:
    whole = path.read_bytes()
    room = Room(
        lambda: append(path, '{"t":7,"type":"stop'),
        lambda: path.write_bytes(whole),
        lambda: append(path, COLLAPSE + "\n"),
    )
    code, out, _ = run(follow, path, sleep=room.sleep)
    assert (code, [json.loads(line)["state"] for line in out.splitlines()][-1]) == (0, "over")


def test_follow_refuses_a_record_that_was_shortened(path: Path) -> None:
    code, _, err = run(follow, path, sleep=Room(lambda: path.write_bytes(b"")).sleep)
    assert code == 2
    assert "was shortened while it was read. Start again" in err


def test_follow_ends_cleanly_at_ctrl_c(path: Path) -> None:
    code, out, err = run(follow, path, sleep=Room().sleep)
    assert (code, len(out.splitlines()), err) == (0, 3, "")


def test_follow_ends_when_nobody_reads_on(path: Path) -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    assert follow(path, Closed(), io.StringIO()) == 0


def test_follow_ends_when_its_patience_is_out_and_renews_it_with_each_line(path: Path) -> None:
    room = Room(*[lambda: None] * 3, lambda: append(path, '{"t":16,"type":"clock"}\n'), *[lambda: None] * 6)
    code, out, _ = run(follow, path, sleep=room.sleep, poll_s=0.25, patience_s=1)
    assert (code, len(out.splitlines()), len(room.slept_s)) == (0, 4, 8)


def test_follow_judges_a_last_line_without_line_feed_when_its_patience_is_out(path: Path) -> None:
    path.write_bytes(path.read_bytes() + COLLAPSE.encode())
    assert len(run(follow, path, sleep=Room().sleep, patience_s=0)[1].splitlines()) == 4
    path.write_bytes(path.read_bytes()[:-3])
    code, _, err = run(follow, path, sleep=Room().sleep, patience_s=0)
    assert code == 2
    assert "line 5: expected a whole JSON object" in err


def test_follow_flushes_each_line(path: Path) -> None:
    class Counting(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed += 1

    out = Counting()
    follow(path, out, io.StringIO(), sleep=Room().sleep)
    assert out.flushed == 3


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["a", "--explain", "--follow"], ["a", "--shout"]])
def test_module_asks_for_one_record_and_one_way_to_tell(arguments: list[str]) -> None:
    assert run(main, arguments) == (2, "", USAGE + "\n")


def test_module_judges_explains_and_follows(path: Path) -> None:
    append(path, COLLAPSE + "\n")
    assert json.loads(run(main, [str(path)])[1])["state"] == "over"
    assert "The tower fell" in run(main, [str(path), "--explain"])[1]
    assert len(run(main, ["--follow", str(path)])[1].splitlines()) == 4


def test_rules_are_written_for_people_and_an_unknown_edition_is_refused() -> None:
    assert run(rules, "classic", "en")[:1] == (0,)
    assert run(rules, "xtreme", "en") == (
        2,
        "",
        "no edition 'xtreme'. There are classic, rulebook, fortnite; name one of them\n",
    )
    assert run(rules, "classic", "fr")[2] == "no rules in language 'fr'. There are en, de; name one of them\n"


def test_referee_imports_nothing_heavy() -> None:
    """The command must answer at once: what a table or a picture needs is not loaded for a verdict."""
    code = (
        "import sys, steadyhand.refereeing as r; r.main([sys.argv[1]], sys.stdout, sys.stderr);"
        "print({'typer', 'rich', 'click', 'numpy', 'pydantic', 'argparse', 'asyncio'} & set(sys.modules))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code, os.devnull],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "set()"
