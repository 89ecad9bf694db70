"""The first look of a match with the arm left standing somewhere: it moves by what it sees, or has a person move it."""

from __future__ import annotations

import numpy as np
import pytest

from planning.clearing import step_clear
from planning.notes import Phase
from planning.states import State
from planning.tower import Slot, Tower
from robot.errors import MotionError, PerceptionError
from robot.frames import Array
from support.records import Paper
from support.script import Stage
from support.toy import SIZE_M, ToyTable, toy_table

ASIDE = np.array([0.3, 0.2, 0.2, 0.0, 0.0, 0.0])
REMEDY = r"`steadyhand arm relax`, lead it clear of the tower, `steadyhand arm hold`, and play on"


def left_aside(table: ToyTable) -> Array:
    """An arm that stands where a fault left it."""
    table.hand.go(table.hand.body.park_rad + ASIDE)
    return table.hand.q()


def test_arm_left_at_the_tower_looks_before_it_moves_and_knows_the_blocks_on_its_way() -> None:
    stage = Stage()
    left = left_aside(stage.table)
    eyes, stood, known = stage.table.tower, list[Array](), list[int]()
    look = eyes.look

    def looking() -> object:
        stood.append(stage.table.hand.q())
        known.append(len(stage.table.obstacles.boxes))
        return look()

    eyes.look = looking  # type: ignore[method-assign, assignment]
    assert stage.turn.run() is State.DONE
    assert stood[0] == pytest.approx(left), "the first picture is taken before anything moves"
    assert known[:2] == [0, 12], "it parks round the blocks that the first picture showed"
    assert stood[1] == pytest.approx(stage.table.hand.body.park_rad)


def test_parked_arm_looks_once() -> None:
    stage = Stage()
    stage.table.hand.park()
    stage.turn.run()
    assert stage.table.tower.asked_with[0] is False
    assert stage.phases()[0] == "turn-start"
    first = stage.table.tower.asked_with
    assert len([asked for asked in first if not asked]) == 1


def test_blocks_that_the_arm_hides_stand_where_the_record_has_them() -> None:
    table = toy_table("111*2", hidden={Slot(2, 2)})
    left_aside(table)
    step_clear(table.actors, Tower.parse("111*2"), holds=False)
    assert len(table.obstacles.boxes) == 6
    T = table.tower.stacked.blocks[Slot(2, 2)].T_world_block
    nearest = min(np.linalg.norm(box[:3, 3] - T[:3, 3]) for box, _ in table.obstacles.boxes)
    assert nearest < SIZE_M[2] / 5


@pytest.mark.parametrize("wrong", ["unreadable", "another tower"])
def test_arm_before_a_tower_that_cannot_be_read_is_led_clear_by_a_person(wrong: str) -> None:
    table = toy_table("111*2", unreadable=wrong == "unreadable")
    left = left_aside(table)
    record = Tower.parse("111*2" if wrong == "unreadable" else "111/101")
    with pytest.raises(
        PerceptionError, match=r"does not move unless the tower is seen: .*`steadyhand arm park`"
    ):
        step_clear(table.actors, record, holds=False)
    assert table.hand.q() == pytest.approx(left), "nothing moved"


def test_arm_that_touches_the_tower_is_led_clear_by_a_person() -> None:
    table = toy_table("111*2")
    left = left_aside(table)
    park = table.hand.body.park_rad
    table.obstacles.what = lambda q: "left nose touches block 7" if np.abs(q - park).max() > 0.05 else None
    with pytest.raises(
        MotionError, match=f"start posture touches: left nose touches block 7. Support .*{REMEDY}"
    ):
        step_clear(table.actors, Tower.parse("111*2"), holds=False)
    assert table.hand.q() == pytest.approx(left)


def test_block_that_may_still_be_in_the_fingers_is_taken_by_a_person_first() -> None:
    paper = Paper("111*4")
    stage = Stage(paper=paper)
    player = paper.game.player_in_turn
    assert player == "Robot"
    broken_off(paper)
    left = left_aside(stage.table)
    with pytest.raises(MotionError, match=rf"may still be. Take it, `steadyhand arm open`. .*{REMEDY}"):
        stage.turn.run()
    assert stage.table.hand.q() == pytest.approx(left)
    assert Phase.TURN_START not in [note.phase for note in stage.notes]


def broken_off(paper: Paper) -> None:
    """With a block in the hand."""
    scribe = Stage(paper=paper).turn._scribe
    scribe.touch(Slot(2, 2))
    scribe.extract(Slot(2, 2), 0.3)
