"""A match: turn after turn until enough are played or the tower has ended, and what it came to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from planning.events import Hand
from planning.observation import TowerObservation
from planning.opponent import Opponent
from planning.person_turn import PersonTurn
from planning.policy import Policy
from planning.scribe import Recorder, Scribe
from planning.states import State
from planning.turn import Turn
from robot.errors import BadInputError, SteadyhandError, StoppedError
from steadyhand.opening import is_person
from steadyhand.rig import Rig, told_to

_STANDS = dict.fromkeys(("turns", "concede", "stop", "bump"), 0)
_FELL = dict.fromkeys(("collapse", "fall", "drop", "catch"), 1)
EXIT_CODES = {**_STANDS, **_FELL, "fault": 3}
_HAND: Hand = "right"  # of a person: nobody sees which one it was, and nobody is blamed for it
_ENDED = {State.CONCEDED: "concede", State.DROPPED: "drop"}


@dataclass
class Summary:
    """What `play --json` prints."""

    seed: int
    blockset: str
    edition: str
    players: list[str]
    turns_completed: int = 0
    blocks_added: int = 0
    ended_by: str = "turns"
    probes: int = 0
    rejected: int = 0
    restored: int = 0
    peak_force_n: float = 0.0
    max_force_over_limit_n: float = 0.0
    violations: list[object] = field(default_factory=list)
    tower: str = ""
    record: str = ""
    sim_s: float = 0.0
    wall_s: float = 0.0

    def as_dict(self) -> dict[str, object]:
        """Ready to be written as JSON."""
        return asdict(self)


def _no_person(player: str) -> Opponent:
    raise BadInputError(
        f"player {player}: a person, and nobody is there to play; names of the robot begin with Robot"
    )


class Match:
    """Robots and persons take turns on one rig.

    Args:
        rig: The table.
        recorder: The record being written.
        summary: Filled in as the match goes.
        say: Told why the match ended.
        policy: Makes what decides for a robot player, by name.
        opponent: The person who plays under a name.
    """

    def __init__(
        self,
        rig: Rig,
        recorder: Recorder,
        summary: Summary,
        say: Callable[[str], None],
        policy: Callable[[str], Policy],
        opponent: Callable[[str], Opponent] = _no_person,
    ) -> None:
        self._rig, self._recorder, self.summary, self._say = rig, recorder, summary, say
        persons = [player for player in summary.players if is_person(player)]
        self._policies = {player: policy(player) for player in summary.players if player not in persons}
        self._persons = {player: opponent(player) for player in persons}
        self._start_s = rig.clock.now_s() - recorder.game.t_s  # a resumed record's time goes on
        self._rig_s = rig.clock.now_s()
        self._began_s = time.monotonic()
        self._seen: TowerObservation | None = None
        self._notify = told_to(rig.listeners)

    def play(self, turns: int | None) -> Summary:
        """Play until so many turns are completed in this record, or for ever until the tower has ended."""
        self.summary.turns_completed = self._recorder.game.completed_turns
        try:
            while turns is None or self.summary.turns_completed < turns:
                if not self._turn():
                    break
        except StoppedError as stopped:
            self._end("stop", str(stopped))
            self._scribe("").stop()
        except SteadyhandError as fault:
            self._end("fault", str(fault))
        finally:
            self._add_up()
        return self.summary

    def _scribe(self, player: str, hand: Hand = "arm") -> Scribe:
        return Scribe(self._recorder, self._rig.clock, player, self._start_s, hand)

    def _turn(self) -> bool:
        """One turn; False where it was the last."""
        player = self._recorder.game.player_in_turn or self._recorder.game.last_player
        turn = self._turn_of(player)
        try:
            state = turn.run()
        finally:
            self._count(turn)
        if state is State.DONE:
            self._seen = turn.seen
            return True
        outcome = self._recorder.game.outcome
        self._end(_ENDED.get(state) or (outcome.reason if outcome else "fall"), turn.why)
        return False

    def _turn_of(self, player: str) -> Turn | PersonTurn:
        actors = self._rig.actors
        if player in self._policies:
            return Turn(actors, self._scribe(player), self._policies[player], self._notify, self._seen)
        hand = (self._recorder.game.options.off_hands or {}).get(player, _HAND)
        return PersonTurn(actors, self._scribe(player, hand), self._persons[player], self._notify, self._seen)

    def _count(self, turn: Turn | PersonTurn) -> None:
        summary, tally = self.summary, turn.tally
        summary.probes += tally.probes
        summary.rejected += tally.rejected
        summary.restored += tally.restored
        summary.peak_force_n = max(summary.peak_force_n, round(tally.peak_n, 3))
        summary.max_force_over_limit_n = max(summary.max_force_over_limit_n, round(tally.over_n, 3))
        summary.turns_completed = self._recorder.game.completed_turns

    def _end(self, ended_by: str, why: str) -> None:
        self.summary.ended_by = ended_by
        self._say(why)

    def _add_up(self) -> None:
        summary, game = self.summary, self._recorder.game
        verdict = game.verdict()
        summary.turns_completed = game.completed_turns
        summary.blocks_added = game.completed_turns
        summary.violations = list(verdict["violations"])  # type: ignore[call-overload]
        summary.tower = str(game.tower)
        summary.sim_s = round(self._rig.clock.now_s() - self._rig_s, 1)
        summary.wall_s = round(time.monotonic() - self._began_s, 1)
