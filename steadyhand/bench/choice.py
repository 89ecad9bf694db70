"""What `steadyhand bench choice` does: players alone and against each other, on the same simulated towers."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import track

from planning.blockset import load_blockset
from robot.errors import BadInputError
from steadyhand.bench.contest import Played, play_all, tasks
from steadyhand.bench.entrants import NAMES, entrant
from steadyhand.bench.plotting import FORMATS, encoded
from steadyhand.bench.summary import as_json, summarise
from steadyhand.bench.words import show
from steadyhand.files import need_place, write_whole

_PAPER = 120  # columns where nobody's terminal is asked: the tables whole


@dataclass(frozen=True)
class Request:
    """The options of the command.

    Attributes:
        games: Towers; each is played by everybody alone, and by the first against each other from either side.
        matches: Whether the first plays against the others at all.
        seed: Of the first tower; the others follow.
    """

    games: int = 100
    seed: int = 1
    blockset: str = "standard"
    policies: tuple[str, ...] = NAMES
    plot: Path | None = None
    jobs: int = 2
    json: bool = False
    matches: bool = True


def run(request: Request, out: TextIO) -> int:
    """Play and print.

    Raises:
        BadInputError: A policy or block set is not known, or the plot cannot be written.
    """
    _check(request)
    seeds = range(request.seed, request.seed + request.games)
    summary = summarise(request.policies, _played(request, seeds))
    told = f"{request.games} games each, seeds {seeds.start} to {seeds.stop - 1}, blocks {request.blockset}"
    if request.plot is not None:
        write_whole(request.plot, encoded(summary, told, request.plot.suffix))
    if request.json:
        more = {"seeds": [seeds.start, seeds.stop - 1], "blockset": request.blockset}
        out.write(json.dumps(as_json(summary, **more)) + "\n")
        return 0
    console = Console(file=out, width=None if out.isatty() else _PAPER)
    console.print(told, highlight=False)
    show(summary, console)
    return 0


def _check(request: Request) -> None:
    """Before hours of play, not after."""
    if not request.policies:
        raise BadInputError(f"--policies names none: give some of {', '.join(NAMES)}, split by commas")
    for name in request.policies:
        entrant(name)
    twice = sorted({name for name in request.policies if request.policies.count(name) > 1})
    if twice:
        raise BadInputError(f"--policies names {', '.join(twice)} twice: name each policy once")
    load_blockset(request.blockset)
    if request.plot is not None:
        need_place(request.plot, FORMATS)


def _played(request: Request, seeds: range) -> list[Played]:
    todo = tasks(request.policies, seeds, request.blockset, matches=request.matches)
    console, quiet = Console(stderr=True), not sys.stderr.isatty()
    games = play_all(todo, request.jobs)
    return list(track(games, "games", total=len(todo), console=console, disable=quiet))
