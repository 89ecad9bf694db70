"""The states of a robot turn, and the one place that says which may follow which."""

from __future__ import annotations

from enum import Enum

from robot.errors import SteadyhandError


class State(Enum):
    """Where a turn stands."""

    LOOK = "look"
    CHOOSE = "choose"
    PROBE = "probe"
    RESTORE = "restore"
    PUSH_OUT = "push out"
    PULL = "pull"
    PLACE = "place"
    SETTLE = "settle"
    DONE = "done"
    FALLEN = "fallen"
    CONCEDED = "conceded"
    DROPPED = "dropped"


FOLLOWS: dict[State, frozenset[State]] = {
    State.LOOK: frozenset({State.CHOOSE, State.SETTLE, State.CONCEDED}),
    State.CHOOSE: frozenset({State.PROBE, State.CONCEDED}),
    State.PROBE: frozenset({State.RESTORE, State.PUSH_OUT, State.FALLEN}),
    State.RESTORE: frozenset({State.CHOOSE, State.CONCEDED, State.FALLEN}),
    State.PUSH_OUT: frozenset({State.RESTORE, State.PULL, State.FALLEN}),
    State.PULL: frozenset({State.RESTORE, State.PLACE, State.FALLEN, State.DROPPED, State.CONCEDED}),
    State.PLACE: frozenset({State.SETTLE, State.FALLEN, State.DROPPED}),
    State.SETTLE: frozenset({State.DONE, State.FALLEN}),
}
ENDS = frozenset(State) - FOLLOWS.keys()


def step(now: State, then: State) -> State:
    """The next state, if it may follow.

    Raises:
        SteadyhandError: It may not: a fault of the program, never of its input.
    """
    if then not in FOLLOWS.get(now, frozenset()):
        allowed = ", ".join(sorted(state.value for state in FOLLOWS.get(now, frozenset()))) or "nothing"
        raise SteadyhandError(f"turn: after {now.value!r} came {then.value!r}, allowed is {allowed}")
    return then
