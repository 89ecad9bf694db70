"""Our player: it believes, weighs what every block promises, and probes in the order that costs least for most.

The order is Weitzman's rule for searching among boxes of which each holds its prize with a known chance and costs
something to open. The prize is a block that comes out, and the game that is left then (`planning.outlook`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planning.belief import Belief, Grounds
from planning.evidence import Felt
from planning.force_limit import Bounds, ForceLimit
from planning.imagined import Imagined
from planning.leaving import bears, best_top, tower_of
from planning.mind import Mind
from planning.observation import TowerObservation
from planning.outlook import Odds, after_laying
from planning.policy import Choice, Moment
from planning.prospect import Prospect, expect
from planning.tower import Slot, Tower
from robot.frames import Array
from robot.seeding import generator

LAYERS = 30
_RAISED = 1.15  # a limit must grow by so much before a block is tried again
_TWICE = 2


@dataclass(frozen=True)
class Temper:
    """What the player reckons with.

    Attributes:
        safe: Chance that a later move on a block believed loose succeeds.
        risky: The same where no such block is left.
        effort: What a probe costs, as a share of the best that a block promises.
        hurry: The same where the turn's time is short.
        probe_s: Time that a probe takes with putting the block back.
        turn_s: Time from a passed probe to the end of the turn.
        last_resort: Least chance for which a block that is probably tight is tried before conceding.
        resorts: How many of those are tried in a turn.
    """

    safe: float = 0.95
    risky: float = 0.3
    effort: float = 0.01
    hurry: float = 0.2
    probe_s: float = 25.0
    turn_s: float = 60.0
    last_resort: float = 0.02
    resorts: int = 6


class Thinker:
    """Implements `planning.policy.Policy`.

    Args:
        grounds: Of its belief.
        bounds: Of its force limits.
        temper: What it reckons with.
    """

    def __init__(self, grounds: Grounds, bounds: Bounds, temper: Temper | None = None) -> None:
        self.mind = Mind(grounds, bounds)
        self._grounds, self._bounds = grounds, bounds
        self._temper = temper or Temper()
        self._kinds: tuple[float, float, float, float] | None = None
        self._limits_n: dict[Slot, float] = {}  # of this turn's probes
        self._turn, self._resorts = 0, 0
        self.left_out: tuple[str, ...] = ()

    def looks(self, seen: TowerObservation) -> None:
        """The tower as it stands, at the start of every turn of this player."""
        self.mind.looks(seen)
        self._turn += 1
        self._limits_n, self._resorts = {}, 0

    def choose(self, moment: Moment) -> Choice | None:
        """The block to probe next; None where nothing is worth a try."""
        prospects = self._prospects(moment)
        if not prospects:
            return None
        effort = self._effort(prospects, moment)
        best = max(prospects, key=lambda p: (p.index(effort), p.slot))
        limit_n = best.limit.limit_n
        assert limit_n is not None
        self._limits_n[best.slot] = limit_n
        return Choice(best.slot, limit_n, self._in_words(best))

    def feels(self, felt: Felt) -> None:
        """What a probe showed."""
        self.mind.feels(felt)

    def keeps(self, slot: Slot, moment: Moment) -> bool:
        """Taken, unless another block promises more even after the effort of its probe."""
        ahead, table = self._imagined(), self._table(moment.players)
        comes = self._belief.block(slot).loose
        worth = self._worth(slot, comes, ahead, table, moment.players)
        others = [p for p in self._prospects(moment, resort=False) if p.slot != slot]
        if not others:
            return True
        effort = self._effort(others, moment)
        kept = worth >= max(p.index(effort) for p in others)
        if not kept:
            self._limits_n.pop(slot, None)  # it may be come back to
        return kept

    def tops(self, slot: Slot, free: Sequence[Slot]) -> list[Slot]:
        """The middle first, there a block needs no room beside a neighbour; then where the tower bears it best."""
        return sorted(free, key=lambda top: (top.position != 2, -bears(self._belief, slot, top), top))

    def takes(self, slot: Slot, thickness_m: float | None = None) -> None:
        """The block has left the tower."""
        self.mind.takes(slot, thickness_m)

    def lays(self, slot: Slot) -> None:
        """The block in the hand lies in a top slot."""
        self.mind.lays(slot)

    @property
    def _belief(self) -> Belief:
        assert self.mind.belief is not None, "nothing was looked at yet"
        return self.mind.belief

    def _prospects(self, moment: Moment, *, resort: bool = True) -> list[Prospect]:
        """The blocks that are worth a probe; those probably tight only where there are no others."""
        ahead, table = self._imagined(), self._table(moment.players)
        limits = {slot: self.mind.limit(slot) for slot in moment.legal if self._again(slot, moment)}
        known = {slot: limit for slot, limit in limits.items() if limit is not None}
        self.left_out = tuple(limit.why for limit in known.values() if limit.limit_n is None)
        fit = [limit for limit in known.values() if limit.limit_n is not None and self._worth_trying(limit)]
        found = [self._prospect(limit, ahead, table, moment.players) for limit in fit]
        found = [p for p in found if p.worth > 0.0]
        if found or not resort:
            return found
        return self._last_resorts(known, ahead, table, moment)

    def _again(self, slot: Slot, moment: Moment) -> bool:
        return moment.tried.count(slot) < _TWICE

    def _worth_trying(self, limit: ForceLimit) -> bool:
        """Not tried yet in this turn, or with a limit that what was felt since has raised."""
        assert limit.limit_n is not None
        return limit.limit_n > _RAISED * self._limits_n.get(limit.slot, 0.0)

    def _last_resorts(
        self, known: dict[Slot, ForceLimit], ahead: Imagined, table: Array, moment: Moment
    ) -> list[Prospect]:
        """Before conceding: pushed as hard as allowed, some block may be looser than believed."""
        if self._resorts >= self._temper.resorts:
            return []
        self._resorts += 1
        hard = [replace(limit, limit_n=self._bounds.ceiling_n) for limit in known.values()]
        hard = [limit for limit in hard if self._worth_trying(limit)]
        found = [self._prospect(limit, ahead, table, moment.players) for limit in hard]
        return [p for p in found if p.probed.passes * p.probed.comes >= self._temper.last_resort]

    def _prospect(self, limit: ForceLimit, ahead: Imagined, table: Array, players: int) -> Prospect:
        assert limit.limit_n is not None
        probed = expect(self._belief, limit.slot, limit.limit_n)
        worth = self._worth(limit.slot, probed.comes, ahead, table, players)
        return Prospect(limit.slot, limit, probed, worth, ahead.without(limit.slot)[0].moves())

    def _worth(self, slot: Slot, comes: float, ahead: Imagined, table: Array, players: int) -> float:
        """Of taking a block that comes out so likely: blocks added alone, or the chance to win."""
        top = best_top(tower_of(self._belief.slots), slot)
        if top is None or comes <= 0.0:
            return 0.0
        after = ahead.without(slot)[0].worth(table)
        succeeds = comes * bears(self._belief, slot, top)
        return succeeds * (1.0 + after if players == 1 else 1.0 - after)

    def _imagined(self) -> Imagined:
        rng = generator(self._grounds.seed, "imagined", str(self._turn))
        return Imagined.of(self._belief, self._tower(), rng)

    def _tower(self) -> Tower:
        return tower_of(self._belief.slots)

    def _table(self, players: int) -> Array:
        if self._kinds is None:  # once a game: later on the full layers left are those that nobody wanted
            self._kinds = self._imagined().share_of_kinds()
        odds = Odds(self._temper.safe, self._temper.risky, self._kinds)
        return after_laying(LAYERS, odds, alone=players == 1)

    def _effort(self, prospects: Sequence[Prospect], moment: Moment) -> float:
        temper = self._temper
        short = moment.left_s < temper.turn_s + 2 * temper.probe_s
        return (temper.hurry if short else temper.effort) * max(p.worth for p in prospects)

    def _in_words(self, prospect: Prospect) -> str:
        """Why this block, in one line."""
        believed = self._belief.block(prospect.slot)
        return (
            f"{prospect.slot}: {believed.loose * 100:.0f} % loose, {believed.force_n[1]:.2f} N expected, "
            f"leaves {prospect.leaves:.0f} safe moves"
        )
