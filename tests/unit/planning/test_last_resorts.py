"""What the player tries before it concedes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planning.evidence import Felt
from planning.force_limit import Bounds
from planning.policy import Moment
from planning.thinker import Temper, Thinker
from planning.tower import Slot, Tower
from support.beliefs import LIGHT_N, grounds, looked_at

BOUNDS = Bounds(0.08, LIGHT_N)


def legal() -> tuple[Slot, ...]:
    return tuple(Tower.parse("111*8").blocks(up_to_layer=7))


def thinker(temper: Temper | None = None, **thinner_m: float) -> Thinker:
    made = Thinker(grounds(count=150), BOUNDS, temper)
    made.looks(looked_at(**thinner_m))
    return made


def test_last_resorts_are_counted() -> None:
    player = thinker(temper=Temper(resorts=2))
    tried: list[Slot] = []
    for slot in legal():
        player.feels(Felt(slot, False, 0.8 * BOUNDS.ceiling_n, 0.8 * BOUNDS.ceiling_n))
    hard = 0
    while (choice := player.choose(Moment(legal(), tuple(tried)))) is not None:
        tried.append(choice.slot)
        hard += choice.limit_n == BOUNDS.ceiling_n
        player.feels(Felt(choice.slot, False, choice.limit_n, choice.limit_n))
    assert hard >= 2
    assert player.choose(Moment(legal(), tuple(tried))) is None


def test_tower_may_lean_farther_for_a_last_resort() -> None:
    player = Thinker(grounds(count=150), replace(BOUNDS, sway_m=1e-4))
    player.looks(looked_at())
    for slot in legal():
        player.feels(Felt(slot, False, 0.09, 0.09))
    limits: list[float] = []
    tried: tuple[Slot, ...] = ()
    while (choice := player.choose(Moment(legal(), tried))) is not None:
        tried += (choice.slot,)
        limits.append(choice.limit_n / player._bounds.hardest_n(choice.slot))
        player.feels(Felt(choice.slot, False, choice.limit_n, choice.limit_n))
    assert limits[0] <= 1.0 + 1e-9
    assert 1.0 < max(limits) <= 1.5 + 1e-9


@pytest.mark.parametrize(("players", "hardest_n"), [(1, BOUNDS.ceiling_n), (2, 1.3 * BOUNDS.ceiling_n)])
def test_last_resort_against_others_may_be_pushed_harder(players: int, hardest_n: float) -> None:
    """A concession gives them the game."""
    player = Thinker(grounds(count=150), replace(BOUNDS, last_n=1.3 * BOUNDS.ceiling_n))
    player.looks(looked_at())
    for slot in legal():
        player.feels(Felt(slot, False, 0.9 * BOUNDS.ceiling_n, 0.9 * BOUNDS.ceiling_n))
    tried: list[Slot] = []
    limits: list[float] = []
    while (choice := player.choose(Moment(legal(), tuple(tried), players=players))) is not None:
        tried.append(choice.slot)
        limits.append(choice.limit_n)
        player.feels(Felt(choice.slot, False, choice.limit_n, choice.limit_n))
    assert max(limits) == pytest.approx(hardest_n)


@pytest.mark.parametrize("players", [1, 2])
def test_block_that_passed_and_went_back_is_taken_before_anything_is_conceded(players: int) -> None:
    player, good, poor = thinker(s4_2=4e-4), Slot(4, 2), Slot(2, 1)
    for _ in range(2):
        player.feels(Felt(poor, False, 0.3, 0.3))
    player.feels(Felt(good, True, 0.08, 0.2, dragged=False))
    tried = (poor, poor)
    assert not player.keeps(poor, Moment(legal(), tried, players=players))
    while (choice := player.choose(Moment(legal(), tried, players=players))) is not None:
        tried += (choice.slot,)
        if choice.slot == poor:
            break
        player.feels(Felt(choice.slot, False, choice.limit_n, choice.limit_n))
    assert tried[-1] == poor
    player.feels(Felt(poor, True, 0.3, BOUNDS.ceiling_n, dragged=False))
    assert player.keeps(poor, Moment(legal(), tried, players=players))


def test_against_others_every_block_is_pushed_as_hard_as_may_be_before_the_game_is_conceded() -> None:
    """But one that was seen to take others along: it does so again."""
    player = thinker()
    first = player.choose(Moment(legal(), players=2))
    assert first is not None
    player.feels(Felt(first.slot, True, 0.5 * first.limit_n, first.limit_n, dragged=True))
    tried, hardest_n = (first.slot,), dict.fromkeys(legal(), 0.0)
    while (choice := player.choose(Moment(legal(), tried, players=2))) is not None:
        tried += (choice.slot,)
        hardest_n[choice.slot] = max(hardest_n[choice.slot], choice.limit_n)
        player.feels(Felt(choice.slot, False, choice.limit_n, choice.limit_n))
    assert hardest_n.pop(first.slot) < 0.9 * BOUNDS.ceiling_n
    assert min(hardest_n.values()) >= BOUNDS.ceiling_n / 1.05
