from __future__ import annotations

import pytest

from benchmarks.draws import draws
from planning.record import read_event

TAKEN = ("move 3.1 21", "extract 3.1", "place 19.1")


def event(words: str) -> object:
    """`move 3.1 21` as an event of a record."""
    kind, *rest = words.split()
    block = f', "player": "Robot", "hand": "arm", "block": "{rest[0]}"' if rest else ', "player": "Robot"'
    more = {
        "move": f', "mm": {rest[-1]}' if rest else "",
        "shift": f', "blocks": ["{rest[0]}"]' if rest else "",
    }
    if kind == "place":
        block = f', "player": "Robot", "hand": "arm", "slot": "{rest[0]}", "axis": "x"'
    if kind == "shift":
        block = ""
    return read_event(f'{{"t": 1, "type": "{kind}"{block}{more.get(kind, "")}}}')


@pytest.mark.parametrize(
    ("story", "found"),
    [
        (TAKEN, [(15, True)]),
        (("move 3.1 6", "restore 3.1"), []),
        (("move 3.1 21", "restore 3.1"), [(15, False)]),
        (("move 3.1 21", "shift 5.2", "restore 3.1"), [(15, False)]),
        (("move 3.1 21", "extract 3.1", "shift 5.2", "concede"), [(15, False)]),
        ((*TAKEN, "move 3.2 21", "extract 3.2", "place 19.2"), [(15, True), (16, True)]),
    ],
)
def test_draw_went_well_where_the_block_was_laid_and_nothing_had_shifted(
    story: tuple[str, ...], found: list[tuple[int, bool]]
) -> None:
    assert list(draws([event(words) for words in story], 18)) == found  # type: ignore[misc]
