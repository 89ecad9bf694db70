"""Somebody comes to a simulated table, rests there and goes; the light changes: as the simulated cameras see it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.at_work import postures_at_work
from benchmarks.stage import USUAL, Light, Stage, drawn_back
from perception.watching import Sighting, Watch
from planning.tower import Slot
from robot.errors import BadInputError
from robot.frames import Array, pose
from sim.look import Look
from support import bench

CAMERAS = ("left", "front")
EVERY_S = 1.5


class Evening:
    """A watched table on which a sleeve with a hand may reach to the tower."""

    def __init__(self) -> None:
        self.stage = Stage(5, Look("warm", "mixed", ("some", "sleeve")))
        self.cameras = {name: self.stage.cameras[name] for name in CAMERAS}
        self.begin()

    def begin(self) -> None:
        """Nobody has been there for a while."""
        self._watch = Watch(self.cameras, self.stage.T_world_tower, 0.33, lambda _views: False)
        self._t_s = 0.0
        assert [self.look().why is None for _ in range(2)] == [False, True]

    def look(
        self, visitor: Array | None = None, light: Light = USUAL, moved: dict[Slot, Array] | None = None
    ) -> Sighting:
        self._t_s += EVERY_S
        return self._watch.look(self.stage.shot(self._t_s, visitor, light, moved, CAMERAS))


@pytest.fixture(scope="module")
def shared() -> Iterator[Evening]:
    try:
        it = Evening()
    except BadInputError as error:
        pytest.skip(f"no pictures on this machine: {error}")
    yield it
    it.stage.close()


@pytest.fixture
def evening(shared: Evening) -> Evening:
    shared.begin()
    return shared


def test_hand_that_arrives_rests_and_leaves_is_never_missed(evening: Evening) -> None:
    """Skin, sleeve, wood and table are all of one colour in this light; the hand sways by a millimetre or two."""
    T = evening.stage.reach()
    for away_m in (0.25, 0.1):
        assert evening.look(drawn_back(T, away_m)).why is not None
    for sway_m in (0.0, 0.002, -0.001, 0.0, 0.002, -0.001):
        assert evening.look(drawn_back(T, sway_m)).why is not None
    assert evening.look().why is not None, "it has just gone"
    assert evening.look().why is None


def test_hand_is_seen_while_the_light_is_dimmed(evening: Evening) -> None:
    assert evening.look(evening.stage.reach(), Light(gain=0.7, window=0.6)).why is not None


def test_dimmer_and_cooler_light_alarms_nobody(evening: Evening) -> None:
    for light in (Light(gain=0.65), Light(gain=0.8, tint=(0.88, 1.0, 1.12))):
        assert evening.look(light=light).why is None


def test_shadows_that_move_are_nobody(evening: Evening) -> None:
    said = [evening.look(light=Light(turn_rad=np.radians(12), window=0.7)) for _ in range(6)]
    assert not any(seen.somebody or seen.blind for seen in said)
    assert said[-1].why is None


def test_blocks_that_moved_while_nobody_looked_are_nobody(evening: Evening) -> None:
    moved = {Slot(9, 2): pose(None, [0.006, 0.006, 0.0]), Slot(12, 1): pose(None, [0.0, 0.0, 0.04])}
    assert evening.look(moved=moved).why is None


def test_arm_at_work_is_not_taken_for_somebody_and_does_not_hide_a_hand() -> None:
    """Beside the arm's outline, at the ends of several blocks."""
    try:
        stage = Stage(6, Look("normal", "light", ("some", "hand")))
    except BadInputError as error:
        pytest.skip(f"no pictures on this machine: {error}")
    body, model = bench.body(), bench.collisions()
    watch = Watch(stage.cameras, stage.T_world_tower, 0.33, lambda _views: False)
    watch.look(stage.shot(0.0))
    watch.look(stage.shot(EVERY_S))
    watch.keep(stage.shot(2 * EVERY_S), model.outline(body.park_rad, 0.0))
    T_world_visitor = stage.reach()
    for k, q_rad in enumerate(postures_at_work(body, stage.T_world_tower)):
        arm, t_s = model.outline(q_rad, 0.0), (3 + k) * EVERY_S
        assert watch.reaching_in(stage.shot(t_s, q_rad=q_rad), arm) is None
        assert watch.reaching_in(stage.shot(t_s + 0.5, T_world_visitor, q_rad=q_rad), arm) is not None
    stage.close()
