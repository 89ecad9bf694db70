"""One turn of a player on a true tower: looks, chooses, probes, draws out, lays on top; and what came of it.

What the arm does in a turn whatever its player thinks, a player has here too: a probe that was seen to drag others
rejects the block, and so do others that are seen to move while it is drawn out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from planning.contacts import HEIGHT
from planning.policy import Choice, Moment, Policy
from planning.senses import Senses
from planning.tower import Slot
from steadyhand.bench.outcome import DRAGGED_M, FAR_M, Outcome, Outcomes
from steadyhand.bench.sensing import Eyes, feel
from steadyhand.bench.world import World

_MOST_PROBES = 2000  # of a turn: a player that never gives up


class Ended(Enum):
    """How a turn ended; all but the first end the player's game."""

    LAID = "laid"
    CONCEDED = "conceded"
    DRAGGED = "dragged others"
    FELL = "fell as the block left"
    TOPPLED = "fell as the block was laid"


@dataclass
class Player:
    """Who plays.

    Attributes:
        policy: It decides.
        watches: Whether what the cameras see of dragged blocks stops it.
    """

    policy: Policy
    watches: bool = True


@dataclass(frozen=True)
class Table:
    """What a game is played with.

    Attributes:
        senses: Errors of seeing and feeling.
        outcomes: What drawing a block out does to others.
        eyes: See the tower.
        rng: Of all that happens.
        players: How many take turns.
    """

    senses: Senses
    outcomes: Outcomes
    eyes: Eyes
    rng: np.random.Generator
    players: int = 1


@dataclass(frozen=True)
class Turn:
    """A turn that was played.

    Attributes:
        world: The tower afterwards.
        slot: The block taken, None where none was.
        top: Where it was laid.
        probes: How many.
        given_up: How many blocks were put back as they dragged others on their way out.
        push_n: The force that really starts the block taken.
    """

    ended: Ended
    world: World
    slot: Slot | None = None
    top: Slot | None = None
    probes: int = 0
    given_up: int = 0
    push_n: float = float("nan")


class _Playing:
    """The turn as it goes."""

    def __init__(self, world: World, player: Player, table: Table) -> None:
        self.world, self.player, self.table = world, player, table
        self.tried: list[Slot] = []
        self.tight: set[Slot] = set()
        self.given_up = 0

    def run(self) -> Turn:
        self.player.policy.looks(self.table.eyes.look(self.world.towers, self.world.loads.height_m[0]))
        while (choice := self._choose()) is not None:
            if self._found_loose(choice) and (turn := self._draw_out(choice.slot)) is not None:
                return turn
        return self._end(Ended.CONCEDED, self.world)

    def _moment(self) -> Moment:
        legal = tuple(slot for slot in self.world.legal if slot not in self.tight)
        return Moment(legal, tuple(self.tried), players=self.table.players)

    def _choose(self) -> Choice | None:
        """The player's choice.

        Raises:
            ValueError: It is no block that may be taken.
        """
        if len(self.tried) >= _MOST_PROBES:
            return None
        moment = self._moment()
        choice = self.player.policy.choose(moment)
        if choice is not None and choice.slot not in moment.legal:
            raise ValueError(f"the policy chose {choice.slot}, which may not be taken")
        return choice

    def _found_loose(self, choice: Choice) -> bool:
        """Whether the probe finds the block loose and the player takes it."""
        table, policy, slot, row = self.table, self.player.policy, choice.slot, self.world.row(choice.slot)
        drags = table.rng.random() < table.outcomes.probe.chance(float(self.world.known.hold[0, row]))
        felt = feel(self.world.known, row, slot, choice.limit_n, table.senses, table.rng, drags=drags)
        self.tried.append(slot)
        if not self.player.watches:
            felt = replace(felt, dragged=None)
        policy.feels(felt)
        return felt.moved and not felt.dragged and policy.keeps(slot, self._moment())

    def _draw_out(self, slot: Slot) -> Turn | None:
        """The turn's end, None where the block was put back."""
        world, table = self.world, self.table
        hold = float(world.known.hold[0, world.row(slot)])
        outcome = table.outcomes.draw(hold, table.rng)
        noticed = self.player.watches and table.rng.random() < table.senses.noticed
        if outcome is not Outcome.ALONE and noticed:
            self.given_up += 1
            self.tight.add(slot)
            return None
        if outcome is Outcome.DRAGS:
            world = world.dragged(slot, table.rng.uniform(DRAGGED_M, FAR_M))
        left = world.without(slot)
        if outcome is Outcome.FALLS or not left.stands:
            return self._end(Ended.FELL, left, slot)
        if outcome is Outcome.FAR:
            return self._end(Ended.DRAGGED, left, slot)
        return self._lay(left, slot)

    def _lay(self, left: World, slot: Slot) -> Turn:
        policy, table, row = self.player.policy, self.table, self.world.row(slot)
        block, name = self.world.towers.bodies[0, row], self.world.names[row]
        table.eyes.forget(slot)
        policy.takes(slot, float(block[HEIGHT] + table.senses.held_m * table.rng.standard_normal()))
        top = policy.tops(slot, left.tower.free_top_slots)[0]
        after = left.with_block(top, left.laid(block, top, table.rng), name)
        policy.lays(top)
        return self._end(Ended.LAID if after.stands else Ended.TOPPLED, after, slot, top)

    def _end(self, ended: Ended, world: World, slot: Slot | None = None, top: Slot | None = None) -> Turn:
        push_n = float(self.world.known.push_n[0, self.world.row(slot)]) if slot else float("nan")
        return Turn(ended, world, slot, top, len(self.tried), self.given_up, push_n)


def play_turn(world: World, player: Player, table: Table) -> Turn:
    """Play one turn.

    Args:
        world: The tower.
        player: Who is in turn.
        table: What it is played with.
    """
    return _Playing(world, player, table).run()
