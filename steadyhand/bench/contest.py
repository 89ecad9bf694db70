"""Many games of several players on the same towers, shared out over processes; every game depends on its seed alone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from planning.blockset import load_blockset
from steadyhand.bench.bound import bounds
from steadyhand.bench.entrants import entrant
from steadyhand.bench.games import Game, Rules, play


@dataclass(frozen=True)
class Task:
    """A game to be played, or without players the bound of its tower.

    Attributes:
        players: Names in turn order.
        blockset: Name or file.
    """

    players: tuple[str, ...]
    seed: int
    blockset: str


@dataclass(frozen=True)
class Played:
    """What came of a task.

    Attributes:
        added: Blocks added.
        ended: What ended it, in words; empty for a bound.
        loser: Who took the last turn, None where nobody lost.
        turns: How many.
        probes: In all.
        spent_s: Processor time.
        bound: Blocks added by limit [N], for a bound.
    """

    task: Task
    added: int = 0
    ended: str = ""
    loser: str | None = None
    turns: int = 0
    probes: int = 0
    spent_s: float = 0.0
    bound: tuple[tuple[float, int], ...] = ()


def tasks(names: Sequence[str], seeds: Iterable[int], blockset: str, *, matches: bool = True) -> list[Task]:
    """The bound, everybody alone, and the first against each of the others from either side, on every tower."""
    first, others = names[0], names[1:]
    pairs = [pair for other in others for pair in ((first, other), (other, first))] if matches else []
    lines: list[tuple[str, ...]] = [(), *((name,) for name in names), *pairs]
    return [Task(line, seed, blockset) for seed in seeds for line in lines]


def play_all(todo: Sequence[Task], jobs: int) -> Iterator[Played]:
    """Play them, in any number of processes, in the order given."""
    if jobs == 1:
        yield from map(perform, todo)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(perform, todo)


def perform(task: Task) -> Played:
    """Play one.

    Raises:
        BadInputError: A player or the block set is not known.
    """
    rules = Rules(load_blockset(task.blockset))
    began = time.process_time()
    if not task.players:
        found = bounds(rules, task.seed)
        return Played(task, bound=tuple(found.items()), spent_s=time.process_time() - began)
    game = play([entrant(name) for name in task.players], rules, task.seed)
    return _told(task, game, time.process_time() - began)


def _told(task: Task, game: Game, spent_s: float) -> Played:
    loser = None if game.loser is None else task.players[game.loser]
    probes = sum(turn.probes for turn in game.turns)
    return Played(task, game.added, game.ended.value, loser, len(game.turns), probes, spent_s)
