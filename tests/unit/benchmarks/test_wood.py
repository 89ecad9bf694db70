"""Judging simulated peaks against real ones."""

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import wood
from benchmarks.traces import Probe

REAL_N = np.array([0.03, 0.076, 0.2])


def test_every_peak_must_be_within_the_factor_on_either_side() -> None:
    assert wood.within(REAL_N, REAL_N * 1.49)
    assert wood.within(REAL_N, REAL_N / 1.49)
    assert not wood.within(REAL_N, REAL_N * [1.0, 1.0, 1.51])
    assert not wood.within(REAL_N, REAL_N / [1.51, 1.0, 1.0])


def test_a_label_that_never_came_up_is_not_within() -> None:
    assert not wood.within(REAL_N, np.full(3, np.nan))


def test_agreement_counts_both_errors() -> None:
    right = [Probe(3, 0.1, 0.0001, extracted=True), Probe(3, 0.9, 0.0001, extracted=False)]
    over, under = Probe(3, 0.9, 0.0001, extracted=True), Probe(3, 0.1, 0.0001, extracted=False)
    assert wood.agreement([*right, over, under, under]) == (1, 2)


def test_absent_data_is_said_and_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["wood", "--data", str(tmp_path)])
    assert wood.main() == 0
    assert "SKIPPED" in capsys.readouterr().out
