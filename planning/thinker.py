"""Our player: it believes, weighs what every block promises, and probes in the order that costs least for most.

The order is Weitzman's rule for searching among boxes of which each holds its prize with a known chance and costs
something to open. The prize is a block that comes out, and the game that is left then (`planning.outlook`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from planning.belief import Belief, BlockBelief, Grounds
from planning.contacts import HEIGHT
from planning.evidence import Felt
from planning.force_limit import Bounds, ForceLimit
from planning.imagined import Imagined
from planning.laying import Heap, Thickness, promise, promises
from planning.leaving import bears, best_top, steadied, tower_of
from planning.mind import Mind
from planning.observation import TowerObservation
from planning.outlook import Odds, after_laying, promised_kinds
from planning.policy import Choice, Moment
from planning.prospect import Prospect, Scale
from planning.tower import Slot
from planning.trials import Trials
from robot.seeding import generator

LAYERS = 30
_RAISED, _RAISED_AT_LAST = 1.15, 1.05  # a limit must grow by so much before a block is tried again
_TWICE = 2
_KNOWN_AS_WELL_AS = 3.0  # measured blocks: so much counts what the block set says of thickness


@dataclass(frozen=True)
class Temper:
    """What the player reckons with.

    Attributes:
        safe: Chance that a later move on a block believed loose succeeds.
        risky: The same where no such block is left.
        effort: What a probe costs, as a share of the best that a block promises.
        put_back: What it costs besides to put a block back that might have been taken.
        hurry: The same where the turn's time is short.
        probe_s: Time that a probe takes with putting the block back.
        turn_s: Time from a passed probe to the end of the turn.
        resorts: How many blocks that are probably tight are tried in a turn before conceding.
        resorts_against: The same against others, to whom a concession gives the game.
        reserve: How much less a block counts against others that is safe but hard (`planning.prospect.Scale`).
    """

    safe: float = 0.95
    risky: float = 0.3
    effort: float = 0.06
    put_back: float = 0.05
    hurry: float = 0.2
    probe_s: float = 25.0
    turn_s: float = 60.0
    resorts: int = 12
    resorts_against: int = 40
    reserve: float = 0.3


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
        self._trials = Trials()
        self._borne: dict[tuple[Slot, Slot], float] = {}
        self._top: dict[int, Thickness] | None = None  # what lies there this turn
        self._weighed: Scale | None = None
        self._taken: tuple[Slot | None, bool] = (
            None,
            True,
        )  # and whether the layer on top should then offer two moves
        self._turn, self._resorts, self._players = 0, 0, 1
        height_m = grounds.blockset.height_m
        self._heap = Heap(height_m.mean, height_m.sd, _KNOWN_AS_WELL_AS)
        self.left_out: tuple[str, ...] = ()

    def looks(self, seen: TowerObservation) -> None:
        """The tower as it stands, at the start of every turn of this player."""
        was = set(self._belief.slots) if self.mind.belief else set()
        self.mind.looks(seen)
        for slot in was - set(self._belief.slots):
            self._trials.unbinds(slot)
        self._trials.turns()
        self._turn += 1
        self._borne, self._resorts, self._top = {}, 0, None

    def choose(self, moment: Moment) -> Choice | None:
        """The block to probe next; None where nothing is worth a try."""
        self._players = moment.players
        scale = self._scale(moment.players)
        usual = self._prospects(scale, moment)
        if moment.players > 1:
            # A push that stops costs nothing, a concession the game: a hard push may come before a doubtful block
            return self._choice(scale, [*usual, *self._last_resorts(scale, moment, usual)], moment)
        return self._choice(scale, usual, moment) or self._choice(
            scale, self._last_resorts(scale, moment), moment
        )

    def _choice(self, scale: Scale, prospects: Sequence[Prospect], moment: Moment) -> Choice | None:
        best = scale.best(prospects, self._effort(prospects, moment))
        if best is None:
            return None
        self._trials.asks(best.slot, best.limit_n)
        self._resorts += best.at_last
        return Choice(best.slot, best.limit_n, _in_words(best, self._belief.block(best.slot)))

    def feels(self, felt: Felt) -> None:
        """What a probe showed."""
        self.mind.feels(felt)
        self._trials.feels(felt)

    def keeps(self, slot: Slot, moment: Moment) -> bool:
        """Taken, unless another block promises more even after the effort of its probe; nor put back twice."""
        if self._trials.passed(slot):
            return True
        scale = self._scale(moment.players)
        others = [p for p in self._prospects(scale, moment) if p.slot != slot]
        effort = self._effort(others, moment)
        worth = scale.worth(slot, self._belief.block(slot).loose) * scale.bears(slot)
        better = scale.best(others, effort)
        kept = better is None or better.index(effort) <= worth * (1.0 + self._temper.put_back)
        if not kept:
            self._trials.puts_back(slot)
        return kept

    def loose(self, slot: Slot) -> float:
        """By what is believed now."""
        return self._belief.block(slot).loose if slot in self._belief.slots else 0.0

    def tops(self, slot: Slot, free: Sequence[Slot]) -> list[Slot]:
        """The middle for what is likely the thickest block of its layer; else where the tower bears it best.

        Against others the middle is for a thin one where an odd number of moves is better left than an even one.
        """
        promised = promises(self._thickness(slot), self._lying, self._heap)
        aim = 1.0 if self._wants_two(slot) else -1.0
        return sorted(
            free, key=lambda top: (-aim * promised.get(top.position, 0.0), -self._bears(slot, top), top)
        )

    def takes(self, slot: Slot, thickness_m: float | None = None) -> None:
        """The block has left the tower."""
        self._taken = slot, self._wants_two(slot)  # to be asked again with the block in the hand
        self.mind.takes(slot, thickness_m)
        self._trials.unbinds(slot)

    def _wants_two(self, slot: Slot) -> bool:
        if slot in self._belief.slots:
            return self._scale(self._players).wants_two(slot)
        return self._taken[1] if slot == self._taken[0] else True

    def lays(self, slot: Slot) -> None:
        """The block in the hand lies in a top slot."""
        self._heap = self._heap.with_one(self._thickness(slot).mean_m)  # before the tower is another
        self.mind.lays(slot)

    def _thickness(self, slot: Slot) -> Thickness:
        """What is believed of a block, in its slot or in the hand."""
        belief = self._belief
        if slot in belief.slots:
            thickness_m = belief.sample.ensemble.bodies[:, belief.sample.ensemble.row(slot), HEIGHT]
            return Thickness.of(thickness_m, belief.weights(slot.layer).sum(axis=1))
        if belief.held is not None:
            return Thickness.of(belief.held[:, HEIGHT])
        spread = self._grounds.blockset.height_m
        return Thickness(spread.mean, spread.sd)

    @property
    def _lying(self) -> dict[int, Thickness]:
        """Blocks of the top layer, by position, the same for a whole turn; none where a new layer begins."""
        if self._top is None:
            slots = self._belief.slots
            layer = max(slot.layer for slot in slots)
            lying = self._thicknesses(layer)
            self._top = lying if len(lying) < 3 else {}
        return self._top

    def _thicknesses(self, layer: int) -> dict[int, Thickness]:
        """By position."""
        slots = [slot for slot in self._belief.slots if slot.layer == layer]
        return {slot.position: self._thickness(slot) for slot in slots}

    @property
    def _belief(self) -> Belief:
        assert self.mind.belief is not None, "nothing was looked at yet"
        return self.mind.belief

    def _prospects(self, scale: Scale, moment: Moment) -> list[Prospect]:
        """The blocks that are worth a probe: not tried in this turn, or believed to be looser since."""
        limits = self._limits(slot for slot in moment.legal if moment.tried.count(slot) < _TWICE)
        self.left_out = tuple(limit.why for limit in limits if limit.limit_n is None)
        fit = [(limit, limit.limit_n) for limit in limits if limit.limit_n is not None]
        return [scale.prospect(limit, n) for limit, n in fit if self._trials.is_new(limit.slot, n, _RAISED)]

    def _last_resorts(self, scale: Scale, moment: Moment, usual: Sequence[Prospect] = ()) -> list[Prospect]:
        """Before conceding: pushed as hard as allowed then, some block may be looser than believed.

        Alone, not one of which no push would tell that; and never one that was seen to take others along.
        """
        against, temper = moment.players > 1, self._temper
        if self._resorts >= (temper.resorts_against if against else temper.resorts):
            return []
        last, waiting = self._bounds.at_last(against=against), {prospect.slot for prospect in usual}
        limits = self._limits(slot for slot in moment.legal if self._may_at_last(slot, moment))
        fit = [(limit, last.hardest_n(limit.slot)) for limit in limits if against or not limit.hidden]
        return [
            replace(scale.prospect(limit, n), at_last=True)
            for limit, n in fit
            if limit.slot not in waiting and self._trials.is_new(limit.slot, n, _RAISED_AT_LAST)
        ]

    def _may_at_last(self, slot: Slot, moment: Moment) -> bool:
        often = moment.players == 1 and moment.tried.count(slot) >= _TWICE
        return not self._trials.drags(slot) and (self._trials.passed(slot) or not often)

    def _limits(self, slots: Iterable[Slot]) -> list[ForceLimit]:
        found = [self.mind.limit(slot) for slot in slots]
        return [limit for limit in found if limit is not None]

    def _scale(self, players: int) -> Scale:
        """Kept until the belief is another."""
        if (
            self._weighed is None
            or self._weighed.belief is not self._belief
            or self._weighed.players != players
        ):
            self._weighed = self._new_scale(players)
        return self._weighed

    def _new_scale(self, players: int) -> Scale:
        rng = generator(self._grounds.seed, "imagined", str(self._turn))
        ahead = Imagined.of(self._belief, tower_of(self._belief.slots), rng)
        if self._kinds is None:  # once a game: later on the full layers left are those that nobody wanted
            self._kinds = ahead.share_of_kinds()
        odds = Odds(self._temper.safe, self._temper.risky, self._kinds)
        pending = promised_kinds(self._pending(), self._kinds)
        one, two = (
            after_laying(
                LAYERS, odds, alone=players == 1, coming=(pending, promised_kinds(ends, self._kinds))
            )
            for ends in (0.0, 1.0)
        )
        return Scale(
            self._belief, ahead, (one, two), self._bears_on_top, self._promised, players, self._temper.reserve
        )

    def _pending(self) -> float:
        """The promise of the layer that the next completed one will give to the players, to a tenth."""
        tower = tower_of(self._belief.slots)
        return round(promise(self._thicknesses(tower.highest_complete_layer), self._heap), 1)

    def _promised(self, slot: Slot) -> tuple[float, float]:
        found = promises(self._thickness(slot), self._lying, self._heap).values()
        return min(found), max(found)

    def _bears_on_top(self, slot: Slot) -> float:
        tower = tower_of(self._belief.slots)
        top = best_top(tower, slot)
        return 0.0 if top is None else steadied(tower.n_layers - slot.layer) * self._bears(slot, top)

    def _bears(self, slot: Slot, top: Slot) -> float:
        """Kept for a turn: no probe tells where the blocks stand. Of a block in the hand no more is reckoned."""
        if slot not in self._belief.slots:
            return self._borne.get((slot, top), 1.0)
        if (slot, top) not in self._borne:
            self._borne[slot, top] = bears(self._belief, slot, top)
        return self._borne[slot, top]

    def _effort(self, prospects: Sequence[Prospect], moment: Moment) -> float:
        temper = self._temper
        short = moment.left_s < temper.turn_s + 2 * temper.probe_s
        return (temper.hurry if short else temper.effort) * max((p.worth for p in prospects), default=0.0)


def _in_words(prospect: Prospect, believed: BlockBelief) -> str:
    """Why this block, in one line."""
    return (
        f"{believed.loose * 100:.0f} % loose, {believed.force_n[1]:.2f} N expected, "
        f"leaves {prospect.leaves:.0f} safe moves"
    )
