"""After a rejected probe or a draw that was given up: everything that the record calls displaced goes back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planning.actors import Actors
from planning.draft import Draft
from planning.eyes import View
from planning.observation import TowerObservation
from planning.probe import VISIBLE_M
from planning.restore import NotRestoredError, Restored
from planning.scribe import Scribe
from planning.standing import Standing
from planning.tally import Tally
from planning.tower import Slot

Was = tuple[View, TowerObservation]


class Returning:
    """Puts blocks back, and those that came along with that.

    Args:
        actors: Hand and eyes.
        scribe: Knows what is displaced.
        standing: The tower as last read, before anything was displaced.
        tally: Of the turn.
    """

    def __init__(self, actors: Actors, scribe: Scribe, standing: Standing, tally: Tally) -> None:
        self._actors, self._scribe, self._standing, self._tally = actors, scribe, standing, tally

    def run(self, draft: Draft, moved_by_n: float) -> list[Restored]:
        """The probed block first, then what it took along, and then whatever was pushed along on the way back.

        Args:
            draft: Of the turn.
            moved_by_n: Largest force that moved the probed block.

        Raises:
            NotRestoredError: A block is not back, or nobody can see that it is.
            MotionError: The side a block stands out at cannot be reached.
            TowerFellError: Blocks fell.
        """
        was, probed = (self._standing.view, self._standing.seen), draft.probe.slot
        slots = [probed, *(slot for slot in self._scribe.game.must_restore if slot != probed)]
        done = [self._put_back(slot, draft, moved_by_n, was[0]) for slot in slots]
        if any(each.pushes for each in done):
            self._look()
            if came := self._came_along(slots, was):
                self._scribe.shift(came)
                slots += came
                done += [self._put_back(slot, draft, moved_by_n, was[0]) for slot in came]
                self._look()
            self._need_back(slots, was)
        for slot in slots:
            if slot in self._scribe.game.must_restore:
                self._scribe.restore(slot)
        return done

    def _put_back(self, slot: Slot, draft: Draft, moved_by_n: float, clear: View) -> Restored:
        probe = draft.probe
        known_m = draft.displaced_m if slot == probe.slot else np.zeros(3)
        done = self._actors.restorer.restore(
            slot, (probe.before, clear), probe.seen, moved_by_n, probe.limit_n, known_m
        )
        self._tally.force(done.peak_n, done.limit_n)
        return done

    def _look(self) -> None:
        """The arm away."""
        self._standing.observe(self._scribe.game.tower, self._standing.seen)

    def _came_along(self, slots: Sequence[Slot], was: Was) -> list[Slot]:
        """Other blocks that pushing those back has moved visibly."""
        others = [slot for slot in was[1].blocks if slot not in slots]
        return self._actors.watcher.moved(others, was[0], self._standing.view, was[1], VISIBLE_M)

    def _need_back(self, slots: Sequence[Slot], was: Was) -> None:
        """Said to be restored is only what is seen in its place, the arm away."""
        astray = self._actors.watcher.astray(slots, was[0], self._standing.view, was[1], VISIBLE_M)
        if astray:
            raise NotRestoredError(f"nobody can see that {', '.join(map(str, astray))} is back in its place")
