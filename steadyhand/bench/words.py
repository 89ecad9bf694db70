"""The comparison of players as tables for people."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from steadyhand.bench.stats import wilson
from steadyhand.bench.summary import QUANTILES, Solo, Summary, Versus


def show(summary: Summary, console: Console) -> None:
    """Print the tables."""
    for limit_n, mean in summary.bounds.items():
        console.print(
            f"with every load known, none above {limit_n:g} N taken: {mean:.1f} blocks", highlight=False
        )
    console.print(_solo_table(summary))
    if any(versus.games for versus in summary.versus):
        console.print(_versus_table(summary))


def _solo_table(summary: Summary) -> Table:
    table = Table(
        title=f"alone, {summary.games} towers, the same for all; probes and ms a turn", title_justify="left"
    )
    heads = (
        "policy",
        "blocks (95 %)",
        "of bounds",
        "/".join(f"{q * 100:.0f}" for q in QUANTILES) + " %",
    )
    for head in (*heads, "probes", "ms", "ended by"):
        table.add_column(head, no_wrap=head != "ended by")
    for solo in summary.solo:
        table.add_row(*_solo_row(solo, summary))
    return table


def _solo_row(solo: Solo, summary: Summary) -> tuple[str, ...]:
    mean, (low, high) = solo.mean
    shares = [f"{mean / most * 100:.0f}" if most else "-" for most in summary.bounds.values()]
    spread = "/".join(f"{np.quantile(solo.added, q):.0f}" for q in QUANTILES)
    ended = ", ".join(f"{what} {n}" for what, n in solo.ended.items())
    return (
        solo.name,
        f"{mean:.1f} ({low:.1f} to {high:.1f})",
        f"{'/'.join(shares)} %",
        spread,
        f"{solo.probes:.1f}",
        f"{solo.ms:.0f}",
        ended,
    )


def _versus_table(summary: Summary) -> Table:
    first = summary.solo[0].name
    table = Table(title=f"{first} against each other, from either side", title_justify="left")
    for head in ("against", "won (95 %)", "moving first", "moving second"):
        table.add_column(head)
    for versus in summary.versus:
        table.add_row(*_versus_row(versus))
    return table


def _versus_row(versus: Versus) -> tuple[str, ...]:
    sides = [f"{wins} of {games}" for wins, games in (versus.first, versus.second)]
    if not versus.games:
        return versus.name, "-", *sides
    share, (low, high) = wilson(versus.wins, versus.games)
    return versus.name, f"{share * 100:.0f} % ({low * 100:.0f} to {high * 100:.0f})", *sides
