from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from planning.extract import Drag
from planning.place import CannotLayError
from planning.probe import Verdict
from planning.restore import NotRestoredError
from planning.tower import Slot
from planning.watch import TowerFellError
from robot.errors import BadInputError, DeviceError, PerceptionError
from robot.fakes import Button
from steadyhand.match import EXIT_CODES, Match, Summary
from steadyhand.rig import Rig
from support.guests import Act, Guest, loses, nothing, takes
from support.records import Paper
from support.script import TEXT, Script, Stage

FALL = TowerFellError((Slot(4, 1),))
COLLAPSE = TowerFellError(tuple(Slot(k, p) for k in (3, 4) for p in (1, 2, 3)))


class Played:
    """A match on a scripted stage, played."""

    def __init__(
        self, script: Script | None = None, turns: int | None = 1, paper: Paper | None = None, **toy: Any
    ) -> None:
        stage = Stage(script, paper=paper, **toy)
        self.stage, self.paper, self.said = stage, stage.paper, []
        rig = Rig(stage.actors, stage.table.tower.clock, [], lambda: None)
        rig.listeners.append(stage.notes.append)
        players = list(stage.paper.game.opening.players)
        summary = Summary(1, "standard", "classic", players, record="game.jsonl")
        self.summary = Match(rig, stage.paper, summary, self.said.append, lambda _player: stage.player).play(
            turns
        )

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.summary.ended_by]


def test_turns_that_were_asked_for_are_played() -> None:
    played = Played(turns=2)
    summary = played.summary
    assert (summary.turns_completed, summary.blocks_added, summary.ended_by) == (2, 2, "turns")
    assert (summary.probes, summary.rejected, summary.restored) == (2, 0, 0)
    assert summary.tower == str(played.paper.game.tower)
    assert summary.violations == []
    assert summary.sim_s > 20
    assert played.exit_code == 0
    assert played.said == []


def test_players_take_turns() -> None:
    paper = Paper(TEXT, players=("Robot-1", "Robot-2"))
    Played(turns=2, paper=paper)
    assert [e.player for e in paper.events if e.kind == "release"] == ["Robot-1", "Robot-2"]  # type: ignore[attr-defined]
    assert paper.rules_broken() == []


def test_second_turn_is_played_with_what_the_first_one_saw() -> None:
    played = Played(turns=2)
    asked = played.stage.table.tower.asked_with
    assert asked == [False, True]


@pytest.mark.parametrize(
    ("script", "ended_by", "code"),
    [
        (Script(probes=[FALL]), "fall", 1),
        (Script(probes=[COLLAPSE]), "collapse", 1),
        (Script(pulls=[PerceptionError("no block there")]), "drop", 1),
        (Script(probes=[Verdict.TIGHT], restores=[NotRestoredError("it sticks")]), "concede", 0),
        (Script(probes=[DeviceError("force sensor: no answer")]), "fault", 3),
        (Script(places=[CannotLayError("bore too early")]), "fault", 3),
    ],
)
def test_match_ends_as_its_turn_did(script: Script, ended_by: str, code: int) -> None:
    played = Played(script, turns=None)
    assert (played.summary.ended_by, played.exit_code) == (ended_by, code)
    assert len(played.said) == 1
    assert played.said[0], "the reason is said"


def test_fall_that_the_rules_let_pass_ends_the_match_as_a_fall() -> None:
    played = Played(Script(probes=[FALL]), paper=Paper(TEXT, fallen_block="continue"))
    assert (played.summary.ended_by, played.exit_code) == ("fall", 1)
    assert played.paper.game.outcome is None


def test_fault_after_completed_turns_keeps_their_count() -> None:
    played = Played(Script(probes=[Verdict.LOOSE, DeviceError("arm: no answer")]), turns=3)
    summary = played.summary
    assert (summary.turns_completed, summary.probes, summary.rejected, summary.ended_by) == (1, 2, 1, "fault")
    assert played.said == ["arm: no answer"]


def test_stop_is_written_and_is_no_failure() -> None:
    played = Played(button=Button(after=20))
    assert (played.summary.ended_by, played.exit_code) == ("stop", 0)
    assert played.paper.kinds()[-1] == "stop"
    assert played.said == ["stopped by a person; the arm stands still"]


def test_stop_between_turns_is_a_stop_too() -> None:
    button = Button()
    script = Script()
    script.places = [None, button.press]
    played = Played(script, turns=5, button=button)
    assert played.summary.turns_completed == 1
    assert played.paper.kinds()[-2:] == ["release", "stop"]


def test_every_probe_counts_as_rejected_unless_the_block_came_out() -> None:
    script = Script(
        probes=[Verdict.TIGHT, Verdict.LOOSE, Verdict.LOOSE],
        pushes_out=[Drag("3.1 came along", 0.012, {}), None],
    )
    summary = Played(script).summary
    assert (summary.probes, summary.rejected, summary.restored) == (3, 2, 2)


def test_force_is_that_of_the_hardest_motion_and_over_is_what_passed_its_limit() -> None:
    summary = Played(Script(probes=[Verdict.TIGHT, Verdict.LOOSE], restores=[0.5])).summary
    assert summary.peak_force_n == pytest.approx(0.6), "of the restoring"
    assert summary.max_force_over_limit_n == pytest.approx(0.1)


def test_force_within_all_limits_is_over_by_nothing() -> None:
    assert Played().summary.max_force_over_limit_n == 0.0


def test_violations_of_the_record_are_in_the_summary() -> None:
    paper = Paper(TEXT, testing="none")
    summary = Played(Script(probes=[Verdict.TIGHT, Verdict.LOOSE]), paper=paper).summary
    assert [violation["rule"] for violation in summary.violations] == ["no-testing"]  # type: ignore[index]


def test_summary_has_the_keys_of_the_contract() -> None:
    assert list(Played().summary.as_dict()) == [
        "seed", "blockset", "edition", "players", "turns_completed", "blocks_added", "ended_by", "probes", "rejected",
        "restored", "peak_force_n", "max_force_over_limit_n", "violations", "tower", "record", "sim_s", "wall_s",
    ]  # fmt: skip


def test_every_way_to_end_has_its_exit_code() -> None:
    expected = {0: "turns concede stop bump", 1: "collapse fall drop catch", 3: "fault"}
    assert {end: code for code, ends in expected.items() for end in ends.split()} == EXIT_CODES


def test_listeners_hear_every_note() -> None:
    played = Played()
    assert played.stage.phases() == [
        "turn-start",
        "probe-start",
        "probe-end",
        "extracted",
        "placed",
        "settled",
    ]


class Hosted:
    """A match of a person and the scripted robot on the toy table."""

    def __init__(
        self, acts: Sequence[tuple[str, Act]], turns: int | None = 2, paper: Paper | None = None, **toy: Any
    ) -> None:
        self.stage = Stage(None, paper=paper or Paper(TEXT, players=("Guest", "Robot")), **toy)
        self.paper, self.said = self.stage.paper, []
        self.guest = Guest(self.stage.table.tower, acts)
        rig = Rig(self.stage.actors, self.stage.table.tower.clock, [], lambda: None)
        players = list(self.paper.game.opening.players)
        summary = Summary(1, "standard", "classic", players, record="game.jsonl")
        match = Match(
            rig,
            self.paper,
            summary,
            self.said.append,
            lambda _name: self.stage.player,
            lambda _name: self.guest,
        )
        self.summary = match.play(turns)


GUESTS_MOVE = ("2.2 5.1", takes("2.2", "5.1"))


def test_person_and_robot_take_turns_and_all_turns_count() -> None:
    hosted = Hosted([GUESTS_MOVE])
    assert [e.player for e in hosted.paper.events if e.kind == "release"] == ["Guest", "Robot"]  # type: ignore[attr-defined]
    summary = hosted.summary
    assert (summary.turns_completed, summary.blocks_added, summary.ended_by) == (2, 2, "turns")
    assert (summary.probes, summary.players) == (1, ["Guest", "Robot"])
    assert hosted.paper.rules_broken() == []
    assert hosted.stage.table.tower.asked_with == [False, True, True], (
        "each look knows what was seen before it"
    )


def test_person_who_leaves_stops_the_match_and_the_record_is_whole() -> None:
    hosted = Hosted([GUESTS_MOVE], turns=None)
    assert (hosted.summary.turns_completed, hosted.summary.ended_by) == (2, "stop")
    assert hosted.paper.kinds()[-1] == "stop"
    assert EXIT_CODES[hosted.summary.ended_by] == 0


def test_person_who_breaks_a_rule_is_in_the_summary() -> None:
    hosted = Hosted([("4.2 5.1", takes("4.2", "5.1"))], turns=1)
    assert [v["rule"] for v in hosted.summary.violations] == ["source-layer", "wrong-slot"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("act", "ended_by"),
    [
        (("concede", nothing), "concede"),
        (("2.2 5.1", loses("2.2", "3.1", "3.2", "4.1", "4.2")), "collapse"),
    ],
)
def test_match_ends_as_the_persons_turn_did(act: tuple[str, Act], ended_by: str) -> None:
    hosted = Hosted([act])
    assert hosted.summary.ended_by == ended_by
    assert hosted.said[-1]


def test_hand_of_a_person_is_the_one_that_the_options_name() -> None:
    options = {"hands": "off-hand", "off_hands": {"Guest": "left", "Robot": "arm"}}
    hosted = Hosted([GUESTS_MOVE], paper=Paper(TEXT, players=("Guest", "Robot"), **options))
    assert {e.hand for e in hosted.paper.events if e.kind == "extract"} == {"left", "arm"}  # type: ignore[attr-defined]
    assert hosted.paper.rules_broken() == []


def test_person_without_anybody_to_play_is_refused() -> None:
    with pytest.raises(BadInputError, match="player Guest: a person, and nobody is there to play"):
        Played(paper=Paper(TEXT, players=("Guest", "Robot")))
