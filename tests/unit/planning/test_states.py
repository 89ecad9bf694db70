from __future__ import annotations

from itertools import product

import pytest

from planning.states import ENDS, FOLLOWS, State, step
from robot.errors import SteadyhandError

WORDS = {
    "look": "choose settle conceded",
    "choose": "probe conceded",
    "probe": "restore push_out fallen",
    "restore": "choose conceded fallen",
    "push_out": "restore pull fallen",
    "pull": "restore place fallen dropped conceded",
    "place": "settle fallen dropped",
    "settle": "done fallen",
}
ALLOWED = {(State[a.upper()], State[b.upper()]) for a, text in WORDS.items() for b in text.split()}


@pytest.mark.parametrize(("now", "then"), list(product(State, State)), ids=lambda state: state.value)
def test_only_what_the_table_says_may_follow(now: State, then: State) -> None:
    if (now, then) in ALLOWED:
        assert step(now, then) is then
    else:
        with pytest.raises(
            SteadyhandError, match=rf"turn: after '{now.value}' came '{then.value}', allowed is"
        ):
            step(now, then)


def test_nothing_follows_an_end_and_everything_else_goes_on() -> None:
    assert {State.DONE, State.FALLEN, State.CONCEDED, State.DROPPED} == ENDS
    with pytest.raises(SteadyhandError, match="allowed is nothing"):
        step(State.DONE, State.LOOK)
    assert set(FOLLOWS) == set(State) - ENDS


def test_every_state_is_reached_from_the_first_and_leads_to_an_end() -> None:
    reached, ahead = {State.LOOK}, [State.LOOK]
    while ahead:
        for then in FOLLOWS.get(ahead.pop(), frozenset()):
            if then not in reached:
                reached.add(then)
                ahead.append(then)
    assert reached == set(State)


def test_a_block_in_the_hand_is_never_conceded_or_forgotten() -> None:
    """From the moment the block is out there is no way back to a choice."""
    assert FOLLOWS[State.PLACE].isdisjoint({State.CHOOSE, State.RESTORE, State.CONCEDED, State.DONE})
    assert State.DONE not in FOLLOWS[State.PULL] | FOLLOWS[State.PUSH_OUT] | FOLLOWS[State.PROBE]
