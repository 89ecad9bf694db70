"""A robot turn: look, choose, probe, restore or draw out, lay on top, settle.

`planning.states` says which state may follow which. Whatever goes wrong leaves by an exception; the arm then stands
still and the record is whole.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planning.actors import Actors
from planning.clearing import withdraw
from planning.draft import Draft
from planning.evidence import Felt
from planning.grasp import MissedError
from planning.mind import dragged, felt_of
from planning.notes import Note, Notify, Phase
from planning.observation import BlockSeen, TowerObservation
from planning.picking import Picker
from planning.place import CannotLayError
from planning.policy import Policy
from planning.probe import VISIBLE_M, ProbeReport, Verdict
from planning.restore import NotRestoredError
from planning.returning import Returning
from planning.scribe import Scribe
from planning.settle import stood
from planning.standing import Standing
from planning.states import ENDS, State, step
from planning.take_up import take_up
from planning.tally import Tally
from planning.tower import Slot, Tower
from planning.watch import TowerFellError, shifted
from robot.errors import MotionError, PerceptionError

_LAY_TRIES = 2  # what seemed to bear a block too early may have been the arm


class Turn:
    """One turn of the robot.

    Args:
        actors: Hand and eyes.
        scribe: Writes the record and knows the rules.
        policy: Who plays.
        notify: Told what happens.
        prior: The tower as last seen, None where a fresh look must do without.
    """

    def __init__(
        self, actors: Actors, scribe: Scribe, policy: Policy, notify: Notify, prior: TowerObservation | None
    ) -> None:
        self._actors, self._scribe, self._policy, self._notify = actors, scribe, policy, notify
        self._picker = Picker(actors, policy, scribe)
        self._draft = Draft()
        self._prior = prior
        self._standing = Standing(actors)
        self.tally = Tally()
        self._returning = Returning(actors, scribe, self._standing, self.tally)
        self.why = ""
        self._moved_by_n = 0.0  # largest force on the block of the last probe

    @property
    def seen(self) -> TowerObservation:
        """The tower as this turn knows it."""
        return self._standing.seen

    def run(self) -> State:
        """Play the turn to one of its ends.

        Raises:
            StoppedError: A person asked for a stop.
            SteadyhandError: Any fault; the arm stands still.
        """
        acts: dict[State, Callable[[], State]] = {
            State.LOOK: self._look,
            State.CHOOSE: self._choose,
            State.PROBE: self._probe,
            State.RESTORE: self._restore,
            State.PUSH_OUT: self._push_out,
            State.PULL: self._pull,
            State.PLACE: self._place,
            State.SETTLE: self._settle,
        }
        state = State.LOOK
        while state not in ENDS:
            try:
                state = step(state, acts[state]())
            except TowerFellError as fell:
                state = step(state, self._fallen(fell))
        return state

    def _look(self) -> State:
        tower = self._scribe.game.tower
        withdraw(self._actors, self._scribe.game, self._notify, first=self._prior is None)
        self._observe(tower)
        self._policy.looks(self.seen)
        self._notify(Note(Phase.TURN_START, text=f"{self._scribe.player} looks: {tower}", detail=self.seen))
        state, self.why = take_up(self._scribe, self.seen)
        return state

    def _observe(self, tower: Tower) -> None:
        company = self._actors.company
        try:
            self._standing.observe(tower, self._prior)
        except PerceptionError:
            company.check_place(self._actors.watcher.look())  # a moved camera is the better reason
            raise
        company.check_place(self._standing.view)
        for caution in company.keep(self._standing.view, self._actors.hand.outline()):
            self._notify(Note(Phase.WAITING, text=caution))

    def _choose(self) -> State:
        pick = self._picker.next(self.seen)
        if pick is None:
            return self._concede(self._picker.why_none())
        self._draft.choice, self._draft.way = pick.choice, pick.way
        self._notify(Note(Phase.CHOSEN, pick.choice.slot, text=pick.choice.why, detail=pick.choice))
        return State.PROBE

    def _probe(self) -> State:
        slot, limit_n, way = self._draft.choice.slot, self._draft.choice.limit_n, self._draft.way
        self._notify(Note(Phase.PROBE_START, slot, limit_n, f"probes {slot} with up to {limit_n:.2f} N"))
        self._scribe.touch(slot)
        self.tally.probes += 1
        self._moved_by_n = 0.0
        probe = self._actors.prober.probe(slot, way.end, way.push, self.seen, limit_n)
        self._draft.probe = probe
        self._feel(felt_of(probe, self._actors.habits.probe.neighbour_m))
        self._moved_by(probe.peak_n, limit_n)
        self._draft.displaced_m = probe.displaced_m
        came = self._record_motion(probe)
        self._notify(Note(Phase.PROBE_END, slot, limit_n, probe.in_words(), probe))
        if probe.verdict is Verdict.TURNS:
            self._picker.give_up(slot)
        alone = probe.verdict is Verdict.LOOSE and not came
        if alone and self._policy.keeps(slot, self._picker.moment(self.seen)):
            return State.PUSH_OUT
        self._actors.hand.along(probe.line, probe.at_m, 0.0, self._actors.habits.approach_m_s)
        return State.RESTORE

    def _feel(self, felt: Felt | None) -> None:
        if felt is not None:
            self._policy.feels(felt)

    def _record_motion(self, probe: ProbeReport) -> list[Slot]:
        if abs(probe.moved_m) >= VISIBLE_M:
            self._scribe.move(probe.slot, probe.moved_m, probe.peak_n)
        return self._shifted(probe.others)

    def _restore(self) -> State:
        probe = self._draft.probe
        try:
            done = self._returning.run(self._draft, self._moved_by_n)
        except (NotRestoredError, MotionError) as error:
            return self._concede(str(error))
        self.tally.restored += 1
        left = f"{float(np.linalg.norm(done[0].left_m)) * 1e3:.2f} mm"
        limit_n = max(each.limit_n for each in done)
        self._notify(
            Note(Phase.RESTORED, probe.slot, limit_n, f"{probe.slot} is back within {left}", done[0])
        )
        return State.CHOOSE

    def _concede(self, why: str) -> State:
        self.why = why
        self._scribe.concede()
        return State.CONCEDED

    def _push_out(self) -> State:
        actors, probe = self._actors, self._draft.probe
        drag = actors.extractor.push_out(probe)
        self._moved_by(actors.extractor.peak_n, actors.extractor.limit_n)
        out_m = drag.out_m if drag else actors.habits.extract.push_out_m
        self._scribe.move(probe.slot, -probe.end * out_m, actors.extractor.peak_n)
        self._stands_out(out_m)
        if drag is None:
            return State.PULL
        return self._give_up(drag.reason, drag.others)

    def _give_up(self, why: str, others: dict[Slot, float]) -> State:
        """The block stays in the tower: what moved goes back."""
        probe = self._draft.probe
        self._shifted(others)
        self._feel(dragged(probe, self._actors.extractor.peak_n))
        self._picker.give_up(probe.slot)
        self._notify(Note(Phase.GIVEN_UP, probe.slot, self._actors.extractor.limit_n, why))
        return State.RESTORE

    def _shifted(self, others: dict[Slot, float]) -> list[Slot]:
        """Those that came along visibly, written down."""
        came = shifted(others, VISIBLE_M)
        if came:
            self._scribe.shift(came)
        return came

    def _stands_out(self, out_m: float) -> None:
        """The probed block does, on its far side: ways go round it, and restoring begins there."""
        slot, probe = self._draft.probe.slot, self._draft.probe
        self._draft.displaced_m = self._standing.stands_out(slot, probe.seen.blocks[slot], probe.end, out_m)

    def _moved_by(self, peak_n: float, limit_n: float) -> None:
        """The largest force that moved the probed block so far."""
        self._moved_by_n = max(self._moved_by_n, peak_n)
        self.tally.force(peak_n, limit_n)

    def _pull(self) -> State:
        actors, probe = self._actors, self._draft.probe
        habit = actors.habits.extract
        try:
            self._draft.held = actors.extractor.pull(probe, self._standing.view)
        except MissedError as error:
            self._stands_out(habit.push_out_m + error.pulled_m)
            return self._give_up(str(error), error.others)
        except PerceptionError as error:
            return self._dropped(str(error))
        self._moved_by(actors.extractor.peak_n, actors.extractor.limit_n)
        self._scribe.extract(probe.slot, actors.extractor.peak_n)
        self.tally.extracted += 1
        self._policy.takes(probe.slot, actors.extractor.pinched_m)
        self._standing.take(probe.slot)
        self._notify(Note(Phase.EXTRACTED, probe.slot, actors.extractor.limit_n, f"{probe.slot} is out"))
        came = self._shifted(actors.extractor.drawn_along(probe, self._draft.held, self._standing.view))
        if came:
            names = ", ".join(map(str, came))
            return self._concede(
                f"{names} came along as {probe.slot} left, and the one effector holds a block"
            )
        return State.PLACE

    def _dropped(self, why: str) -> State:
        self.why = why
        if not self._scribe.game.must_place:
            self._scribe.extract(self._draft.probe.slot, self._moved_by_n)
        self._scribe.drop()
        return State.DROPPED

    def _place(self) -> State:
        draft, actors = self._draft, self._actors
        tops = list(self._policy.tops(draft.probe.slot, self._scribe.game.free_top_slots))
        for top in tops * _LAY_TRIES:
            try:
                lying = actors.placer.place(draft.held, top, self.seen)
            except CannotLayError as error:
                self.why = str(error)
                continue
            except PerceptionError as error:
                return self._dropped(str(error))
            self._laid(top, lying)
            return State.SETTLE
        raise MotionError(f"{self.why}. Take the block from the fingers, lay it on top and resume")

    def _laid(self, top: Slot, lying: BlockSeen) -> None:
        self._standing.lay(top, lying)
        self._policy.lays(top)
        self._draft.top = top
        self._scribe.place(top)
        self._scribe.release()
        self._notify(Note(Phase.PLACED, top, text=f"laid in {top}", detail=lying))

    def _settle(self) -> State:
        actors, scribe = self._actors, self._scribe
        until_s = actors.hand.mover.clock.now_s() + float(scribe.game.options.settle_s)
        before = actors.watcher.look()
        actors.hand.park()
        said = stood(actors, scribe, (before, self.seen), until_s, self._tick)
        self._notify(Note(Phase.SETTLED, self._draft.top, text=said))
        return State.DONE

    def _tick(self, left_s: float) -> None:
        self._notify(Note(Phase.SETTLING, self._draft.top, text=f"{left_s:.0f}"))

    def _fallen(self, fell: TowerFellError) -> State:
        self.why = str(fell)
        self._scribe.fell(fell.slots, whole=fell.whole)
        self._notify(Note(Phase.COLLAPSE, text=self.why))
        return State.FALLEN
