"""The command line: help, exit codes, messages, and what it leaves behind. Real processes where that matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from planning.opening import Opening
from steadyhand.__main__ import main
from steadyhand.journal import Journal

ROOT = Path(__file__).parents[2]
COMMANDS = [
    "play", "mechanics", "see", "referee", "rules", "settings", "sim export", "sim view", "sim picture",
    "bench choice", "calibrate camera", "calibrate pose", "calibrate mat", "calibrate board", "calibrate hand-eye",
    "calibrate joints", "emulate", "doctor", "arm park", "arm open", "arm relax", "arm hold", "arm push",
]  # fmt: skip
HEAVY = ["mujoco", "cv2", "roboticstoolbox", "spatialmath", "numba", "scipy", "ompl", "ruckig"]


@dataclass
class Said:
    code: int
    out: str
    err: str


Run = Callable[..., Said]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["steadyhand", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code if isinstance(left.value.code, int) else 0
        return Said(code, *capsys.readouterr())

    return command


def process(folder: Path, code: str, **environment: str) -> Said:
    """Run Python code in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, cwd=folder, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip
    return Said(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "old.jsonl"
    Journal.create(path, Opening.of(["Robot"])).close()
    return path


# Help


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example_that_begins_with_it(run: Run, command: str) -> None:
    said = run(*command.split(), "--help")
    assert said.code == 0
    example = " ".join(said.out.split("Example:")[1].split())
    assert example.startswith(f"steadyhand {command} ")


def test_help_lists_every_command(run: Run) -> None:
    said = run("--help")
    assert said.code == 0
    for command in ("play", "mechanics", "see", "referee", "rules", "settings", "sim", "bench", "calibrate"):
        assert f"\n  {command} " in said.out
    inner = run("sim", "--help").out
    for command in ("export", "view", "picture"):
        assert f"\n  {command} " in inner


def test_nothing_asked_is_answered_with_help(run: Run) -> None:
    said = run()
    assert said.code == 2
    assert "Usage: " in said.out + said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["play", "--help"],
        ["sim", "export", "--help"],
        ["bench", "choice", "--help"],
        ["calibrate", "camera", "--help"],
        ["referee", "old.jsonl"],
        ["rules"],
    ],
)
def test_light_commands_load_nothing_heavy(tmp_path: Path, record: Path, arguments: list[str]) -> None:
    code = f"""
import sys
sys.argv = ["steadyhand", *{arguments!r}]
from steadyhand.__main__ import main
try:
    main()
except SystemExit as left:
    assert not left.code, left.code
print("LOADED", [name for name in {HEAVY!r} if name in sys.modules])
"""
    said = process(tmp_path, code)
    assert said.out.splitlines()[-1] == "LOADED []", said.err


# Bad input


SETTINGS = {
    "unknown.toml": "[arm]\nspeed = 3\n",
    "range.toml": "[arm]\npace = 3\n",
    "broken.toml": "[arm\n",
    "heavy.toml": "[extract]\ngrip_mm = 20\n",
    "real.toml": '[arm]\nport = "usb-1"\n',
    "five.toml": '[arm]\nkind = "so-101"\n',
    "other.toml": '[arm]\nkind = "widowx-250s"\n',
}
BAD: dict[str, tuple[list[str], str]] = {
    "unknown block set": (
        ["play", "--blockset", "oak"],
        r"block set 'oak' is not known: choose one of heavy, loose",
    ),
    "tower text of two characters": (["play", "--tower", "11/111"], r'expected tower text .*, got "11"'),
    "tower that cannot stand": (["play", "--tower", "111/100/111"], r"it cannot stand on layer 2"),
    "tower that would fall": (["play", "--tower", "111*15/010/010/001"], r"it cannot stand on layer 16"),
    "tower too high": (["play", "--tower", "111*99"], r"99 layers, allowed 1 to 30"),
    "no tower": (["play", "--tower", ""], r"0 layers, allowed 1 to 30"),
    "negative seed": (["play", "--seed", "-1"], r"--seed.*greater than or equal to 0"),
    "seed that is no number": (["play", "--seed", "seven"], r"--seed.*valid integer"),
    "half a seed": (["play", "--seed", "1.5"], r"--seed.*valid integer"),
    "no turns": (["play", "--turns", "0"], r"--turns.*greater than or equal to 1"),
    "missing settings": (
        ["play", "--settings", "none.toml"],
        r"none\.toml: no such file; `steadyhand settings",
    ),
    "unknown key": (
        ["play", "--settings", "unknown.toml"],
        r"arm\.speed is not known; the keys are port, kind, stopped, sink_deg_s, model, x_mm",
    ),
    "value out of range": (
        ["play", "--settings", "range.toml"],
        r"arm\.pace = 3: input should be less than",
    ),
    "broken settings": (["play", "--settings", "broken.toml"], r"settings broken\.toml: cannot be read"),
    "keys that do not fit": (
        ["play", "--settings", "heavy.toml"],
        r"extract\.push_out_mm = 21 must be at least",
    ),
    "record in no folder": (
        ["play", "--record", "gone/a.jsonl"],
        r"gone/a\.jsonl: cannot be written",
    ),
    "record that is a folder": (["play", "--record", "."], r"\.: cannot be written: it is a folder"),
    "truth in no folder": (["play", "--truth", "gone/t.jsonl"], r"gone/t\.jsonl: cannot be written"),
    "strip of no format": (["play", "--strip", "a.gif"], r"'\.gif' is no picture format"),
    "one file for two": (
        ["play", "--record", "a", "--truth", "./a"],
        r"must be different files",
    ),
    "player twice": (["play", "--players", "Robot,Robot"], r"players of different names"),
    "nobody": (["play", "--players", ""], r"a player.s name"),
    "unknown edition": (["play", "--edition", "chess"], r"classic or rulebook or fortnite, got \"chess\""),
    "unknown option": (["play", "--option", "speed=1"], r"expected options out of blocks.*got \"speed\""),
    "option without value": (
        ["play", "--option", "settle_s"],
        r"option 'settle_s': expected KEY=VALUE",
    ),
    "option out of range": (
        ["play", "--option", "settle_s=-1"],
        r"`settle_s` to be seconds, 0 or more, got -1",
    ),
    "option that is no number": (["play", "--option", "settle_s=NaN"], r"`settle_s` to be seconds"),
    "edition with a spinner": (
        ["play", "--edition", "fortnite", "--option", "materials=wbm*15"],
        r"no spinner yet",
    ),
    "edition without tests": (
        ["play", "--option", "testing=none"],
        r"testing = none: the robot tests blocks",
    ),
    "joints of a real arm": (
        ["calibrate", "joints", "--settings", "real.toml"],
        r"names a real arm, and only the simulated one shows its finger by itself",
    ),
    "viewer without a screen": (["play", "--view"], r"the viewer needs a screen"),
    "fault without a wire": (["play", "--fault", "overload@placed"], r"--fault .* needs --wire"),
    "fault of no kind": (
        ["play", "--wire", "--fault", "fire@placed", "--record", "a.jsonl"],
        r"'fire@placed': expected KIND@PHASE.*kinds are lost, corrupted",
    ),
    "arm of five joints": (
        ["play", "--settings", "five.toml", "--record", "a.jsonl"],
        r"arm\.kind = 'so-101': .*a SO-101, which cannot play: it has five joints.*viperx-300s, widowx-250s",
    ),
    "servos of another arm": (
        ["play", "--settings", "other.toml", "--record", "a.jsonl"],
        r"arm\.kind = 'widowx-250s' has the servos of a widowx-250s.*write model = \"widowx-250s\" in \[arm\]",
    ),
    "wire to a real arm": (
        ["play", "--settings", "real.toml", "--wire"],
        r"arm\.port = 'usb-1' names a real arm, and --wire is of the simulation",
    ),
    "real arm without cameras": (
        ["play", "--settings", "real.toml", "--record", "a.jsonl"],
        r"arm\.port names a real arm, and no camera is named",
    ),
    "emulation nowhere": (["emulate", "viperx-300s", "--link", "gone/arm"], r"there is no folder gone"),
    "export nowhere": (["sim", "export", "-o", "gone/a.xml"], r"gone/a\.xml: cannot be written"),
    "export of an unknown set": (
        ["sim", "export", "-o", "a.xml", "--blockset", "oak"],
        r"block set 'oak' is not known",
    ),
    "picture by no camera": (
        ["sim", "picture", "-o", "a.png", "--camera", "top"],
        r"camera 'top' is not known",
    ),
    "referee without a record": (["referee", "none.jsonl"], r"cannot read the record none\.jsonl"),
    "rules of no edition": (["rules", "chess"], r"no edition 'chess'"),
    "settings for nothing": (["settings"], r"say --example to write a settings file, or --check FILE"),
    "mechanics of an unknown set": (["mechanics", "--blockset", "oak"], r"block set 'oak' is not known"),
    "mechanics of no tower": (["mechanics", "--tower", "1x1"], r'expected tower text .*, got "1x1"'),
    "mechanics of a tower that would fall": (
        ["mechanics", "--tower", "111/100/111", "--picture", "a.png"],
        r"it cannot stand on layer 2",
    ),
    "mechanics drawn nowhere": (["mechanics", "--picture", "gone/a.png"], r"gone/a\.png: cannot be written"),
    "mechanics drawn in no format": (["mechanics", "--picture", "a.gif"], r"'\.gif' is no picture format"),
    "fewer samples than none": (["mechanics", "--samples", "-1"], r"--samples.*greater than or equal to 0"),
    "unknown command": (["frobnicate"], r"No such command 'frobnicate'"),
    "unknown switch": (["play", "--speed", "3"], r"No such option"),
}


@pytest.mark.parametrize(("arguments", "why"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_told_with_exit_2_and_leaves_nothing_behind(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], why: str
) -> None:
    import re

    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, text in SETTINGS.items():
        (tmp_path / name).write_text(text)
    said = run(*arguments)
    assert said.code == 2
    assert re.search(why, said.err, re.DOTALL), said.err
    assert "Traceback" not in said.err
    assert said.out == ""
    assert {path.name for path in tmp_path.iterdir()} == set(SETTINGS)


def test_record_that_exists_is_neither_overwritten_nor_played_on(
    run: Run, tmp_path: Path, record: Path
) -> None:
    before = record.read_bytes()
    said = run("play", "--record", "old.jsonl", "--truth", "t.jsonl", "--tower", "111*6", "--turns", "1")
    assert said.code == 2
    assert (
        "the record old.jsonl exists and is not overwritten. Name a new file, or resume that one" in said.err
    )
    assert record.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["old.jsonl"]


def test_truth_log_that_cannot_be_written_leaves_no_record_behind(run: Run, tmp_path: Path) -> None:
    said = run("play", "--record", "a.jsonl", "--truth", "/proc/t.jsonl", "--tower", "111*6", "--turns", "1")
    assert (said.code, list(tmp_path.iterdir())) == (2, [])
    assert "truth log /proc/t.jsonl: cannot be written" in said.err


@pytest.mark.parametrize(
    ("prepare", "environment", "why"),
    [
        ("import ctypes.util; ctypes.util.find_library = lambda name: None", {"MUJOCO_GL": ""},
         "neither OSMesa nor EGL was found. On Debian: apt-get install libosmesa6"),
        ("", {"MUJOCO_GL": "vulkan"}, "MUJOCO_GL='vulkan' is not known: choose osmesa, egl or glfw"),
        ("import mujoco; mujoco.Renderer = lambda *_: (_ for _ in ()).throw(RuntimeError('no context'))",
         {}, "no OpenGL to draw the cameras' pictures with: no context. Install"),
    ],
    ids=["no library", "unknown renderer", "no context"],
)  # fmt: skip
def test_without_opengl_there_is_advice_and_nothing_half_written(
    tmp_path: Path, prepare: str, environment: dict[str, str], why: str
) -> None:
    code = f"""
{prepare}
import sys
sys.argv = ["steadyhand", "play", "--turns", "1", "--tower", "111*6"]
from steadyhand.__main__ import main
main()
"""
    said = process(tmp_path, code, **environment)
    assert (said.code, list(tmp_path.iterdir())) == (2, [])
    assert why in said.err
    assert "Traceback" not in said.err


# Good input


def test_referee_answers_with_one_json_object(run: Run, record: Path) -> None:
    said = run("referee", "old.jsonl")
    assert (said.code, said.err, said.out.count("\n")) == (0, "", 1)
    assert json.loads(said.out)["turn_of"] == "Robot"


def test_referee_explains_in_plain_words(run: Run, record: Path) -> None:
    said = run("referee", "old.jsonl", "--explain")
    assert said.code == 0
    assert "Robot" in said.out
    assert not said.out.startswith("{")


def test_example_settings_are_taken_by_check(run: Run, tmp_path: Path) -> None:
    said = run("settings", "--example")
    (tmp_path / "steadyhand.toml").write_text(said.out)
    assert run("settings", "--check", "steadyhand.toml").out == "all keys at their defaults\n"
    (tmp_path / "steadyhand.toml").write_text(said.out.replace("pace = 1.0", "pace = 0.5"))
    assert run("settings", "--check", "steadyhand.toml").out == "arm.pace = 0.5 (default 1.0)\n"


def test_scene_is_exported_by_the_command(run: Run, tmp_path: Path) -> None:
    said = run("sim", "export", "-o", "scene.xml", "--tower", "111", "--seed", "4")
    assert (said.code, said.out) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["scene.xml"]
    assert "<mujoco" in (tmp_path / "scene.xml").read_text()


def test_very_large_seed_is_as_good_as_any(run: Run, tmp_path: Path) -> None:
    assert run("sim", "export", "-o", "scene.xml", "--tower", "111", "--seed", str(10**30)).code == 0


def test_mechanics_answers_with_one_json_object_for_the_exported_tower(run: Run, tmp_path: Path) -> None:
    arguments = ("--tower", "111*3/101", "--seed", "4", "--blockset", "tight")
    said = run("mechanics", *arguments, "--json")
    assert (said.code, said.err, said.out.count("\n")) == (0, "", 1)
    answer = json.loads(said.out)
    assert answer["stands"] is True
    assert list(answer["slots"])[-2:] == ["4.1", "4.3"]
    assert answer["slots"]["4.3"]["block"] == "b11"
    for entry in answer["slots"].values():
        assert {"length_m", "load_top_n", "load_bottom_n", "push_n", "push_minus_n", "margin_mm"} < set(entry)
        assert type(entry["stands_without"]) is bool
    assert run("sim", "export", *arguments, "-o", "scene.xml").code == 0
    assert 'name="b11"' in (tmp_path / "scene.xml").read_text()
    assert 'name="b12"' not in (tmp_path / "scene.xml").read_text()


def test_mechanics_over_samples_adds_quantiles_and_a_chance(run: Run) -> None:
    said = run("mechanics", "--tower", "111*3", "--samples", "30", "--json")
    answer = json.loads(said.out)
    assert answer["samples"] == 30
    for entry in answer["slots"].values():
        low, middle, high = entry["push_quantiles_n"]
        assert 0 < low <= middle <= high
        assert 0 <= entry["p_safe"] <= 1
    plain = json.loads(run("mechanics", "--tower", "111*3", "--json").out)
    assert plain["slots"]["2.2"].items() <= answer["slots"]["2.2"].items()


def test_mechanics_for_people_has_a_line_a_block_from_the_top(run: Run) -> None:
    said = run("mechanics", "--tower", "111/101/111", "--samples", "5")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "the tower stands"
    assert [line.split()[0] for line in lines[2:]] == ["3.1", "3.2", "3.3", "2.1", "2.3", "1.1", "1.2", "1.3"]
    assert "falls" in lines[5]
    assert all(line.endswith("%") for line in lines[2:])


@pytest.mark.parametrize("more", [[], ["--samples", "5"]])
def test_mechanics_draws_the_tower(run: Run, tmp_path: Path, more: list[str]) -> None:
    import cv2

    assert run("mechanics", "--tower", "111*3", "--picture", "tower.png", *more).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["tower.png"]
    image = cv2.imread(str(tmp_path / "tower.png"))
    assert image is not None
    assert image.std() > 20


def test_mechanics_needs_no_simulation_and_no_opengl(tmp_path: Path) -> None:
    code = """
import sys
sys.argv = ["steadyhand", "mechanics", "--tower", "111"]
from steadyhand.__main__ import main
try:
    main()
except SystemExit as left:
    assert not left.code, left.code
print("LOADED", [name for name in ("mujoco", "OpenGL") if name in sys.modules])
"""
    said = process(tmp_path, code, MUJOCO_GL="none")
    assert said.out.splitlines()[-1] == "LOADED []", said.err


def test_module_and_command_are_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "steadyhand", "rules"],
        capture_output=True, text=True, cwd=tmp_path, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0
    assert "10" in done.stdout


# Bench


def test_bench_choice_refuses_a_player_that_nobody_knows(run: Run) -> None:
    said = run("bench", "choice", "--policies", "bold")
    assert said.code == 2
    assert said.err == (
        "steadyhand: policy 'bold' is not known: choose of "
        "ours, random, fixed-0.2, fixed-0.3, height, kimura, force-0.2, force-0.3, force-height, force-kimura\n"
    )


def test_bench_choice_in_two_processes_says_what_it_says_in_one(run: Run) -> None:
    def told(jobs: str) -> dict[str, object]:
        said = run(
            "bench", "choice", "--games", "1", "--seed", "2", "--policies", "random,fixed-0.3", "--jobs", jobs, "--json"
        )  # fmt: skip
        answer = json.loads(said.out)
        for solo in answer["solo"].values():
            del solo["ms_per_turn"]  # the one thing that is measured by the clock
        return dict(answer)

    assert told("1") == told("2")
