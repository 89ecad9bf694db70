"""One turn of a player on a true tower: looks, chooses, probes, draws out, lays on top; and what came of it.

What the arm does in a turn whatever its player thinks, a player has here too: a probe that was seen to drag others
rejects the block, and so do others that are seen to move while it is drawn out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from planning.contacts import HEIGHT
from planning.evidence import Felt
from planning.habits import ExtractHabits
from planning.policy import Choice, Moment, Policy
from planning.senses import Senses
from planning.stability import spare
from planning.tower import Slot
from steadyhand.bench.outcome import DRAGGED_M, FAR_M, Outcome, Outcomes
from steadyhand.bench.sensing import Eyes, feel
from steadyhand.bench.world import World

_MOST_PROBES = 2000  # of a turn: a player that never gives up


class Ended(Enum):
    """How a turn ended; all but the first end the player's game.

    `DRAGGED`: others came along too far to be left so, and the hand that should put them back holds a block. `FELL`:
    the tower fell as the block left. `TOPPLED`: as it was laid.
    """

    LAID = "laid"
    CONCEDED = "conceded"
    DRAGGED = "dragged"
    FELL = "fell"
    TOPPLED = "toppled"


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
        draw_limit_n: A block that needs more is not drawn out: the arm stops, and puts it back.
    """

    senses: Senses
    outcomes: Outcomes
    eyes: Eyes
    rng: np.random.Generator
    players: int = 1
    draw_limit_n: float = ExtractHabits().limit_n


@dataclass(frozen=True)
class Turn:
    """A turn that was played.

    Attributes:
        world: The tower afterwards.
        slot: The block taken, None where none was.
        top: Where it was laid.
        probes: How many.
        given_up: How many blocks were put back as they stuck or dragged others on their way out.
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
        self.shut: set[Slot] = set()
        self.luck: dict[Slot, float] = {}
        self.sight: dict[Slot, float] = {}
        self.given_up = 0

    def run(self) -> Turn:
        seen = self.table.eyes.look(self.world.towers, self.world.loads.height_m[0])
        self.shut |= set(self.world.legal) - spare(seen, self.world.legal)
        self.player.policy.looks(seen)
        while (choice := self._choose()) is not None:
            felt = self._probe(choice)
            if felt.moved and not felt.dragged and self.player.policy.keeps(choice.slot, self._moment()):
                turn = self._draw_out(choice.slot, felt)
                if turn is not None:
                    return turn
        return self._end(Ended.CONCEDED, self.world)

    def _moment(self) -> Moment:
        """Whoever plays: no block is touched without which the tower might not stand, or that was given up."""
        legal = tuple(slot for slot in self.world.legal if slot not in self.shut)
        return Moment(legal, tuple(self.tried), players=self.table.players)

    def _choose(self) -> Choice | None:
        """The player's choice.

        Raises:
            ValueError: It is no block that may be taken.
        """
        moment = self._moment()
        choice = self.player.policy.choose(moment) if len(self.tried) < _MOST_PROBES else None
        if choice is not None and choice.slot not in moment.legal:
            raise ValueError(f"the policy chose {choice.slot}, which may not be taken")
        return choice

    def _probe(self, choice: Choice) -> Felt:
        table, known, row = self.table, self.world.known, self.world.row(choice.slot)
        drags = self._luck(choice.slot) < table.outcomes.probe.chance(*self._held(choice.slot))
        felt = feel(known, row, choice.slot, choice.limit_n, table.senses, table.rng, drags=drags)
        if felt.moved:
            felt = replace(felt, dragged=self._looks_dragged(choice.slot, drags=drags))
        self.tried.append(choice.slot)
        self.player.policy.feels(felt)
        return felt

    def _looks_dragged(self, slot: Slot, *, drags: bool) -> bool | None:
        """The same at every probe of a turn: what hides a motion, or looks like one, does so again."""
        senses, sight = self.table.senses, self.sight.setdefault(slot, float(self.table.rng.random()))
        return sight < (senses.noticed if drags else senses.imagined) if self.player.watches else None

    def _held(self, slot: Slot) -> tuple[float, int]:
        """How firmly the neighbours hold all above a block, and how many layers that is."""
        return float(self.world.known.hold[0, self.world.row(slot)]), self.world.tower.n_layers - slot.layer

    def _luck(self, slot: Slot) -> float:
        """One draw a block and turn: what drags a little when probed drags more when drawn out."""
        return self.luck.setdefault(slot, float(self.table.rng.random()))

    def _draw_out(self, slot: Slot, felt: Felt) -> Turn | None:
        """The turn's end, None where the block was put back."""
        world, rng, row = self.world, self.table.rng, self.world.row(slot)
        outcome = self.table.outcomes.of(*self._held(slot), self._luck(slot))
        stuck = world.known.push_n[0, row] > self.table.draw_limit_n
        if stuck or (outcome is not Outcome.ALONE and self._notices()):
            self._give_up(slot, felt)
            return None
        if outcome is Outcome.DRAGS:
            world = world.dragged(slot, rng.choice([-1.0, 1.0]) * rng.uniform(DRAGGED_M, FAR_M))
        left = world.without(slot)
        if outcome is Outcome.FALLS or not left.stands:
            return self._end(Ended.FELL, left, slot)
        if outcome is Outcome.FAR:
            return self._end(Ended.DRAGGED, left, slot)
        return self._lay(left, slot)

    def _notices(self) -> bool:
        return self.player.watches and bool(self.table.rng.random() < self.table.senses.noticed)

    def _give_up(self, slot: Slot, felt: Felt) -> None:
        self.given_up += 1
        self.shut.add(slot)
        self.player.policy.feels(replace(felt, dragged=True))

    def _lay(self, left: World, slot: Slot) -> Turn:
        policy, table, row = self.player.policy, self.table, self.world.row(slot)
        table.eyes.forget(slot)
        body = self.world.towers.bodies[0, row]
        policy.takes(slot, float(body[HEIGHT] + table.senses.held_m * table.rng.standard_normal()))
        top = policy.tops(slot, left.tower.free_top_slots)[0]
        block = left.laid(body, top, table.rng)
        after = left.with_block(top, block, self.world.names[row])
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
