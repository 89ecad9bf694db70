from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robot.clock import ManualClock


@given(st.lists(st.floats(-10, 10)))
def test_manual_time_is_the_latest_that_was_waited_for(waits: list[float]) -> None:
    clock = ManualClock(1.0)
    for t_s in waits:
        clock.sleep_until(t_s)
    assert clock.now_s() == max([1.0, *waits])
