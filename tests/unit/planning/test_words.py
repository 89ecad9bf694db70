from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.tower import Slot
from planning.words import Concedes, Drops, Lays, Moves, Pushes, Restores, Touches, Word, forms, read_word
from robot.errors import BadInputError

A, B = Slot(5, 2), Slot(19, 1)


@pytest.mark.parametrize(
    "line", ["5.2 19.1", " 5.2  19.1\n", "5.2 -> 19.1", "5.2,19.1", "5.2-19.1", "5.2 to 19.1"]
)
def test_move_is_read_however_it_is_parted(line: str) -> None:
    assert read_word(line) == Moves(A, B)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("5.2 19.1 hard", Moves(A, B, hard=True)),
        ("19.1", Lays(B)),
        ("push 5.2 3", Pushes(A, 3.0)),
        ("push 5.2 -2.5", Pushes(A, -2.5)),
        ("Restore 5.2", Restores(A)),
        ("touch 5.2", Touches(A)),
        ("drop 5.2", Drops(A)),
        ("CONCEDE", Concedes()),
    ],
)
def test_word_is_read(line: str, word: Word) -> None:
    assert read_word(line) == word


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("5.2 19.1 soft", "is not understood: type `5.2 19.1`"),
        ("take 5.2", "is not understood"),
        ("???", "is not understood"),
        ("", "is not understood"),
        ("5.2 19", 'expected a slot LAYER.POSITION, got "19"'),
        ("5.0 19.1", "expected a slot"),
        ("push 5.2 far", "push by 'far' mm: allowed 1 to 30 either way"),
        ("push 5.2 0.5", "push by '0.5' mm"),
        ("push 5.2 nan", "push by 'nan' mm"),
        ("push 5.2", "is not understood"),
    ],
)
def test_line_that_is_no_word_is_refused_with_what_is_allowed(line: str, message: str) -> None:
    with pytest.raises(BadInputError) as refused:
        read_word(line)
    assert message in str(refused.value)


@given(st.text(max_size=40))
def test_any_line_is_a_word_or_is_refused(line: str) -> None:
    with suppress(BadInputError):
        assert read_word(line) is not None


def test_forms_name_what_can_be_typed() -> None:
    for quoted in forms("3.1", "18.2").split("`")[1::2]:
        assert read_word(quoted) is not None
