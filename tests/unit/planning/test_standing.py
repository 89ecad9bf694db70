from __future__ import annotations

from dataclasses import replace

import pytest

from planning.observation import Seen
from planning.standing import Standing
from planning.tower import Slot, Tower
from robot.errors import PerceptionError
from support.toy import ToyTable, toy_table

TOWER, S = Tower.parse("111*4"), Slot(3, 2)


def looked_at(table: ToyTable) -> Standing:
    """The tower was read once, and from now on a block of it is missed."""
    standing = Standing(table.actors)
    standing.observe(TOWER, None)
    seen = table.tower.stacked
    blocks = {slot: block for slot, block in seen.blocks.items() if slot != S}
    missed = replace(seen, slots={**seen.slots, S: Seen.GAP}, blocks=blocks)
    table.tower.observe = lambda _view, _prior=None: missed  # type: ignore[method-assign]
    return standing


def test_block_that_is_missed_on_a_second_look_is_found_by_the_view_of_the_first() -> None:
    standing = looked_at(toy_table())
    standing.observe(TOWER, standing.seen)
    assert S in standing.seen.blocks


def test_view_of_the_first_look_proves_nothing_of_what_was_changed_since() -> None:
    standing = looked_at(toy_table())
    standing.lay(Slot(5, 2), standing.seen.blocks[S])
    with pytest.raises(PerceptionError, match=r"disagree on 3\.2"):
        standing.observe(TOWER, standing.seen)
