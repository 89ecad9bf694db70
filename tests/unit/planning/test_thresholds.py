"""Players that decide by force limits alone."""

from __future__ import annotations

import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.evidence import Felt
from planning.observation import as_stacked
from planning.policy import Moment, Policy
from planning.thresholds import CEILING_N, RULES, threshold
from planning.tower import Slot, Tower
from robot.errors import BadInputError

STANDARD = load_blockset("standard")
TOWER = Tower.of_blocks(54)
LEGAL = tuple(TOWER.blocks(17))


def player(name: str, seed: int = 1) -> Policy:
    made = threshold(name, STANDARD, seed)
    made.looks(as_stacked(TOWER, np.array([0.075, 0.025, 0.015])))
    return made


def all_probes(made: Policy, legal: tuple[Slot, ...] = LEGAL) -> list[tuple[Slot, float]]:
    """What it probes if nothing ever moves."""
    out = []
    while (choice := made.choose(Moment(legal))) is not None:
        out.append((choice.slot, choice.limit_n))
    return out


def test_every_block_is_probed_once_before_any_is_pushed_harder() -> None:
    probes = all_probes(player("fixed-0.2"))
    first, second = probes[: len(LEGAL)], probes[len(LEGAL) : 2 * len(LEGAL)]
    assert sorted(slot for slot, _ in first) == list(LEGAL)
    assert {limit_n for _, limit_n in first} == {0.2}
    assert [limit_n for _, limit_n in second] == pytest.approx([0.32] * len(LEGAL))


@pytest.mark.parametrize("name", list(RULES))
def test_gives_up_once_every_block_was_pushed_up_to_the_ceiling(name: str) -> None:
    probes = all_probes(player(name), LEGAL[:6])
    assert {limit_n for _, limit_n in probes[-6:]} == {CEILING_N}
    assert max(limit_n for _, limit_n in probes) == CEILING_N


def test_same_seed_goes_through_the_blocks_in_the_same_order() -> None:
    assert all_probes(player("fixed-0.3", 4)) == all_probes(player("fixed-0.3", 4))
    assert all_probes(player("fixed-0.3", 4)) != all_probes(player("fixed-0.3", 5))


def test_limit_falls_with_height_as_its_authors_had_it() -> None:
    limits = dict(all_probes(player("height"))[: len(LEGAL)])
    assert limits[Slot(1, 1)] == pytest.approx(0.7)
    assert limits[Slot(9, 2)] == pytest.approx(0.4)
    assert limits[Slot(17, 3)] == pytest.approx(0.1)


def test_kimura_pushes_as_hard_as_even_loads_would_hold() -> None:
    limits = dict(all_probes(player("kimura"))[: len(LEGAL)])
    grip_n = 0.25 * 0.01927 * 9.81
    assert limits[Slot(17, 1)] == pytest.approx(3 * grip_n)
    assert limits[Slot(8, 2)] == pytest.approx(21 * grip_n)


def test_block_that_drags_others_is_left_alone_until_the_next_turn() -> None:
    made = player("fixed-0.2")
    choice = made.choose(Moment(LEGAL))
    assert choice is not None
    made.feels(Felt(choice.slot, moved=True, peak_n=0.1, limit_n=0.2, dragged=True))
    assert not made.keeps(choice.slot, Moment(LEGAL))
    assert choice.slot not in dict(all_probes(made))
    made.looks(as_stacked(TOWER, np.array([0.075, 0.025, 0.015])))
    assert choice.slot in dict(all_probes(made))


def test_block_that_the_turn_has_ruled_out_is_not_chosen() -> None:
    made = player("fixed-0.2")
    assert made.choose(Moment(LEGAL)) is not None
    rest = LEGAL[:3]
    assert {slot for slot, _ in all_probes(made, rest)} == set(rest)


def test_nothing_to_take_is_given_up_at_once() -> None:
    assert player("random").choose(Moment(())) is None


def test_middle_slot_comes_first() -> None:
    free = [Slot(19, 1), Slot(19, 2), Slot(19, 3)]
    assert player("random").tops(Slot(3, 1), free) == [Slot(19, 2), Slot(19, 1), Slot(19, 3)]


def test_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInputError, match=r"'bold' is not known: choose of random, fixed-0\.2"):
        threshold("bold", STANDARD, 1)
