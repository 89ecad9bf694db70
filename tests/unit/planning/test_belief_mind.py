from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planning.evidence import Felt
from planning.force_limit import Bounds, force_limit
from planning.mind import Mind, dragged, felt_of
from planning.observation import Seen
from planning.probe import ProbeReport, Verdict
from planning.tower import Slot
from robot.guarded import Sample
from support.beliefs import LIGHT_N, grounds, looked_at

BOUNDS = Bounds(noise_n=0.04, ceiling_n=0.35)
MIDDLE, TOP = Slot(2, 2), Slot(7, 2)


def mind(text: str = "111*6") -> Mind:
    made = Mind(grounds(count=100), BOUNDS)
    made.looks(looked_at(text))
    return made


def report(verdict: Verdict, peak_n: float, others: dict[Slot, float], limit_n: float = 0.3) -> ProbeReport:
    seen = looked_at("111*6")
    trace = (Sample(0.0, 0.0, 0.01), Sample(0.1, 0.001, peak_n))
    return ProbeReport(
        MIDDLE,
        1,
        verdict,
        None,
        seen,
        None,
        0.0,
        limit_n,
        np.zeros(3),
        others,
        trace,  # type: ignore[arg-type]
    )


def test_nothing_is_believed_before_the_first_look() -> None:
    blank = Mind(grounds(count=100), BOUNDS)
    blank.feels(Felt(MIDDLE, True, 0.1, LIGHT_N))
    blank.takes(MIDDLE)
    blank.lays(TOP)
    assert blank.belief is None
    assert blank.limit(MIDDLE) is None


def test_limit_is_that_of_the_belief() -> None:
    limit, belief = mind().limit(MIDDLE), mind().belief
    assert belief is not None
    assert limit == force_limit(belief, MIDDLE, BOUNDS)
    assert mind().limit(Slot(9, 1)) is None


def test_probe_changes_the_limit_and_one_that_says_nothing_does_not() -> None:
    one, other = mind(), mind()
    one.feels(Felt(MIDDLE, False, 0.3, 0.3))
    other.feels(None)
    assert one.limit(MIDDLE) != mind().limit(MIDDLE)
    assert other.limit(MIDDLE) == mind().limit(MIDDLE)


def test_own_turn_and_the_look_after_it_agree() -> None:
    after = mind()
    after.takes(MIDDLE)
    after.lays(TOP)
    after.looks(looked_at("111/101/111*4/010"))
    assert TOP in after.belief.slots
    assert MIDDLE not in after.belief.slots


def test_blocks_that_a_person_moved_are_followed() -> None:
    after = mind()
    after.looks(looked_at("111/101/111*4/010"))
    assert after.belief.slots == tuple(sorted(looked_at("111/101/111*4/010").blocks))
    assert after.belief.block(Slot(2, 1)).loose < 0.05


@pytest.mark.parametrize(
    ("verdict", "peak_n", "other_m", "felt"),
    [
        (Verdict.LOOSE, 0.1, 1e-4, Felt(MIDDLE, True, 0.1, 0.3, False)),
        (Verdict.DRAGS, 0.1, 9e-4, Felt(MIDDLE, True, 0.1, 0.3, True)),
        (Verdict.UNSEEN, 0.1, 1e-4, Felt(MIDDLE, True, 0.1, 0.3, False)),
        (Verdict.TURNS, 0.1, 1e-4, Felt(MIDDLE, True, 0.1, 0.3, True)),
        (Verdict.TIGHT, 0.31, 1e-4, Felt(MIDDLE, False, 0.31, 0.3)),
        (Verdict.TIGHT, 0.1, 1e-4, Felt(MIDDLE, False, 0.1, 0.1)),
    ],
)
def test_report_is_told_as_what_was_felt(
    verdict: Verdict, peak_n: float, other_m: float, felt: Felt | None
) -> None:
    assert felt_of(report(verdict, peak_n, {Slot(3, 1): other_m}), 5e-4) == felt


def test_block_that_followed_a_push_only_in_part_says_nothing() -> None:
    in_part = replace(report(Verdict.TIGHT, 0.1, {}), displaced_m=np.array([0.0, 0.0009, 0.0]))
    assert felt_of(in_part, 5e-4) is None


def test_block_given_up_on_its_way_out_is_told_as_one_that_takes_others_along() -> None:
    told = dragged(report(Verdict.LOOSE, 0.1, {}), 0.7)
    assert told == Felt(MIDDLE, moved=True, peak_n=0.7, limit_n=0.7, dragged=True)


def test_neighbours_that_nobody_could_watch_say_nothing() -> None:
    told = felt_of(report(Verdict.LOOSE, 0.1, {}), 5e-4)
    assert told == replace(told, dragged=None)


def test_block_that_is_hidden_is_still_believed_in_and_one_that_is_gone_is_not() -> None:
    for now, still in ((Seen.UNKNOWN, True), (Seen.BLOCK, True), (Seen.GAP, False)):
        followed = mind()
        followed.feels(Felt(MIDDLE, False, 0.3, 0.3))
        assert followed.belief is not None
        tight = followed.belief.block(MIDDLE).loose
        seen = looked_at("111*6")
        hidden = replace(
            seen,
            slots={**seen.slots, MIDDLE: now},
            blocks={slot: block for slot, block in seen.blocks.items() if slot != MIDDLE},
        )
        followed.looks(hidden)
        assert (MIDDLE in followed.belief.slots) == still
        if still:
            assert followed.belief.block(MIDDLE).loose == pytest.approx(tight, abs=0.1)
