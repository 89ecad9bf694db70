"""After a rejected probe or a draw that was given up: everything that the record calls displaced goes back."""

from __future__ import annotations

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
from planning.watch import Since


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
        before, seen, probed = self._standing.view, self._standing.seen, draft.probe.slot
        slots = [probed, *(slot for slot in self._scribe.game.must_restore if slot != probed)]
        done = [self._put_back(slot, draft, moved_by_n, before) for slot in slots]
        if any(each.pushes for each in done):
            since = self._since(before, seen)
            if came := since.moved(sorted(seen.blocks.keys() - set(slots)), VISIBLE_M):
                self._scribe.shift(came)
                slots += came
                done += [self._put_back(slot, draft, moved_by_n, before) for slot in came]
                since = self._since(before, seen)
            # Said to be restored is only what is seen in its place, the arm away
            if astray := since.astray(slots, VISIBLE_M):
                raise NotRestoredError(
                    f"nobody can see that {', '.join(map(str, astray))} is back in its place"
                )
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

    def _since(self, before: View, seen: TowerObservation) -> Since:
        """The tower is read anew, the arm away, and compared with what it was."""
        self._standing.observe(self._scribe.game.tower, self._standing.seen)
        return self._actors.watcher.since(before, self._standing.view, seen)
