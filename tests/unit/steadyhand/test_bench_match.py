"""The match simulator: what a turn changes, who loses, and that a game depends on its seed alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.blockset import BlockSet, load_blockset
from planning.contacts import HEIGHT, MASS
from planning.evidence import Felt
from planning.policy import Choice, Moment
from planning.senses import Senses
from planning.thresholds import Rule, Threshold
from planning.tower import Slot
from robot.seeding import generator
from steadyhand.bench.bound import bounds
from steadyhand.bench.entrants import entrant
from steadyhand.bench.games import Entrant, Game, Rules, play
from steadyhand.bench.outcome import Curve, Outcome, Outcomes
from steadyhand.bench.sensing import Eyes
from steadyhand.bench.turns import Ended, Player, Table, Turn, play_turn
from steadyhand.bench.world import World

STANDARD = load_blockset("standard")
NEVER, ALWAYS = Curve(1e-6, 50.0), Curve(1e6, 50.0)
CLEAN = Outcomes(NEVER, NEVER, NEVER, NEVER)
KEEN = Senses(noticed=1.0, imagined=0.0)
BLUNT = Senses(noticed=0.0, imagined=0.0)


class Strong(Threshold):
    """Takes what it touches first."""

    def __init__(self, blockset: BlockSet, seed: int) -> None:
        del blockset
        super().__init__(Rule(lambda _slot, _seen: 100.0, 1.0, "strong"), seed)


class Shy(Strong):
    """Never touches a block."""

    def choose(self, moment: Moment) -> Choice | None:
        return None


STRONG, SHY = Entrant("strong", Strong), Entrant("shy", Shy)


@lru_cache(maxsize=4)
def world(seed: int = 1) -> World:
    return World.drawn(STANDARD, 54, seed)


def one_turn(outcomes: Outcomes, senses: Senses, seed: int = 1) -> Turn:
    eyes = Eyes(STANDARD, senses, generator(seed, "eyes"))
    table = Table(senses, outcomes, eyes, generator(seed, "turn"))
    return play_turn(world(), Player(Strong(STANDARD, seed)), table)


def test_block_leaves_its_slot_and_lies_on_top() -> None:
    turn = one_turn(CLEAN, KEEN)
    assert turn.ended is Ended.LAID
    assert turn.slot is not None
    assert turn.top == Slot(19, 2)
    assert not turn.world.tower.has(turn.slot)
    assert turn.world.tower.has(turn.top)
    moved = turn.world.names[turn.world.row(turn.top)]
    assert moved == world().names[world().row(turn.slot)]
    columns = slice(HEIGHT - 2, MASS + 2)
    old, new = world().row(turn.slot), turn.world.row(turn.top)
    assert turn.world.towers.bodies[0, new, columns] == pytest.approx(world().towers.bodies[0, old, columns])


@settings(max_examples=4)
@given(st.integers(0, 10_000))
def test_no_block_is_ever_lost_or_made(seed: int) -> None:
    game = play([entrant("fixed-0.3")], Rules(STANDARD), seed)
    for turn in game.turns:
        lying = 54 if turn.ended in (Ended.LAID, Ended.TOPPLED, Ended.CONCEDED) else 53
        assert len(set(turn.world.names)) == len(turn.world.names) == lying
        assert turn.world.tower.n_blocks == lying


def test_player_who_has_nothing_to_try_ends_the_game_and_loses() -> None:
    alone = play([SHY], Rules(STANDARD), 1)
    assert (alone.added, alone.ended) == (0, Ended.CONCEDED)
    assert play([STRONG, SHY], Rules(STANDARD, outcomes=CLEAN), 1).loser == 1


@pytest.mark.parametrize(("curves", "ended"), [(3, Ended.FELL), (2, Ended.DRAGGED)])
def test_whoever_brings_the_tower_down_loses(curves: int, ended: Ended) -> None:
    outcomes = Outcomes(NEVER, *(ALWAYS if k < curves else NEVER for k in range(3)))
    game = play([STRONG, STRONG], Rules(STANDARD, BLUNT, outcomes), 1)
    assert (game.ended, game.loser, game.added) == (ended, 0, 0)


def test_second_player_is_blamed_for_the_second_turn() -> None:
    turns = (Turn(Ended.LAID, world()), Turn(Ended.TOPPLED, world()))
    assert Game(turns, players=2).loser == 1
    assert Game((*turns[:1], *turns), players=2).loser == 0


def test_game_broken_off_has_no_loser() -> None:
    game = play([STRONG], Rules(STANDARD, outcomes=CLEAN, most_turns=2), 1)
    assert (game.added, game.loser) == (2, None)


def test_block_seen_to_drag_others_on_its_way_is_put_back_and_not_offered_again() -> None:
    turn = one_turn(Outcomes(NEVER, ALWAYS, NEVER, NEVER), KEEN)
    assert turn.ended is Ended.CONCEDED
    moves = (
        world().known.slide_n[0][: len(world().legal)] < 2.0
    )  # surely before the ceiling, model error and all
    assert moves.sum() <= turn.given_up <= turn.probes == len(world().legal)
    assert turn.world is world()


def test_what_a_probe_shows_of_others_is_the_same_however_often_it_is_tried() -> None:
    class Stubborn(Strong):
        """Probes one block again and again, and takes note of what is seen of others."""

        def choose(self, moment: Moment) -> Choice | None:
            return Choice(moment.legal[0], 100.0, "stubborn") if len(moment.tried) < 12 else None

        def keeps(self, slot: Slot, moment: Moment) -> bool:
            return False

        def feels(self, felt: Felt) -> None:
            seen.append(felt.dragged)

    half = Senses(noticed=0.5, imagined=0.5)
    found = set()
    for seed in range(12):
        seen: list[bool | None] = []
        table = Table(half, CLEAN, Eyes(STANDARD, half, generator(seed, "eyes")), generator(seed, "turn"))
        play_turn(world(), Player(Stubborn(STANDARD, seed)), table)
        assert len(set(seen)) == 1
        found |= set(seen)
    assert found == {True, False}


def test_block_that_needs_more_than_the_arm_gives_is_put_back() -> None:
    heavy = Rules(STANDARD, BLUNT, CLEAN, draw_limit_n=0.01)
    game = play([STRONG], heavy, 1)
    assert (game.ended, game.added) == (Ended.CONCEDED, 0)
    assert game.turns[0].given_up > 30


def test_player_that_does_not_watch_draws_on() -> None:
    eyes = Eyes(STANDARD, KEEN, generator(1, "eyes"))
    table = Table(KEEN, Outcomes(ALWAYS, ALWAYS, ALWAYS, NEVER), eyes, generator(1, "turn"))
    assert play_turn(world(), Player(Strong(STANDARD, 1), watches=False), table).ended is Ended.DRAGGED


def test_what_is_dragged_a_little_has_moved_and_what_lies_below_has_not() -> None:
    turn = one_turn(Outcomes(NEVER, ALWAYS, NEVER, NEVER), BLUNT)
    assert turn.slot is not None
    before = dict(zip(world().names, world().towers.bodies[0], strict=True))
    laid = turn.world.names[turn.world.row(turn.top)] if turn.top else None
    for name, slot, body in zip(
        turn.world.names, turn.world.towers.slots, turn.world.towers.bodies[0], strict=True
    ):
        moved_m = float(np.hypot(*(body[:2] - before[name][:2])))
        if name != laid:
            assert (0.001 <= moved_m <= 0.005) if slot.layer > turn.slot.layer else moved_m == 0.0


def test_choice_of_a_block_that_may_not_be_taken_is_an_error() -> None:
    class Cheat(Strong):
        def choose(self, moment: Moment) -> Choice | None:
            return Choice(Slot(18, 1), 1.0, "from the top")

    with pytest.raises(ValueError, match=r"18\.1, which may not be taken"):
        play([Entrant("cheat", Cheat)], Rules(STANDARD), 1)


def test_same_seed_is_the_same_game() -> None:
    def story(seed: int) -> list[tuple[object, ...]]:
        game = play([entrant("fixed-0.3"), entrant("height")], Rules(STANDARD), seed)
        return [(turn.ended, turn.slot, turn.top, turn.probes) for turn in game.turns]

    assert story(3) == story(3)
    assert story(3) != story(4)


def test_sizes_are_seen_with_the_same_error_at_every_look() -> None:
    eyes = Eyes(STANDARD, Senses(), generator(1, "eyes"))
    one, two = eyes.look(world().towers), eyes.look(world().towers)
    slot = Slot(5, 1)
    assert np.array_equal(one.blocks[slot].size_m, two.blocks[slot].size_m)
    assert not np.array_equal(one.blocks[slot].T_world_block, two.blocks[slot].T_world_block)
    eyes.forget(slot)
    assert not np.array_equal(one.blocks[slot].size_m, eyes.look(world().towers).blocks[slot].size_m)


@given(st.floats(0.0, 50.0), st.floats(0.0, 50.0), st.floats(0.0, 1.0, exclude_max=True))
def test_firmer_hold_never_makes_things_worse(one: float, two: float, luck: float) -> None:
    order = [Outcome.FALLS, Outcome.FAR, Outcome.DRAGS, Outcome.ALONE]
    low, high = sorted((one, two))
    assert order.index(Outcomes().of(low, 5, luck)) <= order.index(Outcomes().of(high, 5, luck))


@given(st.floats(0.0, 1e6))
def test_block_that_is_hardly_held_is_likelier_to_drag_others(hold: float) -> None:
    for curve in (Outcomes().falls, Outcomes().far, Outcomes().drags, Outcomes().probe):
        assert 0.0 <= curve.chance(hold, 3) <= curve.chance(hold / 2, 3) <= 1.0


def test_knowing_every_load_goes_farther_the_harder_one_may_push() -> None:
    found = bounds(Rules(STANDARD), 2)
    assert list(found) == [0.2, 0.5, 1.0]
    assert 15 <= found[0.2] <= found[0.5] <= found[1.0] <= 50
