"""Games on true towers: alone until it ends, or two against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from planning.blockset import BlockSet
from planning.habits import ExtractHabits
from planning.policy import Policy
from planning.senses import Senses
from robot.seeding import generator
from steadyhand.bench.outcome import Outcomes
from steadyhand.bench.sensing import Eyes
from steadyhand.bench.turns import Ended, Player, Table, Turn, play_turn
from steadyhand.bench.world import World

Factory = Callable[[BlockSet, int], Policy]
N_BLOCKS = 54


@dataclass(frozen=True)
class Entrant:
    """Somebody who may be set to play.

    Attributes:
        make: Makes the player of one game, by block set and seed.
        watches: Whether it heeds what the cameras see of dragged blocks.
    """

    name: str
    make: Factory
    watches: bool = True


@dataclass(frozen=True)
class Rules:
    """What games are played with.

    Attributes:
        senses: Errors of seeing and feeling.
        outcomes: What drawing a block out does to others.
        n_blocks: Of the tower.
        draw_limit_n: A block that needs more is not drawn out.
        most_turns: After which a game ends undecided.
    """

    blockset: BlockSet
    senses: Senses = field(default_factory=Senses)
    outcomes: Outcomes = field(default_factory=Outcomes)
    n_blocks: int = N_BLOCKS
    draw_limit_n: float = ExtractHabits().limit_n
    most_turns: int = 500


@dataclass(frozen=True)
class Game:
    """A game that was played.

    Attributes:
        turns: In order; the last one ended it.
        players: How many took turns.
    """

    turns: tuple[Turn, ...]
    players: int = 1

    @property
    def added(self) -> int:
        """Blocks that lie on top at the end of turns that went well."""
        return sum(turn.ended is Ended.LAID for turn in self.turns)

    @property
    def ended(self) -> Ended:
        """What ended it; `LAID` where it was broken off undecided."""
        return self.turns[-1].ended if self.turns else Ended.CONCEDED

    @property
    def loser(self) -> int | None:
        """Who took the turn that ended it, from 0; None where it was broken off."""
        return None if self.ended is Ended.LAID else (len(self.turns) - 1) % self.players


def play(entrants: Sequence[Entrant], rules: Rules, seed: int) -> Game:
    """Play a game to its end.

    Args:
        entrants: In turn order; one plays alone.
        rules: What it is played with.
        seed: Of the tower and of all that happens; the same seed gives every entrant the same tower.
    """
    world = World.drawn(rules.blockset, rules.n_blocks, seed)
    players = [
        Player(entrant.make(rules.blockset, _seed(seed, k)), entrant.watches)
        for k, entrant in enumerate(entrants)
    ]
    eyes = Eyes(rules.blockset, rules.senses, generator(seed, "match", "eyes"))
    rng = generator(seed, "match")
    table = Table(rules.senses, rules.outcomes, eyes, rng, len(players), rules.draw_limit_n)
    turns: list[Turn] = []
    while len(turns) < rules.most_turns:
        turn = play_turn(world, players[len(turns) % len(players)], table)
        turns.append(turn)
        if turn.ended is not Ended.LAID:
            break
        world = turn.world
    return Game(tuple(turns), len(players))


def _seed(seed: int, player: int) -> int:
    """Players of one game draw from streams of their own."""
    return int(generator(seed, "match", "player", str(player)).integers(2**31))
