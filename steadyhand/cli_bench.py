"""`steadyhand bench ...`: how well something works, measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

bench = typer.Typer(help="Measure how well something works.", no_args_is_help=True, rich_markup_mode=None)


@bench.callback()
def _bench() -> None:
    """Measure how well something works."""


@bench.command(epilog="Example: steadyhand bench choice --games 20 --policies ours,kimura --plot choice.svg")
def choice(  # noqa: PLR0913, PLR0917 - one parameter an option
    games: Annotated[int, typer.Option(min=1, help="Towers; everybody plays on each.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of the first tower; fixes everything random.")] = 1,
    blockset: Annotated[str, typer.Option(help="Name of a block set, or a .toml file.")] = "standard",
    policies: Annotated[
        str | None,
        typer.Option(help="Split by commas; the first plays against each other.", show_default="all"),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Blocks added by each (SVG, PNG or PDF).")] = None,
    matches: Annotated[
        bool, typer.Option("--matches/--alone", help="Also against each other, or everybody alone.")
    ] = True,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare how blocks are chosen: alone and in matches, on towers of the mechanics without an arm."""
    from steadyhand.bench.choice import Request, run
    from steadyhand.bench.entrants import NAMES

    names = NAMES if policies is None else tuple(name.strip() for name in policies.split(",") if name.strip())
    raise typer.Exit(run(Request(games, seed, blockset, names, plot, jobs, json, matches), sys.stdout))
