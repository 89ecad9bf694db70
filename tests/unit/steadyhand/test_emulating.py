"""What the emulation says of a machine that is too slow for it."""

from __future__ import annotations

import pytest

from steadyhand.emulating import Slips


def test_machine_that_is_too_slow_is_told_at_most_once_in_five_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    slips = Slips()
    for k in range(1, 121):
        slips.slipped(0.02, k * 0.1)
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in said] == ["at 5 s", "at 10 s"]
    assert "has been 1.0 s too slow for real time" in said[0]


def test_hiccup_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    Slips().slipped(0.05, 30.0)
    assert capsys.readouterr().err == ""
