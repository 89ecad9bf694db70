"""What many games say of each player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyhand.bench.contest import Played
from steadyhand.bench.stats import Interval, mean_interval, wilson

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Solo:
    """A player alone.

    Attributes:
        added: Blocks added in each game, in order of seed.
        mean: Of them, with its interval.
        ahead: How much more the first player of all added to the same tower, with its interval.
        ended: How many games ended how.
        probes: A turn.
        ms: Processor time a turn, the world's included.
    """

    name: str
    added: tuple[int, ...]
    mean: tuple[float, Interval]
    ahead: tuple[float, Interval]
    ended: dict[str, int]
    probes: float
    ms: float


@dataclass(frozen=True)
class Versus:
    """The first player against another: wins of all games, and of those in which it moved first and second."""

    name: str
    wins: int
    games: int
    first: tuple[int, int]
    second: tuple[int, int]


@dataclass(frozen=True)
class Summary:
    """Everything.

    Attributes:
        bounds: Mean blocks added with perfect knowledge, by the highest force taken [N].
    """

    games: int
    bounds: dict[float, float]
    solo: tuple[Solo, ...]
    versus: tuple[Versus, ...]


def summarise(names: Sequence[str], played: Sequence[Played]) -> Summary:
    """Sum up the games of `contest.tasks`."""
    bound = [dict(each.bound) for each in played if not each.task.players]
    limits = bound[0] if bound else {}
    means = {limit_n: float(np.mean([each[limit_n] for each in bound])) for limit_n in limits}
    alone = {name: [each for each in played if each.task.players == (name,)] for name in names}
    solo = tuple(_solo(name, alone[name], alone[names[0]]) for name in names)
    versus = tuple(_versus(names[0], name, played) for name in names[1:])
    return Summary(len(bound), means, solo, versus)


def _solo(name: str, games: Sequence[Played], firsts: Sequence[Played]) -> Solo:
    added = tuple(game.added for game in games)
    ahead = [mine.added - game.added for mine, game in zip(firsts, games, strict=True)]
    turns = max(sum(game.turns for game in games), 1)
    ended = dict(Counter(game.ended for game in games).most_common())
    probes, ms = sum(g.probes for g in games) / turns, sum(g.spent_s for g in games) / turns * 1e3
    return Solo(name, added, mean_interval(added), mean_interval(ahead), ended, probes, ms)


def _versus(first: str, other: str, played: Sequence[Played]) -> Versus:
    sides = []
    for pair in ((first, other), (other, first)):
        games = [each for each in played if each.task.players == pair and each.loser is not None]
        sides.append((sum(each.loser == other for each in games), len(games)))
    return Versus(other, sides[0][0] + sides[1][0], sides[0][1] + sides[1][1], *sides)


def as_json(summary: Summary, **more: object) -> dict[str, Any]:
    """The command's answer.

    Args:
        summary: It.
        more: What the games were played with.
    """
    return {
        **more,
        "games": summary.games,
        "bound_blocks": {f"{limit_n:g}": round(mean, 3) for limit_n, mean in summary.bounds.items()},
        "solo": {solo.name: _solo_json(solo, summary.bounds) for solo in summary.solo},
        "versus": {each.name: _versus_json(each) for each in summary.versus},
    }


def _solo_json(solo: Solo, bound: dict[float, float]) -> dict[str, Any]:
    shares = {f"{limit_n:g}": round(solo.mean[0] / most, 4) for limit_n, most in bound.items() if most}
    return {
        "blocks_added": round(solo.mean[0], 3),
        "interval_95": [round(end, 3) for end in solo.mean[1]],
        "quantiles": {f"{q:g}": float(np.quantile(solo.added, q)) for q in QUANTILES},
        "share_of_bound": shares,
        "first_ahead": round(solo.ahead[0], 3),
        "first_ahead_interval_95": [round(end, 3) for end in solo.ahead[1]],
        "ended": solo.ended,
        "probes_per_turn": round(solo.probes, 2),
        "ms_per_turn": round(solo.ms, 1),
    }


def _versus_json(versus: Versus) -> dict[str, Any]:
    share, interval = wilson(versus.wins, versus.games) if versus.games else (float("nan"), (0.0, 1.0))
    return {
        "wins": versus.wins,
        "games": versus.games,
        "share": round(share, 4) if versus.games else None,
        "interval_95": [round(end, 4) for end in interval],
        "moving_first": list(versus.first),
        "moving_second": list(versus.second),
    }
