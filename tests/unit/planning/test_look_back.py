from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from planning.look_back import LookBack
from planning.observation import Seen, TowerObservation
from planning.tower import Slot
from planning.watch import TowerFellError
from planning.witness import Story, change_of, read_move
from planning.words import Moves
from support.records import Paper
from support.toy import toy_table

TAKEN, TOP, PHANTOM = Slot(2, 2), Slot(5, 1), Slot(5, 2)
Misread = Callable[[TowerObservation, TowerObservation | None], TowerObservation]


def looked(
    misread: Misread, word: Any = None, *, plain: tuple[Slot, ...] = ()
) -> tuple[Paper, TowerObservation]:
    """What is read after a block was taken and laid on top, by eyes that misread."""
    table, paper = toy_table("111*4"), Paper("111*4", players=("Guest", "Robot"))
    tower = table.tower
    tower.plain = set(plain)
    view = tower.look()
    before = (view, tower.observe(view))
    tower.lay(TAKEN, TOP)
    true = tower.observe
    tower.observe = lambda view, prior=None: misread(true(view, prior), prior)  # type: ignore[method-assign]
    return paper, LookBack(table.actors, paper.game, before, tower.look(), word).read()


def told(seen: TowerObservation, *slots: Slot, what: Seen = Seen.BLOCK) -> TowerObservation:
    return replace(seen, slots={**seen.slots, **dict.fromkeys(slots, what)})


def knows_the_top(prior: TowerObservation | None) -> bool:
    return prior is not None and TOP in prior.slots


def test_clear_reading_is_taken_as_it_is() -> None:
    paper, seen = looked(lambda seen, _prior: seen)
    assert read_move(paper.game, change_of(paper.game.tower, seen)) == Story(TAKEN, TOP)


@pytest.mark.parametrize("word", [Moves(TAKEN, TOP), None])
def test_block_too_many_is_cleared_up_with_the_story_in_mind(word: Moves | None) -> None:
    paper, seen = looked(lambda seen, prior: seen if knows_the_top(prior) else told(seen, PHANTOM), word)
    assert read_move(paper.game, change_of(paper.game.tower, seen)) == Story(TAKEN, TOP)


def test_word_does_not_bring_in_what_no_reading_had() -> None:
    false = Moves(Slot(3, 2), TOP)
    paper, seen = looked(
        lambda seen, prior: told(seen, Slot(3, 2), what=Seen.GAP) if knows_the_top(prior) else seen, false
    )
    assert change_of(paper.game.tower, seen).gone == (TAKEN,)


def test_block_whose_grain_is_found_in_its_place_is_not_gone() -> None:
    missed = (Slot(3, 1), Slot(3, 3), Slot(4, 1), Slot(4, 2))
    paper, seen = looked(lambda seen, _prior: told(seen, *missed, what=Seen.GAP))
    assert change_of(paper.game.tower, seen).gone == (TAKEN,)


def test_what_two_readings_contradict_each_other_in_is_not_seen() -> None:
    paper, seen = looked(lambda seen, prior: told(seen, PHANTOM) if prior is not None else seen)
    assert seen.slots[PHANTOM] is Seen.UNKNOWN
    assert read_move(paper.game, change_of(paper.game.tower, seen)) is None


def test_layer_that_only_one_reading_tells_of_is_no_contradiction_where_it_is_empty() -> None:
    """One reading ends a layer lower; both say that the layer above holds nothing but what they disagree in."""
    low = dict.fromkeys((Slot(k, p) for k in range(1, 5) for p in (1, 2, 3)), Seen.BLOCK)

    def reads(seen: TowerObservation, prior: TowerObservation | None) -> TowerObservation:
        if prior is not None:
            return replace(seen, slots={**low, TAKEN: Seen.GAP})
        return told(seen, TAKEN, Slot(3, 2), what=Seen.GAP)

    _, seen = looked(reads)
    assert seen.slots[PHANTOM] is Seen.GAP
    assert seen.slots[TOP] is Seen.UNKNOWN


def test_tower_has_fallen_where_every_reading_says_so() -> None:
    gone = (Slot(3, 1), Slot(3, 3), Slot(4, 1), Slot(4, 2))
    with pytest.raises(TowerFellError) as fell:
        looked(lambda seen, _prior: told(seen, *gone, what=Seen.GAP), plain=gone)
    assert fell.value.whole


def test_fall_that_only_one_reading_shows_is_no_fall() -> None:
    gone = (Slot(3, 1), Slot(3, 3), Slot(4, 1), Slot(4, 2))
    paper, seen = looked(
        lambda seen, prior: seen if prior is None else told(seen, *gone, what=Seen.GAP), plain=gone
    )
    assert set(gone) <= set(change_of(paper.game.tower, seen).hidden)
