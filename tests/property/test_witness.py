"""What a person did is read from pictures right, or not at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planning.game import Game
from planning.observation import Seen, TowerObservation, as_stacked
from planning.opening import Opening
from planning.tower import Slot, Tower
from planning.witness import Story, change_of, read_move, story_of, why_not
from planning.words import Moves

SIZE_M = np.array([0.075, 0.025, 0.015])
EXAMPLES = settings(max_examples=300, deadline=None)
FULL = 0b111


@st.composite
def towers(draw: st.DrawFn) -> Tower:
    """A tower with a legal move: any gaps, a complete layer above something."""
    masks = draw(st.lists(st.integers(1, FULL), min_size=1, max_size=12))
    top = draw(st.sampled_from([[], [1], [2], [4], [3], [5], [6]]))
    return Tower(bytes([*masks, FULL, *top]))


def game_on(tower: Tower) -> Game:
    return Game.start(Opening.of(["Guest", "Robot"], "classic", {}, tower=str(tower)))


def look_at(tower: Tower, unknown: frozenset[Slot] = frozenset()) -> TowerObservation:
    seen = as_stacked(tower, SIZE_M)
    slots = {slot: Seen.UNKNOWN if slot in unknown else what for slot, what in seen.slots.items()}
    return replace(seen, slots=slots)


@st.composite
def legal_moves(draw: st.DrawFn) -> tuple[Game, Story, Tower]:
    game = game_on(draw(towers()))
    taken = draw(st.sampled_from(game.legal))
    without = game.tower.remove(taken)
    top = draw(st.sampled_from(without.free_top_slots))
    return game, Story(taken, top), without.place(top)


def hide(draw: st.DataObject, *shown: Tower) -> frozenset[Slot]:
    """Some slots of the tower that is looked at cannot be seen."""
    every = sorted(slot for tower in shown for slot in (*tower.blocks(), *tower.gaps()))
    return frozenset(draw.draw(st.lists(st.sampled_from(every), min_size=1, max_size=4)))


@given(legal_moves())
@EXAMPLES
def test_every_legal_move_is_read(move: tuple[Game, Story, Tower]) -> None:
    game, story, after = move
    assert read_move(game, change_of(game.tower, look_at(after))) == story


@given(legal_moves(), st.data())
@EXAMPLES
def test_with_slots_hidden_the_move_is_read_right_or_not_at_all(
    move: tuple[Game, Story, Tower], data: st.DataObject
) -> None:
    game, story, after = move
    change = change_of(game.tower, look_at(after, hide(data, after)))
    assert read_move(game, change) in (story, None)
    assert "cannot be seen" in why_not(game, change)


@given(legal_moves(), st.data())
@EXAMPLES
def test_true_word_is_believed_whatever_is_hidden(
    move: tuple[Game, Story, Tower], data: st.DataObject
) -> None:
    game, story, after = move
    assert story.top is not None
    change = change_of(game.tower, look_at(after, hide(data, after)))
    believed = story_of(game, change, Moves(story.taken, story.top))
    assert believed is not None
    assert (believed.taken, believed.top) == (story.taken, story.top)


@given(legal_moves(), st.data())
@EXAMPLES
def test_false_word_is_not_believed_where_all_is_seen(
    move: tuple[Game, Story, Tower], data: st.DataObject
) -> None:
    game, story, after = move
    taken = data.draw(st.sampled_from(list(game.tower.blocks())))
    top = data.draw(st.sampled_from([*game.tower.free_top_slots, *game.tower.gaps()]))
    assume((taken, top) != (story.taken, story.top))
    assert story_of(game, change_of(game.tower, look_at(after)), Moves(taken, top)) is None


@given(towers(), st.data())
@EXAMPLES
def test_what_is_no_legal_move_is_never_read_as_one(tower: Tower, data: st.DataObject) -> None:
    """Any other tower, with as many blocks or not, and any slots hidden: two blocks moved, one fell, one put back."""
    game = game_on(tower)
    other = tower
    for _ in range(data.draw(st.integers(0, 3))):
        other = other.remove(data.draw(st.sampled_from(list(other.blocks()))))
        if data.draw(st.booleans()) and other.n_blocks:
            other = other.place(data.draw(st.sampled_from([*other.free_top_slots, *other.gaps()])))
        assume(other.n_blocks > 0)
    unknown = frozenset(data.draw(st.lists(st.sampled_from([*other.blocks(), *other.gaps()]), max_size=3)))
    read = read_move(game, change_of(tower, look_at(other, unknown)))
    if read is not None:
        assert read.top is not None
        assert tower.remove(read.taken).place(read.top) == other
        assert read.taken in game.legal
