from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.plot import force_plot

values = st.lists(st.floats(-1, 5), min_size=1, max_size=300)


@given(values, st.integers(1, 80))
def test_plot_is_as_wide_as_asked_or_as_there_are_values(values: list[float], width: int) -> None:
    assert len(force_plot(values, 1.0, width)) == min(width, len(values))


def test_bars_rise_from_nothing_to_the_limit() -> None:
    assert force_plot([0.0, 0.25, 0.5, 0.75, 1.0], 1.0) == " ▂▄▆█"
    assert force_plot([0.0, 0.5, 1.0], 0.5) == " ██"


def test_what_is_beyond_the_limit_or_below_nought_is_cut_off() -> None:
    assert force_plot([-3.0, 9.0], 1.0) == " █"


@given(values)
def test_highest_value_shows_however_many_there_are(values: list[float]) -> None:
    spike = [*values, 1.0, *values]
    assert "█" in force_plot(spike, 1.0)


def test_no_values_are_no_plot() -> None:
    assert force_plot([], 1.0) == ""
