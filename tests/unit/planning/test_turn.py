"""A turn's own logic: what it tells, writes and counts when its parts succeed, fail or find something fallen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planning import picking
from planning.extract import Drag
from planning.grasp import MissedError
from planning.notes import Phase
from planning.place import CannotLayError
from planning.probe import ProbeReport, Verdict
from planning.restore import NotRestoredError
from planning.states import State
from planning.tower import Slot
from planning.watch import Since, TowerFellError
from robot.errors import MotionError, PerceptionError, StoppedError
from robot.fakes import Button
from robot.frames import inverse
from support.records import Paper
from support.script import TEXT, Script, Stage

FALL = TowerFellError((Slot(4, 1),))
COLLAPSE = TowerFellError(tuple(Slot(k, p) for k in (3, 4) for p in (1, 2, 3)))


def test_whole_turn_is_told_and_written_in_order() -> None:
    stage = Stage()
    assert stage.turn.run() is State.DONE
    assert stage.phases() == ["turn-start", "probe-start", "probe-end", "extracted", "placed", "settled"]
    assert stage.paper.kinds() == ["touch", "move", "move", "extract", "place", "release", "clock"]
    assert stage.paper.rules_broken() == []
    assert stage.paper.game.completed_turns == 1
    assert stage.paper.events[-1].t_s - stage.paper.events[-2].t_s == pytest.approx(10.0)
    tally = stage.turn.tally
    assert (tally.probes, tally.rejected, tally.restored, tally.extracted) == (1, 0, 0, 1)
    assert tally.peak_n == pytest.approx(0.4)


def test_notes_name_source_slot_then_top_slot_and_the_limit_of_each_motion() -> None:
    stage = Stage()
    stage.turn.run()
    source = stage.note(Phase.PROBE_START).slot
    assert source is not None
    for phase in (Phase.PROBE_END, Phase.EXTRACTED):
        assert stage.note(phase).slot == source
    for phase in (Phase.PLACED, Phase.SETTLED):
        assert stage.note(phase).slot == Slot(5, 2), "the middle of a new layer first"
    assert stage.note(Phase.PROBE_END).limit_n == stage.note(Phase.PROBE_START).limit_n
    assert stage.note(Phase.EXTRACTED).limit_n == 0.9
    assert isinstance(stage.note(Phase.PROBE_END).detail, ProbeReport)


def test_turn_begins_parked_and_ends_parked() -> None:
    stage = Stage()
    stage.table.hand.go(stage.table.hand.q() + 0.2)
    stage.turn.run()
    assert stage.table.hand.q() == pytest.approx(stage.table.hand.body.park_rad)


def test_tower_as_seen_afterwards_has_the_block_on_top() -> None:
    stage = Stage()
    stage.turn.run()
    source = stage.note(Phase.EXTRACTED).slot
    assert stage.turn.seen.text() == _long(stage)
    assert source not in stage.turn.seen.blocks
    assert Slot(5, 2) in stage.turn.seen.blocks
    assert len(stage.table.obstacles.boxes) == 12


def _long(stage: Stage) -> str:
    tower = stage.paper.game.tower
    return "/".join(
        "".join("01"[tower.has(Slot(k, p))] for p in (1, 2, 3)) for k in range(1, tower.n_layers + 1)
    )


@pytest.mark.parametrize("verdict", [Verdict.TIGHT, Verdict.DRAGS, Verdict.UNSEEN, Verdict.TURNS])
def test_rejected_block_is_restored_and_the_next_one_tried(verdict: Verdict) -> None:
    stage = Stage(Script(probes=[verdict, Verdict.LOOSE]))
    assert stage.turn.run() is State.DONE
    first, second = (note.slot for note in stage.notes if note.phase is Phase.PROBE_START)
    assert first != second
    assert [slot for slot, _, _ in stage.script.restored] == [first]
    taken = ["touch", "move", "move", "extract", "place", "release", "clock"]
    assert stage.paper.kinds() == ["touch", "move", "restore", *taken]
    assert stage.note(Phase.RESTORED).slot == first
    assert [felt.slot for felt in stage.player.felt][-1] == second
    assert (stage.turn.tally.probes, stage.turn.tally.rejected, stage.turn.tally.restored) == (2, 1, 1)
    assert stage.paper.rules_broken() == []


def test_block_is_said_to_be_back_only_once_the_whole_tower_is_seen_to_stand_so() -> None:
    stage = Stage(Script(probes=[Verdict.TIGHT], restores=[0.7]))
    tower, looks = stage.table.tower, []
    observe = tower.observe

    def gone(view: Any, prior: Any = None) -> Any:
        looks.append(view)
        if len(looks) == 1:
            return observe(view, prior)
        raise PerceptionError("the block lies on the table")

    tower.observe = gone  # type: ignore[method-assign]
    with pytest.raises(PerceptionError, match="lies on the table"):
        stage.turn.run()
    assert "restored" not in stage.phases()
    assert stage.turn.tally.restored == 0


def test_block_that_is_pushed_back_and_not_seen_in_its_place_is_not_called_restored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(Script(probes=[Verdict.TIGHT], restores=[0.7]))
    monkeypatch.setattr(Since, "astray", lambda _since, slots, _least_m: list(slots))
    assert stage.turn.run() is State.CONCEDED
    assert "restore" not in stage.paper.kinds()
    assert "restored" not in stage.phases()
    assert "nobody can see that" in stage.turn.why


def _pushes_along(stage: Stage, other: Slot, stays: bool) -> None:
    """Whatever is put back pushes another block along by 3 mm; that one goes back, or seems to."""
    out_m, real = stage.table.tower.out_m, stage.actors.restorer.restore

    def restore(slot: Slot, *more: Any) -> Any:
        if slot != other:
            out_m[other] = np.array([0.003, 0.0, 0.0])
        elif not stays:
            out_m[other] = np.zeros(3)
        return real(slot, *more)

    stage.actors.restorer.restore = restore  # type: ignore[method-assign]


def test_block_that_was_pushed_along_on_the_way_back_is_written_down_and_put_back_too() -> None:
    stage = Stage(Script(probes=[Verdict.TIGHT, Verdict.LOOSE], restores=[0.7]))
    _pushes_along(stage, Slot(4, 1), stays=False)
    assert stage.turn.run() is State.DONE
    probed = stage.note(Phase.PROBE_START).slot
    assert [slot for slot, *_ in stage.script.restored] == [probed, Slot(4, 1)]
    assert stage.paper.kinds()[:5] == ["touch", "move", "shift", "restore", "restore"]
    assert stage.paper.rules_broken() == []


def test_block_that_was_pushed_along_and_stays_there_ends_the_turn() -> None:
    stage = Stage(Script(probes=[Verdict.TIGHT], restores=[0.7]))
    _pushes_along(stage, Slot(4, 1), stays=True)
    assert stage.turn.run() is State.CONCEDED
    assert "4.1 is back in its place" in stage.turn.why
    assert "restore" not in stage.paper.kinds()


def test_block_that_turned_is_left_alone_for_the_rest_of_the_turn() -> None:
    stage = Stage(Script(probes=[Verdict.TURNS, Verdict.LOOSE]))
    stage.turn.run()
    turned = stage.note(Phase.PROBE_START).slot
    assert turned in stage.turn._picker._shut


def test_probe_that_moved_nothing_is_a_mere_touch() -> None:
    stage = Stage(Script(probes=[Verdict.TIGHT, Verdict.LOOSE], moved_mm=0.9))
    stage.turn.run()
    assert stage.paper.kinds()[:2] == ["touch", "touch"]
    assert stage.turn.tally.restored == 1, "looked at, and seen to be in its place"


def test_neighbours_that_moved_are_written_and_put_back_too() -> None:
    neighbour = Slot(3, 1)
    stage = Stage(
        Script(probes=[Verdict.DRAGS], others_mm={neighbour: 1.2, Slot(3, 3): 0.8}, restores=[0.7, 0.9, FALL])
    )
    stage.turn.run()
    assert stage.paper.kinds()[:5] == ["touch", "move", "shift", "restore", "restore"]
    assert [slot for slot, _, _ in stage.script.restored][1] == neighbour
    assert stage.note(Phase.RESTORED).limit_n == 0.9, "the highest limit of all that was pushed"
    assert stage.turn.tally.peak_n == pytest.approx(0.6)


def test_drag_on_the_way_out_is_given_up_and_restored_from_where_the_block_stands() -> None:
    stage = Stage(Script(pushes_out=[Drag("3.1 came along by 1.1 mm", 0.012, {Slot(3, 1): 0.0011}), None]))
    assert stage.turn.run() is State.DONE
    given_up = stage.note(Phase.GIVEN_UP)
    slot, peak_n, known_m = stage.script.restored[0]
    end = stage.note(Phase.PROBE_END).detail.end  # type: ignore[attr-defined]
    axis = stage.table.tower.stacked.blocks[slot].T_world_block[:3, 0]
    assert given_up.text == "3.1 came along by 1.1 mm"
    assert [note.slot for note in stage.notes if note.phase is Phase.PROBE_START].count(slot) == 1, (
        "left alone"
    )
    assert known_m == pytest.approx(-end * 0.012 * axis)
    assert peak_n == pytest.approx(0.4), "the force of pushing out, which was larger than the probe's"
    felt = next(felt for felt in stage.player.felt if felt.dragged)
    assert (felt.slot, felt.moved, felt.peak_n) == (slot, True, pytest.approx(0.4))
    assert stage.paper.kinds()[:6] == ["touch", "move", "move", "shift", "restore", "restore"]
    assert stage.turn.tally.rejected == 1


def test_neighbour_that_came_along_in_the_pull_goes_back_too() -> None:
    missed = MissedError("pull of 2.2: 3.1 came along", 0.018, {Slot(3, 1): 0.0014, Slot(3, 3): 0.0002})
    stage = Stage(Script(pulls=[missed, None]))
    assert stage.turn.run() is State.DONE
    assert [slot for slot, _, _ in stage.script.restored][1] == Slot(3, 1)
    assert stage.paper.kinds()[:6] == ["touch", "move", "move", "shift", "restore", "restore"]
    assert stage.paper.rules_broken() == []


def test_neighbour_that_came_along_as_the_block_left_is_conceded_with_the_reason() -> None:
    stage = Stage(Script(drawn_mm={Slot(3, 1): 1.4, Slot(3, 3): 0.2}))
    assert stage.turn.run() is State.CONCEDED
    assert stage.paper.kinds()[-3:] == ["extract", "shift", "concede"]
    assert stage.turn.why.startswith("3.1 came along as ")
    assert stage.paper.rules_broken() == []


@pytest.mark.parametrize(("pulled_m", "out_m"), [(0.0, 0.021), (0.017, 0.038)])
def test_missed_block_is_restored_from_where_it_was_let_go(pulled_m: float, out_m: float) -> None:
    stage = Stage(Script(pulls=[MissedError("the fingers missed it", pulled_m), None]))
    assert stage.turn.run() is State.DONE
    slot, _, known_m = stage.script.restored[0]
    assert np.linalg.norm(known_m) == pytest.approx(out_m)
    assert stage.note(Phase.GIVEN_UP).text == "the fingers missed it"
    assert stage.note(Phase.RESTORED).slot == slot


def test_ways_go_round_a_block_that_stands_out() -> None:
    boxes: list[np.ndarray] = []
    stage = Stage(Script(pulls=[MissedError("missed", 0.01), None]))
    stage.script.restores = [lambda: boxes.extend(T for T, _ in stage.table.obstacles.boxes)]
    stacked = stage.table.tower.stacked.blocks
    stage.turn.run()
    T_home = stacked[stage.script.restored[0][0]].T_world_block
    moved = [box for box in boxes if min(_away(box, b.T_world_block) for b in stacked.values()) > 0.001]
    assert [np.abs(inverse(T_home) @ box)[:3, 3] for box in moved] == [pytest.approx([0.031, 0, 0], abs=1e-9)]
    assert min(_away(box, T_home) for box in boxes) > 0.01, "its slot is empty"


def _away(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3]))


def test_loose_block_that_has_shifted_another_is_put_back_with_it() -> None:
    stage = Stage(Script(others_mm={Slot(4, 1): 1.4}))
    stage.turn.run()
    assert stage.paper.kinds()[:5] == ["touch", "move", "shift", "restore", "restore"]
    assert "extract" not in stage.paper.kinds()


def test_concession_says_which_blocks_the_arm_could_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(text="110/111")
    monkeypatch.setattr(picking, "ways", lambda *_: [])
    assert stage.turn.run() is State.CONCEDED
    assert "the arm finds no way to push, put back, pinch and lay 1." in stage.turn.why
    assert stage.paper.kinds() == ["concede"]


def test_concession_when_no_block_is_loose() -> None:
    stage = Stage(Script(probes=[Verdict.TIGHT]), text="110/111")
    assert stage.turn.run() is State.CONCEDED
    assert stage.turn.why == "no block that may be taken is loose enough"
    assert stage.paper.kinds() == ["touch", "move", "restore"] * 2 + ["concede"]
    assert stage.paper.game.outcome is not None
    limits = [note.limit_n for note in stage.notes if note.phase is Phase.PROBE_START]
    assert len(limits) == 2
    assert limits[0] < limits[1], "in a second round every block may be pushed harder"


def test_concession_without_a_probe_when_nothing_may_be_taken() -> None:
    stage = Stage(text="010/111")
    assert stage.turn.run() is State.CONCEDED
    assert stage.paper.kinds() == ["concede"]
    assert stage.turn.tally.probes == 0


@pytest.mark.parametrize("error", [NotRestoredError("it sticks"), MotionError("out of reach")])
def test_concession_when_a_block_cannot_be_put_back(error: Exception) -> None:
    stage = Stage(Script(probes=[Verdict.TIGHT], restores=[error]))
    assert stage.turn.run() is State.CONCEDED
    assert stage.turn.why == str(error)
    assert stage.paper.kinds() == ["touch", "move", "concede"]
    assert (stage.turn.tally.rejected, stage.turn.tally.restored) == (1, 0)


FALLS: dict[str, Callable[[Exception], Script]] = {
    "probe": lambda fell: Script(probes=[fell]),
    "restore": lambda fell: Script(probes=[Verdict.TIGHT], restores=[fell]),
    "push out": lambda fell: Script(pushes_out=[fell]),
}


@pytest.mark.parametrize("during", FALLS)
@pytest.mark.parametrize(("fell", "kind"), [(FALL, "fall"), (COLLAPSE, "collapse")])
def test_fall_is_written_as_what_it_is(during: str, fell: TowerFellError, kind: str) -> None:
    stage = Stage(FALLS[during](fell))
    assert stage.turn.run() is State.FALLEN
    assert stage.paper.kinds()[-1] == kind
    assert stage.phases()[-1] == "collapse"
    assert stage.turn.why == str(fell)
    assert stage.turn.tally.rejected == 1, "a probe without an extraction"


def test_fall_while_settling_is_written() -> None:
    stage = Stage()
    gone = (Slot(4, 1), Slot(4, 2), Slot(4, 3), Slot(3, 1))
    stage.script.places = [lambda: setattr(stage.table.tower, "fallen_slots", gone)]
    assert stage.turn.run() is State.FALLEN
    assert stage.paper.kinds()[-2:] == ["release", "collapse"]
    assert stage.turn.tally.extracted == 1


@pytest.mark.parametrize(
    "script",
    [Script(pulls=[PerceptionError("no block there")]), Script(places=[PerceptionError("no block there")])],
    ids=["pull", "place"],
)
def test_block_that_is_not_in_the_hand_was_dropped(script: Script) -> None:
    stage = Stage(script)
    assert stage.turn.run() is State.DROPPED
    assert stage.paper.kinds()[-2:] == ["extract", "drop"]
    assert stage.turn.why == "no block there"
    assert stage.paper.rules_broken() == []


def test_other_top_slots_are_tried_where_the_first_cannot_be_laid() -> None:
    stage = Stage(Script(places=[CannotLayError("bore too early"), None]))
    assert stage.turn.run() is State.DONE
    assert stage.script.placed == [Slot(5, 2), Slot(5, 1)]
    assert stage.note(Phase.PLACED).slot == Slot(5, 1)
    assert stage.paper.game.tower.has(Slot(5, 1))


def test_block_that_seemed_to_bear_too_early_everywhere_is_lowered_once_more() -> None:
    stage = Stage(Script(places=[CannotLayError("bore too early")] * 3 + [None]))
    assert stage.turn.run() is State.DONE
    assert stage.script.placed[3] == stage.script.placed[0]
    assert stage.note(Phase.PLACED).slot == stage.script.placed[0]


def test_block_that_can_be_laid_nowhere_is_a_fault_that_says_what_to_do() -> None:
    stage = Stage(Script(places=[CannotLayError("bore too early")]))
    with pytest.raises(
        MotionError, match=r"bore too early\. Take the block from the fingers, lay it on top and resume"
    ):
        stage.turn.run()
    assert set(stage.script.placed) == {Slot(5, 1), Slot(5, 2), Slot(5, 3)}


def test_visible_settling_is_said_to_be_over() -> None:
    stage = Stage(paper=Paper(TEXT, settling="visible"))
    assert stage.turn.run() is State.DONE
    assert stage.paper.kinds()[-2:] == ["settled", "clock"]
    assert stage.paper.game.completed_turns == 1


def creeping(stage: Stage, looks: int) -> None:
    """Make a block move by a millimetre before each of the next looks."""
    tower, slot, left = stage.table.tower, Slot(1, 1), [looks]
    look = tower.look

    def moved() -> Any:
        left[0] -= 1
        tower.out_m[slot] = tower.out_m[slot] + (left[0] > 0) * np.array([0.001, 0, 0])
        return look()

    tower.look = moved  # type: ignore[method-assign]


def test_visible_settling_goes_on_until_the_tower_is_seen_to_stand_still() -> None:
    stage = Stage(paper=Paper(TEXT, settling="visible"))
    stage.script.places = [lambda: creeping(stage, 5)]
    assert stage.turn.run() is State.DONE
    assert stage.paper.events[-1].t_s - stage.paper.events[-3].t_s == pytest.approx(30.0)
    assert stage.note(Phase.SETTLED).text.endswith("moved 0.00 mm")


def test_tower_that_never_comes_to_rest_is_not_called_settled() -> None:
    stage = Stage(paper=Paper(TEXT, settling="visible"))
    stage.script.places = [lambda: creeping(stage, 99)]
    with pytest.raises(PerceptionError, match="the tower does not come to rest"):
        stage.turn.run()
    assert stage.paper.kinds()[-1] == "release"


@pytest.mark.parametrize("settle_s", [5.0, 0.0, 3.0005])
def test_settling_time_is_the_editions(settle_s: float) -> None:
    stage = Stage(paper=Paper(TEXT, settle_s=settle_s))
    assert stage.turn.run() is State.DONE
    released, read = stage.paper.events[-2].t_s, stage.paper.events[-1].t_s
    assert read - released >= settle_s - 1e-9
    assert stage.paper.game.completed_turns == 1


def test_tower_that_contradicts_the_record_is_not_touched() -> None:
    stage = Stage(paper=Paper("111/101/111/111"))
    with pytest.raises(PerceptionError, match=r"disagree on 2\.2"):
        stage.turn.run()
    assert stage.paper.events == []
    assert stage.phases() == []


def test_stop_leaves_by_its_own_error_with_the_record_as_far_as_it_went() -> None:
    stage = Stage(button=Button(after=20))
    with pytest.raises(StoppedError):
        stage.turn.run()
    assert stage.table.arm.stops >= 1
    assert stage.paper.kinds() in ([], ["touch"])


def test_player_is_told_what_is_seen_felt_taken_and_laid() -> None:
    stage = Stage()
    stage.turn.run()
    source, player = stage.note(Phase.EXTRACTED).slot, stage.player
    assert (player.looked, player.taken, player.laid) == (1, [source], [Slot(5, 2)])
    assert [(felt.slot, felt.moved, felt.dragged) for felt in player.felt] == [(source, True, None)]


def test_loose_block_that_the_player_does_not_keep_goes_back_and_may_be_come_back_to() -> None:
    stage = Stage()
    stage.player.keeping = False
    assert stage.turn.run() is State.CONCEDED
    first = stage.note(Phase.PROBE_START).slot
    assert stage.script.restored[0][0] == first
    assert stage.player.taken == []
    assert [moment.tried.count(first) for moment in stage.player.asked][-1] == 2


def test_block_out_of_reach_is_passed_over_and_not_asked_for_again() -> None:
    stage = Stage()
    park = stage.table.hand.body.park_rad
    stage.table.obstacles.what = lambda q: "plinth" if np.abs(q - park).max() > 0.01 else None
    assert stage.turn.run() is State.CONCEDED
    assert stage.turn.tally.probes == 0
    left = [len(moment.legal) for moment in stage.player.asked]
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0


def kinds_of(stage: Stage, phases: Iterable[Phase]) -> list[Phase]:
    return [note.phase for note in stage.notes if note.phase in phases]


def test_choice_is_told_with_its_reason_before_the_probe() -> None:
    stage = Stage()
    stage.turn.run()
    assert kinds_of(stage, (Phase.CHOSEN, Phase.PROBE_START)) == [Phase.CHOSEN, Phase.PROBE_START]
    assert stage.note(Phase.CHOSEN).text == "the first of 9"
    ticks = [note.text for note in stage.notes if note.phase is Phase.SETTLING]
    assert len(ticks) >= 5
    assert ticks == sorted(ticks, key=int, reverse=True)


def broken_off(*kinds: str) -> Stage:
    """A turn whose record ends after these of the events of a whole one, on the tower that it then says."""
    whole = Stage()
    whole.turn.run()
    paper = Paper(TEXT)
    for event in whole.paper.events:
        if event.kind in kinds:
            paper.append(event)
    assert paper.kinds() == [
        kind for kind in ("touch", "move", "move", "extract", "place", "release") if kind in kinds
    ]
    return Stage(paper=paper, text=str(paper.game.tower))


def test_turn_that_broke_off_at_a_touch_begins_with_a_look_and_a_choice() -> None:
    stage = broken_off("touch")
    assert stage.turn.run() is State.DONE
    assert stage.phases()[:2] == ["turn-start", "probe-start"]
    assert stage.paper.kinds()[:2] == ["touch", "touch"]
    assert stage.paper.rules_broken() == []


def test_block_that_was_displaced_is_seen_to_be_home_before_it_is_called_restored() -> None:
    stage = broken_off("touch", "move")
    moved = stage.paper.game.must_restore
    assert stage.turn.run() is State.DONE
    assert stage.paper.kinds()[3] == "restore"
    assert stage.paper.events[3].block == moved[0]  # type: ignore[attr-defined]
    assert stage.paper.rules_broken() == []


def test_block_that_still_stands_out_is_a_persons_to_push_home() -> None:
    stage = broken_off("touch", "move")
    (slot,) = stage.paper.game.must_restore
    block = stage.table.tower.stacked.blocks[slot]
    stage.table.tower.stacked.blocks[slot] = replace(block, out_m=-0.006)
    with pytest.raises(
        PerceptionError, match=rf"block {slot}, which was displaced .* stands out by 6\.0 mm, .*flush"
    ):
        stage.turn.run()
    assert stage.paper.kinds() == ["touch", "move", "move"]


def test_block_that_was_in_the_hand_is_conceded_with_the_reason() -> None:
    stage = broken_off("touch", "move", "extract")
    assert stage.turn.run() is State.CONCEDED
    assert stage.paper.kinds()[-1] == "concede"
    assert "lies on the table" in stage.turn.why
    assert stage.paper.rules_broken() == []


@pytest.mark.parametrize("released", [False, True])
def test_block_that_was_laid_has_its_settling_time_waited_out_again(released: bool) -> None:
    stage = broken_off("touch", "move", "extract", "place", *(["release"] if released else []))
    began_s = stage.table.tower.clock.now_s()
    assert stage.turn.run() is State.DONE
    assert stage.paper.kinds()[-2:] == ["release", "clock"]
    assert stage.table.tower.clock.now_s() - began_s >= 10.0
    assert stage.turn.tally.probes == 0
    assert stage.paper.game.completed_turns == 1
    assert stage.paper.rules_broken() == []
