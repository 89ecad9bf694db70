"""`bench choice`: what it prints, and what it refuses."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from robot.errors import BadInputError
from steadyhand.bench.choice import Request, run
from steadyhand.bench.contest import Played, Task, perform, tasks
from steadyhand.bench.stats import mean_interval, wilson
from steadyhand.bench.summary import summarise

QUICK = Request(games=1, seed=5, policies=("random", "fixed-0.3"), jobs=1)


def test_json_is_one_object_with_all_that_was_asked_for(tmp_path: Path) -> None:
    out, plot = io.StringIO(), tmp_path / "choice.svg"
    assert run(Request(1, 5, policies=QUICK.policies, plot=plot, jobs=1, json=True), out) == 0
    answer = json.loads(out.getvalue())
    assert answer["seeds"] == [5, 5]
    assert set(answer["solo"]) == {"random", "fixed-0.3"}
    assert answer["versus"]["fixed-0.3"]["games"] == 2
    assert list(answer["bound_blocks"]) == ["0.2", "0.5", "1"]
    assert plot.read_bytes().startswith(b"<?xml")


def test_tables_name_every_policy_and_the_seeds() -> None:
    out = io.StringIO()
    run(QUICK, out)
    assert "seeds 5 to 5" in out.getvalue()
    assert "random against each other" in out.getvalue()


def test_same_task_gives_the_same_game_in_any_process() -> None:
    task = Task(("fixed-0.3", "random"), 9, "standard")
    one, two = perform(task), perform(task)
    assert (one.added, one.ended, one.loser) == (two.added, two.ended, two.loser)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request(policies=("bold",)), "'bold' is not known: choose of ours, random"),
        (Request(policies=()), "--policies names none"),
        (Request(policies=("random", "random")), "random twice"),
        (Request(blockset="marble"), "'marble' is not known"),
        (Request(plot=Path("/nowhere/at/all.svg")), "there is no folder"),
        (Request(plot=Path("choice.gif")), "'.gif' is no picture format"),
    ],
)
def test_bad_input_is_refused_before_anything_is_played(request_: Request, words: str) -> None:
    with pytest.raises(BadInputError, match=words.replace(".", r"\.")):
        run(request_, io.StringIO())


def test_first_plays_every_other_from_either_side() -> None:
    alone = [task.players for task in tasks(("a", "b"), range(1), "standard", matches=False)]
    assert alone == [(), ("a",), ("b",)]
    lines = [task.players for task in tasks(("a", "b", "c"), range(1), "standard")]
    assert lines == [(), ("a",), ("b",), ("c",), ("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")]


def test_wins_are_counted_from_either_side() -> None:
    played = [
        Played(Task((), 1, "x"), bound=((0.5, 30),)),
        Played(Task(("a",), 1, "x"), added=4, ended="fell", loser="a", turns=5),
        Played(Task(("b",), 1, "x"), added=6, ended="fell", loser="b", turns=7),
        Played(Task(("a", "b"), 1, "x"), loser="b", turns=2),
        Played(Task(("b", "a"), 1, "x"), loser="a", turns=2),
    ]
    summary = summarise(("a", "b"), played)
    assert (summary.versus[0].first, summary.versus[0].second) == ((1, 1), (0, 1))
    assert summary.solo[1].ahead[0] == -2.0
    assert summary.bounds == {0.5: 30.0}


def test_intervals() -> None:
    assert mean_interval([1.0, 2.0, 3.0])[1] == pytest.approx((-0.484, 4.484), abs=1e-3)
    assert mean_interval([4.0]) == (4.0, (4.0, 4.0))
    assert wilson(8, 10)[1] == pytest.approx((0.490, 0.943), abs=1e-3)
    with pytest.raises(ValueError, match="11 of 10"):
        wilson(11, 10)


def test_alone_there_is_no_table_of_matches_and_no_figure_is_cut_short() -> None:
    out = io.StringIO()
    assert run(Request(1, 5, policies=QUICK.policies, jobs=1, matches=False), out) == 0
    text = out.getvalue()
    assert "against each other" not in text
    assert "…" not in text
