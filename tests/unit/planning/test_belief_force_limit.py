from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from planning.evidence import Felt
from planning.force_limit import Bounds, force_limit
from planning.tower import Slot, Tower
from support.beliefs import LIGHT_N, prior

BOUNDS = Bounds(noise_n=0.04, ceiling_n=0.35)
LOW, HIGH = Slot(2, 2), Slot(7, 2)
slots = st.sampled_from(list(Tower.parse("111*8").blocks()))


@settings(max_examples=40)
@given(slots, st.floats(0.001, 0.5), st.floats(0.05, 1.0))
def test_limit_stands_out_of_the_noise_and_stays_under_the_ceiling(
    slot: Slot, noise_n: float, ceiling_n: float
) -> None:
    limit = force_limit(prior(), slot, Bounds(noise_n, ceiling_n))
    assert str(slot) in limit.why
    if limit.limit_n is not None:
        assert 1.4 * noise_n < limit.limit_n <= ceiling_n


def test_limit_falls_with_the_load_above() -> None:
    low, high = (force_limit(prior(), slot, BOUNDS).limit_n for slot in (LOW, HIGH))
    assert low is not None
    assert high is not None
    assert high < low


def test_limit_differs_between_blocks_of_a_layer() -> None:
    assert force_limit(prior(), Slot(2, 1), BOUNDS).limit_n != force_limit(prior(), LOW, BOUNDS).limit_n


def test_limit_grows_with_the_noise_of_the_sensor() -> None:
    limits = [
        force_limit(prior(), LOW, replace(BOUNDS, noise_n=noise_n)).limit_n for noise_n in (0.01, 0.05, 0.10)
    ]
    assert None not in limits
    assert limits == sorted(limits)


def test_limit_lies_between_what_a_loose_block_needs_and_what_one_under_load_takes() -> None:
    limit = force_limit(prior(), LOW, BOUNDS)
    loose = prior().felt(Felt(LOW, True, 0.1, LIGHT_N)).block(LOW)
    tight = prior().felt(Felt(LOW, False, LIGHT_N, LIGHT_N)).block(LOW)
    assert loose.force_n[1] < limit.limit_n < tight.force_n[1]


def test_block_whose_limit_noise_hides_is_not_probed_and_says_so() -> None:
    limit = force_limit(prior(), HIGH, replace(BOUNDS, noise_n=0.3, ceiling_n=2.0))
    assert limit.limit_n is None
    assert limit.hidden
    assert "the noise hides the difference" in limit.why
    assert "noise 0.30 N" in limit.why


def test_block_that_needs_more_than_the_ceiling_is_not_probed_and_says_so() -> None:
    limit = force_limit(prior(), LOW, replace(BOUNDS, ceiling_n=0.06))
    assert limit.limit_n is None
    assert "even a loose block needs more than 0.06 N" in limit.why


def test_block_that_withstood_a_hard_push_is_not_probed_again() -> None:
    belief = prior().felt(Felt(LOW, False, 0.6, 0.6)).felt(Felt(LOW, False, 0.6, 0.6))
    limit = force_limit(belief, LOW, BOUNDS)
    assert limit.limit_n is None
    assert "not loose in any tower that fits" in limit.why


def test_reason_names_what_is_expected_of_the_block() -> None:
    why = force_limit(prior(), LOW, BOUNDS).why
    assert "N if loose" in why
    assert "N if it carries load" in why
