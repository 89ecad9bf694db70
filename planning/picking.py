"""Which block comes next: the player says which, the arm whether it can do all that may follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planning.actors import Actors
from planning.observation import TowerObservation
from planning.policy import Choice, Moment, Policy
from planning.poses import end_point
from planning.scribe import Scribe
from planning.stability import spare
from planning.tower import Slot
from planning.ways import Way, ways

_LIKELY = 0.5


@dataclass(frozen=True)
class Pick:
    """A block, and the way in which the arm will take it."""

    choice: Choice
    way: Way


class Picker:
    """Picks one block after the other in a turn.

    Args:
        actors: Hand and eyes.
        policy: Who plays.
        scribe: Knows the rules and the time.
    """

    def __init__(self, actors: Actors, policy: Policy, scribe: Scribe) -> None:
        self._actors, self._policy, self._scribe = actors, policy, scribe
        self._began_s = scribe.now_s()
        self._tried: list[Slot] = []
        self._shut: set[Slot] = set()
        self._out_of_reach: list[Slot] = []

    def next(self, seen: TowerObservation) -> Pick | None:
        """The player's first choice that the arm can push, put back, pinch and lay; None where there is none."""
        while (choice := self._policy.choose(self.moment(seen))) is not None:
            way = self._way(choice.slot, seen)
            if way is not None:
                self._tried.append(choice.slot)
                return Pick(choice, way)
            self._shut.add(choice.slot)
            self._out_of_reach.append(choice.slot)
        return None

    def moment(self, seen: TowerObservation) -> Moment:
        """What the player is asked about."""
        game = self._scribe.game
        # Whoever plays: no block is touched without which the tower might not stand.
        offered = spare(seen, game.legal) - self._shut
        legal = tuple(slot for slot in game.legal if slot in offered)
        limit_s = game.options.turn_limit_s
        left_s = float("inf") if limit_s is None else limit_s - (self._scribe.now_s() - self._began_s)
        return Moment(legal, tuple(self._tried), left_s, len(game.opening.players))

    def give_up(self, slot: Slot) -> None:
        """A block that had to be put back on its way out is left alone for the rest of the turn."""
        self._shut.add(slot)

    def why_none(self) -> str:
        """Why no block is picked, which ones were not worth a probe, and which the arm cannot take."""
        because = "; ".join(self._policy.left_out[:3])
        why = "no block that may be taken is loose enough" + (f" ({because})" if because else "")
        if self._out_of_reach:
            names = ", ".join(map(str, self._out_of_reach))
            why += f"; the arm finds no way to push, put back, pinch and lay {names}"
        return why

    def _way(self, slot: Slot, seen: TowerObservation) -> Way | None:
        tops = self._policy.tops(slot, self._scribe.game.tower.free_top_slots)
        found = ways(self._actors.hand, seen, slot, tops, self._actors.habits)
        return min(found, key=lambda way: self._draws_along(slot, way, seen), default=None)

    def _draws_along(self, slot: Slot, way: Way, seen: TowerObservation) -> bool:
        """Whether a block that is likely loose lies outermost above the end that is pulled.

        It rests on the block by its own weight, and nothing beyond holds it back; from the other end it is drawn
        against those that bear the tower.
        """
        block = seen.blocks[slot]
        pulled = end_point(block.T_world_block, float(block.size_m[0]), -way.end)
        above = [other for other in seen.blocks if other.layer == slot.layer + 1]
        outermost = min(
            above,
            key=lambda other: float(np.linalg.norm((seen.blocks[other].T_world_block[:3, 3] - pulled)[:2])),
            default=None,
        )
        return outermost is not None and self._policy.loose(outermost) > _LIKELY
