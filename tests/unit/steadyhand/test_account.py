from __future__ import annotations

import io

import pytest
from rich.console import Console

from planning.notes import Note, Phase
from planning.probe import Verdict
from planning.tower import Slot
from steadyhand.account import Account
from support.script import Script, Stage


def told(*notes: Note) -> str:
    out = io.StringIO()
    account = Account(Console(file=out, width=120, color_system=None))
    for note in notes:
        account(note)
    return out.getvalue()


def a_turn(script: Script | None = None) -> str:
    stage = Stage(script)
    stage.turn.run()
    return told(*stage.notes)


def test_turn_is_told_in_its_order() -> None:
    lines = [line for line in a_turn().splitlines() if "settling" not in line]
    assert [line.strip()[0] for line in lines] == ["●", "→", "f", "2", "⇥", "▣", "✓"] or lines[3].strip()[
        0
    ].isdigit()
    assert lines[0] == " ● Robot looks: 111*4"
    assert lines[1].startswith(" → ")
    assert lines[1].endswith("the first of 9")
    assert lines[4].endswith("is out")
    assert lines[5] == " ▣ laid in 5.2"
    assert lines[6].startswith(" ✓ stood 10 s")


def test_rejected_block_is_told_with_its_force_and_its_return() -> None:
    text = a_turn(Script(probes=[Verdict.TIGHT, Verdict.LOOSE]))
    assert "tight, 6.0 mm at 0.10 N" in text
    assert "↺" in text
    assert "is back within 0.00 mm" in text
    assert text.index("tight") < text.index("↺") < text.index("loose")


def test_force_is_drawn_up_to_its_limit() -> None:
    line = next(line for line in a_turn().splitlines() if "force 0 to" in line)
    assert line.startswith("   force 0 to 0.20")
    assert "N │" in line


def test_countdown_stays_on_its_line() -> None:
    assert told(Note(Phase.SETTLING, Slot(5, 2), text="7")) == "  settling, 7 s left\r"


def test_probe_start_is_not_told_twice() -> None:
    assert told(Note(Phase.PROBE_START, Slot(2, 2), 0.3, "probes 2.2 with up to 0.30 N")) == ""


@pytest.mark.parametrize("text", ["Robot[/red] looks", "[bold]x", "at [0.1, 0.2]", "/tmp/[a]/b"])
def test_text_in_brackets_is_told_as_it_stands(text: str) -> None:
    assert told(Note(Phase.TURN_START, text=text)) == f" ● {text}\n"


def test_fall_and_given_up_block_are_told() -> None:
    assert told(Note(Phase.COLLAPSE, text="blocks have fallen: 4.1")) == " ✗ blocks have fallen: 4.1\n"
    assert told(Note(Phase.GIVEN_UP, Slot(2, 2), 1.2, "force reached 1.20 N")) == " ! force reached 1.20 N\n"
