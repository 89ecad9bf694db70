"""The tool in rendered pictures, its true pose known to the test alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from perception.tool import locate_tool
from planning.poses import aim_at
from planning.tower import Slot
from robot.errors import BadInputError, PerceptionError
from robot.frames import Array, pose, rotation_from_vector, rotation_vector
from robot.hand import need
from robot.lfinger import LFinger
from robot.ports import Frame
from sim.arm import T_world_flange
from support import bench

FINGER = LFinger()
PLACES = {"at the near left face": (Slot(9, 2), -1), "at the near right face": (Slot(10, 1), 1)}


class Pointing:
    """A table whose arm points at the middle of a block's end, 25 mm away."""

    def __init__(self) -> None:
        self.table = bench.table(looks=True)
        self.seen = self.table.eyes.observe(self.table.eyes.look())
        self.table.actors.avoid(self.seen.blocks)
        self.cameras = {camera.model.name: camera.model for camera in self.table.simulation.cameras}

    def at(self, slot: Slot, end: int, opening_m: float) -> tuple[list[Frame], Array]:
        """Pictures, and where the tool is (4, 4)."""
        hand, T = self.table.hand, self.seen.blocks[slot].T_world_block
        face = T[:3, 3] + end * 0.0375 * T[:3, 0]
        line = need(hand.line(aim_at(face, -end * T[:3, 0], T[:3, 2], 0.0), opening_m), "pointing")
        hand.grip(opening_m)
        hand.go(line.q(0.0))
        hand.along(line, 0.0, 0.035, 0.12)
        frames = [camera.capture() for camera in self.table.simulation.cameras]
        return frames, T_world_flange(self.table.simulation.world) @ FINGER.T_flange_tool()


@pytest.fixture(scope="module")
def pointing() -> Iterator[Pointing]:
    it = Pointing()
    try:
        it.table.simulation.renderer.prepare(it.table.simulation.world)
    except BadInputError as error:
        pytest.skip(f"no pictures to read on this machine: {error}")
    yield it
    it.table.simulation.close()


@pytest.fixture(scope="module", params=[(name, opening) for name in PLACES for opening in (0.0, 0.026)])
def shot(pointing: Pointing, request: pytest.FixtureRequest) -> tuple[list[Frame], Array, float]:
    name, opening_m = request.param
    return *pointing.at(*PLACES[name], opening_m), pointing.table.hand.mover.arm.state().opening_m


@pytest.mark.parametrize(
    ("shift_mm", "turn_deg"),
    [((0, 0, 0), (0, 0, 0)), ((-3, 4, -7), (0.4, 1.0, 0.4)), ((5, 2, 6), (-0.5, -0.6, -0.8))],
)
def test_tool_is_found_to_a_few_tenths_of_a_millimetre_where_the_joints_are_wrong(
    pointing: Pointing, shot: tuple[list[Frame], Array, float], shift_mm: Array, turn_deg: Array
) -> None:
    frames, T, opening_m = shot
    guess = T @ pose(rotation_from_vector(np.radians(turn_deg)), None)
    guess[:3, 3] += np.array(shift_mm) * 1e-3
    seen = locate_tool(frames, pointing.cameras, FINGER, guess, opening_m)
    off_m = seen.T_world_tool[:3, 3] - T[:3, 3]
    turned = rotation_vector(seen.T_world_tool[:3, :3] @ T[:3, :3].T)
    assert np.linalg.norm(off_m) < 3e-4
    assert np.degrees(np.linalg.norm(turned)) < 0.4
    off = np.concatenate([off_m, turned])
    assert off @ np.linalg.solve(seen.covariance, off) < 22.0, "as sure as it says: 99.9 % of six unknowns"
    assert seen.sd_m < 5e-4


def test_tool_that_is_not_there_is_refused_with_what_to_do(pointing: Pointing) -> None:
    frames, T = pointing.at(*PLACES["at the near left face"], 0.0)
    elsewhere = T.copy()
    elsewhere[:3, 3] += [0.0, 0.0, 0.12]
    with pytest.raises(
        PerceptionError, match=r"print on the fingers is not seen within 24 px .* sleeves"
    ) as told:
        locate_tool(frames, pointing.cameras, FINGER, elsewhere, 0.0)
    assert told.value.reason == "no-tool"


def test_one_camera_alone_finds_the_tool_less_surely(pointing: Pointing) -> None:
    frames, T = pointing.at(*PLACES["at the near left face"], 0.0)
    seen = [locate_tool(part, pointing.cameras, FINGER, T, 0.0) for part in (frames, frames[:1])]
    assert seen[0].sd_m < seen[1].sd_m
    assert np.linalg.norm((seen[1].T_world_tool - T)[:3, 3]) < 1.5e-3
