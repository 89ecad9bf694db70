"""The shared rule cases, each with its reason: judged in this process, and some by the command itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planning.referee import judge
from planning.refusals import RefusalError

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".." / "shared" / "rule-cases" / "cases"
CASES = sorted(FOLDER.glob("*.json"))

needs_cases = pytest.mark.skipif(not CASES, reason="the shared rule cases are not beside this checkout")


def case_of(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return case


def record_of(case: dict[str, Any]) -> bytes:
    if "record_text" in case:
        return str(case["record_text"]).encode()
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in case["record"]).encode()


@needs_cases
def test_there_are_cases_to_judge() -> None:
    assert len(CASES) >= 138


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case_gets_the_verdict_that_its_reason_asks_for(path: Path) -> None:
    case = case_of(path)
    lines = record_of(case).removesuffix(b"\n").split(b"\n")
    if "expect_error" in case:
        with pytest.raises(RefusalError) as refusal:
            judge(lines)
        assert refusal.value.line == case["expect_error"]["line"], case["why"]
        return
    verdict = judge(lines)
    assert {key: verdict[key] for key in case["expect"]} == case["expect"], case["why"]


@needs_cases
@pytest.mark.parametrize(
    "name", ["turn-whole", "fortnite-after-top-hole", "error-truncated-line", "error-first-line"]
)
def test_command_answers_as_the_cases_ask(tmp_path: Path, name: str) -> None:
    case, record = case_of(FOLDER / f"{name}.json"), tmp_path / f"{name}.jsonl"
    record.write_bytes(record_of(case))
    done = subprocess.run(
        [sys.executable, "-m", "steadyhand.refereeing", str(record)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=60,
    )
    if "expect_error" in case:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"{record}: line {case['expect_error']['line']}: expected ")
        return
    verdict = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert {key: verdict[key] for key in case["expect"]} == case["expect"]
