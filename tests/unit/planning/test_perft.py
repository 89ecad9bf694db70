"""Move-tree counts: how many ways there are to play so many whole turns.

Each count is derived again by brute force on plain sets of pairs, which shares no line with the engine: a
rule misread in one place would have to be misread in both.
"""

from __future__ import annotations

from functools import cache

import pytest

from planning.events import Clock, Event, Extract, Place, Release
from planning.game import Game
from planning.opening import Opening
from planning.tower import axis_of

Blocks = frozenset[tuple[int, int]]

START_54, START_45 = "111*18", "111*15"
EARLY = "111*4/101/111/101/111*10/110/100"  # 19.1 was begun on an incomplete layer
MIDDLE = "111/101/110/011/101/111/101/010/111/101/111/101/111/110"
LATE = "101/010/101/110/011/101/010/101/111/101/111"

COUNTS = [
    (START_54, "below-highest-complete", (153, 15_300, 749_700)),
    (START_45, "below-highest-complete", (126, 10_332, 413_280)),
    (START_54, "below-top-two", (144, 14_400, 705_600)),
]


def perft(game: Game, depth: int, t_s: float = 0) -> int:
    """Count the ways to play `depth` whole turns without a breach."""
    total = 0
    for source in game.legal:
        if depth == 1:  # the engine is not asked to play the last turns, only what they would be
            total += len(game.tower.remove(source).free_top_slots)
            continue
        in_hand = game.apply(Extract(t_s, "Robot", "arm", source))
        for goal in in_hand.free_top_slots:
            after: Game = in_hand
            events: tuple[Event, ...] = (
                Place(t_s, "Robot", "arm", goal, axis_of(goal.layer)),
                Release(t_s, "Robot"),
                Clock(t_s + 10),
            )
            for event in events:
                after = after.apply(event)
            assert not after.violations
            total += perft(after, depth - 1, t_s + 10)
    return total


def blocks_of(text: str) -> Blocks:
    layers: list[str] = []
    for part in text.split("/"):
        layer, _, run = part.partition("*")
        layers += [layer] * int(run or 1)
    return frozenset(
        (k, p) for k, layer in enumerate(layers, start=1) for p in (1, 2, 3) if layer[p - 1] == "1"
    )


def top_of(blocks: Blocks) -> int:
    return max(layer for layer, _ in blocks)


def sources(blocks: Blocks, reading: str) -> list[tuple[int, int]]:
    top = top_of(blocks)
    whole = [k for k in range(1, top + 1) if {(k, 1), (k, 2), (k, 3)} <= blocks]
    taken = [block for block in blocks if whole and block[0] < max(whole)]
    return [block for block in taken if block[0] < top - 1] if reading == "below-top-two" else taken


def goals(blocks: Blocks) -> list[tuple[int, int]]:
    top = top_of(blocks)
    gaps = [(top, p) for p in (1, 2, 3) if (top, p) not in blocks]
    return gaps or [(top + 1, p) for p in (1, 2, 3)]


@cache
def brute_force(blocks: Blocks, reading: str, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(
        brute_force(blocks - {source} | {goal}, reading, depth - 1)
        for source in sources(blocks, reading)
        for goal in goals(blocks - {source})
    )


def start(text: str, reading: str) -> Game:
    return Game.start(Opening.of(["Robot"], tower=text, options={"source_layers": reading}))


@pytest.mark.parametrize(("text", "reading", "counts"), COUNTS)
def test_starting_towers_have_the_counted_number_of_turns(
    text: str, reading: str, counts: tuple[int, int, int]
) -> None:
    assert tuple(perft(start(text, reading), depth) for depth in (1, 2, 3)) == counts


@pytest.mark.parametrize(("text", "reading", "counts"), COUNTS)
def test_counts_of_starting_towers_agree_with_brute_force(
    text: str, reading: str, counts: tuple[int, int, int]
) -> None:
    assert tuple(brute_force(blocks_of(text), reading, depth) for depth in (1, 2, 3)) == counts


@pytest.mark.parametrize("reading", ["below-highest-complete", "below-top-two"])
@pytest.mark.parametrize("text", [EARLY, MIDDLE, LATE])
def test_counts_of_towers_in_mid_game_agree_with_brute_force(text: str, reading: str) -> None:
    for depth in (1, 2, 3):
        assert perft(start(text, reading), depth) == brute_force(blocks_of(text), reading, depth)
