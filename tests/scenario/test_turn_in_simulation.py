"""Whole turns and their ends in MuJoCo, with eyes that see the truth: what a robot does, not what it sees."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from rich.console import Console

from planning.habits import Habits
from planning.notes import Note, Notify, Phase
from planning.opening import Opening
from planning.tower import Slot, Tower
from robot.errors import PerceptionError
from robot.fakes import Button
from robot.frames import Array, from_quaternion
from sim.world import World
from steadyhand import wiring
from steadyhand.account import Account
from steadyhand.journal import Journal
from steadyhand.match import EXIT_CODES, Match, Summary
from steadyhand.record_file import judge_file
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from steadyhand.strip import PictureStrip
from steadyhand.truth import TruthLog
from support import bench
from support.truth_eyes import TruthEyes

Rows = list[dict[str, Any]]
# Every probe goes to its whole depth and is then rejected: what is put back was really moved.
ALWAYS_REJECT = Habits(probe=replace(Habits().probe, first_look_m=0.006, full_m=0.0061, neighbour_m=-1.0))


@dataclass
class Played:
    """A match that was played."""

    summary: Summary
    table: bench.Table
    folder: Path
    said: list[str]
    notes: list[Note]

    @property
    def record(self) -> Rows:
        return [json.loads(line) for line in (self.folder / "game.jsonl").read_text().splitlines()]

    @property
    def truth(self) -> Rows:
        return [json.loads(line) for line in (self.folder / "truth.jsonl").read_text().splitlines()]

    def verdict(self) -> dict[str, object]:
        return judge_file(self.folder / "game.jsonl").verdict()


def play(
    folder: Path, table: bench.Table, listen: Callable[[bench.Table], list[Notify]] = lambda _table: [],
    *, record_tower: str | None = None, **options: object,
) -> Played:  # fmt: skip
    """Play one turn, with truth log."""
    rig, notes, said = table.rig(), [], []
    tower = record_tower or str(_tower_of(table))
    opening = Opening.of(["Robot"], "classic", options, tower=tower)
    truth = TruthLog(folder / "truth.jsonl", table.simulation, rig.clock.now_s())
    rig.listeners += [truth, notes.append, *listen(table)]
    summary = Summary(1, "standard", "classic", ["Robot"], record=str(folder / "game.jsonl"))
    with Journal.create(folder / "game.jsonl", opening) as journal:
        player = wiring.policy_of(load_settings(None), rig.actors, 1)
        Match(rig, journal, summary, said.append, lambda _name: player).play(1)
    truth.close()
    return Played(summary, table, folder, said, notes)


def _tower_of(table: bench.Table) -> Tower:
    marks: dict[int, set[int]] = {}
    for block in table.simulation.world.blocks:
        marks.setdefault(block.slot[0], set()).add(block.slot[1])
    return Tower.parse("/".join("".join("01"[p in marks[k]] for p in (1, 2, 3)) for k in sorted(marks)))


def on(phase: Phase, act: Callable[[], None], count: int = 1) -> Notify:
    """Act when a phase comes for the so-manieth time."""
    left = [count]

    def listen(note: Note) -> None:
        if note.phase is phase:
            left[0] -= 1
            if left[0] == 0:
                act()

    return listen


def position(row: dict[str, Any], name: str) -> Array:
    return np.array(row["poses"][name][:3])


def rotation(row: dict[str, Any], name: str) -> Array:
    return from_quaternion(row["poses"][name][3:])


# A whole turn


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """One turn on a full tower, with everybody listening who listens to a real one."""
    folder, out = tmp_path_factory.mktemp("whole"), io.StringIO()
    console = Console(file=out, width=100, color_system=None)

    def listen(table: bench.Table) -> list[Notify]:
        front = table.simulation.cameras[2]
        return [Account(console), PictureStrip(front, folder / "turn.png")]

    table = bench.table(seed=1, looks=True)
    played = play(folder, table, listen)
    (folder / "account.txt").write_text(out.getvalue())
    yield played
    table.simulation.close()


def test_turn_completes_and_its_record_is_judged_without_violation(whole: Played) -> None:
    verdict = whole.verdict()
    assert (whole.summary.turns_completed, whole.summary.ended_by) == (1, "turns")
    assert verdict["completed_turns"] == 1
    assert verdict["violations"] == []
    assert verdict["state"] == "playing"


def test_records_tower_is_the_true_one(whole: Played) -> None:
    last = whole.truth[-1]
    standing = {Slot.parse(text) for text in last["slots"]}
    assert set(judge_file(whole.folder / "game.jsonl").tower.blocks()) == standing
    assert len(standing) == 54


def test_arm_with_errors_plays_a_whole_turn_when_it_is_steered(tmp_path: Path) -> None:
    played = play(tmp_path, bench.table(seed=1, settings=Settings()))
    assert (played.summary.turns_completed, played.summary.ended_by) == (1, "turns")
    assert played.verdict()["violations"] == []
    played.table.simulation.close()


def test_turn_is_played_through_the_real_drivers_over_the_wire(tmp_path: Path) -> None:
    table = bench.table("111*6", seed=1, wire=True)
    assert table.devices is not None
    with closing(table.devices):
        played = play(tmp_path, table)
    assert played.summary.ended_by == "turns", played.said
    assert played.summary.violations == []
    ends = [row for row in played.truth if row["limit_n"] is not None and row["peak_n"] is not None]
    assert max(row["peak_n"] - row["limit_n"] for row in ends) < 0.3


def test_settling_time_is_waited_out_on_the_worlds_clock(whole: Played) -> None:
    times = {row["type"]: row["t"] for row in whole.record[1:]}
    assert round(times["clock"] - times["release"], 3) >= 10.0  # the record tells milliseconds
    phases = {row["phase"]: row["t"] for row in whole.truth}
    assert round(phases["settled"] - phases["placed"], 3) >= 10.0


def test_truth_log_has_the_keys_of_the_contract_in_every_row(whole: Played) -> None:
    names = {f"b{k:02d}" for k in range(1, 55)}
    for row in whole.truth:
        assert list(row) == ["t", "phase", "slot", "limit_n", "peak_n", "poses", "slots"]
        assert set(row["poses"]) == names
        assert all(len(numbers) == 7 for numbers in row["poses"].values())
        assert set(row["slots"].values()) <= names
        assert len(set(row["slots"].values())) == len(row["slots"])
    times = [row["t"] for row in whole.truth]
    assert times == sorted(times)
    assert [row["phase"] for row in whole.truth] == [
        "turn-start", "probe-start", "probe-end", "extracted", "placed", "settled",
    ]  # fmt: skip


def test_truth_log_tells_limit_and_peak_where_a_motion_ends(whole: Played) -> None:
    for row in whole.truth:
        if row["phase"] in ("probe-end", "restored", "extracted"):
            assert 0 < row["peak_n"] <= row["limit_n"] + 0.1
        else:
            assert row["peak_n"] is None


def test_truth_log_follows_the_block_from_its_slot_to_the_top(whole: Played) -> None:
    rows = {row["phase"]: row for row in whole.truth}
    source, top = rows["extracted"]["slot"], rows["placed"]["slot"]
    block = rows["turn-start"]["slots"][source]
    assert rows["probe-start"]["slot"] == rows["probe-end"]["slot"] == source
    assert source not in rows["extracted"]["slots"]
    assert block not in rows["extracted"]["slots"].values(), "it is in the hand"
    assert rows["placed"]["slots"][top] == rows["settled"]["slots"][top] == block
    assert rows["settled"]["slot"] == top


def test_probe_moved_the_block_by_its_depth_and_no_other(whole: Played) -> None:
    rows = {row["phase"]: row for row in whole.truth}
    before, after = rows["probe-start"], rows["probe-end"]
    block = before["slots"][before["slot"]]
    moved = {name: np.linalg.norm(position(after, name) - position(before, name)) for name in before["poses"]}
    assert 0.004 < moved.pop(block) < 0.008
    assert max(moved.values()) < 0.0007


def test_block_is_laid_flush_square_and_level_on_the_layer_below(whole: Played) -> None:
    row = whole.truth[-1]
    top = Slot.parse(row["slot"])
    block = row["slots"][row["slot"]]
    below = [name for text, name in row["slots"].items() if Slot.parse(text).layer == top.layer - 1]
    middle = np.mean([position(row, name) for name in below], axis=0)
    R, carrying = rotation(row, block), rotation(row, below[0])
    assert abs((position(row, block) - middle) @ R[:, 0]) < 0.003
    assert abs(R[:, 0] @ carrying[:, 0]) < np.sin(np.radians(3))
    assert R[:, 2] @ carrying[:, 2] > np.cos(np.radians(1.5))
    aside_m = abs(float((position(row, block) - middle) @ carrying[:, 0]))
    assert abs(aside_m - abs(top.position - 2) * Habits().place.spacing_m) < 0.005


def test_rest_of_the_tower_stands_where_it_stood(whole: Played) -> None:
    first, last = whole.truth[0], whole.truth[-1]
    taken = last["slots"][last["slot"]]
    moved = {name: np.linalg.norm(position(last, name) - position(first, name)) for name in first["poses"]}
    del moved[taken]
    assert max(moved.values()) < 0.002


def test_summary_adds_up(whole: Played) -> None:
    summary = whole.summary
    assert (summary.probes, summary.rejected, summary.restored, summary.blocks_added) == (1, 0, 0, 1)
    assert summary.sim_s == pytest.approx(whole.record[-1]["t"], abs=0.1)
    assert 0 < summary.peak_force_n < 1.3
    assert summary.max_force_over_limit_n <= 0.1


def test_account_tells_the_turn_to_people(whole: Played) -> None:
    text = (whole.folder / "account.txt").read_text()
    for part in (
        "Robot looks",
        "% loose, ",
        "safe moves",
        "force 0 to",
        "is out",
        "laid in 19.",
        "stood 10 s",
    ):
        assert part in text
    assert "settling, 2 s left" in text
    assert set("▁▂▃▄▅▆▇█") & set(text), "the force is drawn"
    assert text.index("→") < text.index("⇥") < text.index("▣") < text.index("✓")


def test_picture_strip_shows_the_moments_side_by_side(whole: Played) -> None:
    image = cv2.imread(str(whole.folder / "turn.png"))
    assert image is not None
    moments = ("turn-start", "probe-end", "extracted", "placed", "settled")
    assert image.shape == (388, 320 * len(moments), 3)
    tiles = np.split(image[:360].astype(int), len(moments), axis=1)
    assert all(np.abs(a - b).mean() > 0.5 for a, b in pairwise(tiles)), "each shows another moment"


def test_arm_is_parked_and_still_afterwards(whole: Played) -> None:
    state = whole.table.simulation.arm.state()
    assert state.q_rad == pytest.approx(bench.body().park_rad, abs=5e-3)
    assert np.abs(state.dq_rad_s).max() < 1e-2


# Rejected blocks


@pytest.mark.parametrize(("seed", "movable"), [(1, 3), (7, 3)])
def test_rejected_block_is_put_back_within_a_millimetre(tmp_path: Path, seed: int, movable: int) -> None:
    """Blocks that were pushed by 6 mm and rejected on purpose."""
    button = Button()
    table = bench.table(seed=seed, habits=ALWAYS_REJECT, stop=button)
    played = play(tmp_path, table, lambda _table: [on(Phase.RESTORED, button.press, count=3)])
    starts, ends, backs = (
        [row for row in played.truth if row["phase"] == phase]
        for phase in ("probe-start", "probe-end", "restored")
    )
    moved = 0
    for start, end, back in zip(starts[:3], ends, backs, strict=True):
        block = start["slots"][start["slot"]]
        moved += np.linalg.norm(position(end, block) - position(start, block)) > 0.004
        assert np.linalg.norm(position(back, block) - position(start, block)) < 0.001
        others = [
            np.linalg.norm(position(back, n) - position(start, n)) for n in start["poses"] if n != block
        ]
        assert max(others) < 0.002
        assert back["slots"] == start["slots"]
        assert back["peak_n"] <= back["limit_n"] + 0.1
    assert moved == movable
    assert played.verdict()["violations"] == []
    assert played.verdict()["must_restore"] == []
    assert [row["type"] for row in played.record[1:]].count("restore") == movable
    assert (played.summary.probes, played.summary.rejected, played.summary.restored) == (4, 4, 3), (
        "stopped in the 4th"
    )


def test_concession_when_nothing_is_loose(tmp_path: Path) -> None:
    played = play(tmp_path, bench.table("110/111", habits=ALWAYS_REJECT))
    assert played.summary.ended_by == "concede"
    assert EXIT_CODES[played.summary.ended_by] == 0
    assert played.said[0].startswith("no block that may be taken is loose enough")
    assert played.record[-1]["type"] == "concede"
    assert played.summary.probes == played.summary.restored in {1, 2}, "the one block, at most twice"
    assert played.verdict()["violations"] == []


# Falls


def knock(world: World, layers: int) -> None:
    """Send the uppermost blocks flying."""
    top = max(block.slot[0] for block in world.blocks)
    for block in world.blocks:
        if block.slot[0] > top - layers:
            world.data.xfrc_applied[world.model.body(block.name).id, 2] = 1e-3  # wakes it
            adr = world.model.joint(block.name).dofadr[0]
            world.data.qvel[adr : adr + 3] = [0.0, 1.5, 0.5]


def test_fall_of_the_tower_is_recorded_as_a_collapse(tmp_path: Path) -> None:
    table = bench.table(seed=1)
    world = table.simulation.world
    played = play(tmp_path, table, lambda _table: [on(Phase.PROBE_END, lambda: knock(world, 6))])
    assert (played.summary.ended_by, EXIT_CODES[played.summary.ended_by]) == ("collapse", 1)
    assert played.record[-1]["type"] == "collapse"
    assert played.truth[-1]["phase"] == "collapse"
    assert played.verdict()["loser"] == "Robot"
    assert len(played.truth[-1]["slots"]) < 54, "the truth log knows which blocks have left their places"
    assert "blocks have fallen" in played.said[0]


def test_fall_of_a_single_block_is_recorded_as_a_fall_of_that_block(tmp_path: Path) -> None:
    table = bench.table("111*5/010", seed=1)
    world = table.simulation.world
    played = play(tmp_path, table, lambda _table: [on(Phase.PROBE_END, lambda: knock(world, 1))])
    assert played.summary.ended_by == "fall"
    assert played.record[-1] == {"t": played.record[-1]["t"], "type": "fall", "blocks": ["6.2"]}


# Stops


class Timer:
    """A stop that comes at a moment of the world's time."""

    def __init__(self) -> None:
        self.at_s = np.inf
        self.world: World | None = None

    def is_set(self) -> bool:
        return self.world is not None and self.world.now_s() >= self.at_s


@pytest.mark.parametrize(
    ("phase", "after_s", "kinds"),
    [
        (Phase.PROBE_START, 0.5, ["touch", "stop"]),
        (Phase.PROBE_START, 4.0, ["touch", "stop"]),
        (Phase.PROBE_END, 1.0, ["touch", "move", "stop"]),
        (Phase.EXTRACTED, 5.0, ["touch", "move", "move", "extract", "stop"]),
    ],
)
def test_stop_in_the_middle_leaves_the_arm_still_and_the_record_whole(
    tmp_path: Path, phase: Phase, after_s: float, kinds: list[str]
) -> None:
    timer = Timer()
    table = bench.table(seed=1, stop=timer)
    world, arm = table.simulation.world, table.simulation.arm
    timer.world = world
    start = on(phase, lambda: setattr(timer, "at_s", world.now_s() + after_s))
    played = play(tmp_path, table, lambda _table: [start])
    assert (played.summary.ended_by, EXIT_CODES[played.summary.ended_by]) == ("stop", 0)
    assert [row["type"] for row in played.record[1:]] == kinds
    assert played.verdict()["state"] == "unfinished"
    assert world.now_s() < timer.at_s + 0.1, "at once"
    world.sleep_until(world.now_s() + 0.5)
    before, opening = arm.state().q_rad, arm.state().opening_m
    world.sleep_until(world.now_s() + 1.0)
    assert np.abs(arm.state().q_rad - before).max() < 1e-3
    assert arm.state().opening_m == pytest.approx(opening, abs=1e-4), "what is held stays held"
    if phase is Phase.EXTRACTED:
        assert opening > 0.013


# What does not fit


def test_record_that_contradicts_the_tower_is_refused_before_anything_moves(tmp_path: Path) -> None:
    table = bench.table("111*4", seed=1)
    before = table.simulation.world.poses()
    played = play(tmp_path, table, record_tower="111*3/101")
    assert (played.summary.ended_by, EXIT_CODES[played.summary.ended_by]) == ("fault", 3)
    assert "the pictures and the record disagree on 4.2" in played.said[0]
    assert len(played.record) == 1, "the opening alone"
    assert table.simulation.world.poses() == before


class Blind(TruthEyes):
    """Loses sight of everything once a probe has begun."""

    def motions(self, *_: object, **__: object):  # type: ignore[no-untyped-def, override]
        raise PerceptionError("too dark: the lamp is out")


def test_pictures_that_cannot_be_read_end_in_a_fault_with_the_arm_still(tmp_path: Path) -> None:
    table = bench.table("111*4", seed=1, eyes=Blind)
    played = play(tmp_path, table)
    assert (played.summary.ended_by, played.said) == ("fault", ["too dark: the lamp is out"])
    assert played.summary.rejected == 1
    assert played.verdict()["violations"] == []
    assert np.abs(table.simulation.arm.state().dq_rad_s).max() < 1e-2
