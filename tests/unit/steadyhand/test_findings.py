"""Findings: what is wrong has a remedy, and the gravest one decides the exit code."""

from __future__ import annotations

import pytest

from steadyhand.findings import Chapter, Finding, Level, exit_code, split_advice


def chapter(*levels: Level) -> Chapter:
    return Chapter("arm", findings=[Finding(level, "it is so", "do this") for level in levels])


@pytest.mark.parametrize(
    ("levels", "code"),
    [
        ([], 0),
        ([Level.WELL, Level.NOTE], 0),
        ([Level.NOTE, Level.WRONG], 1),
        ([Level.WRONG, Level.FAULT], 3),
        ([Level.FAULT], 3),
    ],
)
def test_gravest_finding_decides_the_exit_code(levels: list[Level], code: int) -> None:
    assert exit_code([chapter(Level.WELL), chapter(*levels)]) == code


@pytest.mark.parametrize("level", [Level.WRONG, Level.FAULT])
def test_what_is_wrong_cannot_be_told_without_a_remedy(level: Level) -> None:
    with pytest.raises(ValueError, match="without a remedy"):
        Finding(level, "it is broken")


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        (
            "servo 9 (gripper) does not answer: check its cable and the power, and its number with the maker's tool",
            "check its cable and the power, and its number with the maker's tool",
        ),
        (
            "force sensor at '/dev/x': it drifts: +0.120 N between two halves of 240 samples, allowed are 0.065 N. "
            "Take hands off, let it warm up for some minutes, and try again",
            "Take hands off, let it warm up for some minutes, and try again",
        ),
        (
            "camera 'left': no picture within 12 s of opening: check its cable, and that no other program uses it",
            "check its cable, and that no other program uses it",
        ),
        ("servo 3 (shoulder, shadow) is a model 1020", ""),
    ],
)
def test_a_messages_advice_is_what_it_ends_by(message: str, remedy: str) -> None:
    what, advice = split_advice(message)
    assert advice == remedy
    assert message.startswith(what)


def test_message_without_advice_gets_that_of_its_part() -> None:
    it = Chapter("arm")
    it.told(Level.FAULT, "servo 3 is a model 1020", "see the guide")
    assert it.findings[0].remedy == "see the guide"
